//! All that a door may touch: a [`Hub`] opens conversations, a [`Session`] is one of them. A door sends commands and
//! follows what comes of them; it never sees the driver, the turn, the model or the tools.

use crate::drive::{Driver, Letter, SETTLED, SendError};
use crate::event::{Event, Fork, Opened};
use crate::feed::{Feed, Updates};
use crate::log::{Chain, Line};
use crate::outfit::{Clock, Ground, Outfit};
use crate::store::{Id, Page, Store, StoreError, Summary};
use crate::view::{Command, Phase, View};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::{mpsc, oneshot, watch};

/// Commands that may wait for a busy conversation.
const INBOX: usize = 64;

pub enum Open {
    New { id: Id, opened: Opened },
    Resume(Id),
}

/// The conversations of one store, as one process sees them.
#[derive(Clone)]
pub struct Hub {
    ground: Ground,
    open: Arc<Mutex<HashMap<Id, Weak<Inner>>>>,
}

/// One conversation. Cheap to clone; the last clone dropped lets a busy run end by itself.
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    id: Id,
    inbox: mpsc::Sender<Letter>,
    feed: Arc<Feed>,
    store: Arc<dyn Store>,
    start: View,
}

impl Hub {
    pub fn new(store: Arc<dyn Store>, clock: Clock, outfit: Outfit) -> Hub {
        Hub { ground: Ground { store, clock, outfit }, open: Arc::default() }
    }

    /// The conversations, the one that changed last first. A run that nobody drives any more was interrupted, whatever its
    /// last record says.
    pub async fn list(&self) -> Result<Vec<Summary>, StoreError> {
        let mut all = self.ground.store.list().await?;
        for summary in &mut all {
            summary.status = self.phase(&summary.conversation, summary.status, summary.updated);
        }
        Ok(all)
    }

    /// What a conversation is doing, whose log says `phase` and was last written at `updated`.
    pub fn phase(&self, id: &Id, phase: Phase, updated: u64) -> Phase {
        // Looking takes the right to act for a moment, which must not be the moment in which somebody begins.
        let left = || match self.find(id) {
            Some(session) => session.0.feed.left(),
            None => {
                let settled = updated < (self.ground.clock)().saturating_sub(SETTLED);
                settled && self.ground.store.claim(id).is_ok_and(|claim| claim.is_some())
            }
        };
        if phase == Phase::Busy && left() { Phase::Interrupted } else { phase }
    }

    /// The records of a conversation from a seq on, without opening it: nothing is settled and nobody acts.
    pub async fn read(&self, id: &Id, from: u64) -> Result<Vec<Line>, StoreError> {
        self.ground.store.load(id, from).await
    }

    /// The same, at most so many of them.
    pub async fn page(&self, id: &Id, from: u64, most: usize) -> Result<Page, StoreError> {
        self.ground.store.page(id, from, most).await
    }

    /// Changes its value soon after another process has written.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.ground.store.changes()
    }

    /// Throws a conversation away, unless somebody acts for it right now.
    pub async fn remove(&self, id: &Id) -> Result<(), StoreError> {
        let Some(_claim) = self.ground.store.claim(id)? else { return Err(StoreError::Busy(id.clone())) };
        self.ground.store.remove(id).await?;
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        Ok(())
    }

    /// Must be called inside a tokio runtime, which then drives the conversation.
    pub async fn open(&self, open: Open) -> Result<Session, StoreError> {
        let id = match open {
            Open::New { id, opened } => {
                let now = (self.ground.clock)();
                Driver::found(&*self.ground.store, &id, now, [(now, Event::Opened(opened))]).await?;
                id
            }
            Open::Resume(id) => id,
        };
        if let Some(session) = self.find(&id) {
            return Ok(session);
        }
        let lines = self.ground.store.load(&id, 0).await?;
        let mut chain = Chain::START;
        let mut view = View::default();
        for line in &lines {
            chain.follow(line).map_err(|damage| StoreError::Damaged { id: id.clone(), damage })?;
            view.apply(&line.record.event);
        }
        let Some(opened) = view.opened.clone() else { return Err(StoreError::Unknown(id)) };
        let parts = (self.ground.outfit)(&opened, &view.model);
        let feed = Arc::new(Feed::new(chain.next));
        let driver =
            Driver::new(id.clone(), self.ground.clone(), feed.clone(), parts, lines, view.clone(), chain);
        Ok(self.install(id, feed, driver, view))
    }

    /// Begins a conversation that is a copy of another one's records before `seq`. The other one stays as it is.
    pub async fn fork(&self, from: &Id, seq: u64, id: Id) -> Result<Session, StoreError> {
        let fork = Fork { conversation: from.to_string(), seq };
        let lines = self.ground.store.load(from, 0).await?;
        if lines.is_empty() {
            return Err(StoreError::Unknown(from.clone()));
        }
        let copy = |event: &Event| match event {
            Event::Opened(opened) => {
                Event::Opened(Opened { forked_from: Some(fork.clone()), ..opened.clone() })
            }
            other => other.clone(),
        };
        let kept = lines.iter().map(|line| &line.record).take_while(|record| record.seq < seq.max(1));
        let events = kept.map(|record| (record.at, copy(&record.event)));
        Driver::found(&*self.ground.store, &id, (self.ground.clock)(), events).await?;
        self.open(Open::Resume(id)).await
    }

    fn find(&self, id: &Id) -> Option<Session> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.get(id).and_then(Weak::upgrade).map(Session)
    }

    /// Starts the driver, unless somebody else opened the same conversation in the meantime.
    fn install(&self, id: Id, feed: Arc<Feed>, driver: Driver, start: View) -> Session {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = open.get(&id).and_then(Weak::upgrade) {
            return Session(session);
        }
        let (inbox, letters) = mpsc::channel(INBOX);
        let inner = Arc::new(Inner { id: id.clone(), inbox, feed, store: self.ground.store.clone(), start });
        open.retain(|_, session| session.strong_count() > 0);
        open.insert(id, Arc::downgrade(&inner));
        tokio::spawn(driver.run(letters));
        Session(inner)
    }
}

impl Session {
    pub fn id(&self) -> &Id {
        &self.0.id
    }

    /// Returns the seq under which the command was recorded, once it is.
    pub async fn send(&self, command: Command) -> Result<u64, SendError> {
        let (reply, receipt) = oneshot::channel();
        self.0.inbox.send(Letter { command, reply }).await.map_err(|_| SendError::Closed)?;
        receipt.await.map_err(|_| SendError::Closed)?
    }

    /// How many records stand in the log, as far as this process knows.
    pub fn recorded(&self) -> u64 {
        self.0.feed.recorded()
    }

    /// Whether this process acts for the conversation right now.
    pub fn acts(&self) -> bool {
        self.0.feed.acting()
    }

    /// Whether the run that `view` shows under way was left behind by a process that ended: this one may act, looked at
    /// all that `view` knows, and found nothing to do without a person.
    pub fn was_left(&self, view: &View) -> bool {
        view.active && view.pending().next().is_none() && self.0.feed.left_at(view.next)
    }

    /// What the log came to when this process opened it. Whoever goes on from there, following from its `next`, need not
    /// read a long log again.
    pub fn start(&self) -> &View {
        &self.0.start
    }

    /// Every record from `seq` on, then live.
    pub fn follow(&self, seq: u64) -> Updates {
        self.0.feed.follow(self.0.id.clone(), self.0.store.clone(), seq)
    }
}

#[cfg(test)]
mod tests;
