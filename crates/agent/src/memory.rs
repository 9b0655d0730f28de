//! A store without a disk, for conversations that nobody keeps and for tests. Start at [`Memory`].

use crate::log::{Chain, Line};
use crate::store::{Claim, Id, Page, Store, StoreError, Summary};
use futures::future::{BoxFuture, FutureExt, ready};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::watch;

#[derive(Clone)]
pub struct Memory {
    inner: Arc<Mutex<Inner>>,
    bell: Arc<watch::Sender<u64>>,
}

#[derive(Default)]
struct Inner {
    logs: HashMap<Id, (Vec<Line>, Summary)>,
    claimed: HashSet<Id>,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory { inner: Arc::default(), bell: Arc::new(watch::Sender::new(0)) }
    }
}

impl Memory {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn push(&self, id: &Id, lines: Vec<Line>, summary: Summary) -> Result<(), StoreError> {
        let mut inner = self.inner();
        let log = inner.logs.entry(id.clone()).or_insert_with(|| (Vec::new(), summary.clone()));
        let mut chain =
            log.0.last().map_or(Chain::START, |last| Chain { next: last.record.seq + 1, head: last.hash() });
        for line in &lines {
            chain.follow(line).map_err(|_| StoreError::Stale)?;
        }
        log.0.extend(lines);
        log.1 = summary;
        drop(inner);
        self.bell.send_modify(|n| *n += 1);
        Ok(())
    }
}

impl Store for Memory {
    fn append<'a>(
        &'a self,
        id: &'a Id,
        lines: Vec<Line>,
        summary: Summary,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        ready(self.push(id, lines, summary)).boxed()
    }

    fn page<'a>(&'a self, id: &'a Id, from: u64, most: usize) -> BoxFuture<'a, Result<Page, StoreError>> {
        let found = match self.inner().logs.get(id) {
            None => Err(StoreError::Unknown(id.clone())),
            Some((lines, _)) => Ok(Page {
                lines: lines.iter().skip(from as usize).take(most).cloned().collect(),
                records: lines.len() as u64,
            }),
        };
        ready(found).boxed()
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Summary>, StoreError>> {
        let mut all: Vec<Summary> = self.inner().logs.values().map(|(_, summary)| summary.clone()).collect();
        all.sort_by(|a, b| b.updated.cmp(&a.updated).then_with(|| b.conversation.cmp(&a.conversation)));
        ready(Ok(all)).boxed()
    }

    fn remove<'a>(&'a self, id: &'a Id) -> BoxFuture<'a, Result<(), StoreError>> {
        let removed = self.inner().logs.remove(id).map(drop).ok_or_else(|| StoreError::Unknown(id.clone()));
        self.bell.send_modify(|n| *n += 1);
        ready(removed).boxed()
    }

    fn claim(&self, id: &Id) -> Result<Option<Claim>, StoreError> {
        if !self.inner().claimed.insert(id.clone()) {
            return Ok(None);
        }
        Ok(Some(Claim(Box::new(Held { store: self.clone(), id: id.clone() }))))
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.bell.subscribe()
    }
}

struct Held {
    store: Memory,
    id: Id,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.store.inner().claimed.remove(&self.id);
    }
}
