//! When frames are drawn, and what time alone brings about. Start at [`Chat::draw_if_due`].

use super::{Chat, Times};
use crate::{Error, guard, status};
use std::io::Write;
use std::time::Duration;
use tokio::time::Instant;

/// Frames while text streams: soon when there is much to show, else later, so that few bytes are spent on moving about.
const SOON: Duration = Duration::from_millis(24);
const LATER: Duration = Duration::from_millis(110);
const MUCH: usize = 96;
const SECOND: Duration = Duration::from_secs(1);

impl<W: Write> Chat<W> {
    pub(super) async fn take_time(&mut self) -> Result<(), Error> {
        let now = Instant::now();
        if self.clock.settle.is_some_and(|at| at <= now) {
            self.clock.settle = None;
            let inputs = self.decoder.settle();
            self.take_inputs(inputs).await?;
        }
        if self.held_until().is_some_and(|at| at <= now) {
            self.give_held().await?;
        }
        self.take_time_for_window(now)?;
        if self.clock.typing.take_if(|until| *until <= now).is_some() {
            self.draw_now();
        }
        if self.hint.as_ref().is_some_and(|hint| hint.until <= now) {
            self.hint = None;
            self.draw_now();
        }
        Ok(())
    }

    pub(super) fn next_wake(&self) -> Option<Instant> {
        let Times { due, settle, typing, .. } = self.clock;
        let hint = self.hint.as_ref().map(|hint| hint.until);
        match self.window_due() {
            Some(at) => [Some(at), settle, self.held_until(), None, None, None],
            None => [due, settle, self.held_until(), typing, hint, self.next_beat()],
        }
        .into_iter()
        .flatten()
        .min()
    }

    /// When the status line changes by itself.
    fn next_beat(&self) -> Option<Instant> {
        self.clock.busy.filter(|_| self.ask.current.is_none() && self.plain.is_none())?;
        Some(self.clock.drawn + if self.spins() { status::BEAT } else { SECOND })
    }

    pub(super) fn draw_now(&mut self) {
        self.clock.due = Some(Instant::now());
    }

    /// Text has come: it is drawn once it is worth the bytes.
    pub(super) fn draw_soon(&mut self, bytes: usize) {
        self.clock.undrawn += bytes;
        let pause = if self.clock.undrawn >= MUCH { SOON } else { LATER };
        let at = self.clock.drawn + pause;
        self.clock.due = Some(self.clock.due.map_or(at, |due| due.min(at)));
    }

    pub(super) fn draw_if_due(&mut self) -> Result<(), Error> {
        let now = Instant::now();
        if self.window_changes()? {
            return Ok(());
        }
        if self.clock.due.is_none_or(|due| due > now) && self.next_beat().is_none_or(|at| at > now) {
            return Ok(());
        }
        self.clock.due = None;
        self.clock.drawn = now;
        self.clock.undrawn = 0;
        self.talk.settle(&self.look);
        if self.plain.is_some() {
            return self.print_lines();
        }
        let (live, cursor) = self.compose();
        let finished = self.finished();
        self.screen.frame(&finished, &live, cursor)?;
        self.drawn()?;
        self.ask.shown = self.ask.current.is_some();
        guard::set_below(self.screen.below());
        self.name_window()
    }
}
