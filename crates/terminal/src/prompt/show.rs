//! How the input is shown: the marker, the rows around the cursor, the list below.

use super::Prompt;
use crate::editor::layout::Layout;
use crate::safe;
use crate::screen::Cursor;
use crate::style::{Line, Palette, Style};
use crate::width;
use std::borrow::Cow;

const MARKER: &str = "❯ ";
const INDENT: usize = 2;
/// No emoji is made of more characters.
const JOINED: usize = 16;

impl Prompt {
    pub(super) fn layout(&self, columns: usize) -> Layout {
        let room = columns.saturating_sub(INDENT + 1).max(2);
        let measure = |grapheme: &str| width::of(&self.shown(grapheme, room).0);
        Layout::new(self.editor.text(), self.editor.cursor(), room, measure)
    }

    /// The rows of the input, at most `most`, and where the cursor stands among them.
    pub fn lines(&self, columns: usize, most: usize, palette: &Palette) -> (Vec<Line>, Cursor) {
        let room = columns.saturating_sub(INDENT + 1).max(2);
        let layout = self.layout(columns);
        let most = most.max(1);
        let first = (layout.row + 1).saturating_sub(most).min(layout.rows.len().saturating_sub(most));
        let text = self.editor.text();
        let mut lines = Vec::new();
        for (at, row) in layout.rows.iter().enumerate().skip(first).take(most) {
            // It stands by the first row that is seen, so that there is always one.
            let mut line = match at - first {
                0 => Line::styled(MARKER, palette.accent.bold()),
                _ => Line::from(" ".repeat(INDENT)),
            };
            for (grapheme, _) in width::graphemes(text.get(row.bytes.clone()).unwrap_or_default()) {
                let (shown, folded) = self.shown(grapheme, room);
                let style = if folded { palette.accent } else { Style::PLAIN };
                line.push(&shown, style);
            }
            lines.push(width::truncate_line(&line, columns));
        }
        let cursor = Cursor { row: layout.row - first, column: INDENT + layout.column, ..Cursor::default() };
        (lines, cursor)
    }

    /// The rows of the list that completes.
    pub fn list_lines(&self, columns: usize, most: usize, palette: &Palette) -> Vec<Line> {
        self.list.as_ref().map_or_else(Vec::new, |list| list.menu.lines(palette, columns, most))
    }

    /// A grapheme as it is shown, and whether it stands for a paste.
    fn shown<'a>(&self, grapheme: &'a str, room: usize) -> (Cow<'a, str>, bool) {
        let mut chars = grapheme.chars();
        let first = chars.next().unwrap_or(' ');
        if let Some(label) = self.folds.label(first) {
            return (Cow::Owned(width::truncate(&label, room).into_owned()), true);
        }
        match first {
            '\t' => (Cow::Borrowed("    "), false),
            _ if grapheme.is_ascii() && !first.is_control() => (Cow::Borrowed(grapheme), false),
            // A blank at the end of a row is typed, not hidden.
            _ if grapheme.trim().is_empty() => (Cow::Borrowed(" "), false),
            // Joined emoji stay joined. What only asks for colour is left out: terminals differ in how wide it makes them.
            _ if grapheme.chars().count() <= JOINED => {
                (Cow::Owned(safe::visible(grapheme).replace('\u{fe0f}', "")), false)
            }
            _ => (Cow::Owned(safe::reveal(grapheme)), false),
        }
    }
}
