//! Tests of `safe`: cases as data, and the law that nothing a terminal obeys comes through.

use super::*;
use crate::style::{Line, Palette, Style};
use proptest::prelude::*;

#[test]
fn plain_text_is_safe_to_read() {
    for (raw, shown) in [
        ("plain text\nπ 漢字 🙂", "plain text\nπ 漢字 🙂"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("a\x1b[9D\x1b[Kb", "ab"),
        ("\x1b]0;title\x07x\x1b]8;;http://e\x1b\\y", "xy"),
        ("\x1bP1$r\x1b\\x\x1b_apc\x1b\\y\x1b^pm\u{9c}z", "xyz"),
        ("\u{9d}52;c;AAAA\u{9c}x", "x"),
        ("a\u{90}no end", "ano end"),
        ("a\x1b]0;no end\nnext", "a0;no end\nnext"),
        ("a\x1b]0;one\x1b]0;two\x07b", "a0;oneb"),
        ("\x1b(Bx\x1b)0y\x1b#8z\x1bcw\x1b7v", "xyzwv"),
        ("a\x1b", "a"),
        ("a\x1b[12", "a"),
        ("a\x1b[12\nb", "a\nb"),
        ("a\x1b漢", "a漢"),
        ("\u{9b}42mx", "x"),
        ("a\r\nb\rc\r", "a\nb\nc\n"),
        ("a\tb\n\tc\n漢\td", "a   b\n    c\n漢  d"),
        ("bell\x07 back\x08 del\x7f nul\0", "bell back del nul"),
        ("a\u{202e}b\u{2066}c\u{200e}d\u{61c}", "abcd"),
        ("a\u{200b}b\u{feff}c\u{2060}d\u{ad}", "abcd"),
        ("می\u{200c}خواهم 👩\u{200d}👧", "می\u{200c}خواهم 👩\u{200d}👧"),
        ("a\u{200d}b\u{200c}c \u{200d}d", "abc d"),
        ("🏴\u{e0067}\u{e0062}\u{e007f} x\u{e0041}\u{e0042}", "🏴\u{e0067}\u{e0062}\u{e007f} x"),
        ("🏴\t\0\u{e0067}x", "🏴  x"),
        ("a\u{2028}b\u{2029}c", "a\nb\nc"),
        ("a\u{3164}b\u{2800}c", "a b c"),
    ] {
        assert_eq!(plain(raw), shown, "{raw:?}");
    }
    let pile = format!("e{}", "\u{301}".repeat(1_000));
    assert_eq!(plain(&pile).chars().count(), 1 + MARKS);
}

#[test]
fn one_line_is_one_line() {
    assert_eq!(single("a\nb\n"), "a⏎b");
    assert_eq!(single("a\rb"), "a⏎b");
    assert_eq!(single("name.rs"), "name.rs");
}

#[test]
fn nothing_hides_from_who_decides() {
    for (raw, shown) in [
        ("ls -l\n", "ls -l\n"),
        ("\x1b[31mx", "␛[31mx"),
        ("a\u{202e}b\u{200d}c\u{fe0f}", "a<U+202E>b<U+200D>c<U+FE0F>"),
        ("a\rb\x07", "a<U+000D>b<U+0007>"),
        ("rm\u{a0}a\u{3000}b\u{3164}", "rm<U+00A0>a<U+3000>b<U+3164>"),
        ("a \t\nb", "a·⇥\nb"),
        ("a\tb", "a   b"),
        ("\u{e0041}", "<U+E0041>"),
        ("\u{2028}", "<U+2028>"),
        ("漢 é 🙂", "漢 é 🙂"),
    ] {
        assert_eq!(reveal(raw), shown, "{raw:?}");
    }
    let line = &reveal_lines("a<U+202E>\u{202e}", &Palette::sixteen())[0];
    assert_eq!(line.spans.iter().map(|span| span.style.reverse).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn colours_of_commands_become_styles() {
    let red = Style::fg(1);
    let check = |raw: &str, wanted: &[&[(&str, Style)]]| {
        let build = |spans: &&[(&str, Style)]| {
            let mut line = Line::new();
            spans.iter().for_each(|(text, style)| line.push(text, *style));
            line
        };
        let wanted: Vec<Line> = wanted.iter().map(build).collect();
        assert_eq!(ansi(raw, &Palette::dark()), wanted, "{raw:?}");
    };
    let plain = Style::PLAIN;
    check("", &[]);
    check("a\nb\n", &[&[("a", plain)], &[("b", plain)]]);
    check("\x1b[31ma\nb\x1b[mc", &[&[("a", red)], &[("b", red), ("c", plain)]]);
    check("\x1b[1;38;5;200mx", &[&[("x", Style::fg(200).bold())]]);
    check("\x1b[38:2:1:2:3mx", &[&[("x", Style { fg: crate::style::Colour::Rgb(1, 2, 3), ..plain })]]);
    check("\x1b[>4;1mx\x1b[?25ly", &[&[("xy", plain)]]);
    check("\x1b[999;31mx", &[&[("x", red)]]);
    check("10%\r50%\r100%\n", &[&[("100%", plain)]]);
    check("kept\r\nnext\r", &[&[("kept", plain)], &[("next", plain)]]);
    check("a\tb", &[&[("a       b", plain)]]);
    check("a\u{2028}b", &[&[("a", plain)], &[("b", plain)]]);
}

fn nasty() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        any::<char>().prop_map(String::from),
        prop::sample::select(vec![
            "\x1b",
            "[",
            "]",
            "P",
            "\\",
            "\x07",
            "\u{9b}",
            "\u{9c}",
            "\u{9d}",
            "\u{90}",
            "0;",
            "31m",
            "\r",
            "\n",
            "\t",
            "\u{202e}",
            "\u{200b}",
            "\u{301}",
            "🏴",
            "\u{e0067}",
            "a",
            " ",
            "?25h",
            "\x1b[",
            "\x1b]8;;",
            "漢",
            "(B",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

fn harmless(text: &str) -> bool {
    let obeyed = |c: char| c != '\n' && c.is_control();
    let reorders =
        |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
    !text
        .chars()
        .any(|c| obeyed(c) || reorders(c) || matches!(c, '\u{200b}' | '\u{feff}' | '\u{2028}' | '\u{2029}'))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_is_obeyed_comes_through(text in nasty()) {
        let once = plain(&text);
        prop_assert!(harmless(&once));
        prop_assert_eq!(plain(&once), once.clone(), "cleaning twice changes nothing");
        prop_assert!(harmless(&reveal(&text)));
        prop_assert!(!single(&text).contains('\n'));
        for line in ansi(&text, &Palette::dark()) {
            prop_assert!(harmless(&line.text()) && !line.text().contains('\n'));
        }
    }

    #[test]
    fn revealing_loses_no_character(text in nasty()) {
        let blank = |c: &char| !matches!(c, ' ' | '\t' | '\n');
        prop_assert!(reveal(&text).chars().filter(blank).count() >= text.chars().filter(blank).count());
    }

    #[test]
    fn pieces_are_cleaned_like_the_whole(pieces in prop::collection::vec(nasty(), 0..6)) {
        let mut cleaner = Cleaner::default();
        let mut got: String = pieces.iter().map(|piece| cleaner.push(piece)).collect();
        got.push_str(&cleaner.finish());
        let whole = pieces.concat();
        prop_assert_eq!(got, plain(&whole));
    }
}

#[test]
fn visible_text_keeps_its_form_and_hides_nothing() {
    for (raw, shown) in [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[31mred", "␛[31mred"),
        ("a\u{202e}b", "a<U+202E>b"),
        ("a\u{200b}b\r", "a<U+200B>b<U+000D>"),
        ("a\u{9b}1m", "a<U+009B>1m"),
        ("a\u{200d}b", "a<U+200D>b"),
        ("héllo 漢字 👩\u{200d}💻", "héllo 漢字 👩\u{200d}💻"),
    ] {
        assert_eq!(visible(raw), shown);
    }
}
