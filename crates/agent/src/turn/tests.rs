//! The turn machine without a runtime, one behaviour at a time; `laws.rs` has what holds whatever happens.

mod laws;
mod order;
mod verdicts;
mod world;

use super::*;
use crate::view::Command;
use world::*;

#[test]
fn text_ends_a_run() {
    let mut world = World::new(Profile::standard(), Approve::Ask);
    world.say("hello");
    world.reply(Reply { text: "hi".into(), ..Reply::default() });
    check(&world, "opened said asked replied stopped:done");
}

#[test]
fn free_calls_run_together_and_a_lone_one_alone() {
    let mut world = World::new(Profile::standard(), Approve::Ask);
    world.say("go");
    world.reply(calls(vec![call("a", "free", "{}"), call("b", "free", ""), call("c", "lone", "{}")]));
    assert_eq!(world.running.len(), 2);
    world.finish(0);
    assert_eq!(world.running.len(), 1);
    world.finish(0);
    assert_eq!(world.running, [CallId("c".into())]);
    world.finish(0);
    assert!(world.asking);
}

#[test]
fn a_call_whose_outcome_is_known_outright_is_recorded_in_one_piece_with_it() {
    for calls_in in [Calls::InOrder, Calls::UntilFailure] {
        let profile = Profile { calls: calls_in, ..Profile::standard() };
        let mut world = World::new(profile, Approve::Ask);
        world.say("go");
        let reply = calls(vec![call("a", "words", "{}"), call("b", "lone", "{}"), call("c", "words", "{}")]);
        let effects = world.turn.on(Input::Replied(reply));
        let Some(Effect::Record(events)) = effects.first() else { panic!("{effects:?}") };
        let ran = |event: &Event| matches!(event, Event::Ran { call, .. } if call.0 == "a");
        assert!(events.iter().any(ran), "{calls_in:?}: {events:?}");
        world.carry(effects, None);
        assert_eq!(world.running, [CallId("b".into())], "{calls_in:?}");
        world.finish(0);
        assert!(world.asking, "{calls_in:?}");
        assert!(!world.runs.contains_key(&CallId("a".into())));
    }
}

#[test]
fn gated_calls_wait_each_for_its_own_decision_in_any_order() {
    let mut world = World::new(Profile::standard(), Approve::Ask);
    world.say("go");
    world.reply(calls(vec![call("a", "gated", "{}"), call("b", "gated", "{}"), call("c", "free", "{}")]));
    assert_eq!(world.running, [CallId("c".into())], "a free call does not wait for gated ones");
    world.finish(0);
    assert!(world.command(Command::Decline { call: CallId("b".into()), words: "no".into() }));
    assert!(!world.asking);
    assert!(world.command(Command::Approve { call: CallId("a".into()), digest: None }));
    assert!(!world.command(Command::Approve { call: CallId("a".into()), digest: None }), "decided once");
    world.finish(0);
    assert!(world.asking);
    check(
        &world,
        "opened said asked replied ask ask allow started ran:done decline ran:declined approve started ran:done asked",
    );
}

#[test]
fn what_cannot_run_is_told_to_the_model() {
    let cases = [
        (call("a", "nosuch", "{}"), "there is no tool named \"nosuch\""),
        (call("a", "free", "{not json"), "not valid JSON"),
        (call("a", "free", "[1]"), "must be a JSON object"),
        (call("a", "free", r#"{"bad":1}"#), "cannot be used: bad"),
        (call("a", "banned", "{}"), "refused by policy: never"),
    ];
    for (call, told) in cases {
        let mut world = World::new(Profile::standard(), Approve::Auto);
        world.say("go");
        world.reply(calls(vec![call]));
        let texts: Vec<&str> = world
            .log
            .iter()
            .filter_map(|event| match event {
                Event::Ran { outcome, .. } => Some(outcome.text.as_str()),
                _ => None,
            })
            .collect();
        assert!(texts.len() == 1 && texts[0].contains(told), "{texts:?} should say {told:?}");
        assert!(world.asking, "the model hears of it");
    }
}

#[test]
fn missing_and_repeated_ids_are_replaced() {
    let mut world = World::new(Profile::standard(), Approve::Ask);
    world.say("go");
    world.reply(calls(vec![call("", "free", "{}"), call("x", "free", "{}"), call("x", "free", "{}")]));
    assert_eq!(world.running.len(), 3);
    world.drain();
    world.check_laws();
}

#[test]
fn the_bound_is_exact() {
    let mut world = World::new(Profile { max_turns: 3, ..Profile::standard() }, Approve::Ask);
    world.say("go");
    for _ in 0..3 {
        world.reply(calls(vec![call("", "free", "{}")]));
        world.finish(0);
    }
    assert_eq!(world.requests.len(), 3);
    assert_eq!(world.turn.view().stop, Some(Stop::Bound));
    assert!(world.command(Command::Continue));
    assert!(world.asking, "a person may let it go on");
}

#[test]
fn a_final_tool_ends_the_run_and_text_alone_need_not() {
    let profile = Profile { text_ends: false, final_tool: Some("finish".into()), ..Profile::standard() };
    let mut world = World::new(profile, Approve::Ask);
    world.say("go");
    world.reply(Reply { text: "thinking aloud".into(), ..Reply::default() });
    assert!(world.asking);
    world.reply(calls(vec![call("a", "finish", "{}")]));
    world.finish(0);
    check(&world, "opened said asked replied asked replied allow started ran:done stopped:done");
}

#[test]
fn words_after_a_final_tool_are_answered() {
    let profile = Profile { text_ends: false, final_tool: Some("finish".into()), ..Profile::standard() };
    let mut world = World::new(profile, Approve::Ask);
    world.say("go");
    world.reply(calls(vec![call("a", "finish", "{}")]));
    world.finish(0);
    world.say("and then?");
    assert!(world.asking, "a new run asks the model");
    world.say("while you are at it");
    world.reply(calls(vec![call("b", "finish", "{}")]));
    world.finish(0);
    assert!(world.asking, "words that the final reply has not heard are heard");
}

#[test]
fn a_single_call_is_carried_out_and_its_outcome_ends_the_run() {
    let profile = || Profile { calls: Calls::First, ..Profile::standard() };
    let mut world = World::new(profile(), Approve::Ask);
    world.say("go");
    world.reply(calls(vec![call("a", "free", "{}"), call("b", "free", "{}"), call("c", "gated", "{}")]));
    world.finish(0);
    check(&world, "opened said asked replied allow ran:refused ran:refused started ran:done stopped:done");
    let mut world = World::new(profile(), Approve::Ask);
    world.say("go");
    world.reply(calls(vec![call("a", "no such tool", "{}"), call("b", "free", "{}")]));
    check(&world, "opened said asked replied ran:failed ran:refused stopped:done");
    let mut world = World::new(profile(), Approve::Ask);
    world.say("go");
    world.reply(Reply { text: "words".into(), ..Reply::default() });
    check(&world, "opened said asked replied stopped:done");
}

#[test]
fn words_said_while_stopping_begin_a_run_of_their_own() {
    let mut world = World::new(Profile::standard(), Approve::Ask);
    world.say("go");
    world.reply(calls(vec![call("a", "free", "{}")]));
    world.command(Command::Cancel);
    world.say("something else");
    world.finish(0);
    check(&world, "opened said asked replied allow started cancelled said ran:done stopped:cancelled asked");
}

#[test]
fn retries_are_bounded_and_follow_the_provider() {
    for (kind, retry, expected) in [
        (FailureKind::Overloaded, Retry::Later, vec![2000, 4000, 8000]),
        (FailureKind::Overloaded, Retry::After(100), vec![100, 100, 100]),
        (FailureKind::Network, Retry::Later, vec![250, 500, 1000]),
        (FailureKind::Protocol, Retry::Later, vec![500, 1000, 2000, 4000]),
        (FailureKind::Auth, Retry::Never, vec![]),
    ] {
        let mut world = World::new(Profile::standard(), Approve::Ask);
        world.say("go");
        let mut pauses = vec![];
        for _ in 0..20 {
            let failure = Failure::new(kind, "no").retry(retry);
            let effects = world.turn.on(Input::Failed { failure, partial: String::new() });
            match effects.first() {
                Some(Effect::Ask { after, .. }) => pauses.push(after.as_millis() as u64),
                _ => {
                    world.carry(effects, None);
                    break;
                }
            }
        }
        assert_eq!(pauses, expected, "{kind:?}");
        assert_eq!(world.turn.view().stop, Some(Stop::Failed));
    }
}

/// Failures of all kinds in turns: neither their number nor the pauses add up.
#[test]
fn a_storm_of_failures_is_sat_out_within_bounds() {
    let kinds = [FailureKind::Network, FailureKind::Overloaded, FailureKind::Protocol];
    for first in 0..kinds.len() {
        let mut world = World::new(Profile::standard(), Approve::Ask);
        world.say("go");
        let (mut tries, mut paused) = (1, 0);
        for place in 0..20 {
            let failure = Failure::new(kinds[(first + place) % kinds.len()], "no").retry(Retry::Later);
            let effects = world.turn.on(Input::Failed { failure, partial: String::new() });
            match effects.first() {
                Some(Effect::Ask { after, .. }) => (tries, paused) = (tries + 1, paused + after.as_millis()),
                _ => {
                    world.carry(effects, None);
                    break;
                }
            }
        }
        assert!(tries <= 10 && paused <= 15_000, "{tries} tries, {paused} ms");
        assert_eq!(world.turn.view().stop, Some(Stop::Failed));
    }
}

#[test]
fn a_request_stays_bounded_by_leaving_out_old_output() {
    let mut world =
        World::new(Profile { context: 10_000, max_turns: 100, ..Profile::standard() }, Approve::Ask);
    world.say("go");
    for _ in 0..40 {
        world.reply(calls(vec![call("", "free", "{}")]));
        let call = world.running.remove(0);
        world.input(Input::Ran { call, outcome: Outcome::done("x".repeat(1000)) });
        let size: usize = world.requests.last().unwrap().iter().map(String::len).sum();
        assert!(size < 20_000, "{size}");
    }
    assert!(world.log.iter().any(|event| matches!(event, Event::Compacted(_))));
}

#[test]
fn what_cannot_be_left_out_is_summed_up_and_the_task_is_kept() {
    let mut world = World::new(Profile { context: 10_000, ..Profile::standard() }, Approve::Ask);
    let sums_up = |world: &World| matches!(world.log.last(), Some(Event::Asked { summary_of: Some(_), .. }));
    world.say(&"words ".repeat(500));
    world.reply(Reply { text: "answer ".repeat(1200), ..Reply::default() });
    world.say("the task");
    assert!(sums_up(&world), "{:?}", kinds(&world.log));
    world.reply(Reply { text: "in short".into(), ..Reply::default() });
    assert!(!sums_up(&world));
    let request = world.requests.last().unwrap().join("");
    assert!(
        request.contains("in short") && request.contains("the task") && request.len() < 10_000,
        "{request}"
    );
    world.reply(Reply { text: "done".into(), ..Reply::default() });
    assert_eq!(world.turn.view().stop, Some(Stop::Done));
}

#[test]
fn a_person_may_shorten_and_a_failed_summary_ends_nothing_that_can_be_helped() {
    let refused = Failure::new(FailureKind::Refused, "no");
    let blank = Reply { text: " \n".into(), ..Reply::default() };
    for answer in [
        Input::Failed { failure: refused, partial: String::new() },
        Input::Replied(blank),
        Input::Replied(calls(vec![call("", "free", "{}")])),
    ] {
        let mut world = World::new(Profile::standard(), Approve::Ask);
        for _ in 0..4 {
            world.say(&"words ".repeat(50));
            world.reply(calls(vec![call("", "free", "{}")]));
            world.finish(0);
            world.reply(Reply { text: "answer ".repeat(30), ..Reply::default() });
        }
        world.command(Command::Shorten);
        world.say("go on");
        assert!(matches!(world.log.last(), Some(Event::Asked { summary_of: Some(_), .. })));
        world.asking = false;
        world.input(answer);
        assert!(world.asking, "old output is left out instead");
        let summed_up = |event: &Event| matches!(event, Event::Compacted(Compacted { summary: Some(_), .. }));
        assert!(!world.log.iter().any(summed_up), "nothing stands for what was said");
        world.reply(Reply { text: "done".into(), ..Reply::default() });
        assert_eq!(world.turn.view().stop, Some(Stop::Done));
    }
}

#[test]
fn a_person_may_shorten_what_is_short_beside_the_instructions() {
    let mut world = World::new(Profile::standard(), Approve::Ask);
    world.say("one");
    world.reply(Reply { text: "first".into(), ..Reply::default() });
    world.command(Command::Shorten);
    world.say("two");
    assert!(
        matches!(world.log.last(), Some(Event::Asked { summary_of: Some(_), .. })),
        "{:?}",
        kinds(&world.log)
    );
    world.reply(Reply { text: "in short".into(), ..Reply::default() });
    let request = world.requests.last().unwrap().join("");
    assert!(
        request.contains("in short") && request.contains("two") && !request.contains("first"),
        "{request}"
    );
}

#[test]
fn a_request_that_is_too_long_for_the_model_is_made_shorter_once_and_tried_again() {
    let mut world = World::new(Profile::standard(), Approve::Ask);
    world.say("go");
    for _ in 0..5 {
        world.reply(calls(vec![call("", "free", "{}")]));
        world.finish(0);
    }
    let too_long = || Input::Failed {
        failure: Failure::new(FailureKind::ContextTooLong, "long"),
        partial: String::new(),
    };
    world.asking = false;
    world.input(too_long());
    assert!(world.asking && kinds(&world.log).contains(&"compacted".to_owned()));
    for _ in 0..10 {
        if world.asking {
            world.asking = false;
            world.input(too_long());
        }
    }
    assert_eq!(world.turn.view().stop, Some(Stop::Failed));
}

#[test]
fn a_spent_budget_is_a_bound() {
    let usage = Usage { input: 1_000, output: 100, ..Usage::default() };
    let price = Some(crate::profile::Price { input: 10.0, output: 100.0, cached: None });
    for (profile, turns) in [
        (Profile { max_tokens: Some(2_000), ..Profile::standard() }, 2),
        (Profile { max_cost: Some(0.05), price, ..Profile::standard() }, 3),
        (Profile { max_cost: Some(0.05), ..Profile::standard() }, 20),
    ] {
        let mut world = World::new(profile, Approve::Ask);
        world.say("go");
        while world.asking {
            world.reply(Reply { usage, ..calls(vec![call("", "free", "{}")]) });
            world.finish(0);
        }
        assert_eq!((world.requests.len(), world.turn.view().stop), (turns, Some(Stop::Bound)));
    }
}
