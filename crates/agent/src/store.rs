//! Where logs are kept, as the core sees it. Start at [`Store`]; [`crate::memory::Memory`] is the one without a disk.

use crate::log::{Chain, Hash, Line};
use crate::view::{Phase, View};
use futures::future::{BoxFuture, FutureExt};
use serde::{Deserialize, Serialize};
use std::fmt;
use tokio::sync::watch;

/// Keeps logs, for several processes at once.
///
/// `append` is all or nothing and durable when it returns. The first line says where it must go: if the log does not
/// end right before it, with the hash it names, the append is refused as [`StoreError::Stale`] and nothing changes.
/// `claim` gives the right to act for a conversation to one process at a time and takes it back when that process ends,
/// however it ends; appending needs no claim, so that others may still speak and decide.
pub trait Store: Send + Sync {
    fn append<'a>(
        &'a self,
        id: &'a Id,
        lines: Vec<Line>,
        summary: Summary,
    ) -> BoxFuture<'a, Result<(), StoreError>>;
    /// At most so many records from a seq on.
    fn page<'a>(&'a self, id: &'a Id, from: u64, most: usize) -> BoxFuture<'a, Result<Page, StoreError>>;
    /// Every record from a seq on.
    fn load<'a>(&'a self, id: &'a Id, from: u64) -> BoxFuture<'a, Result<Vec<Line>, StoreError>> {
        async move { Ok(self.page(id, from, usize::MAX).await?.lines) }.boxed()
    }
    fn list(&self) -> BoxFuture<'_, Result<Vec<Summary>, StoreError>>;
    /// Removes a whole conversation. A log is never shortened, but a person may throw it away.
    fn remove<'a>(&'a self, id: &'a Id) -> BoxFuture<'a, Result<(), StoreError>>;
    fn claim(&self, id: &Id) -> Result<Option<Claim>, StoreError>;
    /// Changes its value soon after another process has appended to any log.
    fn changes(&self) -> watch::Receiver<u64>;
}

/// A part of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    pub lines: Vec<Line>,
    /// How many records the whole log has.
    pub records: u64,
}

/// Held while a process acts for a conversation; dropping it gives the right back.
pub struct Claim(#[allow(dead_code, reason = "held only to be dropped")] pub Box<dyn std::any::Any + Send>);

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Claim")
    }
}

/// The name of a conversation: letters, digits, `-` and `_`, at most 64 of them, so that it can stand in a file name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Id(String);

impl Id {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Id {
    type Error = String;

    fn try_from(text: String) -> Result<Id, String> {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if text.is_empty() || text.len() > 64 || text.starts_with('-') || !text.chars().all(fits) {
            let shown: String = text.chars().take(80).collect();
            return Err(format!("{shown:?} is not a conversation id"));
        }
        Ok(Id(text))
    }
}

impl From<Id> for String {
    fn from(id: Id) -> String {
        id.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One line of the list of conversations. A view kept for listing; the truth is the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub conversation: Id,
    pub topic: String,
    pub model: String,
    pub profile: String,
    pub status: Phase,
    pub created: u64,
    pub updated: u64,
    /// Records in the log.
    pub records: u64,
    pub calls: u64,
    pub prompts: u64,
    /// What a person would count: prompts, texts of the model, calls.
    #[serde(default)]
    pub messages: u64,
    /// Calls that wait for a person.
    #[serde(default)]
    pub pending: u64,
    pub head: Hash,
}

impl Summary {
    /// What a log that ends in `chain` comes to.
    pub(crate) fn of(id: &Id, view: &View, chain: &Chain, created: u64, updated: u64) -> Summary {
        Summary {
            conversation: id.clone(),
            topic: view.topic.clone(),
            model: view.model.clone(),
            profile: view.opened.as_ref().map(|opened| opened.profile.clone()).unwrap_or_default(),
            status: view.phase(),
            created,
            updated,
            records: chain.next,
            calls: view.call_count,
            prompts: view.prompts,
            messages: view.messages,
            pending: view.pending().count() as u64,
            head: chain.head,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the conversation has grown since it was read")]
    Stale,
    #[error("there is no conversation {0}")]
    Unknown(Id),
    #[error("conversation {0} is at work; stop it first")]
    Busy(Id),
    #[error("conversation {id}: {damage}")]
    Damaged { id: Id, damage: crate::log::Damage },
    /// Anything else, in words for a person.
    #[error("{0}")]
    Broken(String),
}
