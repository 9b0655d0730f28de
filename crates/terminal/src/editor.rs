//! The text being typed: a pure editor of several lines. Start at [`Editor`].
//!
//! It moves and deletes by grapheme, so that a person never sees half a character. It knows nothing of keys, screens or
//! history; how its text falls into rows is [`layout`]'s business.

pub mod layout;

use layout::Layout;
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// Changes that can be taken back.
const UNDO: usize = 200;

#[derive(Debug, Clone, Default)]
pub struct Editor {
    text: String,
    /// A byte offset, always at the edge of a grapheme.
    cursor: usize,
    killed: String,
    undo: Vec<(String, usize)>,
    /// What the last change was, so that typing a word is taken back as one.
    last: Last,
    /// The column that Up and Down try to keep.
    goal: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Last {
    #[default]
    Other,
    Typed,
    Killed,
}

/// How far a motion or a deletion reaches from the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Left,
    Right,
    WordLeft,
    WordRight,
    /// Back to the last blank, whatever stands between.
    BlankLeft,
    LineStart,
    LineEnd,
    Start,
    End,
}

/// Whether Up or Down had somewhere to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    Yes,
    /// The cursor was in the first or last row.
    AtEdge,
}

impl Editor {
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn cursor(&self) -> usize {
        self.cursor
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Replaces everything; the cursor stands at the end.
    pub fn set(&mut self, text: &str) {
        if self.text != text {
            self.remember(Last::Other);
        }
        self.text = text.to_owned();
        self.cursor = self.text.len();
        self.goal = None;
    }

    /// Takes everything out.
    pub fn take(&mut self) -> String {
        let text = std::mem::take(&mut self.text);
        *self = Editor { killed: std::mem::take(&mut self.killed), ..Editor::default() };
        text
    }

    pub fn insert(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let kind = if text.chars().all(char::is_alphanumeric) { Last::Typed } else { Last::Other };
        self.remember(kind);
        self.text.insert_str(self.cursor, text);
        self.cursor = self.edge(self.cursor + text.len());
        self.goal = None;
    }

    /// Replaces the bytes of a range, such as a word that is completed.
    pub fn replace(&mut self, range: std::ops::Range<usize>, with: &str) {
        if self.text.get(range.clone()).is_none() {
            return;
        }
        self.remember(Last::Other);
        self.text.replace_range(range.clone(), with);
        self.cursor = self.edge(range.start + with.len());
        self.goal = None;
    }

    pub fn go(&mut self, reach: Reach) {
        self.cursor = self.target(reach);
        self.goal = None;
        self.last = Last::Other;
    }

    pub fn delete(&mut self, reach: Reach) {
        let (from, to) = self.span(reach);
        if from == to {
            return;
        }
        self.remember(Last::Other);
        self.cut(from, to);
    }

    /// Deletes like [`delete`](Editor::delete) and keeps what was deleted for [`yank`](Editor::yank).
    pub fn kill(&mut self, reach: Reach) {
        let (mut from, mut to) = self.span(reach);
        // At its edge a line is joined with the next one.
        match reach {
            Reach::LineEnd if from == to && to < self.text.len() => to += 1,
            Reach::LineStart if from == to && from > 0 => from -= 1,
            _ => {}
        }
        if from == to {
            return;
        }
        let killed = self.text.get(from..to).unwrap_or_default().to_owned();
        match (self.last == Last::Killed, from < self.cursor) {
            (true, true) => self.killed.insert_str(0, &killed),
            (true, false) => self.killed.push_str(&killed),
            (false, _) => self.killed = killed,
        }
        self.remember(Last::Killed);
        self.cut(from, to);
    }

    pub fn yank(&mut self) {
        let killed = self.killed.clone();
        self.insert(&killed);
    }

    /// Takes the last change back.
    pub fn undo(&mut self) {
        if let Some((text, cursor)) = self.undo.pop() {
            (self.text, self.cursor) = (text, cursor);
            (self.last, self.goal) = (Last::Other, None);
        }
    }

    /// Up one row, as the text falls into rows.
    pub fn up(&mut self, layout: &Layout) -> Moved {
        self.vertical(layout, |row| row.checked_sub(1))
    }

    pub fn down(&mut self, layout: &Layout) -> Moved {
        self.vertical(layout, |row| Some(row + 1))
    }

    fn vertical(&mut self, layout: &Layout, to: impl Fn(usize) -> Option<usize>) -> Moved {
        let column = self.goal.unwrap_or(layout.column);
        let Some(found) = to(layout.row).and_then(|row| layout.at(row, column)) else { return Moved::AtEdge };
        self.cursor = self.edge(found);
        self.goal = Some(column);
        self.last = Last::Other;
        Moved::Yes
    }

    fn remember(&mut self, kind: Last) {
        let goes_on = kind == Last::Typed && self.last == Last::Typed;
        self.last = kind;
        if goes_on {
            return;
        }
        if self.undo.len() == UNDO {
            self.undo.remove(0);
        }
        self.undo.push((self.text.clone(), self.cursor));
    }

    fn cut(&mut self, from: usize, to: usize) {
        self.text.replace_range(from..to, "");
        self.cursor = self.edge(from);
        self.goal = None;
    }

    fn span(&self, reach: Reach) -> (usize, usize) {
        let target = self.target(reach);
        (target.min(self.cursor), target.max(self.cursor))
    }

    /// Where a reach ends, at the edge of a grapheme: a blank or a word may be joined with what follows it.
    fn target(&self, reach: Reach) -> usize {
        let end = self.end_of(reach);
        let mut cursor = GraphemeCursor::new(end, self.text.len(), true);
        match cursor.is_boundary(&self.text, 0) {
            Ok(true) => end,
            _ if end < self.cursor => cursor.prev_boundary(&self.text, 0).ok().flatten().unwrap_or(0),
            _ => self.edge(end),
        }
    }

    fn end_of(&self, reach: Reach) -> usize {
        let (before, after) = self.text.split_at(self.cursor);
        match reach {
            Reach::Left => before.grapheme_indices(true).next_back().map_or(0, |(at, _)| at),
            Reach::Right => self.cursor + after.graphemes(true).next().map_or(0, str::len),
            Reach::WordLeft => word_left(before),
            Reach::WordRight => self.cursor + word_right(after),
            Reach::BlankLeft => {
                let kept = before.trim_end();
                kept.rfind(char::is_whitespace).map_or(0, |at| at + char_at(kept, at))
            }
            Reach::LineStart => before.rfind('\n').map_or(0, |at| at + 1),
            Reach::LineEnd => after.find('\n').map_or(self.text.len(), |at| self.cursor + at),
            Reach::Start => 0,
            Reach::End => self.text.len(),
        }
    }

    /// The nearest edge of a grapheme at or after an offset: what was inserted may have joined its neighbours.
    fn edge(&self, at: usize) -> usize {
        let mut cursor = GraphemeCursor::new(at, self.text.len(), true);
        match cursor.is_boundary(&self.text, 0) {
            Ok(true) => at,
            _ => cursor.next_boundary(&self.text, 0).ok().flatten().unwrap_or(self.text.len()),
        }
    }
}

fn char_at(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}

/// The beginning of the word before the end of `text`, past whatever is no word.
fn word_left(text: &str) -> usize {
    text.unicode_word_indices().next_back().map_or(0, |(at, _)| at)
}

/// The end of the next word in `text`.
fn word_right(text: &str) -> usize {
    text.unicode_word_indices().next().map_or(text.len(), |(at, word)| at + word.len())
}

#[cfg(test)]
mod tests;
