//! [`reveal`]: text that a person decides about, with everything made visible that could deceive them; [`visible`]: text
//! to read, as it came, with what would be obeyed or hidden written out.

use super::TAB;
use super::character::{Class, MARKS, class, hides};
use crate::style::{Line, Palette, Style};
use crate::width;
use std::borrow::Cow;
use unicode_width::UnicodeWidthChar;

/// `text` with its controls, invisible, reordering and disguised characters written out, such as `<U+202E>`, and the
/// blanks at the ends of lines as `·`. Line feeds stay.
pub fn reveal(text: &str) -> String {
    reveal_lines(text, &Palette::none()).iter().map(Line::text).collect::<Vec<_>>().join("\n")
}

/// Like [`reveal`], with what was written out set apart from text that only looks like it.
pub fn reveal_lines(text: &str, palette: &Palette) -> Vec<Line> {
    text.split('\n').map(|line| one(line, palette)).collect()
}

/// Text in which nothing is obeyed by a terminal and nothing hides: what [`plain`](super::plain) would take away is
/// written out instead. Line ends and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    let harmless = |byte: u8| (b' '..=b'~').contains(&byte) || byte == b'\n' || byte == b'\t';
    if text.bytes().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut last = '\n';
    for c in text.chars() {
        match class(c, last) {
            _ if c == '\n' || c == '\t' => shown.push(c),
            Class::Seen | Class::Blank => shown.push(c),
            Class::Break | Class::Hidden => shown.push_str(&name(c)),
        }
        last = c;
    }
    Cow::Owned(shown)
}

fn one(line: &str, palette: &Palette) -> Line {
    let body = line.trim_end_matches([' ', '\t']);
    let mut shown = Line::new();
    let mut plain = 0;
    let mut marks = 0;
    let mut column = 0;
    for (at, c) in body.char_indices() {
        let columns = c.width().unwrap_or(0);
        marks = if columns == 0 { marks + 1 } else { 0 };
        if c != '\t' && !hides(c) && marks <= MARKS {
            column += columns;
            continue;
        }
        shown.push(body.get(plain..at).unwrap_or_default(), Style::PLAIN);
        plain = at + c.len_utf8();
        if c == '\t' {
            let blanks = TAB - column % TAB;
            shown.push(&" ".repeat(blanks), Style::PLAIN);
            column += blanks;
        } else {
            let name = name(c);
            column += width::of(&name);
            shown.push(&name, palette.revealed);
        }
    }
    shown.push(body.get(plain..).unwrap_or_default(), Style::PLAIN);
    let tail = line.get(body.len()..).unwrap_or_default();
    let blanks: String = tail.chars().map(|c| if c == '\t' { '⇥' } else { '·' }).collect();
    shown.push(&blanks, palette.revealed);
    shown
}

fn name(c: char) -> String {
    if c == '\x1b' { "␛".to_owned() } else { format!("<U+{:04X}>", u32::from(c)) }
}
