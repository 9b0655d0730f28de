//! What a person may want of a conversation, and whether it fits. Start at [`Command`].

use super::{CallState, LONGEST_TOPIC, View, topic};
use crate::event::*;
use std::collections::HashSet;

/// What a person may want of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    Say(Said),
    /// Let one pending call run. With a digest, only if it is still exactly what was shown.
    Approve {
        call: CallId,
        digest: Option<String>,
    },
    /// Do not let it run; the words are told to the model.
    Decline {
        call: CallId,
        words: String,
    },
    Cancel,
    /// Go on with a run that ended early.
    Continue,
    Configure(Configured),
    /// Make this call without asking the model.
    Call {
        name: String,
        arguments: String,
    },
    /// Keep this with the conversation.
    Note(serde_json::Value),
    /// Make the conversation shorter before it goes on.
    Shorten,
    /// Note in the log that files were put back.
    Undone {
        receipt: serde_json::Value,
        paths: Vec<String>,
    },
}

/// Why a command does not fit the conversation as it is now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("there is nothing to say: the prompt is blank")]
    Blank,
    #[error("there is no call {0} in this conversation that waits for a decision")]
    UnknownCall(CallId),
    #[error("call {0} is already decided")]
    AlreadyDecided(CallId),
    #[error("call {0} is no longer what was shown; look at it again")]
    Changed(CallId),
    #[error("there is no run to stop")]
    NothingToStop,
    #[error("there is nothing to go on with; say something")]
    NothingToContinue,
    #[error("a name has between 1 and {LONGEST_TOPIC} characters")]
    Topic,
    #[error("a run is under way; a call can be made once it has ended")]
    Busy,
}

impl View {
    /// Turns a person's wish into the event that records it, if it fits.
    pub fn admit(&self, command: &Command) -> Result<Event, Refusal> {
        match command {
            Command::Say(said) if said.text.trim().is_empty() => Err(Refusal::Blank),
            Command::Say(said) => Ok(Event::Said(said.clone())),
            Command::Approve { call, digest } => {
                let shown = self.pending_digest(call)?;
                if digest.as_ref().is_some_and(|digest| digest != shown) {
                    return Err(Refusal::Changed(call.clone()));
                }
                Ok(Event::Judged(decision(call, Verdict::Approve, "", shown)))
            }
            Command::Decline { call, words } => {
                let shown = self.pending_digest(call)?;
                Ok(Event::Judged(decision(call, Verdict::Decline, words, shown)))
            }
            Command::Cancel if self.active && !self.cancelled => Ok(Event::Cancelled {}),
            Command::Cancel => Err(Refusal::NothingToStop),
            Command::Continue if self.can_continue() => Ok(Event::Continued {}),
            Command::Continue => Err(Refusal::NothingToContinue),
            Command::Configure(Configured { model, topic: name }) => {
                let name = name.as_ref().map(|name| topic(name).ok_or(Refusal::Topic)).transpose()?;
                Ok(Event::Configured(Configured { model: model.clone(), topic: name }))
            }
            Command::Shorten => Ok(Event::Shortened {}),
            Command::Call { .. } if self.active => Err(Refusal::Busy),
            Command::Call { name, arguments } => {
                let id = self.free_id(0, &HashSet::new());
                Ok(Event::Called(Call { id, name: name.clone(), arguments: arguments.clone() }))
            }
            Command::Note(note) => Ok(Event::Noted { note: note.clone() }),
            Command::Undone { receipt, paths } => {
                Ok(Event::Undone { receipt: receipt.clone(), paths: paths.clone() })
            }
        }
    }

    fn can_continue(&self) -> bool {
        self.active || matches!(self.stop, Some(Stop::Failed | Stop::Bound | Stop::Cancelled))
    }

    fn pending_digest(&self, id: &CallId) -> Result<&str, Refusal> {
        match self.calls.iter().find(|open| open.call.id == *id).map(|open| &open.state) {
            Some(CallState::Pending { digest, .. }) => Ok(digest),
            Some(CallState::New) => Err(Refusal::UnknownCall(id.clone())),
            Some(_) => Err(Refusal::AlreadyDecided(id.clone())),
            None if self.seen.contains(id) => Err(Refusal::AlreadyDecided(id.clone())),
            None => Err(Refusal::UnknownCall(id.clone())),
        }
    }
}

fn decision(call: &CallId, verdict: Verdict, reason: &str, digest: &str) -> Judged {
    Judged {
        call: call.clone(),
        verdict,
        by: By::Person,
        reason: reason.to_owned(),
        digest: digest.to_owned(),
    }
}
