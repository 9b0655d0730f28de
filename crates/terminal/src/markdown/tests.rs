//! Tests of `markdown`: what a person reads, as inline text, and the laws of width and safety.

use super::*;
use crate::style::Colour;
use proptest::prelude::*;

fn text(source: &str, columns: usize) -> String {
    let lines = render(source, columns, &Palette::none());
    assert!(lines.iter().all(|line| line.spans.iter().all(|span| span.style == Style::PLAIN)));
    lines.iter().map(Line::text).collect::<Vec<_>>().join("\n")
}

fn check(source: &str, columns: usize, wanted: &str) {
    assert_eq!(text(source, columns), wanted, "{source:?} in {columns}");
}

/// The style of the span that holds `part`.
fn style(source: &str, part: &str, palette: &Palette) -> Style {
    let lines = render(source, 80, palette);
    let span = lines.iter().flat_map(|line| &line.spans).find(|span| span.text.contains(part));
    span.unwrap_or_else(|| panic!("{part} is not in {lines:?}")).style
}

#[test]
fn blocks() {
    check("", 40, "");
    check("one\n\ntwo", 40, "one\n\ntwo");
    check("one\ntwo", 40, "one\ntwo");
    check("# Head\ntext\n## Sub\nmore", 40, "Head\n\ntext\n\nSub\n\nmore");
    check("a\n\n***\n\nb", 10, "a\n\n──────────\n\nb");
    check("> q\n> r\n>\n> s", 40, "│ q\n│ r\n│ \n│ s");
    check("a\n\n> b\n> > c\n\nd", 40, "a\n\n│ b\n│ \n│ │ c\n\nd");
    check("<b>raw</b>\n<br>\n\nx <i>y</i>", 40, "<b>raw</b>\n<br>\n\nx <i>y</i>");
}

#[test]
fn lists() {
    check("- a\n- b\n  - c\n    - d\n- e", 40, "• a\n• b\n  ◦ c\n    ▪ d\n• e");
    check("3. a\n4. b\n\nend", 40, "3. a\n4. b\n\nend");
    check("9. a\n10. b", 40, "9. a\n10. b");
    check("- [x] a\n- [ ] b", 40, "• [x] a\n• [ ] b");
    check("- a\n\n  b\n- c", 40, "• a\n\n  b\n\n• c");
    check("-\n- b", 40, "• \n• b");
    check("1. a\n   ```\n   code\n   ```\n2. b", 40, "1. a\n     code\n\n2. b");
    check("- > q", 40, "• │ q");
    check("- a\n  <div>\n- b", 40, "• a\n  <div>\n\n• b");
    check("- one two three", 9, "• one two\n  three");
}

#[test]
fn inline_text() {
    check("**a** *b* ~~c~~ `d`", 40, "a b c d");
    check("[text](http://e.x/y)", 40, "text (http://e.x/y)");
    check("<http://e.x>", 40, "http://e.x");
    check("<a@b.c>", 40, "a@b.c");
    check("[](http://e.x)", 40, "(http://e.x)");
    check("![alt](i.png)", 40, "[image] alt (i.png)");
    check("[http://good.x](http://bad.x)", 60, "http://good.x (http://bad.x)");
    check("a\\\nb", 40, "a\nb");
    check("1 < 2 & 3 &amp; 4", 40, "1 < 2 & 3 & 4");
    check("[r]\n\n[r]: http://e.x", 40, "r (http://e.x)");
    check("a_b_c snake_case_name 2*3*4", 40, "a_b_c snake_case_name 234");
}

#[test]
fn tables() {
    let source = "| a | bb |\n|---|---:|\n| ccc | 1 |\n| 漢 | 22 |";
    check(source, 40, "a   │ bb\n────┼───\nccc │  1\n漢  │ 22");
    let wide = "| k | value |\n|---|---|\n| x | one two three four |";
    check(wide, 16, "k │ value\n──┼─────────────\nx │ one two\n  │ three four");
    check(wide, 6, "k: x\nvalue:\n  one\n  two\n  thre\n  e\n  four");
    check("| only |\n|---|", 40, "only\n────");
    check("| a |\n|---|\n| `x` and [l](u) |", 40, "a\n───────────\nx and l (u)");
    check("> | a |\n> |---|\n> | b |", 40, "│ a\n│ ─\n│ b");
}

#[test]
fn fenced_code_keeps_its_shape() {
    check("```\n  a\n\n    b\n```", 40, "    a\n\n      b");
    check("```rust\nlet x = 1;\n```\ntext", 40, "  let x = 1;\n\ntext");
    check("```\nabcdefghij\n```", 8, "  abcdef\n  ghij");
    check("    indented", 40, "  indented");
    check("```\nnever closed", 40, "  never closed");
}

#[test]
fn roles_have_styles() {
    let palette = Palette::dark();
    for (source, part, wanted) in [
        ("# head", "head", palette.heading.underline()),
        ("**b**", "b", palette.strong),
        ("*i*", "i", palette.emphasis),
        ("***bi***", "bi", palette.strong.with(palette.emphasis)),
        ("~~s~~", "s", palette.struck),
        ("`c`", "c", palette.code),
        ("[l](u)", "l", palette.link),
        ("[l](u)", "(u)", palette.dim),
        ("> q", "q", palette.quote),
        ("```rust\nfn f() {}\n```", "fn", palette.keyword),
    ] {
        assert_eq!(style(source, part, &palette), wanted, "{source:?}");
    }
    assert!(style("**b**", "b", &Palette::marks()).bold);
    let coloured = |line: &Line| line.spans.iter().any(|span| span.style.fg != Colour::Default);
    assert!(!render("# a\n`b` [c](d)", 80, &Palette::marks()).iter().any(coloured));
}

#[test]
fn no_entity_spells_a_control() {
    check("a &#27;[31m b&#x202e;c &#x9b;31m &#13; d", 60, "a [31m bc 31m  d");
    check("`\x1b[31m`x\x1b]0;t\x07y", 40, "``xy");
    check("[a](http://e.x/\u{202e}b)", 40, "a (http://e.x/b)");
    check("```\n\x1b[2Jx\r\n```", 40, "  x");
}

fn source() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "# ",
        "## ",
        "- ",
        "1. ",
        "> ",
        "```\n",
        "```rust\n",
        "| a | b |\n|---|---|\n",
        "| x | y |\n",
        "**",
        "*",
        "`",
        "[",
        "](u)",
        "\n",
        "\n\n",
        "  ",
        "    ",
        "word",
        "longerwordthanthat",
        "漢字",
        "👩\u{200d}👧",
        "e\u{301}",
        "&#27;",
        "<b>",
        "</b>",
        "- [x] ",
        "---\n",
        "\t",
        "~~",
        "\\",
        "\x1b[1m",
    ]);
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

#[test]
fn the_bars_between_blocks_fit_as_well() {
    for line in render("---\n- > - a\n  >\n  >   b\n", 2, &Palette::dark()) {
        assert!(line.width() <= 2, "{:?}", line.text());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_line_fits_and_is_safe(source in source(), columns in 2usize..60) {
        for line in render(&source, columns, &Palette::dark()) {
            prop_assert!(line.width() <= columns, "{:?} is wider than {columns}", line.text());
            prop_assert!(!line.text().contains(char::is_control));
        }
    }

    #[test]
    fn no_word_is_lost(words in prop::collection::vec("[a-z]{1,6}", 1..30), columns in 1usize..40, mark in 0usize..5) {
        let marks = ["", "- ", "> ", "1. ", "    "];
        let source: String = words.iter().map(|word| format!("{}{word}\n\n", marks[mark])).collect();
        let shown: String = text(&source, columns).chars().filter(char::is_ascii_lowercase).collect();
        prop_assert_eq!(shown, words.concat());
    }
}
