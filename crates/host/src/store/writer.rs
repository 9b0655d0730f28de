//! The thread that owns the database connection. Start at [`Writer::run`].
//!
//! It never holds a transaction open while it waits.

use super::{Stored, broken};
use agent::store::{Id, Page, StoreError, Summary};
use agent::{Hash, Line};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// How often other processes' writes are looked for while something happens, and for a while after.
const LOOK: Duration = Duration::from_millis(40);
const WHILE: Duration = Duration::from_secs(2);
/// How often later: a program that waits all day should cost nothing, so the kernel is asked to tell. Where it does not,
/// others are still to be heard within a tenth of a second.
const TOLD_LOOK: Duration = Duration::from_secs(5);
const BLIND_LOOK: Duration = Duration::from_millis(90);
/// Appends that share one commit at most.
const GROUP: usize = 64;

type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

pub(super) enum Job {
    Append {
        id: Id,
        lines: Vec<Line>,
        summary: Box<Summary>,
        reply: Reply<()>,
    },
    Page {
        id: Id,
        from: u64,
        most: usize,
        reply: Reply<Page>,
    },
    List {
        reply: Reply<Vec<Summary>>,
    },
    Stored {
        id: Id,
        reply: Reply<Stored>,
    },
    Names {
        reply: Reply<Vec<String>>,
    },
    Remove {
        id: Id,
        reply: Reply<()>,
    },
    /// Something in the folder has changed.
    Look,
    /// Nobody wants anything any more.
    End,
}

pub(super) struct Writer {
    connection: Connection,
    bell: watch::Sender<u64>,
    seen: i64,
    /// Where the database lies, and how this thread is woken when something changes there.
    folder: PathBuf,
    jobs: Sender<Job>,
    ended: bool,
}

type Told = notify::Result<crate::watch::Watcher>;

/// What a look at the database found.
#[derive(PartialEq, Eq)]
enum Found {
    News,
    Nothing,
}

struct Append {
    id: Id,
    lines: Vec<Line>,
    summary: Summary,
    reply: Reply<()>,
}

impl Writer {
    pub(super) fn new(
        connection: Connection,
        bell: watch::Sender<u64>,
        folder: PathBuf,
        jobs: Sender<Job>,
    ) -> rusqlite::Result<Writer> {
        let seen = data_version(&connection)?;
        Ok(Writer { connection, bell, seen, folder, jobs, ended: false })
    }

    pub(super) fn run(mut self, inbox: &Receiver<Job>) {
        let mut looked = Duration::ZERO;
        // Only who waits is told: while something happens, every write of our own would be told as well.
        let mut told: Option<Told> = None;
        loop {
            let pause = match &told {
                _ if looked < WHILE => LOOK,
                Some(Ok(_)) => TOLD_LOOK,
                Some(Err(_)) => BLIND_LOOK,
                None => {
                    told = Some(self.watch());
                    // What came right before is not told.
                    Duration::ZERO
                }
            };
            match inbox.recv_timeout(pause) {
                Ok(job) => {
                    (told, looked) = (None, Duration::ZERO);
                    self.work(job, inbox);
                }
                Err(RecvTimeoutError::Timeout) => looked += pause,
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.ended {
                return;
            }
            if self.look() == Found::News {
                (told, looked) = (None, Duration::ZERO);
            }
        }
    }

    fn watch(&self) -> Told {
        let jobs = self.jobs.clone();
        // A thread that has ended needs no waking.
        crate::watch::watch(&self.folder, move || drop(jobs.send(Job::Look)))
    }

    fn work(&mut self, first: Job, inbox: &Receiver<Job>) {
        let mut appends = Vec::new();
        let mut next = Some(first);
        while let Some(job) = next {
            match job {
                Job::Append { id, lines, summary, reply } => {
                    appends.push(Append { id, lines, summary: *summary, reply })
                }
                other => {
                    self.commit(std::mem::take(&mut appends));
                    self.other(other);
                }
            }
            next = if appends.len() < GROUP { inbox.try_recv().ok() } else { None };
        }
        self.commit(appends);
    }

    fn other(&mut self, job: Job) {
        match job {
            Job::Page { id, from, most, reply } => drop(reply.send(page(&self.connection, &id, from, most))),
            Job::List { reply } => drop(reply.send(list(&self.connection))),
            Job::Stored { id, reply } => drop(reply.send(stored(&self.connection, &id))),
            Job::Names { reply } => {
                drop(reply.send(texts(&self.connection, "SELECT id FROM conversations ORDER BY key")));
            }
            Job::Remove { id, reply } => drop(reply.send(self.remove(&id))),
            Job::End => self.ended = true,
            // It is looked after every job.
            Job::Look => {}
            Job::Append { .. } => unreachable!("appends are gathered before anything else is done"),
        }
    }

    fn commit(&mut self, appends: Vec<Append>) {
        if appends.is_empty() {
            return;
        }
        let results = self.write(&appends);
        let failed = results.as_ref().err().map(|error| broken(error).to_string());
        let mut results = results.unwrap_or_default().into_iter();
        for append in appends {
            let result =
                results.next().unwrap_or_else(|| Err(StoreError::Broken(failed.clone().unwrap_or_default())));
            // A receiver that is gone wanted its answer no more.
            let _ = append.reply.send(result);
        }
    }

    /// Writes all appends in one transaction. A stale one is left out; a broken database fails them all.
    fn write(&mut self, appends: &[Append]) -> rusqlite::Result<Vec<Result<(), StoreError>>> {
        let change = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let results = appends.iter().map(|append| append.write(&change)).collect::<rusqlite::Result<_>>()?;
        change.commit()?;
        Ok(results)
    }

    fn remove(&mut self, id: &Id) -> Result<(), StoreError> {
        let (key, ..) = find(&self.connection, id)?;
        let mut remove = || -> rusqlite::Result<()> {
            let change = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            change.execute("DELETE FROM records WHERE conversation = ?1", [key])?;
            change.execute("DELETE FROM conversations WHERE key = ?1", [key])?;
            change.commit()
        };
        remove().map_err(|error| broken(&error))
    }

    fn look(&mut self) -> Found {
        match data_version(&self.connection) {
            Ok(found) if found != self.seen => {
                self.seen = found;
                self.bell.send_modify(|n| *n = n.wrapping_add(1));
                Found::News
            }
            _ => Found::Nothing,
        }
    }
}

impl Append {
    fn write(&self, change: &Transaction<'_>) -> rusqlite::Result<Result<(), StoreError>> {
        let Some(first) = self.lines.first() else { return Ok(Ok(())) };
        let found: Option<(i64, i64, String)> = change
            .prepare_cached("SELECT key, next, head FROM conversations WHERE id = ?1")?
            .query_row([self.id.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        let fits = match &found {
            Some((_, next, head)) => {
                *next as u64 == first.record.seq && *head == first.record.prev.to_string()
            }
            None => first.record.seq == 0 && first.record.prev == Hash::ZERO,
        };
        if !fits {
            return Ok(Err(StoreError::Stale));
        }
        let key = self.summarise(change, found.map(|(key, ..)| key))?;
        let mut insert =
            change.prepare_cached("INSERT INTO records (conversation, seq, line) VALUES (?1, ?2, ?3)")?;
        for line in &self.lines {
            insert.execute(params![key, line.record.seq as i64, line.text])?;
        }
        Ok(Ok(()))
    }

    fn summarise(&self, change: &Transaction<'_>, key: Option<i64>) -> rusqlite::Result<i64> {
        let summary = &self.summary;
        let text = serde_json::to_string(summary).unwrap_or_default();
        let (next, head) = (summary.records as i64, summary.head.to_string());
        let (created, updated) = (summary.created as i64, summary.updated as i64);
        if let Some(key) = key {
            change
                .prepare_cached(
                    "UPDATE conversations SET next = ?2, head = ?3, updated = ?4, summary = ?5 WHERE key = ?1",
                )?
                .execute(params![key, next, head, updated, text])?;
            return Ok(key);
        }
        change
            .prepare_cached(
                "INSERT INTO conversations (id, next, head, created, updated, summary)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![self.id.as_str(), next, head, created, updated, text])?;
        Ok(change.last_insert_rowid())
    }
}

fn page(connection: &Connection, id: &Id, from: u64, most: usize) -> Result<Page, StoreError> {
    let (key, _, records) = find(connection, id)?;
    let texts = lines(connection, key, from, most).map_err(|error| broken(&error))?;
    let read = |(n, text): (usize, String)| {
        Line::read(from + n as u64, text).map_err(|damage| StoreError::Damaged { id: id.clone(), damage })
    };
    let lines = texts.into_iter().enumerate().map(read).collect::<Result<_, _>>()?;
    Ok(Page { lines, records })
}

fn stored(connection: &Connection, id: &Id) -> Result<Stored, StoreError> {
    let (key, head, count) = find(connection, id)?;
    let read = || -> rusqlite::Result<Vec<(u64, Vec<u8>)>> {
        let mut select = connection
            .prepare_cached("SELECT seq, line FROM records WHERE conversation = ?1 ORDER BY seq")?;
        let rows = select.query_map([key], |row| {
            let bytes = row.get_ref(1)?.as_bytes_or_null()?.unwrap_or_default();
            Ok((row.get::<_, i64>(0)? as u64, bytes.to_vec()))
        })?;
        rows.collect()
    };
    let lines = read().map_err(|error| broken(&error))?;
    Ok(Stored { lines, head: Hash::from_hex(&head).unwrap_or(Hash::of(b"no head")), count })
}

/// The key of a conversation, its head and how many records it has.
fn find(connection: &Connection, id: &Id) -> Result<(i64, String, u64), StoreError> {
    let found = || {
        connection
            .prepare_cached("SELECT key, head, next FROM conversations WHERE id = ?1")?
            .query_row([id.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)? as u64)))
            .optional()
    };
    found().map_err(|error: rusqlite::Error| broken(&error))?.ok_or_else(|| StoreError::Unknown(id.clone()))
}

/// At most so many lines of a log from a seq on. Bytes that are no text are kept visible, so that reading them reports
/// the damage.
fn lines(connection: &Connection, key: i64, from: u64, most: usize) -> rusqlite::Result<Vec<String>> {
    let mut select = connection.prepare_cached(
        "SELECT line FROM records WHERE conversation = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?3",
    )?;
    let from = i64::try_from(from).unwrap_or(i64::MAX);
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let rows = select.query_map(params![key, from, most], |row| {
        let raw = row.get_ref(0)?;
        Ok(String::from_utf8_lossy(raw.as_bytes_or_null()?.unwrap_or_default()).into_owned())
    })?;
    rows.collect()
}

fn list(connection: &Connection) -> Result<Vec<Summary>, StoreError> {
    let texts =
        texts(connection, "SELECT summary FROM conversations ORDER BY updated DESC, key DESC LIMIT 10000")?;
    // A summary is only a view; one that cannot be read must not hide the others.
    Ok(texts.iter().filter_map(|text| serde_json::from_str(text).ok()).collect())
}

fn texts(connection: &Connection, query: &str) -> Result<Vec<String>, StoreError> {
    let read = || -> rusqlite::Result<Vec<String>> {
        let mut select = connection.prepare_cached(query)?;
        let rows = select.query_map([], |row| row.get(0))?;
        rows.collect()
    };
    read().map_err(|error| broken(&error))
}

fn data_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))
}
