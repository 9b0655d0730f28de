//! Lines broken to a width. Start from [`words`] for prose and [`cells`] for code; [`rows`] is the rule itself.
//!
//! Nothing is dropped or doubled: rows are ranges of the text in order, and between two rows lie blanks at most.
//! No row is wider than asked, unless a single character is.

#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::style::Line;
use crate::width::{self, graphemes};

/// What stands before the first row and before every further one, such as a list's marker and its indent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hang {
    pub first: Line,
    pub rest: Line,
}

/// However deep the indent, this much of the window is left for the text, or half of a narrower one.
const LEAST: usize = 8;
/// The widest that a character commonly is.
const WIDE: usize = 2;

/// `line` broken between words; a word wider than the window is broken where the window ends.
pub fn words(line: &Line, columns: usize, hang: &Hang) -> Vec<Line> {
    lay(line, columns, hang, rows)
}

/// `line` broken wherever the window ends, keeping every blank.
pub fn cells(line: &Line, columns: usize, hang: &Hang) -> Vec<Line> {
    lay(line, columns, hang, cut)
}

/// The rows of `text`, as byte ranges: the first takes at most `first` columns, the others `rest`.
pub fn rows(text: &str, first: usize, rest: usize) -> Vec<Range<usize>> {
    let mut rows = Rows::new(first, rest);
    for word in pieces(text) {
        rows.place(text, word);
    }
    rows.finish()
}

fn lay(
    line: &Line,
    columns: usize,
    hang: &Hang,
    rule: fn(&str, usize, usize) -> Vec<Range<usize>>,
) -> Vec<Line> {
    let spare = columns.saturating_sub(LEAST.min(columns.div_ceil(2)).max(WIDE));
    let first = shorten(&hang.first, spare);
    let rest = shorten(&hang.rest, spare);
    let ranges = rule(&line.text(), columns - first.width(), columns - rest.width());
    let mut cursor = Cursor { line, span: 0, at: 0 };
    let mut lines = Vec::with_capacity(ranges.len());
    for range in ranges {
        let before = if lines.is_empty() { &first } else { &rest };
        let mut row = if range.is_empty() && is_blank(before) { Line::new() } else { before.clone() };
        cursor.copy(range, &mut row);
        lines.push(row);
    }
    lines
}

fn shorten(line: &Line, columns: usize) -> Line {
    line.slice(0, width::prefix(&line.text(), columns).len())
}

fn is_blank(line: &Line) -> bool {
    line.spans.iter().all(|span| span.text.bytes().all(|byte| byte == b' '))
}

/// Walks over the spans once, so that a long line costs no more than its length.
struct Cursor<'a> {
    line: &'a Line,
    span: usize,
    /// Where the current span begins in the text of the line.
    at: usize,
}

impl Cursor<'_> {
    fn copy(&mut self, range: Range<usize>, row: &mut Line) {
        while let Some(span) = self.line.spans.get(self.span) {
            let from = range.start.saturating_sub(self.at).min(span.text.len());
            let to = range.end.saturating_sub(self.at).min(span.text.len());
            row.push(span.text.get(from..to).unwrap_or_default(), span.style);
            if self.at + span.text.len() > range.end {
                return;
            }
            self.at += span.text.len();
            self.span += 1;
        }
    }
}

fn cut(text: &str, first: usize, rest: usize) -> Vec<Range<usize>> {
    let mut rows = Rows::new(first, rest);
    rows.fill(text, 0..text.len());
    rows.finish()
}

/// A run of blanks, or something that stays together if it can.
struct Piece {
    range: Range<usize>,
    columns: usize,
    blank: bool,
}

struct Rows {
    done: Vec<Range<usize>>,
    row: Range<usize>,
    used: usize,
    room: usize,
    rest: usize,
    /// Whether the row holds anything but blanks; those before the first word are an indent, which stays.
    begun: bool,
}

impl Rows {
    fn new(first: usize, rest: usize) -> Rows {
        Rows { done: Vec::new(), row: 0..0, used: 0, room: first.max(1), rest: rest.max(1), begun: false }
    }

    fn place(&mut self, text: &str, piece: Piece) {
        if piece.blank {
            return self.space(text, piece);
        }
        let gap = piece.range.start - self.row.end;
        if self.used + gap + piece.columns <= self.room {
            self.row.end = piece.range.end;
            self.used += gap + piece.columns;
        } else {
            let start = piece.range.start;
            if self.row.is_empty() {
                self.row = start..start;
            } else if self.begun || gap > 0 {
                self.next(start);
            }
            // Behind a mere indent a word is broken rather than moved: moving would depend on its whole length, and
            // a row that is full must not change while a word is still arriving.
            self.fill(text, piece.range);
        }
        self.begun = true;
    }

    /// Blanks after a word wait for the next word; an indent is kept as far as there is room for it.
    fn space(&mut self, text: &str, piece: Piece) {
        let start = self.row.end;
        if self.done.is_empty() && !self.begun {
            let most = self.room.saturating_sub(1).min(piece.columns);
            self.row.end = start + width::prefix(&text[piece.range.clone()], most).len();
            self.used = most;
        }
    }

    /// Puts a piece down character by character, from where the row stands.
    fn fill(&mut self, text: &str, range: Range<usize>) {
        let mut at = range.start;
        for (grapheme, columns) in graphemes(&text[range]) {
            if self.used + columns > self.room && self.used > 0 {
                self.next(at);
            }
            at += grapheme.len();
            self.row.end = at;
            self.used += columns;
        }
    }

    fn next(&mut self, start: usize) {
        self.done.push(self.row.clone());
        self.row = start..start;
        self.used = 0;
        self.room = self.rest;
        self.begun = false;
    }

    fn finish(mut self) -> Vec<Range<usize>> {
        self.done.push(self.row);
        self.done
    }
}

/// Blanks and words in turn. Wide characters are words of their own: their scripts have no blanks to break at.
fn pieces(text: &str) -> impl Iterator<Item = Piece> + '_ {
    let mut at = 0;
    let mut all = graphemes(text).peekable();
    std::iter::from_fn(move || {
        let (first, mut columns) = all.next()?;
        let start = at;
        at += first.len();
        let blank = first == " ";
        let wide = columns > 1;
        while let Some(&(next, more)) = all.peek() {
            let joins = if wide { closes(next) } else { (next == " ") == blank && more < 2 };
            if !joins {
                break;
            }
            all.next();
            at += next.len();
            columns += more;
        }
        Some(Piece { range: start..at, columns, blank })
    })
}

/// Marks that no line should begin with.
fn closes(grapheme: &str) -> bool {
    matches!(
        grapheme,
        "、" | "。"
            | "，"
            | "．"
            | "："
            | "；"
            | "！"
            | "？"
            | "」"
            | "』"
            | "）"
            | "】"
            | "》"
            | "〉"
            | ","
            | "."
            | ":"
            | ";"
            | "!"
            | "?"
            | ")"
            | "]"
            | "”"
            | "’"
    )
}
