//! The live area: what is in progress, what waits for the person, the status line, the input.

use super::Chat;
use crate::notify;
use crate::safe;
use crate::screen::{Cursor, Rests, fit};
use crate::status;
use crate::style::Line;
use crate::{Error, menu, width};
use std::io::Write;
use std::time::Duration;
use tokio::time::Instant;

/// Rows of the input that are shown at most.
const INPUT: usize = 10;
/// Rows of what is in progress.
const PROGRESS: usize = 16;
/// Blank rows that set the parts of the live area apart.
const GAPS: usize = 3;
/// Rows of a question, with the input, for which there should be room beside its keys.
const ABOVE: usize = 5;
/// A window with so few rows has none to leave free.
const LOW: usize = 4;
/// What can be typed, the most useful first.
const KEYS: [&str; 4] = ["/ commands", "@ files", "! shell", "Ctrl+J newline"];
/// After this long without a key nobody types.
const TYPING: Duration = Duration::from_secs(1);

impl<W: Write> Chat<W> {
    /// What decides comes first: the question, the input, what is below it; then what is in progress, and air.
    pub(super) fn compose(&mut self) -> (Vec<Line>, Cursor) {
        let rows = self.screen.size().rows;
        let room = if rows > LOW { rows - 1 } else { rows.max(1) };
        let mut question = self.ask_lines();
        // Where nothing of what it is about would be seen above it, one row says both.
        let above = if self.is_asked_for_a_rule() { 1 } else { ABOVE };
        if !question.is_empty() && question.len() + above > room {
            question = vec![self.ask_row()];
        }
        if room == 1 && self.is_asked_for_a_key() {
            return (self.fitted(question.into_iter()), Cursor::default());
        }
        question.truncate(room - 1);
        let mut spare = room - question.len();
        let (input, cursor) = self.input_lines(INPUT.min(spare.saturating_sub(3).max(1)));
        spare -= input.len();
        // A window that gets shorter loses what is below its cursor first; only then do rows above it go into the
        // scrollback, where nobody can take them away. So nothing that passes stands above the input.
        let mut below: Vec<Line> = self.status_line().into_iter().chain(self.queue_lines()).collect();
        below.extend(self.below_lines(spare.saturating_sub(below.len())));
        below.truncate(spare);
        spare -= below.len();
        let mut work = self.own_lines();
        let middle = [question, work.split_off(work.len().saturating_sub(spare))].concat();
        spare = room - input.len() - below.len() - middle.len();
        // Made half as wide, a window still holds it.
        let most = (rows / 3).min(PROGRESS).min(spare.saturating_sub(GAPS).max(spare.min(1)));
        let progress = self.talk.live(most, &self.look);
        spare -= progress.len();
        let answers = self.is_asked_for_a_key() && !self.edits_beside_question();
        let rests = if answers { self.rest_from_typing() } else { Rests::There };
        let lines = self.set_apart([progress, middle], spare);
        let cursor = Cursor { row: lines.len() + cursor.row, rests, ..cursor };
        (self.fitted(lines.into_iter().chain(input).chain(below)), cursor)
    }

    /// The parts one below the other, with as much air between them as there is room.
    fn set_apart(&mut self, parts: [Vec<Line>; 2], mut spare: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        // From the input upwards, because the gap above it matters most.
        for part in parts.into_iter().rev().filter(|part| !part.is_empty()) {
            if spare > 0 {
                lines.insert(0, Line::new());
                spare -= 1;
            }
            lines.splice(0..0, part);
        }
        self.progress = usize::from(spare > 0 && self.talk.wants_gap());
        if self.progress > 0 {
            lines.insert(0, Line::new());
        }
        lines
    }

    fn fitted(&self, lines: impl Iterator<Item = Line>) -> Vec<Line> {
        lines.map(|line| fit(&line, self.look.columns)).collect()
    }

    /// Where only keys are waited for, whoever types still sees the terminal's own cursor, and so does what helps them.
    fn rest_from_typing(&mut self) -> Rests {
        self.clock.typing = self.clock.key.map(|key| key + TYPING).filter(|until| *until > Instant::now());
        if self.clock.typing.is_some() { Rests::There } else { Rests::AtTop }
    }

    fn input_lines(&self, most: usize) -> (Vec<Line>, Cursor) {
        let columns = self.screen.size().columns;
        match &self.picker {
            Some(picker) => picker.query.lines(columns, most, &self.look.palette),
            None => self.prompt.lines(columns, most, &self.look.palette),
        }
    }

    fn below_lines(&self, room: usize) -> Vec<Line> {
        let palette = &self.look.palette;
        let columns = self.screen.size().columns;
        if let Some(picker) = &self.picker {
            return picker.lines(columns, room.clamp(1, menu::ROWS), palette);
        }
        let list = self.prompt.list_lines(columns, room.clamp(1, menu::ROWS), palette);
        if !list.is_empty() {
            return list;
        }
        if let Some(hint) = &self.hint {
            return vec![Line::styled(format!("  {}", hint.text), palette.warning)];
        }
        if room < 2 { Vec::new() } else { vec![self.footer()] }
    }

    /// The model, and as many of the keys as there is room for.
    fn footer(&self) -> Line {
        let mut text = format!("  {}", safe::single(&self.model));
        if self.profile != self.settings.profile {
            text.push_str(&format!(" · {}", safe::single(&self.profile)));
        }
        let folded = self.talk.has_folded().then_some("Ctrl+O shows all");
        let mut gap = "   ";
        for key in folded.into_iter().chain(KEYS) {
            let longer = format!("{text}{gap}{key}");
            if width::of(&longer) >= self.screen.size().columns {
                break;
            }
            (text, gap) = (longer, " · ");
        }
        Line::styled(text, self.look.palette.dim)
    }

    fn queue_lines(&self) -> Vec<Line> {
        let palette = &self.look.palette;
        let shown = self.queue.iter().take(3);
        let mut lines: Vec<Line> = shown
            .map(|text| Line::styled(format!("  queued: {}", safe::single(text)), palette.dim))
            .collect();
        if self.queue.len() > 3 {
            lines.push(Line::styled(format!("  … {} more queued", self.queue.len() - 3), palette.dim));
        }
        lines
    }

    /// Whether the spinner turns.
    pub(super) fn spins(&self) -> bool {
        self.clock.busy.is_some() && self.ask.current.is_none() && !self.talk.is_streaming()
    }

    fn status_line(&self) -> Option<Line> {
        let elapsed = self.clock.busy?.elapsed();
        if self.ask.current.is_some() {
            return None;
        }
        let what = if self.view.summary_of.is_some() { "Summing up" } else { "Working" };
        let pace = if self.talk.is_streaming() { status::Pace::Calm } else { status::Pace::Lively };
        Some(status::busy(what, elapsed, pace, self.view.run_usage, &self.look.palette))
    }

    pub(super) fn name_window(&mut self) -> Result<(), Error> {
        let mark = match (self.ask.current.is_some(), self.clock.busy.is_some()) {
            (true, _) => "? ",
            (false, true) => "… ",
            (false, false) => "",
        };
        let topic = if self.view.topic.is_empty() { "cinque" } else { &self.view.topic };
        let title = format!("{mark}{topic}");
        if title != self.title {
            self.screen.pass(&notify::title(&title))?;
            self.title = title;
        }
        Ok(())
    }

    /// Tells a person who looks elsewhere.
    pub(super) fn notify(&mut self, text: &str, after: Duration) -> Result<(), Error> {
        let long = self.clock.busy.is_some_and(|since| since.elapsed() >= after);
        if !self.focused && long {
            self.screen.pass(&notify::notification(text, self.settings.theme.carrier))?;
        }
        Ok(())
    }
}
