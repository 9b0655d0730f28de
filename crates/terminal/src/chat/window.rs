//! The window gets another size. Start at [`Chat::take_size`].
//!
//! A terminal changes first and says so later; tmux, while somebody drags its border, up to a quarter of a second later.
//! So the terminal is asked where it stands: answers come in the order in which it obeys. The live area is taken away
//! as soon as something has changed, because what is not there cannot be broken, and is drawn again once the terminal
//! and the system agree for a while. Then it is left alone until nothing can have been kept back. A terminal that does
//! not answer is taken to be what the system says.

use super::Chat;
use crate::Error;
use crate::guard;
use crate::keys::Input;
use crate::screen::{Gone, Place, Size};
use crate::source::Event;
use std::io::Write;
use std::time::Duration;
use tokio::time::Instant;

/// What is known of a change.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// The size that the system told last, where it may not be the one that frames are made for.
    told: Option<Size>,
    /// The size that the terminal answered with; where its cursor stands follows.
    answered: Option<Size>,
    /// What it answered before.
    before: Option<Size>,
    /// Whether it says columns and rows the wrong way round, as tmux 3.3 does.
    swaps: bool,
    /// Until when only one frame is drawn: one that is broken can be found again, one that is drawn over a broken one
    /// cannot.
    hold: Option<Instant>,
    /// Frames that the terminal has not yet said its size for, where it says so at all.
    unsure: usize,
    /// Whether one of them was drawn into a window that had changed already, so that nobody knows where.
    misplaced: bool,
    answers: bool,
    change: Change,
}

#[derive(Debug, Clone, Copy, Default)]
enum Change {
    #[default]
    None,
    /// The terminal is asked where the live area has got to.
    Measures { until: Instant, since: Instant },
    /// The live area is away; nothing else may happen for a moment.
    Settles { until: Instant, since: Instant },
    /// The terminal is asked whether that was all.
    Confirms { until: Instant, since: Instant },
    /// The live area is there again, for the size that everybody knows of.
    Holds { until: Instant },
}

/// Asks for the size of the window. Before it changes the answer tells what answers mean; after a frame it tells which
/// window the frame was drawn into.
pub(super) const LEARN: &str = "\x1b[18t";
/// Asks for the size of the window, then for where the cursor is.
const ASK: &str = "\x1b[18t\x1b[6n";
/// How long an answer is waited for.
const ANSWER: Duration = Duration::from_millis(80);
/// A window that kept its size for so long may have it for good.
const CALM: Duration = Duration::from_millis(40);
/// Longer than any terminal keeps a size to itself after it has told one.
const HOLD: Duration = Duration::from_millis(270);
/// Where the terminal and the system do not agree for so long, the system is right.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long the last answers are waited for; they may come from far away.
const FAREWELL: Duration = Duration::from_millis(300);

impl<W: Write> Chat<W> {
    /// The system tells another size.
    pub(super) fn take_size(&mut self, size: Size) -> Result<(), Error> {
        let now = Instant::now();
        self.window.told = Some(size);
        self.window.change = match self.window.change {
            Change::None | Change::Holds { .. } => {
                self.ask_terminal()?;
                Change::Measures { until: now + ANSWER, since: now }
            }
            Change::Settles { .. } | Change::Confirms { .. } => {
                Change::Settles { until: now + CALM, since: now }
            }
            Change::Measures { until, .. } => Change::Measures { until, since: now },
        };
        Ok(())
    }

    /// The terminal tells its own.
    pub(super) fn take_answered_size(&mut self, size: Size) {
        let turned = Size { columns: size.rows, rows: size.columns };
        let told = self.window.told.unwrap_or(self.screen.size());
        self.window.swaps = told != size && (told == turned || self.window.swaps);
        let size = if self.window.swaps { turned } else { size };
        self.window.answers = true;
        match self.window.unsure.checked_sub(1) {
            Some(fewer) => {
                self.window.unsure = fewer;
                self.window.misplaced |= size != self.screen.size();
            }
            None => self.window.answered = Some(size),
        }
    }

    /// The terminal tells where its cursor is, which ends an answer.
    pub(super) fn take_cursor(&mut self, place: Place) -> Result<(), Error> {
        match self.window.change {
            Change::Measures { since, .. } => self.clear_away(Some(place), since),
            Change::Confirms { since, .. } => self.confirm(since),
            Change::None | Change::Settles { .. } | Change::Holds { .. } => Ok(()),
        }
    }

    pub(super) fn take_time_for_window(&mut self, now: Instant) -> Result<(), Error> {
        match self.window.change {
            Change::Measures { until, since } if until <= now => {
                self.window.unsure = 0;
                self.clear_away(None, since)
            }
            Change::Settles { until, since } if until <= now => {
                self.ask_terminal()?;
                self.window.change = Change::Confirms { until: now + ANSWER, since };
                Ok(())
            }
            Change::Confirms { until, since } if until <= now => self.confirm(since),
            Change::Holds { until } if until <= now => {
                self.window.change = Change::None;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// When the next step of a change is due; until then nothing is drawn.
    pub(super) fn window_due(&self) -> Option<Instant> {
        match self.window.change {
            Change::None => None,
            Change::Measures { until, .. }
            | Change::Settles { until, .. }
            | Change::Confirms { until, .. }
            | Change::Holds { until } => Some(until),
        }
    }

    /// Whether the window does not keep its size right now, or has another than the one that frames are made for.
    pub(super) fn window_changes(&mut self) -> Result<bool, Error> {
        let known = self.window.told.unwrap_or(self.screen.size());
        if let Some(size) = guard::window().filter(|size| self.guard.is_some() && *size != known) {
            self.take_size(size)?;
        }
        Ok(self.window_due().is_some())
    }

    /// A frame was drawn. While one follows another, the terminal is asked where each was drawn.
    pub(super) fn drawn(&mut self) -> Result<(), Error> {
        if self.window.answers && self.clock.busy.is_some() {
            self.screen.pass(LEARN)?;
            self.window.unsure += 1;
        }
        if let Some(until) = self.window.hold.take().filter(|until| *until > Instant::now()) {
            self.window.change = Change::Holds { until };
        }
        Ok(())
    }

    pub(super) fn fit_window(&mut self, size: Size) -> Result<(), Error> {
        let Window { swaps, answers, .. } = self.window;
        self.window = Window { swaps, answers, ..Window::default() };
        self.screen.resize(size, None)?;
        self.look.columns = size.columns;
        self.draw_now();
        Ok(())
    }

    /// Answers that are still on their way would be typed into whatever comes next.
    pub(super) async fn hear_out(&mut self) {
        let end = Instant::now() + FAREWELL;
        while self.window.unsure > 0 {
            match tokio::time::timeout_at(end, self.source.next()).await {
                Err(_) | Ok(Event::Closed) => break,
                Ok(Event::Bytes(bytes)) => {
                    for input in self.decoder.push(&bytes) {
                        if let Input::Window(size) = input {
                            self.take_answered_size(size);
                        }
                    }
                }
                Ok(_) => {}
            }
        }
    }

    fn ask_terminal(&mut self) -> Result<(), Error> {
        self.window.before = self.window.answered.take();
        Ok(self.screen.pass(ASK)?)
    }

    /// What has happened to the live area is known as well as can be.
    fn clear_away(&mut self, place: Option<Place>, since: Instant) -> Result<(), Error> {
        let size = self.window.answered.or(self.window.told).unwrap_or(self.screen.size());
        if self.window.misplaced {
            // Rather is something seen twice than something lost.
            self.screen.forget_above();
        }
        let gone = self.screen.resize(size, place)?;
        if gone.rows >= self.progress {
            self.talk.went(Gone { rows: gone.rows - self.progress, ..gone });
        }
        self.window.change = Change::Settles { until: Instant::now() + CALM, since };
        Ok(())
    }

    fn confirm(&mut self, since: Instant) -> Result<(), Error> {
        let (now, told) = (Instant::now(), self.window.told.unwrap_or(self.screen.size()));
        let Window { answered, before, .. } = self.window;
        let agree = answered.is_none() || answered == Some(told) && answered == before;
        if !agree && now < since + PATIENCE {
            self.window.change = Change::Settles { until: now + CALM, since };
            return Ok(());
        }
        self.fit_window(told)?;
        self.window.hold = Some(since + HOLD);
        Ok(())
    }
}
