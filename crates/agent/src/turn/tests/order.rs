//! A loop that speaks for a person: calls in order, runs that end with them, calls of its own, and what is recalled.

use super::*;
use crate::profile::Recall;

fn planner() -> Profile {
    Profile { calls: Calls::UntilFailure, calls_end: true, recall: Recall::LastPrompt, ..Profile::standard() }
}

fn fail(world: &mut World) {
    let call = world.running.remove(0);
    world.input(Input::Ran { call, outcome: Outcome::failed("it broke") });
}

#[test]
fn calls_run_in_order_and_end_the_run() {
    let mut world = World::new(planner(), Approve::Never);
    world.say("one");
    world.reply(calls(vec![call("a", "free", "{}"), call("b", "free", "{}")]));
    assert_eq!(world.running, [CallId("a".into())], "also those that could run together");
    world.finish(0);
    world.finish(0);
    check(&world, "opened said asked replied allow started ran:done allow started ran:done stopped:done");
    world.say("two");
    assert!(world.asking, "words begin the next run");
    world.reply(Reply::default());
    check_end(&world, "asked replied stopped:done");
}

#[test]
fn nothing_runs_after_a_failure_and_everything_has_an_outcome() {
    let cases = [
        ("lone", "allow started ran:failed ran:cancelled ran:cancelled stopped:done"),
        ("banned", "forbid ran:refused ran:cancelled ran:cancelled stopped:done"),
        ("nosuch", "ran:failed ran:cancelled ran:cancelled stopped:done"),
        ("gated", "decline ran:declined ran:cancelled ran:cancelled stopped:done"),
    ];
    for (tool, expected) in cases {
        let mut world = World::new(planner(), Approve::Never);
        world.say("go");
        let later = ["c", "d"].map(|id| call(id, "free", "{}"));
        world.reply(calls([vec![call("a", "free", "{}"), call("b", tool, "{}")], later.to_vec()].concat()));
        world.finish(0);
        if !world.running.is_empty() {
            fail(&mut world);
        }
        check_end(&world, expected);
        world.check_laws();
    }
}

#[test]
fn a_call_of_its_own_is_judged_and_recorded_and_the_model_is_not_asked() {
    for profile in [planner(), Profile::standard()] {
        let recall = profile.recall;
        let mut world = World::new(profile, Approve::Never);
        world.say("go");
        let wanted = Command::Call { name: "lone".into(), arguments: "{}".into() };
        assert!(!world.command(wanted.clone()), "not while a run is under way");
        world.reply(Reply { text: "done".into(), ..Reply::default() });
        assert!(world.command(wanted));
        fail(&mut world);
        check_end(&world, "called allow started ran:failed stopped:done");
        assert!(world.command(Command::Call { name: "banned".into(), arguments: "{}".into() }));
        check_end(&world, "called forbid ran:refused stopped:done");
        world.say("and?");
        let told = world.requests.last().unwrap().join("\n");
        assert_eq!(told.contains("I made this call myself: lone"), recall == Recall::Whole, "{told}");
        assert_eq!(world.requests.last().unwrap().len(), if recall == Recall::Whole { 5 } else { 1 });
        world.reply(Reply { text: "done".into(), ..Reply::default() });
        world.turn.view().admit(&Command::Note(serde_json::json!({ "n": 1 }))).unwrap();
    }
}

#[test]
fn a_call_of_its_own_that_a_crash_cut_short_is_not_run_again() {
    let mut world = World::new(planner(), Approve::Never);
    assert!(world.command(Command::Call { name: "lone".into(), arguments: "{}".into() }));
    world.crash();
    world.command(Command::Continue);
    check(&world, "opened called allow started ran:interrupted continued asked");
    world.drain();
    world.check_laws();
}

#[test]
fn a_final_tool_ends_the_run_also_after_a_crash_in_a_call_before_it() {
    let profile = || Profile {
        calls: Calls::InOrder,
        text_ends: false,
        final_tool: Some("finish".into()),
        ..Profile::standard()
    };
    for (words, end) in [(None, "ran:done stopped:done"), (Some("and this?"), "ran:done asked")] {
        let mut world = World::new(profile(), Approve::Ask);
        world.say("go");
        world.reply(calls(vec![call("a", "free", "{}"), call("b", "finish", "{}")]));
        words.into_iter().for_each(|words| world.say(words));
        world.crash();
        world.command(Command::Continue);
        world.finish(0);
        check_end(&world, end);
    }
}

fn check_end(world: &World, expected: &str) {
    let kinds = kinds(&world.log).join(" ");
    assert!(kinds.ends_with(expected), "{kinds} should end with {expected}");
}

#[test]
fn in_order_a_call_waits_for_the_decision_on_one_before_it() {
    let mut world = World::new(Profile { calls: Calls::InOrder, ..Profile::standard() }, Approve::Ask);
    world.say("go");
    world.reply(calls(vec![call("a", "free", "{}"), call("b", "gated", "{}"), call("c", "free", "{}")]));
    assert_eq!(world.running, [CallId("a".into())]);
    world.finish(0);
    assert!(world.running.is_empty() && !world.asking, "the third waits for the second");
    world.command(Command::Decline { call: CallId("b".into()), words: String::new() });
    assert_eq!(world.running, [CallId("c".into())]);
}

#[test]
fn what_a_mode_approved_before_a_restart_it_approves_again() {
    let mut world = World::new(Profile::standard(), Approve::Auto);
    world.say("go");
    world.reply(calls(vec![call("a", "gated", "{}"), call("b", "gated", "{}")]));
    world.crash();
    world.command(Command::Continue);
    assert_eq!(world.running, [CallId("b".into())], "the first is interrupted, the second still runs");
    check(
        &world,
        "opened said asked replied approve approve started ran:interrupted continued approve started",
    );
}

#[test]
fn what_was_said_when_it_was_stopped_is_told_to_the_model() {
    let mut world = World::new(Profile::standard(), Approve::Ask);
    world.say("go");
    world.command(Command::Cancel);
    world.say("and now?");
    let last = world.requests.last().unwrap();
    let parts = ["go", "half said\"", "I stopped your reply there", "and now?"];
    assert_eq!(last.len(), parts.len());
    for (message, part) in last.iter().zip(parts) {
        assert!(message.contains(part), "{part} is not in {message}");
    }
}
