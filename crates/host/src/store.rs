//! Logs in SQLite, at `<workspace>/.cinque/app.db`. Start at [`Sqlite::open`].
//!
//! One thread owns the connection; what arrives while it is busy is committed together. A commit is durable when
//! `append` returns. Several processes share the database: each looks at its data version and tells its followers. Once
//! nothing has happened for a while, the kernel wakes it.

mod claim;
mod schema;
mod writer;

use crate::state::State;
use agent::store::{Claim, Id, Page, Store, StoreError, Summary};
use agent::{Hash, Line};
use futures::future::{BoxFuture, FutureExt};
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread::JoinHandle;
use tokio::sync::{oneshot, watch};
use writer::{Job, Writer};

pub struct Sqlite {
    jobs: mpsc::Sender<Job>,
    changes: watch::Receiver<u64>,
    claims: PathBuf,
    writer: Option<JoinHandle<()>>,
}

/// A log exactly as it is stored, for checking and exporting: its lines and the head that is kept apart from them.
pub struct Stored {
    /// The bytes of each record, with the number under which it stands.
    pub lines: Vec<(u64, Vec<u8>)>,
    pub head: Hash,
    /// How many records there should be.
    pub count: u64,
}

impl Stored {
    /// Checks the log against its head, its numbers and its length.
    pub fn verify(self) -> Result<agent::log::Chain, agent::log::Damage> {
        let damage = |seq: u64, what: &str| Err(agent::log::Damage { seq, what: what.to_owned() });
        if let Some((n, _)) = (0..).zip(&self.lines).find(|(n, (seq, _))| n != seq) {
            return damage(n, "another number stands in its place");
        }
        let found = self.lines.len() as u64;
        let chain = agent::log::verify(self.lines.into_iter().map(|(_, bytes)| bytes), self.head)?;
        if found != self.count {
            return damage(found, "the log is not as long as it should be");
        }
        Ok(chain)
    }
}

impl Sqlite {
    /// Opens the database, makes it if it is not there, and brings it up to this version.
    pub fn open(state: &State) -> Result<Sqlite, StoreError> {
        let connection = schema::open(&state.database())?;
        let (bell, changes) = watch::channel(0);
        let (jobs, inbox) = mpsc::channel();
        let folder = state.folder().to_owned();
        let writer = Writer::new(connection, bell, folder, jobs.clone()).map_err(|error| broken(&error))?;
        let writer = std::thread::Builder::new()
            .name("store".into())
            .spawn(move || writer.run(&inbox))
            .map_err(|error| StoreError::Broken(format!("cannot start the store: {error}")))?;
        Ok(Sqlite { jobs, changes, claims: state.folder().join("claims"), writer: Some(writer) })
    }

    /// The stored bytes of a log, unread.
    pub async fn stored(&self, id: &Id) -> Result<Stored, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.ask(Job::Stored { id: id.clone(), reply }, answer).await
    }

    /// The name of every conversation there is, also of one that cannot be read.
    pub async fn names(&self) -> Result<Vec<String>, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.ask(Job::Names { reply }, answer).await
    }

    async fn ask<T>(
        &self,
        job: Job,
        answer: oneshot::Receiver<Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let gone = || StoreError::Broken("the store has stopped".into());
        self.jobs.send(job).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

impl Store for Sqlite {
    fn append<'a>(
        &'a self,
        id: &'a Id,
        lines: Vec<Line>,
        summary: Summary,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let (reply, answer) = oneshot::channel();
        self.ask(Job::Append { id: id.clone(), lines, summary: Box::new(summary), reply }, answer).boxed()
    }

    fn page<'a>(&'a self, id: &'a Id, from: u64, most: usize) -> BoxFuture<'a, Result<Page, StoreError>> {
        let (reply, answer) = oneshot::channel();
        self.ask(Job::Page { id: id.clone(), from, most, reply }, answer).boxed()
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Summary>, StoreError>> {
        let (reply, answer) = oneshot::channel();
        self.ask(Job::List { reply }, answer).boxed()
    }

    fn remove<'a>(&'a self, id: &'a Id) -> BoxFuture<'a, Result<(), StoreError>> {
        let (reply, answer) = oneshot::channel();
        self.ask(Job::Remove { id: id.clone(), reply }, answer).boxed()
    }

    fn claim(&self, id: &Id) -> Result<Option<Claim>, StoreError> {
        claim::take(&self.claims, id)
            .map_err(|error| StoreError::Broken(format!("cannot claim {id}: {error}")))
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.clone()
    }
}

impl Drop for Sqlite {
    /// Waits for the thread: the last process to close the database folds SQLite's log into it, and should not be cut off.
    fn drop(&mut self) {
        // A thread that has ended already is as good.
        let _ = self.jobs.send(Job::End);
        let _ = self.writer.take().map(JoinHandle::join);
    }
}

/// SQLite's complaint in words for a person, with what to do about it.
fn broken(error: &rusqlite::Error) -> StoreError {
    use rusqlite::ErrorCode::{
        CannotOpen, DatabaseCorrupt, DiskFull, NotADatabase, ReadOnly, SystemIoFailure,
    };
    let hint = match error.sqlite_error_code() {
        Some(DiskFull) => "; free some space and go on, nothing that was recorded is lost",
        Some(ReadOnly | CannotOpen) => "; is the folder writable?",
        Some(NotADatabase | DatabaseCorrupt) => {
            "; the file is left as it is: move .cinque/app.db aside to begin anew, or mend it with sqlite3's .recover"
        }
        Some(SystemIoFailure) => "; is the disk full or failing?",
        _ => "",
    };
    StoreError::Broken(format!("the conversation database cannot be used: {error}{hint}"))
}

#[cfg(test)]
mod tests;
