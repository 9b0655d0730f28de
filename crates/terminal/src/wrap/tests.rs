//! Tests of `wrap`: rows as a person reads them, and the laws of its header.

use super::*;
use crate::style::Style;
use proptest::prelude::*;

fn check(text: &str, columns: usize, wanted: &[&str]) {
    let got: Vec<String> =
        words(&Line::from(text), columns, &Hang::default()).iter().map(Line::text).collect();
    assert_eq!(got, wanted, "{text:?} in {columns}");
}

#[test]
fn words_stay_whole_where_they_can() {
    check("", 5, &[""]);
    check("one two three", 8, &["one two", "three"]);
    check("one  two", 4, &["one", "two"]);
    check("one two ", 7, &["one two"]);
    check("abcdefghij", 4, &["abcd", "efgh", "ij"]);
    check("a abcdefgh", 4, &["a", "abcd", "efgh"]);
    check("  indented text", 10, &["  indented", "text"]);
    check("漢字漢字", 5, &["漢字", "漢字"]);
    check("漢字。漢", 4, &["漢", "字。", "漢"]);
    check("abc漢字", 5, &["abc漢", "字"]);
    check("漢", 1, &["漢"]);
    check(
        "👨\u{200d}👩\u{200d}👧👨\u{200d}👩\u{200d}👧",
        3,
        &["👨\u{200d}👩\u{200d}👧", "👨\u{200d}👩\u{200d}👧"],
    );
    check("  abcdefgh", 6, &["  abcd", "efgh"]);
    check("          x", 4, &["   ", "x"]);
    check("a b", 1, &["a", "b"]);
    check("a b", 0, &["a", "b"]);
}

#[test]
fn rows_hang() {
    let hang = Hang { first: Line::from("• "), rest: Line::from("  ") };
    let rows = words(&Line::from("one two three four"), 11, &hang);
    assert_eq!(rows.iter().map(Line::text).collect::<Vec<_>>(), ["• one two", "  three", "  four"]);
    let deep = Hang { first: Line::from(" ".repeat(30)), rest: Line::from(" ".repeat(30)) };
    let rows = words(&Line::from("a long sentence"), 12, &deep);
    assert!(rows.iter().all(|row| row.width() <= 12), "{rows:?}");
    assert_eq!(words(&Line::from("漢"), 2, &hang), [Line::from("漢")]);
}

#[test]
fn cells_keep_blanks() {
    let rows = cells(&Line::from("ab   cd "), 4, &Hang::default());
    assert_eq!(rows.iter().map(Line::text).collect::<Vec<_>>(), ["ab  ", " cd "]);
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![
            Just(" "),
            Just("  "),
            Just("a"),
            Just("word"),
            Just("longerword"),
            Just("漢"),
            Just("。"),
            Just("e\u{301}"),
            Just("👩\u{200d}👧"),
            Just("🇩🇪"),
            Just("-"),
            Just("\u{200d}"),
            Just("\u{301}")
        ],
        0..30,
    )
    .prop_map(|parts| parts.concat())
}

fn narrow_enough(row: &str, columns: usize) -> bool {
    width::of(row) <= columns || graphemes(row).filter(|(_, columns)| *columns > 0).count() == 1
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_or_doubled(text in text(), first in 0usize..14, rest in 0usize..14) {
        let mut at = 0;
        for row in rows(&text, first, rest) {
            prop_assert!(row.start >= at && text[at..row.start].bytes().all(|byte| byte == b' '));
            at = row.end;
        }
        prop_assert!(text[at..].bytes().all(|byte| byte == b' '));
    }

    #[test]
    fn rows_fit(text in text(), columns in 1usize..14) {
        for row in rows(&text, columns, columns) {
            prop_assert!(narrow_enough(&text[row.clone()], columns), "{:?}", &text[row]);
        }
    }

    #[test]
    fn cells_give_the_text_back(parts in prop::collection::vec(text(), 0..4), columns in 1usize..14) {
        let mut line = Line::new();
        for (index, part) in parts.iter().enumerate() {
            line.push(part, Style::fg(u8::try_from(index).unwrap()));
        }
        let rows = cells(&line, columns, &Hang::default());
        let mut joined = Line::new();
        rows.iter().for_each(|row| joined.append(row));
        prop_assert_eq!(joined, line);
        for row in rows {
            prop_assert!(narrow_enough(&row.text(), columns));
        }
    }
}
