//! Tables that fit the window. Start from [`Table`].
//!
//! Columns get what they need if there is room; otherwise the widest give way first and their cells are wrapped. Where
//! not even that leaves something readable, each row becomes a list of its cells under their headings.

use pulldown_cmark::Alignment;

use crate::style::{Line, Palette, Style};
use crate::width;
use crate::wrap::{self, Hang};

/// The narrowest a column is made before the table becomes a list.
const NARROW: usize = 5;
const BAR: &str = " │ ";

#[derive(Default)]
pub(super) struct Table {
    alignments: Vec<Alignment>,
    /// The heading, then the others.
    rows: Vec<Vec<Line>>,
    open: Vec<Line>,
}

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>) -> Table {
        Table { alignments, ..Table::default() }
    }

    pub(super) fn cell(&mut self, text: Line) {
        self.open.push(text);
    }

    pub(super) fn row(&mut self) {
        self.rows.push(std::mem::take(&mut self.open));
    }

    pub(super) fn render(&self, columns: usize, palette: &Palette) -> Vec<Line> {
        match self.fit(columns) {
            Some(widths) => self.grid(&widths, palette),
            None => self.list(columns, palette),
        }
    }

    /// The widths of the columns, or nothing if they would be too narrow to read.
    fn fit(&self, columns: usize) -> Option<Vec<usize>> {
        let count = self.alignments.len();
        let room = columns.checked_sub(count.saturating_sub(1) * width::of(BAR))?;
        let natural: Vec<usize> = (0..count).map(|column| self.widest(column)).collect();
        let mut most = natural.iter().copied().max().unwrap_or(0).min(room);
        let total = |most: usize| natural.iter().map(|&width| width.min(most)).sum::<usize>();
        while total(most) > room {
            most -= 1;
            if most < NARROW {
                return None;
            }
        }
        let mut widths: Vec<usize> = natural.iter().map(|&width| width.min(most)).collect();
        let mut spare = room - widths.iter().sum::<usize>();
        for (width, &wish) in widths.iter_mut().zip(&natural) {
            let more = usize::from(*width < wish && spare > 0);
            *width += more;
            spare -= more;
        }
        Some(widths)
    }

    fn widest(&self, column: usize) -> usize {
        self.rows.iter().filter_map(|row| row.get(column)).map(Line::width).max().unwrap_or(0).max(1)
    }

    fn grid(&self, widths: &[usize], palette: &Palette) -> Vec<Line> {
        let mut lines = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            let style = if index == 0 { palette.strong } else { Style::PLAIN };
            lines.extend(self.band(row, widths, style, palette));
            if index == 0 {
                let parts: Vec<String> = widths.iter().map(|&width| "─".repeat(width)).collect();
                lines.push(Line::styled(parts.join("─┼─"), palette.dim));
            }
        }
        lines
    }

    /// One row of the table: as many lines as its tallest cell.
    fn band(&self, row: &[Line], widths: &[usize], style: Style, palette: &Palette) -> Vec<Line> {
        let empty = Line::new();
        let cells: Vec<Vec<Line>> = widths
            .iter()
            .enumerate()
            .map(|(column, &width)| {
                let cell = row.get(column).unwrap_or(&empty).clone().over(style);
                wrap::words(&cell, width, &Hang::default())
            })
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        (0..height)
            .map(|at| {
                let mut line = Line::new();
                for (column, (cell, &width)) in cells.iter().zip(widths).enumerate() {
                    if column > 0 {
                        line.push(BAR, palette.dim);
                    }
                    let last = column + 1 == widths.len();
                    let part = cell.get(at).unwrap_or(&empty);
                    self.place(part, column, width, last, &mut line);
                }
                line
            })
            .collect()
    }

    fn place(&self, part: &Line, column: usize, width: usize, last: bool, line: &mut Line) {
        let spare = width.saturating_sub(part.width());
        let before = match self.alignments.get(column) {
            Some(Alignment::Right) => spare,
            Some(Alignment::Center) => spare / 2,
            _ => 0,
        };
        line.push(&" ".repeat(before), Style::PLAIN);
        line.append(part);
        if !last {
            line.push(&" ".repeat(spare - before), Style::PLAIN);
        }
    }

    fn list(&self, columns: usize, palette: &Palette) -> Vec<Line> {
        let mut lines = Vec::new();
        let Some((heading, rows)) = self.rows.split_first() else { return lines };
        let hang = Hang { first: Line::new(), rest: Line::from("  ") };
        if rows.is_empty() {
            let names = heading.iter().map(|name| name.clone().over(palette.strong));
            return names.flat_map(|name| wrap::words(&name, columns, &hang)).collect();
        }
        for row in rows {
            if !lines.is_empty() {
                lines.push(Line::new());
            }
            for (name, cell) in heading.iter().zip(row) {
                let mut line = name.clone().over(palette.strong);
                line.push(": ", palette.strong);
                line.append(cell);
                lines.extend(wrap::words(&line, columns, &hang));
            }
        }
        lines
    }
}
