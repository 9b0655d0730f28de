//! The live area: what is in progress, what waits for the person, the status line, the input.

use super::Chat;
use crate::notify;
use crate::safe;
use crate::screen::{Cursor, fit};
use crate::status;
use crate::style::Line;
use crate::{Error, menu};
use std::io::Write;
use std::time::Duration;

/// Rows of the input that are shown at most.
const INPUT: usize = 10;

impl<W: Write> Chat<W> {
    pub(super) fn compose(&mut self) -> (Vec<Line>, Cursor) {
        let size = self.screen.size();
        let columns = size.columns;
        let (input, mut cursor) = self.input_lines(INPUT.min(size.rows.saturating_sub(4).max(1)));
        let below = self.below_lines(size.rows.saturating_sub(input.len() + 2));
        let mut middle = self.ask_lines();
        middle.extend(self.own_lines());
        middle.extend(self.status_line());
        middle.extend(self.queue_lines());
        let taken = middle.len() + input.len() + below.len() + 4;
        let progress = self.talk.live(size.rows.saturating_sub(taken).clamp(1, 16), &self.look);
        let mut lines = Vec::new();
        if self.talk.paper.wants_gap() {
            lines.push(Line::new());
        }
        for part in [progress, middle] {
            if !part.is_empty() {
                lines.extend(part.iter().map(|line| fit(line, columns)));
                lines.push(Line::new());
            }
        }
        cursor.row += lines.len();
        lines.extend(input);
        lines.extend(below.iter().map(|line| fit(line, columns)));
        (lines, cursor)
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
        if room == 0 { Vec::new() } else { vec![self.footer()] }
    }

    fn footer(&self) -> Line {
        let mut text = format!("  {}", safe::single(&self.model));
        if self.profile != self.settings.profile {
            text.push_str(&format!(" · {}", safe::single(&self.profile)));
        }
        let (keys, room) = ("/ commands · @ files · ! shell · Ctrl+J newline", self.screen.size().columns);
        let folded = if self.talk.has_folded() { "Ctrl+O shows all · " } else { "" };
        let right = format!("{folded}{keys}");
        let used = crate::width::of(&text) + crate::width::of(&right) + 4;
        if used <= room {
            text.push_str(&format!("   {right}"));
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
            self.screen.pass(&notify::notification(text))?;
        }
        Ok(())
    }
}
