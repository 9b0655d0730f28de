//! Tests of `stream`: pieces give what the whole gives.

use super::*;
use proptest::prelude::*;

fn fed<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Stream {
    let mut stream = Stream::default();
    pieces.into_iter().for_each(|piece| stream.push(piece));
    stream
}

fn text(lines: &[Line]) -> String {
    lines.iter().map(Line::text).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_tail_is_plain_and_safe() {
    let mut stream = fed(["Hello **wo", "rld** and mo", "re\x1b[3", "1m\n", "second"]);
    assert_eq!(text(&stream.tail(10, 12, Style::PLAIN)), "Hello\n**world**\nand more\nsecond");
    assert_eq!(text(&stream.tail(1, 12, Style::PLAIN)), "second");
    assert_eq!(text(&stream.finish(40, &Palette::none())), "Hello world and more\nsecond");
}

#[test]
fn reasoning_stays_plain() {
    let stream = fed(["I *think*\n\n", "so\n\n"]);
    assert_eq!(text(&stream.plain(40, Style::PLAIN)), "I *think*\n\nso");
}

#[test]
fn finished_blocks_settle() {
    let palette = Palette::none();
    let mut stream = fed(["# Head\n\nOne para", "graph.\n"]);
    assert_eq!(text(&stream.settle(40, &palette)), "Head");
    assert_eq!(text(&stream.tail(9, 40, Style::PLAIN)), "One paragraph.\n");
    stream.push("\n```rust\nfn a() {}\n\nfn b() {}\n");
    assert_eq!(text(&stream.settle(40, &palette)), "\nOne paragraph.");
    assert!(stream.settle(40, &palette).is_empty());
    stream.push("```\n\n- a\n\n- b\n\nend\n");
    assert_eq!(text(&stream.settle(40, &palette)), "\n  fn a() {}\n\n  fn b() {}\n\n• a\n\n• b");
    assert_eq!(text(&stream.finish(40, &palette)), "\nend");
}

#[test]
fn the_first_rows_of_a_long_paragraph_are_given_out_once() {
    let palette = Palette::none();
    let words: Vec<String> = (0..60).map(|n| format!("word{n},")).collect();
    let mut stream = Stream::default();
    let mut shown = Vec::new();
    for (at, word) in words.iter().enumerate() {
        stream.push(&format!("{word} "));
        // The window gets another width meanwhile.
        let columns = if at < 40 { 30 } else { 22 };
        shown.extend(stream.overflow(4, columns, &palette));
        assert!(stream.tail(4, columns, Style::PLAIN).len() <= 4);
        assert_eq!(stream.goes_on(), !shown.is_empty());
    }
    assert!(shown.len() > 10, "{}", shown.len());
    shown.extend(stream.finish(30, &palette));
    assert_eq!(text(&shown).split_whitespace().collect::<Vec<_>>(), words);
}

#[test]
fn what_may_still_change_is_not_given_out() {
    for marked in ["**", "`", "_", "[", "| a", "```\n"] {
        let mut stream = fed([marked]);
        (0..60).for_each(|n| stream.push(&format!("word{n} ")));
        assert!(stream.overflow(4, 30, &Palette::none()).is_empty(), "{marked}");
    }
}

#[test]
fn what_went_into_the_scrollback_is_not_told_again() {
    let gone = |rows, columns| Gone { rows, columns };
    for (reply, gone, rest) in [
        ("one two\nthree (four) five", gone(0, 0), "one two\nthree (four) five"),
        ("one two\nthree (four) five", gone(1, 0), "three (four) five"),
        ("one two\nthree (four) five", gone(1, 6), "(four) five"),
        ("one two\nthree (four) five", gone(1, 9), "(four) five"),
        ("one two\nthree (four) five", gone(9, 0), "later"),
        ("**one**, *two*\nand `three`", gone(1, 0), "and three"),
        ("```rust\nfn a() {}\nfn b() {}\n```", gone(2, 0), "  fn b() {}"),
        // Here nobody can tell.
        ("[one](http://two)\nthree", gone(1, 0), "one (http://two)\nthree"),
    ] {
        let mut stream = fed([reply]);
        stream.tail(9, 40, Style::PLAIN);
        if gone.rows == 9 {
            stream.push(" later");
        }
        stream.went(gone);
        assert_eq!(text(&stream.finish(40, &Palette::none())), rest, "{reply} {gone:?}");
    }
}

#[test]
fn what_may_go_on_does_not_settle() {
    let palette = Palette::none();
    for open in [
        "- a\n\n- b\n",
        "- a\n\n  b\n",
        "> a\n\n> b\n",
        "1. a\n\n2. b\n",
        "```\na\n\nb\n",
        "a\n\n",
        "a\n\nb",
        "- ```\n  a\n\nb\n",
    ] {
        assert!(fed([open]).settle(40, &palette).is_empty(), "{open:?}");
    }
}

fn pieces() -> impl Strategy<Value = Vec<String>> {
    let part = prop::sample::select(vec![
        "word",
        " ",
        "  ",
        "\n",
        "\n\n",
        "longerword",
        "漢字",
        "\x1b[3",
        "1m",
        "\t",
        "- ",
        "```\n",
        "e\u{301}",
        "\r",
        "\r\n",
        "`code`",
        "# ",
        "para.\n\nNext",
    ]);
    prop::collection::vec(prop::collection::vec(part, 0..5).prop_map(|parts| parts.concat()), 0..20)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn frames_do_not_change_the_rows(pieces in pieces(), columns in 1usize..30) {
        let mut framed = Stream::default();
        for piece in &pieces {
            framed.push(piece);
            framed.tail(3, columns, Style::PLAIN);
        }
        let mut whole = fed(pieces.iter().map(String::as_str));
        prop_assert_eq!(framed.tail(usize::MAX, columns, Style::PLAIN), whole.tail(usize::MAX, columns, Style::PLAIN));
    }

    #[test]
    fn settling_loses_and_doubles_nothing(pieces in pieces(), columns in 10usize..30) {
        let palette = Palette::none();
        let mut stream = Stream::default();
        let mut lines = Vec::new();
        for piece in &pieces {
            stream.push(piece);
            lines.extend(stream.settle(columns, &palette));
        }
        lines.extend(stream.finish(columns, &palette));
        let whole = markdown::render(&pieces.concat(), columns, &palette);
        let letters = |lines: &[Line]| text(lines).chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        prop_assert_eq!(letters(&lines), letters(&whole));
    }
}
