//! A reply while it arrives. Start from [`Stream`]: pieces in, the last rows out, Markdown at the end; or Markdown
//! block by block, with [`Stream::settle`].
//!
//! Rows that are full never change again, so each frame looks only at the row in progress and what came since: a
//! long reply costs its length, not its square. Only a new width wraps anew, and only what has not settled.

mod settle;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::markdown;
use crate::safe::Cleaner;
use crate::style::{Line, Palette, Style};
use crate::wrap;
use settle::Blocks;

#[derive(Debug, Clone, Default)]
pub struct Stream {
    /// As it came, for the Markdown at the end.
    raw: String,
    blocks: Blocks,
    /// The bytes of `raw` that have settled: they were given out, and are no longer in the rows.
    settled: usize,
    clean: String,
    cleaner: Cleaner,
    rows: Rows,
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
        self.settled = end;
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
            self.settled = 0;
        }
        self.raw = whole.to_owned();
    }

    /// The last `most` rows of what has not settled, as plain text in one style.
    pub fn tail(&mut self, most: usize, columns: usize, style: Style) -> Vec<Line> {
        self.rows.update(&self.clean, columns);
        let ranges = &self.rows.ranges;
        let from = ranges.len().saturating_sub(most);
        let row =
            |range: &Range<usize>| Line::styled(self.clean.get(range.clone()).unwrap_or_default(), style);
        ranges.get(from..).unwrap_or_default().iter().map(row).collect()
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
        let mut lines = markdown::render(text, columns, palette);
        if self.settled > 0 && !lines.is_empty() {
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
