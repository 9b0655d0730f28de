//! A command and what it printed. Start from [`Block`].
//!
//! Folded it costs what is shown of it, not what was printed. The command is shown exactly, the output made safe with
//! its own colours.

#[cfg(test)]
mod tests;

use crate::safe;
use crate::style::{Line, Palette, Style};
use crate::width;
use crate::wrap::{self, Hang};

/// Lines of output that a folded block shows.
pub const FOLD: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Running,
    Succeeded,
    Failed,
}

#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    pub command: &'a str,
    /// What was printed, raw.
    pub output: &'a str,
    pub state: State,
    /// What else is to be said, such as `exit code 2`.
    pub note: Option<&'a str>,
}

/// Rows that one line of output may take while the block is folded.
const ROWS: usize = 3;
/// Bytes of one line that are looked at while the block is folded.
const LONG: usize = 16 * 1024;
const INDENT: &str = "  ";

impl Block<'_> {
    /// The command and the first `most` lines of its output; where it failed, also the last among them.
    pub fn folded(&self, most: usize, columns: usize, palette: &Palette) -> Vec<Line> {
        let mut lines = self.heading(most, columns, palette);
        lines.extend(self.answer(most, columns, palette));
        lines
    }

    /// So many lines of the output alone, where the command stands above already.
    pub fn answer(&self, most: usize, columns: usize, palette: &Palette) -> Vec<Line> {
        let all = || self.output.trim_end().lines();
        let count = all().count();
        let hidden = count.saturating_sub(most);
        // What went wrong is told at the end.
        let last = if hidden > 0 && self.state == State::Failed { most - most / 2 } else { 0 };
        let show = |from: usize, most: usize| {
            let some = all().skip(from).take(most);
            let text: String = some.flat_map(|line| [front(last_draft(line)), "\n"]).collect();
            safe::ansi(&text, palette)
        };
        let few = |line| self.few(line, columns, palette);
        let head = show(0, most - last);
        if hidden == 0 && head.iter().all(|line| line.text().trim().is_empty()) {
            return self.nothing(palette).into_iter().chain(self.closing(palette)).collect();
        }
        let mut lines: Vec<Line> = head.into_iter().flat_map(few).collect();
        if hidden > 0 {
            lines.push(Line::styled(format!("{INDENT}... ({hidden} more lines)"), palette.dim));
        }
        lines.extend(show(count - last, last).into_iter().flat_map(few));
        lines.extend(self.closing(palette));
        lines
    }

    /// The command and everything it printed.
    pub fn whole(&self, columns: usize, palette: &Palette) -> Vec<Line> {
        let mut lines = self.heading(usize::MAX, columns, palette);
        let shown = safe::ansi(self.output.trim_end(), palette);
        if shown.iter().all(|line| line.text().trim().is_empty()) {
            lines.extend(self.nothing(palette));
        } else {
            let hang = hang();
            let wrapped = |line: Line| wrap::cells(&line.over(self.under(palette)), columns, &hang);
            lines.extend(shown.into_iter().flat_map(wrapped));
        }
        lines.extend(self.closing(palette));
        lines
    }

    /// Whether a folded block shows only a part of the command.
    pub fn hides_command(&self, most: usize, columns: usize) -> bool {
        let room = columns.saturating_sub(INDENT.len()).max(1);
        let long = |line: &str| width::of(line) > room * ROWS;
        self.command.trim_end().lines().count() > most || self.command.lines().any(long)
    }

    /// The command and the last `most` lines that it has printed so far, one row each.
    pub fn tail(&self, most: usize, columns: usize, palette: &Palette) -> Vec<Line> {
        let mut lines = self.heading(most, columns, palette);
        let output = self.output.trim_end();
        let start = output.rmatch_indices('\n').nth(most.saturating_sub(1)).map_or(0, |(at, _)| at + 1);
        let last = output.get(start..).unwrap_or_default().lines();
        let last: String = last.flat_map(|line| [back(line), "\n"]).collect();
        for line in safe::ansi(&last, palette) {
            let mut row = Line::from(INDENT);
            row.append(&line.over(self.under(palette)));
            lines.push(width::truncate_line(&row, columns));
        }
        lines
    }

    fn heading(&self, most: usize, columns: usize, palette: &Palette) -> Vec<Line> {
        let style = if self.state == State::Failed { palette.bad } else { palette.accent };
        let mut lines = Vec::new();
        let mut hang = Hang { first: Line::styled("$ ", style), rest: Line::from(INDENT) };
        let source = self.command.trim_end_matches('\n');
        let (under, room) = (style.with(palette.strong), columns.saturating_sub(INDENT.len()).max(1));
        for line in source.split('\n').take(most) {
            let seen = if most == usize::MAX { line } else { front(line) };
            let seen = safe::reveal_lines(seen, palette).into_iter().next().unwrap_or_default().over(under);
            let seen = if most == usize::MAX { seen } else { width::truncate_line(&seen, room * ROWS) };
            lines.extend(wrap::cells(&seen, columns, &hang));
            hang.first = hang.rest.clone();
        }
        let hidden = source.split('\n').count().saturating_sub(most);
        if hidden > 0 {
            lines.push(Line::styled(format!("{INDENT}... ({hidden} more lines)"), palette.dim));
        }
        lines
    }

    /// A line of output in a few rows at most.
    fn few(&self, line: Line, columns: usize, palette: &Palette) -> Vec<Line> {
        let room = columns.saturating_sub(INDENT.len()).max(1);
        let cut = width::truncate_line(&line.over(self.under(palette)), room * ROWS);
        wrap::cells(&cut, columns, &hang())
    }

    fn nothing(&self, palette: &Palette) -> Option<Line> {
        let style = self.under(palette).with(palette.dim);
        (self.state != State::Running).then(|| Line::styled(format!("{INDENT}(no output)"), style))
    }

    fn closing(&self, palette: &Palette) -> Option<Line> {
        self.note.map(|note| Line::styled(format!("{INDENT}{}", safe::single(note)), self.under(palette)))
    }

    fn under(&self, palette: &Palette) -> Style {
        if self.state == State::Failed { palette.bad } else { palette.dim }
    }
}

fn hang() -> Hang {
    Hang { first: Line::from(INDENT), rest: Line::from(INDENT) }
}

/// As much of the beginning of a line as is looked at.
fn front(line: &str) -> &str {
    line.get(..line.floor_char_boundary(LONG)).unwrap_or(line)
}

fn back(line: &str) -> &str {
    let line = last_draft(line);
    line.get(line.ceil_char_boundary(line.len().saturating_sub(LONG))..).unwrap_or(line)
}

/// What a progress bar wrote last.
fn last_draft(line: &str) -> &str {
    line.trim_end_matches('\r').rsplit('\r').next().unwrap_or(line)
}
