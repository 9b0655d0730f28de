//! How a command gets into the log, together with what follows from it. Start at [`Driver::take_letter`].
//!
//! The right to act is taken first, so that one commit can hold both. Whoever has it must plan on everything that it
//! hears, whatever becomes of its own command: others who spoke meanwhile found the right taken and rely on that.

use super::Driver;
use crate::event::Event;
use crate::store::StoreError;
use crate::turn::{Effect, Input};
use crate::view::{Command, Refusal};
use std::collections::VecDeque;
use tokio::sync::oneshot;

/// How often a command is tried again because others wrote first.
const STALE_TRIES: usize = 1000;
const STILL_BROKEN: &str =
    "what happened before still cannot be recorded; is the disk full or the folder not writable?";

/// A command with the place to answer to.
pub(crate) struct Letter {
    pub command: Command,
    pub reply: oneshot::Sender<Result<u64, SendError>>,
}

/// Why a command came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the conversation is closed")]
    Closed,
}

/// The seq of a command that was recorded, and what there is to do about it here.
type Recorded = (u64, Vec<Effect>);

impl Driver {
    pub(super) async fn take_letter(&mut self, Letter { command, reply }: Letter) {
        let (receipt, effects) = match self.record_command(&command).await {
            Ok((seq, effects)) => (Ok(seq), effects),
            Err(error) => (Err(error), Vec::new()),
        };
        // A sender that no longer waits for its receipt is no reason not to act.
        let _ = reply.send(receipt);
        self.carry(effects).await;
    }

    /// Records what a person wants, on top of whatever stands in the log by now.
    async fn record_command(&mut self, command: &Command) -> Result<Recorded, SendError> {
        self.offer_again().await?;
        let acts = !matches!(command, Command::Configure(_) | Command::Undone { .. } | Command::Note(_));
        let mut heard = 0;
        for _ in 0..STALE_TRIES {
            let recorded = match self.turn.view().admit(command) {
                Err(refusal) => Err(refusal.into()),
                Ok(event) if !acts => self.record_alone(event).await,
                Ok(event) if self.may_act() => self.record_with_plan(event).await,
                Ok(event) => self.record_for_others(event).await,
            };
            match recorded {
                Err(SendError::Store(StoreError::Stale)) => heard += self.catch_up().await?,
                recorded => {
                    if heard > 0 && self.claim.is_some() && !(acts && recorded.is_ok()) {
                        self.feed_turn(Input::Go).await;
                    }
                    return recorded;
                }
            }
        }
        Err(SendError::Store(StoreError::Stale))
    }

    /// Offers what could not be recorded once more, now that somebody wants something.
    async fn offer_again(&mut self) -> Result<(), StoreError> {
        if self.unrecorded.is_none() {
            return Ok(());
        }
        if !self.may_act() {
            return Err(StoreError::Busy(self.id.clone()));
        }
        let view = match self.reread().await {
            Ok(view) => view,
            Err(error) => {
                self.hold(None);
                return Err(error);
            }
        };
        let offered = self.unrecorded.take().unwrap_or_default();
        self.feed_turn(Input::Refused { offered, view }).await;
        match self.unrecorded {
            None => Ok(()),
            Some(_) => Err(StoreError::Broken(STILL_BROKEN.into())),
        }
    }

    /// Records a command and what the turn plans on it in one commit. Where that fails, nothing was planned.
    async fn record_with_plan(&mut self, event: Event) -> Result<Recorded, SendError> {
        let (before, seq) = (self.turn.clone(), self.chain.next);
        self.turn.hear(&event);
        let mut effects = VecDeque::from(self.turn.on(Input::Go));
        let mut events = vec![event];
        if let Some(Effect::Record(planned)) =
            effects.pop_front_if(|effect| matches!(effect, Effect::Record(_)))
        {
            events.extend(planned);
        }
        if let Err(error) = self.commit(&events, 0).await {
            self.turn = before;
            return Err(error.into());
        }
        Ok((seq, effects.into()))
    }

    /// Records a command that another process acts on, unless that has come to rest meanwhile.
    async fn record_for_others(&mut self, event: Event) -> Result<Recorded, SendError> {
        let (seq, _) = self.record_alone(event).await?;
        let acting = self.claim.is_some();
        self.wish = !acting && self.turn.view().active;
        Ok((seq, if acting { self.turn.on(Input::Go) } else { Vec::new() }))
    }

    /// Records a command that nobody acts on.
    async fn record_alone(&mut self, event: Event) -> Result<Recorded, SendError> {
        let seq = self.chain.next;
        self.commit(std::slice::from_ref(&event), 1).await?;
        // Whoever gets the right to act, and gives it back, knows that nobody acts; that is told anew with every record.
        self.may_act();
        self.turn.hear(&event);
        Ok((seq, Vec::new()))
    }

    /// Whether this process has the right to act, or has just got it. What others approved before is not acted on.
    fn may_act(&mut self) -> bool {
        if self.claim.is_none() && self.take_claim() {
            self.turn.lapse();
        }
        self.claim.is_some()
    }
}
