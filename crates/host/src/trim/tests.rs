//! The trimming rule as cases, and its three laws over any text and limit.

use super::*;
use proptest::prelude::*;

fn numbered(count: usize) -> String {
    (0..count).map(|n| format!("line {n}\n")).collect()
}

fn check(text: &str, limit: Limit, expected: &str) {
    assert_eq!(trim(&Excerpt::whole(text), limit), expected, "text of {} bytes, {limit:?}", text.len());
}

#[test]
fn within_the_limit_nothing_changes() {
    let limit = Limit::default();
    for text in ["", "\n", "a", "a\nb", &numbered(200), &"x".repeat(10_240)] {
        check(text, limit, text);
    }
}

#[test]
fn lines_are_cut_in_the_middle() {
    let limit = Limit { lines: 10, bytes: 10_000 };
    let expected =
        "line 0\nline 1\nline 2\nline 3\n... [12 lines trimmed] ...\nline 16\nline 17\nline 18\nline 19\n";
    check(&numbered(20), limit, expected);
    check(numbered(20).trim_end(), limit, expected.trim_end());
}

#[test]
fn bytes_bound_the_lines_too() {
    let text = format!("{}\n", "x".repeat(99)).repeat(150);
    let shown = trim(&Excerpt::whole(&text), Limit::default());
    assert!(shown.contains("\n... [70 lines trimmed] ...\n"), "{shown}");
}

#[test]
fn one_long_line_is_cut_between_characters() {
    let limit = Limit { lines: 200, bytes: 200 };
    let text = "é".repeat(500);
    let shown = trim(&Excerpt::whole(&text), limit);
    assert_eq!(shown, format!("{0}\n... [420 characters trimmed] ...\n{0}", "é".repeat(40)));
}

#[test]
fn a_small_limit_has_room_for_the_mark_first() {
    let limit = Limit { lines: 200, bytes: 60 };
    check(&numbered(100), limit, "line 0\n... [98 lines trimmed] ...\nline 99\n");
    check(&"x".repeat(100), limit, &format!("{0}\n... [74 characters trimmed] ...\n{0}", "x".repeat(13)));
}

#[test]
fn a_limit_too_small_for_the_mark_keeps_the_start() {
    check("abcdefgh", Limit { lines: 200, bytes: 3 }, "abc");
    check("a\nb\nc\n", Limit { lines: 1, bytes: 100 }, "a\n");
    check("abc", Limit { lines: 0, bytes: 100 }, "");
}

/// How many units the mark in `shown` says are missing, and which unit.
fn mark(shown: &str) -> Option<(u64, &str)> {
    let at = shown.find("\n... [")?;
    let (number, rest) = shown[at + 6..].split_once(' ')?;
    Some((number.parse().ok()?, rest.split(' ').next()?))
}

fn shapes() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::collection::vec("[a-zé€😀 \\n]{0,40}", 0..60).prop_map(|lines| lines.join("\n")),
        "[aé😀]{0,2000}",
        "\\n{0,400}",
        prop::collection::vec(("[a-z😀]", 1usize..3000), 0..6)
            .prop_map(|runs| runs.into_iter().map(|(c, n)| c.repeat(n) + "\n").collect()),
    ]
}

proptest! {
    #[test]
    fn the_result_is_bounded_and_the_number_is_right(text in shapes(), lines in 0usize..60, bytes in 0usize..3000) {
        let limit = Limit { lines, bytes };
        let shown = trim(&Excerpt::whole(&text), limit);
        prop_assert!(fits(&shown, limit), "{} bytes, {} lines", shown.len(), shown.lines().count());
        if shown == text {
            return Ok(());
        }
        match mark(&shown) {
            Some((trimmed, "lines")) => {
                prop_assert_eq!(lines_in(&shown) - 1 + trimmed, lines_in(&text));
            }
            Some((trimmed, "characters")) => {
                let marked = format!("\n... [{trimmed} characters trimmed] ...\n").chars().count();
                prop_assert_eq!(shown.chars().count() - marked + trimmed as usize, text.chars().count());
            }
            _ => prop_assert!(text.starts_with(&shown)),
        }
    }

    #[test]
    fn the_ends_give_what_the_whole_gives(text in shapes(), lines in 0usize..60, bytes in 0usize..500) {
        let limit = Limit { lines, bytes };
        let (first, second) = (text.floor_char_boundary(600), text.ceil_char_boundary(text.len().saturating_sub(600)));
        prop_assume!(first < second);
        let missing = Size::of(&text.as_bytes()[first..second]);
        let ends = Excerpt::ends(text[..first].into(), missing, text[second..].into());
        prop_assert_eq!(trim(&ends, limit), trim(&Excerpt::whole(&text), limit));
    }
}
