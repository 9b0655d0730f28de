//! What reaches the terminal: however it got there, no character of it is obeyed and none reorders what is read.

use terminal::safe::{Cleaner, ansi, plain, reveal, single};
use terminal::style::{Line, Palette};
use terminal::{code, diff, markdown};

const COLUMNS: usize = 40;

pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let palette = Palette::dark();
    let clean = plain(&text);
    is_harmless(&clean);
    assert_eq!(plain(&clean), clean, "cleaning twice");
    is_harmless(&reveal(&text));
    assert!(!single(&text).contains('\n'));
    for pieces in super::text_cuttings(&text) {
        let mut cleaner = Cleaner::default();
        let mut got: String = pieces.iter().map(|piece| cleaner.push(piece)).collect();
        got += &cleaner.finish();
        assert_eq!(got, clean, "in {} pieces", pieces.len());
    }
    are_harmless(&ansi(&text, &palette));
    are_harmless(&markdown::render(&text, COLUMNS, &palette));
    let view = diff::View { columns: COLUMNS, most: 100, purpose: diff::Purpose::Decide };
    are_harmless(&diff::render(&text, view, &palette));
    are_harmless(&code::highlight(&clean, "rs", &palette));
}

fn are_harmless(lines: &[Line]) {
    for line in lines {
        let text = line.text();
        is_harmless(&text);
        assert!(!text.contains('\n'), "{text:?}");
    }
}

fn is_harmless(text: &str) {
    let obeyed = |c: char| c != '\n' && c.is_control();
    let reorders =
        |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
    let unseen = |c: char| matches!(c, '\u{200b}' | '\u{feff}' | '\u{2028}' | '\u{2029}');
    assert!(!text.chars().any(|c| obeyed(c) || reorders(c) || unseen(c)), "{text:?}");
}
