//! Which steps run, in which order, and what the end says about them.

use super::probe::Namespaces;
use super::*;

fn played(names: &[&str], outcomes: &[(&str, Outcome)]) -> Vec<Line> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let steps = chosen(STEPS, &names).expect("these steps exist");
    let mut lines = carry_out(&steps, |step| {
        let given = outcomes.iter().find(|(name, _)| *name == step.name);
        given.map_or(Outcome::Passed, |(_, outcome)| outcome.clone())
    });
    for line in &mut lines {
        line.took = Duration::from_millis(1234);
    }
    lines
}

fn check(names: &[&str], outcomes: &[(&str, Outcome)], skips: Skips, expected: &str) {
    let table = report::table(&played(names, outcomes), skips);
    let rows: Vec<_> = table.lines().skip(1).collect();
    assert_eq!(rows, expected.lines().map(str::trim).collect::<Vec<_>>(), "{names:?} {outcomes:?}");
}

#[test]
fn a_failure_does_not_hide_the_steps_after_it() {
    let expected = "fmt        1.2 s  FAILED
        tidy       1.2 s  passed
        page       1.2 s  passed
        build      1.2 s  passed
        clippy     1.2 s  FAILED
        test       1.2 s  passed
        torture    1.2 s  passed
        browser    1.2 s  passed
        2 of 8 steps did not pass.";
    check(&[], &[("fmt", Outcome::Failed), ("clippy", Outcome::Failed)], Skips::Tolerated, expected);
}

#[test]
fn code_that_does_not_compile_stops() {
    let expected = "fmt        1.2 s  passed
        tidy       1.2 s  passed
        page       1.2 s  passed
        build      1.2 s  FAILED
        clippy     1.2 s  not run, because what is above failed
        test       1.2 s  not run, because what is above failed
        torture    1.2 s  not run, because what is above failed
        browser    1.2 s  not run, because what is above failed
        5 of 8 steps did not pass.";
    check(&[], &[("build", Outcome::Failed)], Skips::Tolerated, expected);
}

#[test]
fn a_skip_is_told_and_refused_in_ci() {
    let skipped = [("fmt", Outcome::Skipped("no rustfmt".to_owned()))];
    let tolerated = "fmt        1.2 s  SKIPPED: no rustfmt
        tidy       1.2 s  passed
        All is well, but 1 of 2 steps did not run.";
    check(&["tidy", "fmt"], &skipped, Skips::Tolerated, tolerated);
    let refused = "fmt        1.2 s  FAILED: skipped, which CI refuses (no rustfmt)
        1 of 1 steps did not pass.";
    check(&["fmt"], &skipped, Skips::Refused, refused);
}

#[test]
fn an_unknown_step_is_refused() {
    assert!(chosen(STEPS, &["fmt".to_owned(), "lint".to_owned()]).is_err());
}

#[test]
fn ci_is_what_says_so() {
    let cases = [
        (None, Skips::Tolerated),
        (Some(""), Skips::Tolerated),
        (Some("false"), Skips::Tolerated),
        (Some("0"), Skips::Tolerated),
        (Some("true"), Skips::Refused),
        (Some("1"), Skips::Refused),
        (Some("TRUE"), Skips::Refused),
        (Some("woodpecker"), Skips::Refused),
    ];
    for (ci, expected) in cases {
        assert_eq!(skips(ci.map(OsStr::new)), expected, "{ci:?}");
    }
}

#[test]
fn the_probe_tells_what_follows() {
    let refused = Namespaces::Refused("unshare: Operation not permitted".to_owned());
    assert!(
        refused
            .told(Skips::Tolerated)
            .contains("(unshare: Operation not permitted): tests of the sandbox skip")
    );
    assert!(refused.told(Skips::Refused).contains("tests of the sandbox fail"));
    assert!(!Namespaces::Available.told(Skips::Refused).contains("fail"));
}
