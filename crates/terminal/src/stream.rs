//! A reply while it arrives. Start from [`Stream`]: pieces in, the last rows out, Markdown at the end; or Markdown
//! block by block, with [`Stream::settle`].
//!
//! Rows that are full never change again, so each frame looks only at the row in progress and what came since: a
//! long reply costs its length, not its square. Only a new width wraps anew, and only what has not settled.

mod given;
mod settle;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::markdown;
use crate::safe::Cleaner;
use crate::screen::Gone;
use crate::style::{Line, Palette, Style};
use crate::width;
use crate::wrap;
use settle::Blocks;

#[derive(Debug, Clone, Default)]
pub struct Stream {
    /// As it came, for the Markdown at the end.
    raw: String,
    blocks: Blocks,
    /// The bytes of `raw` that have settled: they were given out, and are no longer in the rows.
    settled: usize,
    /// Letters and digits behind them that were given out as well, or went into the scrollback.
    given: usize,
    /// What is not given out, without anything that a terminal would obey.
    clean: String,
    cleaner: Cleaner,
    rows: Rows,
    /// Rows before the ones that the last tail was made of.
    hidden: usize,
}

/// The text broken to a width, up to where a frame last looked.
#[derive(Debug, Clone, Default)]
struct Rows {
    columns: usize,
    ranges: Vec<Range<usize>>,
    /// The bytes of the text that are laid out.
    seen: usize,
}

impl Stream {
    pub fn push(&mut self, piece: &str) {
        self.raw.push_str(piece);
        let clean = self.cleaner.push(piece);
        self.clean.push_str(&clean);
    }

    /// The text as it came.
    pub fn text(&self) -> &str {
        &self.raw
    }

    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// The blocks that have been completed since the last call, rendered; what comes after them cannot change them.
    /// They are gone from [`Stream::tail`] from then on, and [`Stream::finish`] gives only the rest.
    pub fn settle(&mut self, columns: usize, palette: &Palette) -> Vec<Line> {
        let end = self.blocks.complete(&self.raw);
        if end == self.settled {
            return Vec::new();
        }
        let lines = self.block(end, columns, palette);
        (self.settled, self.given) = (end, 0);
        self.cleaner = Cleaner::default();
        self.clean = self.cleaner.push(self.raw.get(end..).unwrap_or_default());
        self.rows = Rows::default();
        lines
    }

    /// The reply as it was recorded at last. Where it goes on from what has settled, that is the rest; else it is told
    /// anew.
    pub fn correct(&mut self, whole: &str) {
        if self.raw.trim() == whole.trim() {
            return;
        }
        if whole.get(..self.settled).is_none_or(|head| Some(head) != self.raw.get(..self.settled)) {
            (self.settled, self.given) = (0, 0);
        }
        self.raw = whole.to_owned();
    }

    /// The last `most` rows of what has not settled, as plain text in one style.
    pub fn tail(&mut self, most: usize, columns: usize, style: Style) -> Vec<Line> {
        self.rows.update(&self.clean, columns);
        let ranges = &self.rows.ranges;
        let from = ranges.len().saturating_sub(most);
        self.hidden = from;
        let row =
            |range: &Range<usize>| Line::styled(self.clean.get(range.clone()).unwrap_or_default(), style);
        ranges.get(from..).unwrap_or_default().iter().map(row).collect()
    }

    /// Whether the beginning of a block was given out, and its end is still to come.
    pub fn goes_on(&self) -> bool {
        self.given > 0
    }

    /// The first rows of a block in progress that has more than `most` of them, rendered, as far as nothing can change
    /// them any more.
    pub fn overflow(&mut self, most: usize, columns: usize, palette: &Palette) -> Vec<Line> {
        self.rows.update(&self.clean, columns);
        if self.rows.ranges.len() <= most || !given::is_stable(self.unsettled()) {
            return Vec::new();
        }
        let mut lines = self.block(self.raw.len(), columns, palette);
        lines.truncate(lines.len().saturating_sub(most / 2 + 1));
        let letters = lines.iter().map(|line| given::letters(&line.text())).sum();
        self.give(letters, given::behind(&self.clean, letters));
        lines
    }

    /// The first rows of the last tail are in the scrollback, where nobody can take them away; so they are not given out
    /// once more, as far as it can be told what they are of.
    pub fn went(&mut self, gone: Gone) {
        if gone == Gone::default() || self.hidden > 0 || !given::is_faithful(self.unsettled()) {
            return;
        }
        // More may have come since the tail was made.
        let end = match self.rows.ranges.get(gone.rows) {
            Some(row) => {
                let part = width::prefix(self.clean.get(row.clone()).unwrap_or_default(), gone.columns);
                // A word that was broken in two is told whole.
                row.start + part.rfind(' ').map_or(0, |at| at + 1)
            }
            None => self.rows.ranges.last().map_or(0, |row| row.end),
        };
        self.give(given::letters(self.clean.get(..end).unwrap_or_default()), end);
    }

    fn give(&mut self, letters: usize, end: usize) {
        self.given += letters;
        self.clean.drain(..end);
        self.rows = Rows::default();
    }

    fn unsettled(&self) -> &str {
        self.raw.get(self.settled..).unwrap_or_default()
    }

    /// All that has not settled, as plain text in one style, such as reasoning.
    pub fn plain(mut self, columns: usize, style: Style) -> Vec<Line> {
        let held = self.cleaner.finish();
        self.clean.push_str(&held);
        self.clean.truncate(self.clean.trim_end().len());
        self.tail(usize::MAX, columns, style)
    }

    /// The finished reply, or what of it has not settled, rendered.
    pub fn finish(self, columns: usize, palette: &Palette) -> Vec<Line> {
        self.block(self.raw.len(), columns, palette)
    }

    /// What has not settled up to `end`, set off from what came before it.
    fn block(&self, end: usize, columns: usize, palette: &Palette) -> Vec<Line> {
        let text = self.raw.get(self.settled..end).unwrap_or_default();
        let mut lines = given::skip(markdown::render(text, columns, palette), self.given);
        if self.settled > 0 && self.given == 0 && !lines.is_empty() {
            lines.insert(0, Line::new());
        }
        lines
    }
}

impl Rows {
    fn update(&mut self, text: &str, columns: usize) {
        let columns = columns.max(1);
        if columns != self.columns || self.seen > text.len() {
            *self = Rows { columns, ..Rows::default() };
        }
        if self.seen == text.len() {
            return;
        }
        let mut at = self.ranges.pop().map_or(0, |last| last.start);
        for line in text.get(at..).unwrap_or_default().split('\n') {
            let rows = wrap::rows(line, columns, columns);
            self.ranges.extend(rows.into_iter().map(|row| row.start + at..row.end + at));
            at += line.len() + 1;
        }
        self.seen = text.len();
    }
}
