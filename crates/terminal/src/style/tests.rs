//! Tests of `style`: SGR as bytes, and what a terminal makes of it.

use super::*;
use proptest::prelude::*;

#[test]
fn sgr_is_short() {
    let bold = Style::PLAIN.bold();
    for (spans, wanted) in [
        (vec![("a", Style::PLAIN), ("b", Style::PLAIN)], "ab"),
        (vec![("a", bold)], "\x1b[1ma\x1b[m"),
        (vec![("a", bold), ("b", bold), ("c", Style::PLAIN)], "\x1b[1mab\x1b[mc"),
        (vec![("a", bold), ("b", bold.italic())], "\x1b[1ma\x1b[3mb\x1b[m"),
        (vec![("a", bold), ("b", Style::PLAIN.dim())], "\x1b[1ma\x1b[;2mb\x1b[m"),
        (vec![("a", Style::fg(1)), ("b", Style::fg(9))], "\x1b[31ma\x1b[91mb\x1b[m"),
        (vec![("a", Style::fg(1)), (" ", Style::PLAIN), ("b", Style::fg(1))], "\x1b[31ma b\x1b[m"),
        (vec![("a", Style::fg(1).reverse()), (" ", Style::PLAIN)], "\x1b[7;31ma\x1b[m "),
        (vec![("a", Style::fg(100).on(3))], "\x1b[38;5;100;43ma\x1b[m"),
    ] {
        let mut line = Line::new();
        spans.iter().for_each(|(text, style)| line.push(text, *style));
        assert_eq!(line.to_ansi(), wanted);
    }
}

#[test]
fn a_slice_keeps_its_styles() {
    let mut line = Line::from("abc");
    line.push("déf", Style::fg(1));
    let part = line.slice(1, 6);
    assert_eq!((part.text().as_str(), part.spans.len()), ("bcdé", 2));
}

#[test]
fn palettes_keep_to_their_depth() {
    let coloured = |style: Style| style.fg != Colour::Default || style.bg != Colour::Default;
    let mut none = Palette::none();
    assert!(none.roles().iter().all(|role| **role == Style::PLAIN));
    let mut marks = Palette::marks();
    assert!(marks.roles().iter().all(|role| !coloured(**role)) && marks.strong.bold);
    let deep = |colour: Colour| !matches!(colour, Colour::Default | Colour::Indexed(0..=15));
    let mut sixteen = Palette::sixteen();
    assert!(sixteen.roles().iter().all(|role| !deep(role.fg) && !deep(role.bg)));
    let red = Style { fg: Colour::Rgb(250, 5, 5), ..Style::PLAIN };
    assert_eq!(sixteen.fit(red), Style::fg(9));
    assert_eq!(sixteen.fit(Style::fg(16)), Style::fg(0));
    assert_eq!(Palette::dark().fit(red), red);
    assert_eq!(Palette::marks().fit(red.bold()), Style::PLAIN.bold());
}

fn colour() -> impl Strategy<Value = Colour> {
    prop_oneof![
        Just(Colour::Default),
        any::<u8>().prop_map(Colour::Indexed),
        any::<(u8, u8, u8)>().prop_map(|(r, g, b)| Colour::Rgb(r, g, b)),
    ]
}

fn style() -> impl Strategy<Value = Style> {
    // The terminal model of the tests knows no strike-through.
    (colour(), colour(), any::<[bool; 5]>()).prop_map(|(fg, bg, [bold, dim, italic, underline, reverse])| {
        Style {
            fg,
            bg,
            // One cell of that model is bold or dim, not both.
            bold,
            dim: dim && !bold,
            italic,
            underline,
            reverse,
            strike: false,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_terminal_sees_the_styles(styles in prop::collection::vec(style(), 1..8)) {
        let mut line = Line::new();
        styles.iter().for_each(|style| line.push("x", *style));
        let mut screen = vt100::Parser::new(2, 20, 0);
        screen.process(format!("{}y", line.to_ansi()).as_bytes());
        let seen = |column: usize| {
            let cell = screen.screen().cell(0, u16::try_from(column).unwrap()).unwrap();
            let colour = |colour| match colour {
                vt100::Color::Default => Colour::Default,
                vt100::Color::Idx(index) => Colour::Indexed(index),
                vt100::Color::Rgb(r, g, b) => Colour::Rgb(r, g, b),
            };
            Style {
                fg: colour(cell.fgcolor()),
                bg: colour(cell.bgcolor()),
                bold: cell.bold(),
                dim: cell.dim(),
                italic: cell.italic(),
                underline: cell.underline(),
                reverse: cell.inverse(),
                strike: false,
            }
        };
        for (column, style) in styles.iter().enumerate() {
            prop_assert_eq!(seen(column), *style);
        }
        prop_assert_eq!(seen(styles.len()), Style::PLAIN);
    }
}
