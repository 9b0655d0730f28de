//! The command line of `fuzz`, and what is understood of libFuzzer.

use super::report::{Line, table};
use super::{HELP, Wish, targets};
use crate::workspace::Workspace;

#[test]
fn the_help_names_every_target() {
    let workspace = Workspace::find().expect("the repository");
    for target in targets(&workspace).expect("the targets") {
        assert!(HELP.split_whitespace().any(|word| word == target), "{target} is not in the help");
    }
}

#[test]
fn the_command_line() {
    let known = ["hub".to_owned(), "sse".to_owned()];
    let read = |words: &str| {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        Wish::read(&words, &known).map(|wish| (wish.targets.join(" "), wish.seconds)).ok()
    };
    assert_eq!(read(""), Some(("hub sse".to_owned(), 60)));
    assert_eq!(read("sse --seconds 5"), Some(("sse".to_owned(), 5)));
    for wrong in ["other", "--seconds", "--seconds x", "--seconds 0", "--fast"] {
        assert_eq!(read(wrong), None, "{wrong}");
    }
}

#[test]
fn what_libfuzzer_says_becomes_a_line() {
    let mut line = Line::new("sse");
    let heard = [
        ("INFO: Seed: 1", false),
        ("#2\tINITED cov: 10 ft: 11 corp: 1/1b exec/s: 0 rss: 40Mb", false),
        ("#64\tNEW    cov: 12 ft: 13 corp: 2/3b lim: 4 exec/s: 0 rss: 40Mb L: 2/2 MS: 1 CopyPart-", false),
        ("#99\tpulse  cov: 12 ft: 13 corp: 3/9b lim: 4 exec/s: 0 rss: 40Mb", true),
        ("artifact_prefix='x/'; Test unit written to x/crash-1", true),
        ("stat::number_of_executed_units: 123", false),
    ];
    for (text, shown) in heard {
        assert_eq!(line.hear(text), shown, "{text}");
    }
    let table = table(&[line]);
    let last: Vec<&str> = table.lines().last().unwrap_or_default().split_whitespace().collect();
    assert_eq!(last, ["sse", "123", "12", "3", "BROKEN:", "x/crash-1"]);
}
