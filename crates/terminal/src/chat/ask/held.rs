//! A y or n that may be the first letter of words: it counts once nothing was typed right after it. Start from [`Held`].
//!
//! It never outlives its question, because the question holds it.

use super::{Chat, Step};
use crate::Error;
use crate::keys::{Code, Key, With};
use std::io::Write;
use std::time::Duration;
use tokio::time::Instant;

#[derive(Debug)]
pub(super) struct Held {
    letter: char,
    until: Instant,
}

/// Who types "yes, but wait" presses the next key sooner than this; who has answered hardly feels it.
const FIRST_LETTER: Duration = Duration::from_millis(150);

impl<W: Write> Chat<W> {
    pub(super) fn hold(&mut self, letter: char) {
        self.ask.held = Some(Held { letter, until: Instant::now() + FIRST_LETTER });
    }

    /// When it counts; but an Escape that has come, and may yet turn out to be one, takes it back.
    pub(in crate::chat) fn held_until(&self) -> Option<Instant> {
        let held = self.ask.held.as_ref()?;
        Some(self.clock.settle.map_or(held.until, |settle| held.until.max(settle)))
    }

    pub(in crate::chat) fn take_back_held(&mut self) {
        self.ask.held = None;
    }

    pub(in crate::chat) async fn give_held(&mut self) -> Result<(), Error> {
        let Some(Held { letter, .. }) = self.ask.held.take() else { return Ok(()) };
        let approves = letter.eq_ignore_ascii_case(&'y');
        match std::mem::take(&mut self.ask.step) {
            Step::Decide if approves => self.approve().await?,
            Step::Decide => self.decline(String::new()).await?,
            Step::Rule(Ok(rule)) if approves => self.save_rule(&rule).await?,
            Step::Rule(_) => {}
            words @ Step::Words { .. } => self.ask.step = words,
        }
        self.draw_now();
        Ok(())
    }

    /// What the key after a held answer makes of it. Says whether the key was about the question, unless that is still
    /// to be seen.
    pub(super) async fn key_after_held(&mut self, key: Key) -> Result<Option<bool>, Error> {
        let Some(held) = &self.ask.held else { return Ok(None) };
        match key.code {
            Code::Esc => self.take_back_held(),
            Code::Char(c) if !key.with.ctrl && !key.with.alt => {
                if !c.eq_ignore_ascii_case(&held.letter) {
                    self.begin_words();
                    return Ok(Some(false));
                }
                self.give_held().await?;
                return Ok(Some(true));
            }
            Code::Enter if key.with == With::NONE => {
                self.give_held().await?;
                return Ok(Some(true));
            }
            _ => self.give_held().await?,
        }
        Ok(None)
    }

    /// What seemed an answer was the beginning of words, and stands in the input as such.
    pub(in crate::chat) fn begin_words(&mut self) {
        let rule = matches!(self.ask.step, Step::Rule(_)).then_some('a');
        let letters = rule.into_iter().chain(self.ask.held.take().map(|held| held.letter));
        for letter in letters {
            let _ = self.prompt.key(Key::plain(Code::Char(letter)), self.look.columns);
        }
        self.words_began();
    }
}
