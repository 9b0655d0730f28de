//! How many columns text takes, counted by what a person sees as one character. Start from [`of`].
//!
//! Everything is a sum over [`graphemes`], so that cutting and wrapping agree with measuring to the column.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::style::{Line, Style};

const ELLIPSIS: &str = "…";

/// The columns that `text` takes.
pub fn of(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { graphemes(text).map(|(_, columns)| columns).sum() }
}

/// The characters of a text as a person sees them, each with its columns.
pub fn graphemes(text: &str) -> Graphemes<'_> {
    Graphemes { rest: text }
}

/// The longest beginning of `text` that takes at most `columns`.
pub fn prefix(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let mut end = 0;
    for (grapheme, wide) in graphemes(text) {
        if used + wide > columns {
            break;
        }
        used += wide;
        end += grapheme.len();
    }
    text.get(..end).unwrap_or(text)
}

/// `text` in at most `columns`, with an ellipsis where something was cut off.
pub fn truncate(text: &str, columns: usize) -> Cow<'_, str> {
    // Measuring stops at the first column too many, so a line of a megabyte costs no more than what is shown of it.
    if prefix(text, columns).len() == text.len() {
        return Cow::Borrowed(text);
    }
    match columns {
        0 => Cow::Borrowed(""),
        _ => Cow::Owned(format!("{}{ELLIPSIS}", prefix(text, columns - 1))),
    }
}

/// Like [`truncate`], for a styled line.
pub fn truncate_line(line: &Line, columns: usize) -> Line {
    let mut cut = Line::new();
    let mut left = columns;
    for (index, span) in line.spans.iter().enumerate() {
        let last = index + 1 == line.spans.len();
        let shown = prefix(&span.text, left);
        let wide = of(shown);
        if shown.len() == span.text.len() && (last || wide < left || rest_is_flat(line, index + 1)) {
            cut.push(shown, span.style);
            left -= wide;
            continue;
        }
        if left > 0 {
            cut.push(prefix(&span.text, left - 1), span.style);
            cut.push(ELLIPSIS, span.style);
        }
        break;
    }
    cut
}

/// `text` followed by as many blanks as `columns` leaves.
pub fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(of(text))))
}

/// Like [`pad`], for a styled line; the blanks are in `style`.
pub fn pad_line(line: &mut Line, columns: usize, style: Style) {
    let left = columns.saturating_sub(line.width());
    line.push(&" ".repeat(left), style);
}

#[derive(Debug, Clone)]
pub struct Graphemes<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Graphemes<'a> {
    type Item = (&'a str, usize);

    fn next(&mut self) -> Option<(&'a str, usize)> {
        let grapheme = match self.rest.as_bytes() {
            [] => return None,
            // Two ASCII characters in a row never join, and nearly all text is ASCII.
            [first, second, ..] if first.is_ascii() && second.is_ascii() => self.rest.get(..1)?,
            [first] if first.is_ascii() => self.rest,
            _ => self.rest.graphemes(true).next()?,
        };
        self.rest = self.rest.get(grapheme.len()..)?;
        let columns = if grapheme.len() == 1 { 1 } else { grapheme.width() };
        Some((grapheme, columns))
    }
}

fn rest_is_flat(line: &Line, from: usize) -> bool {
    line.spans.iter().skip(from).all(|span| of(&span.text) == 0)
}
