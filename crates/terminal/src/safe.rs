//! The one sanitiser: everything from models, files and commands passes here before it is styled or printed.
//! Start from [`plain`] for text to read, [`reveal`] for text to decide about, [`ansi`] for a command's output;
//! [`visible`] is for doors that print what they get and nothing else.
//!
//! What comes out holds no control character but `\n`, and nothing that a terminal obeys or that reorders what is
//! read. Escape sequences go as a whole; text that only looks like the inside of one stays. Every function takes
//! time linear in its input.

mod ansi;
mod character;
mod cleaner;
mod reveal;
mod scan;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub use ansi::ansi;
pub use cleaner::Cleaner;
pub use reveal::{reveal, reveal_lines, visible};

use character::{Class, MARKS, class};
use scan::{Token, tokens};
use unicode_width::UnicodeWidthChar;

/// Columns between tab stops in prose and code; commands lay their output out for eight.
pub const TAB: usize = 4;

/// Text to read: escape sequences, controls and what cannot be seen are gone, tabs are blanks, every kind of line end
/// is `\n`.
pub fn plain(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte) || byte == b'\n') {
        return Cow::Borrowed(text);
    }
    let mut out = Sink::new(TAB);
    for token in tokens(text) {
        out.take(&token);
    }
    Cow::Owned(out.text)
}

/// Like [`plain`], on one line: for names, titles and what else has no room for a second.
pub fn single(text: &str) -> Cow<'_, str> {
    match plain(text) {
        clean if !clean.contains('\n') => clean,
        clean => Cow::Owned(clean.trim_end_matches('\n').replace('\n', "⏎")),
    }
}

/// Where clean text is collected; knows its column, for tabs.
#[derive(Debug, Clone, Default)]
struct Sink {
    text: String,
    column: usize,
    tab: usize,
    /// Characters without columns since the last one with any.
    marks: usize,
    last: char,
}

impl Sink {
    fn new(tab: usize) -> Sink {
        Sink { tab, ..Sink::default() }
    }

    fn take(&mut self, token: &Token<'_>) {
        match token {
            Token::Text(text) if text.is_ascii() => {
                self.text.push_str(text);
                self.column += text.len();
                self.marks = 0;
                self.last = ' ';
            }
            Token::Text(text) => text.chars().for_each(|c| self.put(c)),
            Token::Line | Token::Return => self.line(),
            Token::Tab => {
                let blanks = self.tab - self.column % self.tab;
                self.text.extend(std::iter::repeat_n(' ', blanks));
                self.column += blanks;
                self.marks = 0;
                self.last = ' ';
            }
            Token::Open(open) => self.abandon(open),
            Token::Sgr(_) | Token::Dropped => {}
        }
    }

    /// Takes a sequence that never ended: a control string was text behind a stray introducer, a return ended a line,
    /// and anything else is cut off.
    fn abandon(&mut self, open: &str) {
        let strings =
            ["\x1b]", "\x1bP", "\x1bX", "\x1b^", "\x1b_", "\u{90}", "\u{98}", "\u{9d}", "\u{9e}", "\u{9f}"];
        if let Some(text) = strings.iter().find_map(|start| open.strip_prefix(start)) {
            text.trim_end_matches('\x1b').chars().for_each(|c| self.put(c));
        } else if open == "\r" {
            self.line();
        }
    }

    fn put(&mut self, c: char) {
        match class(c, self.last) {
            Class::Seen => {}
            Class::Blank => return self.put(' '),
            Class::Break => return self.line(),
            Class::Hidden => return,
        }
        let columns = c.width().unwrap_or(0);
        self.marks = if columns == 0 { self.marks + 1 } else { 0 };
        if self.marks <= MARKS {
            self.text.push(c);
            self.column += columns;
            self.last = c;
        }
    }

    fn line(&mut self) {
        self.text.push('\n');
        self.column = 0;
        self.marks = 0;
        self.last = '\n';
    }
}
