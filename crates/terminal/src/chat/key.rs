//! What each key does. What is about a question, a list or the text goes to those; the rest is here.

use super::{Chat, Hint};
use crate::Error;
use crate::keys::{Code, Focus, Input, Key};
use crate::prompt::Act;
use agent::Command;
use std::io::Write;
use std::time::Duration;
use tokio::time::Instant;

/// How long the second press of a key that must be pressed twice is waited for.
const TWICE: Duration = Duration::from_secs(2);
const CLEAR: &str = "Press ESC again to clear input";
const EXIT: &str = "Press Ctrl+C again to exit";

impl<W: Write> Chat<W> {
    pub(super) async fn take_input(&mut self, input: Input) -> Result<(), Error> {
        match input {
            Input::Key(key) => {
                self.take_key(key).await?;
                self.clock.key = Some(Instant::now());
            }
            Input::Paste(text) => {
                match &mut self.picker {
                    Some(picker) => picker.query.paste(text.lines().next().unwrap_or_default()),
                    None => self.paste_beside_question(&text),
                }
                self.supply();
                self.draw_now();
            }
            Input::Window(size) => self.take_answered_size(size),
            Input::Cursor(place) => self.take_cursor(place)?,
            Input::Focus(focus) => self.focused = focus == Focus::Gained,
            Input::Background(colour) => {
                self.look.palette = self.settings.theme.palette(Some(colour));
                self.draw_now();
            }
        }
        Ok(())
    }

    async fn take_key(&mut self, key: Key) -> Result<(), Error> {
        if key != Key::plain(Code::Esc) && key != Key::ctrl('c') && self.hint.take().is_some() {
            self.draw_now();
        }
        if key == Key::ctrl('c') {
            return self.interrupt().await;
        }
        if self.picker.is_some() {
            return self.key_for_picker(key).await;
        }
        if self.key_for_question(key).await? {
            return Ok(());
        }
        match (key.code, key.with.ctrl) {
            (Code::Esc, _) => self.escape().await?,
            (Code::Char('d'), true) if self.prompt.is_empty() => self.leaving = true,
            (Code::Char('g'), true) => self.edit_outside().await?,
            (Code::Char('o'), true) => {
                if self.talk.expand(&self.look) {
                    self.draw_now();
                }
            }
            (Code::Char('l'), true) => {
                self.screen.scroll_away()?;
                self.draw_now();
            }
            (Code::Char('z'), true) => self.suspend()?,
            (Code::Up, false) if self.prompt.is_empty() && !self.queue.is_empty() => {
                // What waits to be said can still be changed.
                let text = self.queue.pop_back().unwrap_or_default();
                self.prompt.set(&text);
                self.draw_now();
            }
            _ => match self.prompt.key(key, self.look.columns) {
                Act::Submit(text) => self.submit(text).await?,
                Act::Done => self.draw_now(),
                Act::Unused(_) => {}
            },
        }
        self.supply();
        Ok(())
    }

    /// Escape closes what is open, then stops what runs, then clears what is typed.
    async fn escape(&mut self) -> Result<(), Error> {
        if self.prompt.has_list() {
            self.prompt.close_list();
        } else if !self.stop_what_runs().await? && !self.prompt.is_empty() {
            match self.hint.take() {
                Some(hint) if hint.text == CLEAR => self.prompt.clear(),
                _ => self.hint(CLEAR, TWICE),
            }
        }
        self.draw_now();
        Ok(())
    }

    /// Ctrl+C stops what runs and clears what is typed; twice, it leaves.
    async fn interrupt(&mut self) -> Result<(), Error> {
        if self.hint.as_ref().is_some_and(|hint| hint.text == EXIT) {
            self.leaving = true;
            return Ok(());
        }
        self.close_picker();
        self.take_back_held();
        if !self.stop_what_runs().await? {
            self.prompt.clear();
        }
        self.hint(EXIT, TWICE);
        Ok(())
    }

    /// Whether there was something to stop.
    pub(super) async fn stop_what_runs(&mut self) -> Result<bool, Error> {
        if let Some(own) = &self.own {
            own.task.abort();
            self.own_ended(&agent::Outcome::of(agent::Status::Cancelled, "stopped"));
            return Ok(true);
        }
        let busy = self.is_busy();
        if busy {
            self.send(Command::Cancel).await?;
        }
        Ok(busy)
    }

    pub(super) fn hint(&mut self, text: &'static str, lasts: Duration) {
        self.hint = Some(Hint { text, until: Instant::now() + lasts });
        self.draw_now();
    }
}
