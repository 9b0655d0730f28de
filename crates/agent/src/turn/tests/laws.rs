//! Laws that hold whatever happens: replies, decisions, cancels, crashes, other writers, in any order.

use super::*;
use proptest::prelude::*;

fn random_reply(n: u16) -> Reply {
    let names = ["free", "lone", "gated", "banned", "nosuch"];
    let ids = ["", "a", "b"];
    let arguments = ["{}", "", "{oops", r#"{"bad":1}"#];
    let one = |k: u16| {
        call(
            ids[(k % 3) as usize],
            names[(k / 3 % 5) as usize],
            arguments[if k.is_multiple_of(7) { (k / 7 % 4) as usize } else { 0 }],
        )
    };
    let calls = (0..n % 4).map(|k| one(n / 4 + k * 5)).collect();
    Reply {
        text: if n.is_multiple_of(5) { "words".into() } else { String::new() },
        calls,
        ..Reply::default()
    }
}

fn random_command(world: &World, n: u16) -> Command {
    let pending = world.pending();
    let call = pending.get(n as usize % pending.len().max(1)).cloned().unwrap_or(CallId("none".into()));
    match n % 6 {
        0 | 1 => Command::Approve { call, digest: None },
        2 => Command::Decline { call, words: "no".into() },
        3 => Command::Cancel,
        4 => Command::Continue,
        _ => Command::Say(Said { text: "more".into(), context: None }),
    }
}

fn step(world: &mut World, kind: u8, n: u16) {
    match kind % 8 {
        0 | 1 if world.asking => world.reply(random_reply(n)),
        2 if world.asking => {
            let failure = Failure::new(FailureKind::Network, "gone");
            world.asking = false;
            world.input(Input::Failed { failure, partial: "half".into() });
        }
        3 if !world.running.is_empty() => world.finish(n as usize),
        4 => {
            let command = random_command(world, n);
            world.command(command);
        }
        5 => world.crash(),
        6 => {
            // Kill -9 between two effects.
            let effects = world.turn.on(Input::Go);
            world.carry(effects, Some(n as usize % 3));
            world.crash();
        }
        7 => {
            let by = random_command(world, n);
            if world.asking {
                world.asking = false;
                world.overtaken(Input::Replied(random_reply(n / 2)), by);
            } else if let Some(call) = world.running.pop() {
                world.overtaken(Input::Ran { call, outcome: Outcome::done("late") }, by);
            } else {
                world.overtaken(Input::Go, by);
            }
        }
        _ => world.say("next"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_call_gets_one_outcome_whatever_happens(steps in prop::collection::vec((any::<u8>(), any::<u16>()), 0..40)) {
        let mut world = World::new(Profile::standard(), Approve::Ask);
        world.say("go");
        for (kind, n) in steps {
            step(&mut world, kind, n);
        }
        world.drain();
        world.check_laws();
    }

    #[test]
    fn folding_a_prefix_and_then_the_rest_is_folding_all(steps in prop::collection::vec((any::<u8>(), any::<u16>()), 0..20), cut in any::<prop::sample::Index>()) {
        let mut world = World::new(Profile::standard(), Approve::Ask);
        world.say("go");
        for (kind, n) in steps {
            step(&mut world, kind, n);
        }
        let cut = cut.index(world.log.len() + 1);
        let mut view = View::default();
        world.log[..cut].iter().for_each(|event| view.apply(event));
        let mut resumed = view.clone();
        world.log[cut..].iter().for_each(|event| resumed.apply(event));
        prop_assert_eq!(resumed, world.fold());
    }
}
