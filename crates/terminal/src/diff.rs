//! Diffs in colour with line numbers. Start from [`render`], with [`heading`] above it where the diff names no file.
//!
//! Reads unified diffs of any number of files, and the numberless kind that models write. Whatever it cannot read is
//! shown as it stands: nothing of a diff is ever left out without a line that says how much.

mod emphasis;
mod parse;
#[cfg(test)]
mod tests;

use crate::safe;
use crate::style::{Line, Palette, Style};
use crate::width;
use crate::wrap::{self, Hang};
use parse::{Row, Side, parse};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Create,
    Update,
    Delete,
}

/// What the person does with the diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Decides about it: what cannot be seen is written out.
    Decide,
    Read,
}

#[derive(Debug, Clone, Copy)]
pub struct View {
    pub columns: usize,
    /// Lines of the diff that are shown; `usize::MAX` for all.
    pub most: usize,
    pub purpose: Purpose,
}

/// Characters of a single line that a bounded view shows.
const LONG: usize = 2_000;

/// `[CREATE] path`, `[UPDATE] path` or `[DELETE] path`.
pub fn heading(change: Change, path: &str, palette: &Palette) -> Line {
    let (tag, style) = match change {
        Change::Create => ("[CREATE]", palette.good),
        Change::Update => ("[UPDATE]", palette.warning),
        Change::Delete => ("[DELETE]", palette.bad),
    };
    let mut line = Line::styled(tag, style.with(palette.strong));
    line.push(" ", Style::PLAIN);
    for (index, part) in safe::reveal_lines(path, palette).iter().enumerate() {
        if index > 0 {
            line.push("<U+000A>", palette.revealed);
        }
        line.append(part);
    }
    line
}

/// Whether the diff names its files by itself, whatever its call says.
pub fn is_envelope(diff: &str) -> bool {
    parse::is_envelope(diff)
}

/// The lines of a diff; what is beyond the bound is counted in a last line.
pub fn render(diff: &str, view: View, palette: &Palette) -> Vec<Line> {
    let rows = parse(diff);
    let shown = rows.get(..view.most).unwrap_or(&rows);
    let mut page = Page { view, palette, digits: digits(shown), lines: Vec::new() };
    let mut at = 0;
    while let Some(row) = shown.get(at) {
        let (old, new) = emphasis::run(shown.get(at..).unwrap_or_default());
        if new > 0 {
            page.replaced(shown.get(at..at + old + new).unwrap_or_default(), old);
            at += old + new;
        } else {
            page.row(row, None);
            at += 1;
        }
    }
    let hidden = rows.len() - shown.len();
    if hidden > 0 {
        page.lines.push(Line::styled(format!("... ({hidden} more lines)"), palette.dim));
    }
    page.lines
}

fn digits(rows: &[Row<'_>]) -> usize {
    let most = rows.iter().filter_map(Row::number).max();
    most.map_or(0, |number| number.to_string().len().max(3))
}

struct Page<'a> {
    view: View,
    palette: &'a Palette,
    /// Columns of the line numbers; none, if the diff has no numbers.
    digits: usize,
    lines: Vec<Line>,
}

impl Page<'_> {
    /// Removed lines and the added ones after them: the first of each shows what differs from the first of the
    /// others, and so on.
    fn replaced(&mut self, rows: &[Row<'_>], count: usize) {
        let (old, new) = rows.split_at(count.min(rows.len()));
        let parts: Vec<_> = old.iter().zip(new).map(|(old, new)| emphasis::parts(old, new)).collect();
        for (index, row) in old.iter().enumerate() {
            self.row(row, parts.get(index).and_then(|part| part.as_ref().map(|(old, _)| old.clone())));
        }
        for (index, row) in new.iter().enumerate() {
            self.row(row, parts.get(index).and_then(|part| part.as_ref().map(|(_, new)| new.clone())));
        }
    }

    /// `changed` is the part of the line, in bytes, that its partner does not have.
    fn row(&mut self, row: &Row<'_>, changed: Option<std::ops::Range<usize>>) {
        let palette = self.palette;
        match row {
            Row::File { change, path } => {
                let line = heading(*change, path, palette);
                self.lines.extend(wrap::cells(&line, self.view.columns, &Hang::default()));
            }
            Row::Note(text) => {
                let line = self.clean(text).over(palette.dim);
                self.lines.extend(wrap::cells(&line, self.view.columns, &Hang::default()));
            }
            Row::Text { side, number, text } => {
                let (sign, style, strong) = match side {
                    Side::Both => (" ", palette.text, palette.text),
                    Side::Old => ("-", palette.removed, palette.removed_words),
                    Side::New => ("+", palette.added, palette.added_words),
                };
                let changed = changed.unwrap_or(0..0);
                let part = |from, to| self.inner(text, from, to);
                let mut line = part(0, changed.start).over(style);
                line.append(&part(changed.start, changed.end).over(strong));
                line.append(&part(changed.end, text.len()).over(style));
                self.content(*number, sign, style, line);
            }
        }
    }

    fn content(&mut self, number: Option<usize>, sign: &str, style: Style, line: Line) {
        let line = self.bounded(line);
        let mut hang = Hang::default();
        if self.digits > 0 {
            let shown = number.map(|number| number.to_string()).unwrap_or_default();
            hang.first.push(&format!("{shown:>0$} ", self.digits), self.palette.dim);
            hang.rest.push(&" ".repeat(self.digits + 1), self.palette.dim);
        }
        hang.first.push(sign, style);
        hang.rest.push(" ", style);
        self.lines.extend(wrap::cells(&line, self.view.columns, &hang));
    }

    fn bounded(&self, line: Line) -> Line {
        let length: usize = line.spans.iter().map(|span| span.text.len()).sum();
        if self.view.most == usize::MAX || length <= LONG {
            return line;
        }
        let mut cut = width::truncate_line(&line, LONG);
        if cut == line {
            return line;
        }
        // The ellipsis is none of the line's characters.
        let left = line.text().chars().count() + 1 - cut.text().chars().count();
        cut.push(&format!(" ({left} more characters)"), self.palette.dim);
        cut
    }

    /// A part of a line. Blanks are made visible at the end of a line, and the end of a part is not one.
    fn inner(&self, text: &str, from: usize, to: usize) -> Line {
        let part = text.get(from..to).unwrap_or_default();
        if to == text.len() || part.is_empty() {
            return self.clean(part);
        }
        let mut line = self.clean(&format!("{part}."));
        if let Some(last) = line.spans.last_mut() {
            last.text.pop();
        }
        line
    }

    fn clean(&self, text: &str) -> Line {
        match self.view.purpose {
            Purpose::Read => Line::from(&*safe::single(text)),
            Purpose::Decide => safe::reveal_lines(text, self.palette).into_iter().next().unwrap_or_default(),
        }
    }
}
