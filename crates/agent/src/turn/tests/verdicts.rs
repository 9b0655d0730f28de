//! Who decides about a call: rules, modes and people, and whose word counts when they change.

use super::*;

#[test]
fn approval_modes() {
    for (mode, expected) in [
        (Approve::Ask, "opened said asked replied ask"),
        (Approve::Auto, "opened said asked replied approve started"),
        (Approve::Never, "opened said asked replied decline ran:declined asked"),
    ] {
        let mut world = World::new(Profile::standard(), mode);
        world.say("go");
        world.reply(calls(vec![call("a", "gated", "{}")]));
        check(&world, expected);
    }
}

#[test]
fn a_mode_decides_what_waited_before_it_was_chosen() {
    for (mode, expected) in [
        (Approve::Auto, "opened said asked replied ask continued approve started"),
        (Approve::Never, "opened said asked replied ask continued decline ran:declined asked"),
        (Approve::Ask, "opened said asked replied ask continued"),
    ] {
        let mut world = World::new(Profile::standard(), Approve::Ask);
        world.say("go");
        world.reply(calls(vec![call("a", "gated", "{}")]));
        world.approve = mode;
        world.crash();
        world.command(Command::Continue);
        check(&world, expected);
    }
}

#[test]
fn a_rule_that_came_later_beats_an_approval() {
    let approve = Command::Approve { call: CallId("a".into()), digest: None };
    for (first, expected) in
        [(approve.clone(), "ask approve forbid"), (Command::Continue, "ask continued forbid")]
    {
        let mut world = World::new(Profile::standard(), Approve::Ask);
        world.say("go");
        // A process with other rules has asked a person, and is gone.
        let banned = call("a", "banned", "{}");
        let digest = world::toolbox(Approve::Ask).assess(&banned).unwrap().digest;
        world.foreign(Event::Replied(calls(vec![banned])));
        let (call, reason) = (CallId("a".into()), String::new());
        world.foreign(Event::Judged(Judged { call, verdict: Verdict::Ask, by: By::Policy, reason, digest }));
        world.turn = world.reloaded();
        world.command(first);
        assert!(
            world.running.is_empty() && !world.command(approve.clone()),
            "the question is not open any more"
        );
        check(&world, &format!("opened said asked replied {expected} ran:refused asked"));
    }
}

#[test]
fn an_approval_lapses_with_the_process_and_a_started_call_is_never_repeated() {
    let mut world = World::new(Profile::standard(), Approve::Ask);
    world.say("go");
    world.reply(calls(vec![call("a", "gated", "{}"), call("b", "free", "{}")]));
    // The approval is recorded, and the process dies before it acts on it.
    let event =
        world.turn.view().admit(&Command::Approve { call: CallId("a".into()), digest: None }).unwrap();
    world.foreign(event);
    world.crash();
    world.input(Input::Go);
    check(&world, "opened said asked replied ask allow started approve ran:interrupted ask");
    assert_eq!(world.pending().len(), 1);
}

#[test]
fn a_verdict_that_only_a_log_gives_is_given_again() {
    let mut world = World::new(Profile::standard(), Approve::Ask);
    world.say("go");
    world.asking = false;
    for (id, name) in [("a", "banned"), ("b", "gated"), ("c", "free")] {
        world.foreign(Event::Replied(calls(vec![call(id, name, "{}")])));
        let verdict = Judged {
            call: CallId(id.into()),
            verdict: Verdict::Allow,
            by: By::Policy,
            reason: String::new(),
            digest: "forged".into(),
        };
        world.foreign(Event::Judged(verdict));
    }
    world.crash();
    world.input(Input::Go);
    assert_eq!(world.running, [CallId("c".into())], "only what the policy allows by itself");
    assert_eq!(world.pending(), [CallId("b".into())]);
}

#[test]
fn a_digest_that_was_not_shown_approves_nothing() {
    let mut world = World::new(Profile::standard(), Approve::Ask);
    world.say("go");
    world.reply(calls(vec![call("a", "gated", "{}")]));
    let other = Command::Approve { call: CallId("a".into()), digest: Some("other".into()) };
    assert!(!world.command(other));
}
