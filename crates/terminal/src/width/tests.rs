//! Tests of `width`.

use super::*;
use proptest::prelude::*;

#[test]
fn characters_have_the_columns_a_person_sees() {
    for (text, columns) in [
        ("", 0),
        ("abc", 3),
        ("漢字", 4),
        ("ｶﾞ", 2),
        ("e\u{301}", 1),
        ("👨\u{200d}👩\u{200d}👧\u{200d}👦", 2),
        ("🇩🇪🇫🇷", 4),
        ("❤\u{fe0f}", 2),
        ("❤", 1),
        ("👍🏽", 2),
        ("한글", 4),
        ("╭─╮", 3),
        ("a\u{200c}b", 2),
        ("…", 1),
        ("❯ ", 2),
    ] {
        assert_eq!(of(text), columns, "{text:?}");
    }
}

#[test]
fn cuts_and_pads() {
    for (text, columns, cut) in [
        ("hello", 5, "hello"),
        ("hello", 4, "hel…"),
        ("hello", 1, "…"),
        ("hello", 0, ""),
        ("漢字漢字", 5, "漢字…"),
        ("漢字漢字", 4, "漢…"),
        ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ("", 0, ""),
    ] {
        assert_eq!(truncate(text, columns), cut);
    }
    assert_eq!(pad("漢", 4), "漢  ");
    assert_eq!(pad("abc", 2), "abc");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_cut_line_is_a_cut_text(parts in prop::collection::vec("[a漢e\u{301}👍 ]{0,4}", 0..5), columns in 0usize..12) {
        let mut line = Line::new();
        for (index, part) in parts.iter().enumerate() {
            line.push(part, Style::fg(u8::try_from(index).unwrap()));
        }
        let cut = truncate_line(&line, columns);
        prop_assert!(cut.width() <= columns);
        let whole = line.text();
        let cut = cut.text();
        match cut.strip_suffix(ELLIPSIS) {
            Some(front) => prop_assert!(whole.starts_with(front) && line.width() > columns),
            None => prop_assert!(cut == whole || columns == 0),
        }
    }
}
