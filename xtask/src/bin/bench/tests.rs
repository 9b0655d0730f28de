//! Medians, verdicts, and what is printed.

use super::*;
use crate::figure::{Goal, Unit};
use crate::program::Fault;
use crate::samples::median;

#[test]
fn medians() {
    let cases: &[(&[f64], Option<f64>)] = &[
        (&[], None),
        (&[3.0], Some(3.0)),
        (&[4.0, 1.0], Some(2.5)),
        (&[9.0, 1.0, 2.0], Some(2.0)),
        (&[1.0, 100.0, 2.0, 4.0], Some(3.0)),
    ];
    for (samples, expected) in cases {
        assert_eq!(median(samples), *expected, "{samples:?}");
    }
}

fn measured(goal: Goal, value: Result<f64, Fault>, floor: Result<f64, Fault>) -> Measured {
    Measured { name: "call", title: "a call", unit: Unit::Milliseconds, goal, value, floor }
}

#[test]
fn verdicts_and_rows() {
    let cases = [
        (measured(Goal::AtMost(15.0), Ok(15.0), Ok(3.0)), "15.00 ms  3.00 ms 5.00  15.00 ms 1.00 - met"),
        (measured(Goal::AtMost(15.0), Ok(15.3), Ok(3.0)), "15.30 ms  3.00 ms 5.10  15.00 ms 1.02 - MISSED"),
        (measured(Goal::OverFloor(3.0), Ok(3.5), Ok(1.0)), "3.50 ms 1.00 ms 3.50 floor + 3.00 ms 0.88 - met"),
        (
            measured(Goal::OverFloor(3.0), Ok(6.0), Ok(1.0)),
            "6.00 ms 1.00 ms 6.00 floor + 3.00 ms 1.50 - MISSED",
        ),
        (measured(Goal::None, Ok(6.0), Ok(0.0)), "6.00 ms 0.00 ms - - - -"),
        (measured(Goal::AtMost(1.0), Ok(0.5), Err(Fault::NoTime)), "0.50 ms - - 1.00 ms 0.50 - met"),
        (
            measured(Goal::OverFloor(1.0), Ok(0.5), Err(Fault::NoTime)),
            "0.50 ms - - floor + 1.00 ms - - NOT MEASURED, see below",
        ),
        (
            measured(Goal::AtMost(1.0), Err(Fault::Requests(1, 2)), Ok(1.0)),
            "- 1.00 ms - 1.00 ms - - NOT MEASURED, see below",
        ),
    ];
    for (one, expected) in cases {
        let table = report::table(std::slice::from_ref(&one), &History::default());
        let row = table.lines().nth(1).unwrap_or_default();
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(row), words(&format!("a call {expected}")), "{one:?}");
        assert_eq!(one.verdict().is_good(), !expected.contains("M"), "{one:?}");
    }
}

#[test]
fn a_series_ends_with_its_first_fault() {
    use figure::Series;
    let late = || Err(Fault::NoTime);
    let broken = || Err(Fault::Requests(0, 1));
    let cases = [
        (vec![Ok(1.0), Ok(3.0)], 2, "Ok(2.0)"),
        (vec![Ok(1.0), late(), Ok(3.0)], 1, "Ok(1.0)"),
        (vec![late(), Ok(3.0)], 0, "Err(NoTime)"),
        (vec![Ok(1.0), broken(), Ok(3.0)], 1, "Err(Requests(0, 1))"),
        (vec![], 0, "Err(NoTime)"),
    ];
    for (samples, good, expected) in cases {
        let mut series = Series::default();
        let added = samples.into_iter().map(|sample| series.add(sample));
        let went_on = added.take_while(|go_on| *go_on).count();
        assert_eq!((went_on, format!("{:?}", series.middle()).as_str()), (good, expected));
    }
}

#[test]
fn columns_stand_under_their_headings() {
    let rows =
        [measured(Goal::AtMost(15.0), Ok(12.0), Ok(3.0)), measured(Goal::OverFloor(3.0), Ok(100.0), Ok(1.0))];
    let table = report::table(&rows, &History::default());
    let ends: Vec<_> =
        table.lines().map(|line| line.find("  me").or(line.find("  MI")).or(line.find("  ve"))).collect();
    assert_eq!(ends.len(), 3, "{table}");
    assert!(ends.iter().all(|end| end.is_some() && *end == ends[0]), "{table}");
}

#[test]
fn faults_are_told_below_the_table() {
    let fault = Fault::Ended(Some(3), "no key".to_owned());
    let table = report::table(&[measured(Goal::None, Err(fault), Ok(1.0))], &History::default());
    assert!(table.ends_with("\na call: ended with exit code 3, saying:\nno key\n"), "{table}");
}

#[test]
fn arguments() {
    let read = |line: &str| Arguments::read(line.split_whitespace().map(str::to_owned));
    let plain = read("--program a --floor b").expect("enough is given");
    assert_eq!((plain.effort, plain.output, plain.filter.as_str()), (Effort::Full, Output::Table, ""));
    let all = read("--program a --floor b --quick call --json --program c").expect("enough is given");
    assert_eq!((all.effort, all.output, all.filter.as_str()), (Effort::Quick, Output::Json, "call"));
    assert_eq!(all.program, PathBuf::from("c"));
    for wrong in [
        "",
        "--program a",
        "--floor b --program",
        "--program a --floor b --fast",
        "--program a --floor b x y",
        "--program a --floor b --keep",
    ] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn names_of_figures_are_their_own() {
    let mut names: Vec<_> = figures().map(|figure| figure.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), figures().count());
}

#[test]
fn what_is_kept_is_compared_with() {
    let scratch = kit::Scratch::new();
    let path = scratch.join("history");
    let one = |value| [measured(Goal::None, value, Ok(1.0))];
    assert_eq!(History::read(&path).expect("no file is no history").ratio(&one(Ok(3.0))[0]), None);
    for value in [Ok(8.0), Ok(2.0004), Err(Fault::NoTime)] {
        History::read(&path).expect("good so far").keep("abc", "a machine", &one(value)).expect("writable");
    }
    let history = History::read(&path).expect("three lines");
    assert_eq!(history.ratio(&one(Ok(3.0))[0]), Some(1.5));
    let table = report::table(&one(Ok(3.0)), &history);
    assert!(table.lines().nth(1).is_some_and(|row| row.contains("1.50")), "{table}");
    std::fs::write(&path, "{\n").expect("writable");
    assert!(History::read(&path).expect_err("not JSON").contains("line 1"));
}
