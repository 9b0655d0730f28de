//! What a person is asked about: what wants to run, its arguments, the reason. Start at [`lines`].
//!
//! Everything is shown exactly, with what cannot be seen written out. What is too long to be read at a glance is folded
//! in the middle, with a count that cannot be overlooked; [`body`] has all of it.

use super::Look;
use crate::block::{Block, State};
use crate::deed::{Deed, other_arguments};
use crate::diff::{self, Purpose, View};
use crate::safe;
use crate::style::Line;
use crate::wrap::{self, Hang};
use agent::event::Call;

/// Rows that are shown at the beginning and at the end of what is longer than both and some.
const HEAD: usize = 100;
const TAIL: usize = 30;
const SOME: usize = 30;

/// The question, and how many of its rows it leaves out.
pub(super) fn lines(call: &Call, reason: &str, look: &Look) -> (Vec<Line>, usize) {
    let palette = &look.palette;
    let mut head = Line::styled(safe::single(&call.name), palette.warning.with(palette.strong));
    head.push(" wants to ", palette.warning);
    let wish = match Deed::of(call) {
        Deed::Commands(_) => "run",
        Deed::Change { .. } => "change a file",
        Deed::Other { .. } => "be called",
    };
    head.push(wish, palette.warning);
    let mut lines = vec![head];
    let mut body = body(call, look);
    let hidden = match body.len() {
        all if all > HEAD + TAIL + SOME => all - HEAD - TAIL,
        _ => 0,
    };
    if hidden > 0 {
        let count = Line::styled(format!("  ... ({hidden} more lines)"), palette.warning);
        body.splice(HEAD..HEAD + hidden, [count]);
    }
    lines.append(&mut body);
    if !reason.is_empty() {
        let line = Line::styled(format!("Why it asks: {}", safe::plain(reason)), palette.dim);
        lines.extend(wrap::words(&line, look.columns, &inside()));
    }
    (lines, hidden)
}

/// What would be done, all of it.
pub(super) fn body(call: &Call, look: &Look) -> Vec<Line> {
    let Look { palette, columns } = look;
    let deed = Deed::of(call);
    let mut lines = Vec::new();
    match &deed {
        Deed::Commands(commands) => {
            for command in commands {
                let block = Block { command, output: "", state: State::Running, note: None };
                lines.extend(block.whole(*columns, palette));
            }
        }
        Deed::Change { change, path, diff } => {
            let view = View { columns: *columns, most: usize::MAX, purpose: Purpose::Decide };
            let rows = diff::render(diff, view, palette);
            let heading = diff::heading(*change, path, palette);
            // An envelope names its own files, and a unified diff may name the same one.
            if !path.is_empty() && !diff::is_envelope(diff) && rows.first() != Some(&heading) {
                lines.extend(wrap::cells(&heading, *columns, &Hang::default()));
            }
            lines.extend(rows);
        }
        Deed::Other { .. } => {}
    }
    for (name, value) in other_arguments(call, &deed) {
        for (at, value) in safe::reveal_lines(&value, palette).iter().enumerate() {
            let name = if at == 0 { format!("{}: ", safe::single(&name)) } else { "  ".into() };
            let mut line = Line::styled(name, palette.dim);
            line.append(value);
            lines.extend(wrap::cells(&line, *columns, &inside()));
        }
    }
    lines
}

fn inside() -> Hang {
    Hang { first: Line::from("  "), rest: Line::from("  ") }
}
