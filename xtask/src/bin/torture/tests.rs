//! The torture without a program to torture: what it is asked for, what it reports.

use std::path::Path;
use std::time::Duration;

use super::*;
use crate::fault::{Broken, Measure, Runs, Seen, Verdict};
use crate::trial::Trial;
use kit::Random;

static SOUND: Fault = Fault {
    id: "Y1",
    injects: "nothing",
    promise: "all is well",
    runs: Runs { short: 3, long: 30 },
    measure: Some(Measure { what: "wait", unit: "ms", most: 50.0 }),
    run: |trial| Seen::Value(trial.seed as f64),
};

static BROKEN: Fault = Fault {
    id: "Y2",
    injects: "doubt",
    promise: "even seeds hold",
    runs: Runs { short: 4, long: 4 },
    measure: None,
    run: |trial: &Trial| {
        assert!(trial.seed.is_multiple_of(2), "seed {} is odd", trial.seed);
        Seen::Held
    },
};

fn read(arguments: &str) -> Result<Arguments, String> {
    Arguments::read(arguments.split_whitespace().map(str::to_owned))
}

#[test]
fn later_arguments_win_and_wrong_ones_are_told() {
    let read_well = read("--program a --seed 3 --program b k1 --short --runs 7 --json").unwrap();
    assert_eq!((read_well.program.to_str(), read_well.seed), (Some("b"), 3));
    assert_eq!((read_well.effort, read_well.runs, read_well.output), (Effort::Short, Some(7), Output::Json));
    for (wrong, words) in
        [("", "cargo xtask torture"), ("--program a --seed x", "whole number"), ("--fast", "unknown option")]
    {
        let told = read(wrong).unwrap_err();
        assert!(told.contains(words), "{wrong}: {told}");
    }
    assert!(chosen(&["Z9".to_owned()], Effort::Long).is_err_and(|told| told.contains("there are K1")));
    assert_eq!(chosen(&["k1".to_owned()], Effort::Long).unwrap()[0].id, "K1");
}

#[test]
fn a_broken_promise_is_told_with_the_seed_that_repeats_it() {
    let program = Path::new("none");
    let good = SOUND.inject(program, 10, Effort::Short, None);
    assert_eq!((good.runs, good.largest, good.verdict()), (3, Some(12.0), Verdict::Met));
    let slow = SOUND.inject(program, 50, Effort::Short, Some(2));
    assert_eq!(slow.verdict(), Verdict::Missed);
    let broken = BROKEN.inject(program, 6, Effort::Long, None);
    let seeds: Vec<u64> = broken.broken.iter().map(|Broken { seed, .. }| *seed).collect();
    assert_eq!((seeds, broken.verdict()), (vec![7, 9], Verdict::Missed));
    let table = report::table(&[good, broken]);
    for words in ["wait 12 ms", "wait <= 50 ms", "2 broken", "cargo xtask torture Y2 --seed 7 --runs 1"] {
        assert!(table.contains(words), "{words}: {table}");
    }
    let skipped = Found {
        fault: &SOUND,
        runs: 1,
        planned: 3,
        largest: None,
        broken: Vec::new(),
        skipped: Some("no clock".to_owned()),
        took: Duration::ZERO,
    };
    assert_eq!(skipped.verdict(), Verdict::Skipped);
    assert!(report::json_lines(&[skipped]).contains(r#""skipped":"no clock""#));
}

#[test]
fn a_plan_travels_as_a_word() {
    use crate::trace::Plan;
    let kills = [Plan::Count, Plan::KillBefore(3), Plan::KillAfter(0)];
    for plan in kills.into_iter().chain([Plan::Fail(9, 28), Plan::FailFrom(1, 5), Plan::PowerCut(2, 7)]) {
        assert_eq!(plan.to_string().parse(), Ok(plan));
    }
    assert!("fail".parse::<Plan>().is_err() && "nothing:0:0".parse::<Plan>().is_err());
}

#[test]
fn the_same_seed_gives_the_same_numbers() {
    let take = |seed| {
        let mut random = Random::new(seed);
        [(); 4].map(|()| random.within(5..9))
    };
    assert_eq!(take(1), take(1));
    assert!(take(7).iter().all(|number| (5..9).contains(number)));
}
