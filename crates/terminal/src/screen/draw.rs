//! Moving the cursor and finding what differs, in as few bytes as it takes. Start at [`step`].

use crate::style::{Line, Style};
use crate::width;

/// Where the cursor stands; the column is not known after a full row was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub row: usize,
    pub column: Option<usize>,
}

impl Default for Spot {
    fn default() -> Spot {
        Spot::at(0, 0)
    }
}

impl Spot {
    pub(super) fn at(row: usize, column: usize) -> Spot {
        Spot { row, column: Some(column) }
    }
}

/// Moves from one spot to another, within rows that are there.
pub(super) fn step(from: &mut Spot, to: Spot, out: &mut String) {
    if to.row < from.row {
        out.push_str(&sequence(from.row - to.row, 'A'));
    } else if to.row > from.row {
        out.push_str(&sequence(to.row - from.row, 'B'));
    }
    match (from.column, to.column) {
        (Some(old), Some(new)) if old == new => {}
        (_, Some(0)) => out.push('\r'),
        (Some(old), Some(new)) if new > old && new - old < 10 => out.push_str(&sequence(new - old, 'C')),
        (_, Some(new)) => out.push_str(&sequence(new + 1, 'G')),
        (_, None) => {}
    }
    *from = to;
}

fn sequence(count: usize, last: char) -> String {
    if count == 1 { format!("\x1b[{last}") } else { format!("\x1b[{count}{last}") }
}

/// From which column on a row differs from the one that is shown, and what must be written there.
pub(super) fn differ_from(old: &Line, new: &Line) -> (usize, Line) {
    let (before, after): (Vec<_>, Vec<_>) = (cells(old).collect(), cells(new).collect());
    let same = before.iter().zip(&after).take_while(|(old, new)| old == new).count();
    let columns = |cells: &[Cell<'_>]| cells.iter().map(|cell| cell.1).sum::<usize>();
    let bytes = |cells: &[Cell<'_>]| cells.iter().map(|cell| cell.0.len()).sum::<usize>();
    let start = bytes(&after[..same]);
    // What stands behind the difference may stay where it is, if it has not moved.
    let (rest_before, rest_after) = (&before[same..], &after[same..]);
    let tail = match columns(rest_before) == columns(rest_after) {
        true => {
            rest_before.iter().rev().zip(rest_after.iter().rev()).take_while(|(old, new)| old == new).count()
        }
        false => 0,
    };
    let end = start + bytes(&rest_after[..rest_after.len() - tail]);
    (columns(&after[..same]), new.slice(start, end))
}

/// The rows that one is broken into where there are only so many columns.
pub(super) fn parts(line: &Line, columns: usize) -> usize {
    let (mut parts, mut used) = (1, 0);
    for (_, wide, _) in cells(line) {
        // A wide character is not cut in two.
        if used > 0 && used + wide > columns {
            (parts, used) = (parts + 1, 0);
        }
        used += wide;
    }
    parts
}

/// A row with a cursor drawn into it.
pub(super) fn mark(line: &Line, column: usize) -> Line {
    let mut marked = Line::new();
    let (mut at, mut drawn) = (0, false);
    for (grapheme, columns, style) in cells(line) {
        let under = !drawn && at + columns > column;
        marked.push(grapheme, if under { style.reverse() } else { style });
        (at, drawn) = (at + columns, drawn || under);
    }
    if !drawn {
        marked.push(&" ".repeat(column.saturating_sub(at)), Style::PLAIN);
        marked.push(" ", Style::PLAIN.reverse());
    }
    marked
}

type Cell<'a> = (&'a str, usize, Style);

fn cells(line: &Line) -> impl Iterator<Item = Cell<'_>> {
    line.spans.iter().flat_map(|span| {
        width::graphemes(&span.text).map(|(grapheme, columns)| (grapheme, columns, span.style))
    })
}
