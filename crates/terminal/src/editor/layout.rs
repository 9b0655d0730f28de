//! How the text of the editor falls into rows of a given width. Start at [`Layout::new`].

use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    pub rows: Vec<Row>,
    /// Where the cursor stands.
    pub row: usize,
    pub column: usize,
}

/// One row: which bytes of the text it shows, and each of its graphemes with its width.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    pub bytes: Range<usize>,
    pub cells: Vec<(usize, usize)>,
    width: usize,
}

impl Layout {
    /// Breaks at blanks where it can. The cursor may stand right behind a full row, so whoever shows it leaves a column
    /// free. `measure` says how wide a grapheme is shown.
    pub fn new(text: &str, cursor: usize, width: usize, measure: impl Fn(&str) -> usize) -> Layout {
        let width = width.max(2);
        let mut rows: Vec<Row> = Vec::new();
        let mut row = Row::default();
        for (at, grapheme) in text.grapheme_indices(true) {
            if grapheme == "\n" || grapheme == "\r\n" {
                row.bytes.end = at;
                let next = at + grapheme.len();
                rows.push(std::mem::replace(&mut row, Row::starting(next)));
                continue;
            }
            let cell = measure(grapheme).min(width);
            // What is moved behind the last blank may leave too little room again.
            while row.width > 0 && row.width + cell > width {
                let rest = row.break_before(at, text);
                rows.push(std::mem::replace(&mut row, rest));
            }
            row.push(at, grapheme.len(), cell);
        }
        rows.push(row);
        let found = rows.iter().rposition(|row| row.bytes.start <= cursor).unwrap_or(0);
        let column = rows[found].cells.iter().filter(|(at, _)| *at < cursor).map(|(_, cell)| cell).sum();
        Layout { rows, row: found, column }
    }

    /// The offset at a column of a row; the row's end where it is shorter.
    pub fn at(&self, row: usize, column: usize) -> Option<usize> {
        let found = self.rows.get(row)?;
        let mut left = 0;
        for (at, cell) in &found.cells {
            if left + cell > column {
                return Some(*at);
            }
            left += cell;
        }
        let wrapped = self.rows.get(row + 1).is_some_and(|next| next.bytes.start == found.bytes.end);
        // The end of a row that goes on in the next one is that one's beginning: stay before the last grapheme.
        match found.cells.last() {
            Some((at, _)) if wrapped => Some(*at),
            _ => Some(found.bytes.end),
        }
    }
}

impl Row {
    fn starting(at: usize) -> Row {
        Row { bytes: at..at, ..Row::default() }
    }

    fn push(&mut self, at: usize, length: usize, cell: usize) {
        self.bytes.end = at + length;
        self.cells.push((at, cell));
        self.width += cell;
    }

    /// Ends this row before `at`, or after its last blank; gives the row that follows.
    fn break_before(&mut self, at: usize, text: &str) -> Row {
        let is_blank = |(from, _): &(usize, usize)| text[*from..].starts_with(' ');
        let kept = self.cells.iter().rposition(is_blank).map_or(self.cells.len(), |blank| blank + 1);
        let moved = self.cells.split_off(kept);
        let start = moved.first().map_or(at, |(from, _)| *from);
        let width = moved.iter().map(|(_, cell)| cell).sum();
        self.width -= width;
        let rest = Row { bytes: start..at, cells: moved, width };
        self.bytes.end = start;
        rest
    }
}
