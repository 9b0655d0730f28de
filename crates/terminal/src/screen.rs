//! The one place that writes to the terminal: finished lines are printed once and belong to the terminal's own
//! scrollback from then on; below them a small live area is redrawn. Start at [`Screen::frame`].
//!
//! Everything is relative to where the live area begins, so the terminal is never asked where it stands. Only what has
//! changed is written. It uses no alternate screen and never touches a line that is finished.

mod draw;

use crate::style::{Line, Pen, Style};
use crate::width;
use draw::{Spot, differ_from, mark, parts, step};
use std::io::{self, Write};

pub struct Screen<W> {
    out: W,
    size: Size,
    /// The rows of the live area as the terminal shows them.
    shown: Vec<Line>,
    /// Where the terminal's cursor stands, counted from the first row of the live area.
    spot: Spot,
    /// Whether the terminal shows its cursor.
    seen: bool,
    reflow: Reflow,
    written: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub columns: usize,
    pub rows: usize,
}

/// Where the terminal says its cursor stands, counted from its first row and column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub row: usize,
    pub column: usize,
}

/// What the terminal does with rows that no longer fit when it gets narrower.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reflow {
    /// It breaks them into several.
    Breaks,
    /// It cuts them off.
    Cuts,
}

/// What of the live area a terminal has moved into its scrollback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gone {
    /// Whole rows, from the first one on.
    pub rows: usize,
    /// Columns of the row after them.
    pub columns: usize,
}

impl Gone {
    /// `broken` rows of a terminal that has broken these into rows of so many columns.
    fn count(live: &[Line], mut broken: usize, columns: usize) -> Gone {
        let mut gone = Gone::default();
        for row in live {
            let parts = parts(row, columns);
            if parts > broken {
                gone.columns = broken.saturating_mul(columns).min(row.width());
                break;
            }
            broken -= parts;
            gone.rows += 1;
        }
        gone
    }
}

/// Where the cursor is in the live area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    pub row: usize,
    pub column: usize,
    pub rests: Rests,
}

/// Where the terminal's own cursor rests between frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rests {
    /// Where it is: what a person needs who types.
    #[default]
    There,
    /// Unseen at the top of the live area; a cursor is drawn where it is. A window that gets shorter loses the rows
    /// below the terminal's cursor first, and only then do rows above it go into the scrollback, where nobody can take
    /// them away again. So an unfinished reply never gets there.
    AtTop,
}

const BEGIN: &str = "\x1b[?2026h";
const END: &str = "\x1b[?2026l";
/// Takes away everything from the beginning of this row on. Not in one piece: some terminals, tmux among them, move what
/// is erased from the first row and column on into the scrollback.
const ERASE: &str = "\x1b[K\x1b[C\x1b[J\r";
const SHOW: &str = "\x1b[?25h";
const HIDE: &str = "\x1b[?25l";

impl<W: Write> Screen<W> {
    /// The cursor must stand at the beginning of a line that is free.
    pub fn new(out: W, size: Size, reflow: Reflow) -> Screen<W> {
        Screen { out, size, shown: Vec::new(), spot: Spot::default(), seen: true, reflow, written: 0 }
    }

    pub fn size(&self) -> Size {
        self.size
    }

    /// Rows from the cursor down to the first one that is free.
    pub fn below(&self) -> usize {
        self.shown.len().saturating_sub(self.spot.row)
    }

    /// Bytes written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Prints finished lines above the live area and shows the live area as given. Lines must fit the width.
    pub fn frame(&mut self, finished: &[Line], live: &[Line], cursor: Cursor) -> io::Result<()> {
        let hidden = live.len().saturating_sub(self.size.rows);
        let mut live = live[hidden..].to_vec();
        let row = cursor.row.saturating_sub(hidden).min(live.len().saturating_sub(1));
        let column = cursor.column.min(self.size.columns.saturating_sub(1));
        let mut out = String::new();
        let rest = match cursor.rests {
            Rests::There => Spot::at(finished.len() + row, column),
            Rests::AtTop => {
                live.iter_mut().skip(row).take(1).for_each(|line| *line = mark(line, column));
                Spot::at(finished.len(), 0)
            }
        };
        self.show_cursor(cursor.rests == Rests::There, &mut out);
        let rows: Vec<&Line> = finished.iter().chain(&live).collect();
        self.make_room(&rows, &live, &mut out);
        let touched = self.write_rows(&rows, &mut out);
        self.erase_rest(rows.len(), &mut out);
        step(&mut self.spot, rest, &mut out);
        self.shown = live;
        self.spot.row -= finished.len().min(self.spot.row);
        if out.is_empty() {
            return Ok(());
        }
        self.write(&if touched > 1 { format!("{BEGIN}{out}{END}") } else { out })
    }

    /// Writes something that moves nothing, such as a title.
    pub fn pass(&mut self, sequence: &str) -> io::Result<()> {
        if sequence.is_empty() { Ok(()) } else { self.write(sequence) }
    }

    /// Writes text as it is, where there is no live area.
    pub fn say(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() { Ok(()) } else { self.write(text) }
    }

    /// The window has another size: takes the live area away, so that the next frame draws it anew. Where the terminal
    /// says where its cursor has got to, tells what of the live area is in the scrollback, out of reach.
    pub fn resize(&mut self, size: Size, place: Option<Place>) -> io::Result<Gone> {
        let breaks = self.reflow == Reflow::Breaks && size.columns < self.size.columns;
        let columns = if breaks { size.columns } else { usize::MAX };
        self.size = size;
        let above: usize = self.shown.iter().take(self.spot.row).map(|row| parts(row, columns)).sum();
        // Behind the end of its row the cursor stays there, also where the last part of the row is full.
        let inside = match (self.shown.get(self.spot.row), self.spot.column) {
            (Some(row), Some(column)) => parts(&width::truncate_line(row, column + 1), columns) - 1,
            _ => 0,
        };
        self.spot = Spot { row: above + inside, column: None };
        let gone = place.map_or(0, |place| self.spot.row.saturating_sub(place.row));
        let gone = Gone::count(&self.shown, gone, columns);
        self.erase()?;
        Ok(gone)
    }

    /// Takes the live area away and leaves the cursor where it began.
    pub fn erase(&mut self) -> io::Result<()> {
        if self.shown.is_empty() {
            return Ok(());
        }
        let mut out = String::new();
        step(&mut self.spot, Spot::default(), &mut out);
        out.push_str(ERASE);
        self.shown.clear();
        self.write(&out)
    }

    /// Takes away whatever stands from the cursor's row on.
    pub fn erase_below(&mut self) -> io::Result<()> {
        self.write(&format!("\r{ERASE}"))
    }

    /// Scrolls everything out of sight, into the scrollback, and begins at the top.
    pub fn scroll_away(&mut self) -> io::Result<()> {
        self.erase()?;
        let out = format!("{}\x1b[H", "\n".repeat(self.size.rows));
        self.write(&out)
    }

    /// What stands above the cursor is not known to be of the live area.
    pub fn forget_above(&mut self) {
        self.shown.drain(..self.spot.row.min(self.shown.len()));
        self.spot.row = 0;
    }

    /// Somebody else used the terminal; the cursor stands at the beginning of a free line again.
    pub fn forget(&mut self) {
        self.shown.clear();
        self.spot = Spot::default();
        self.seen = true;
    }

    fn show_cursor(&mut self, seen: bool, out: &mut String) {
        if seen != self.seen {
            out.push_str(if seen { SHOW } else { HIDE });
            self.seen = seen;
        }
    }

    /// Where rows come or go above rows that stay as they are, such as the input box, moves those instead of writing
    /// them again.
    fn make_room(&mut self, rows: &[&Line], live: &[Line], out: &mut String) {
        let same = self.shown.iter().rev().zip(live.iter().rev()).take_while(|(old, new)| old == new).count();
        let before = self.shown.len() - same;
        if same == 0 || self.shown.is_empty() {
            return;
        }
        let (old, new) = (self.shown.len(), rows.len());
        if new == old {
            self.scroll(rows, out);
        }
        if new > old && new - old + old <= self.size.rows {
            let more = new - old;
            step(&mut self.spot, Spot::at(old - 1, 0), out);
            out.push_str(&"\n".repeat(more));
            self.spot.row += more;
            step(&mut self.spot, Spot::at(before, 0), out);
            out.push_str(&format!("\x1b[{more}L"));
            self.shown.splice(before..before, vec![Line::new(); more]);
        } else if new < old && old - new <= before {
            let fewer = old - new;
            self.take_out(before - fewer, fewer, out);
        }
    }

    /// Takes rows out of the live area. Where a blank row moves up into the place of one, that one is emptied first: some
    /// emulators move only what was ever written to.
    fn take_out(&mut self, at: usize, count: usize, out: &mut String) {
        for row in at..at + count {
            if !self.shown[row].is_empty() && self.shown.get(row + count).is_none_or(Line::is_empty) {
                step(&mut self.spot, Spot::at(row, 0), out);
                out.push_str("\x1b[K");
            }
        }
        step(&mut self.spot, Spot::at(at, 0), out);
        out.push_str(&format!("\x1b[{count}M"));
        self.shown.drain(at..at + count);
    }

    /// Where some rows have moved up among themselves, as the tail of a growing reply does, moves them.
    fn scroll(&mut self, rows: &[&Line], out: &mut String) {
        let top = self.shown.iter().zip(rows).take_while(|(old, new)| old == *new).count();
        let run = |by: usize| {
            let (old, new) = (self.shown.get(top + by..).unwrap_or_default(), &rows[top..]);
            old.iter().zip(new).take_while(|(old, new)| old == *new).count()
        };
        let Some((run, by)) = (1..8).map(|by| (run(by), by)).max().filter(|(run, _)| *run >= 2) else {
            return;
        };
        // The last of them may have grown meanwhile.
        let grown = match (self.shown.get(top + by + run), rows.get(top + run)) {
            (Some(old), Some(new)) => !old.is_empty() && new.text().starts_with(&old.text()),
            _ => false,
        };
        let end = top + run + usize::from(grown);
        self.take_out(top, by, out);
        step(&mut self.spot, Spot::at(end, 0), out);
        out.push_str(&format!("\x1b[{by}L"));
        self.shown.splice(end..end, vec![Line::new(); by]);
    }

    /// Writes the rows that differ and those that are new; gives how many.
    fn write_rows(&mut self, rows: &[&Line], out: &mut String) -> usize {
        let mut touched = 0;
        for (at, row) in rows.iter().enumerate() {
            let mut pen = Pen::default();
            match self.shown.get(at) {
                Some(old) if old == *row => continue,
                Some(old) => {
                    // What is erased behind a text counts as text where a terminal breaks rows; an erased row does not.
                    let shrinks = row.width() < old.width();
                    let (columns, part) = if shrinks { (0, (*row).clone()) } else { differ_from(old, row) };
                    step(&mut self.spot, Spot::at(at, columns), out);
                    out.push_str(if shrinks { "\x1b[K" } else { "" });
                    pen.write(&part, out);
                    pen.lift(out);
                    let wide = columns + part.width();
                    // In the last column terminals differ in where they think they are.
                    self.spot = Spot { row: at, column: (wide < self.size.columns).then_some(wide) };
                }
                None => {
                    if at > 0 {
                        let column = self.spot.column;
                        step(&mut self.spot, Spot { row: at - 1, column }, out);
                        out.push_str("\r\n");
                    }
                    pen.write(row, out);
                    pen.lift(out);
                    let wide = row.width();
                    self.spot = Spot { row: at, column: (wide < self.size.columns).then_some(wide) };
                }
            }
            touched += 1;
        }
        touched
    }

    fn erase_rest(&mut self, kept: usize, out: &mut String) {
        if kept < self.shown.len() {
            step(&mut self.spot, Spot::at(kept, 0), out);
            out.push_str("\x1b[J");
        }
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.written += text.len() as u64;
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }
}

/// A line cut to what fits.
pub fn fit(line: &Line, columns: usize) -> Line {
    if line.width() <= columns { line.clone() } else { width::truncate_line(line, columns) }
}

/// A row of blanks in a style.
pub fn blank(columns: usize, style: Style) -> Line {
    Line::styled(" ".repeat(columns), style)
}

#[cfg(test)]
pub(crate) mod tests;
