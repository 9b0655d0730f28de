//! What was typed before, across processes. Start at [`History`].
//!
//! The desk keeps it; that it cannot is never a reason to disturb a person, and then only what this process saw is known.

use agent::Desk;
use std::fmt;
use std::sync::Arc;

#[derive(Default)]
pub struct History {
    desk: Option<Arc<dyn Desk>>,
    messages: Vec<String>,
    /// Where the person stands, and what they had typed before they went there.
    walk: Option<Walk>,
}

#[derive(Debug)]
struct Walk {
    at: usize,
    draft: String,
}

impl History {
    /// Asks the desk when something is first needed; without one nothing is kept.
    pub fn new(desk: Option<Arc<dyn Desk>>) -> History {
        History { desk, ..History::default() }
    }

    /// Adds a message, here and for later processes.
    pub fn add(&mut self, message: &str) {
        self.walk = None;
        if message.trim().is_empty() {
            return;
        }
        match self.desk.as_ref().and_then(|desk| desk.keep_typed(message)) {
            Some(messages) => self.messages = messages,
            None => self.messages.push(message.to_owned()),
        }
    }

    /// The message before; `draft` is what stands in the editor now.
    pub fn older(&mut self, draft: &str) -> Option<String> {
        let at = match &self.walk {
            Some(walk) => walk.at.checked_sub(1)?,
            None => {
                // Other terminals may have added something since.
                if let Some(messages) = self.desk.as_ref().and_then(|desk| desk.typed()) {
                    self.messages = messages;
                }
                let at = self.messages.len().checked_sub(1)?;
                self.walk = Some(Walk { at, draft: draft.to_owned() });
                at
            }
        };
        let walk = self.walk.as_mut()?;
        walk.at = at;
        self.messages.get(at).cloned()
    }

    /// The message after, and at last the draft.
    pub fn newer(&mut self) -> Option<String> {
        let walk = self.walk.as_mut()?;
        if walk.at + 1 < self.messages.len() {
            walk.at += 1;
            return self.messages.get(walk.at).cloned();
        }
        self.walk.take().map(|walk| walk.draft)
    }

    /// What was recalled has been changed: it is a draft of its own now.
    pub fn leave(&mut self) {
        self.walk = None;
    }
}

impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("History")
            .field("messages", &self.messages)
            .field("walk", &self.walk)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
