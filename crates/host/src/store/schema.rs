//! The shape of the database and how an older one is brought up to it. Start at [`open`].
//!
//! A step is never edited after it was released; a new shape is a new step at the end of [`STEPS`].

use super::broken;
use agent::StoreError;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::fs::File;
use std::path::Path;
use std::time::Duration;

/// Each step takes the database from the version of its index to the next one.
const STEPS: [&str; 1] = ["
    CREATE TABLE conversations (
        key      INTEGER PRIMARY KEY,
        id       TEXT NOT NULL UNIQUE,
        next     INTEGER NOT NULL,
        head     TEXT NOT NULL,
        created  INTEGER NOT NULL,
        updated  INTEGER NOT NULL,
        summary  TEXT NOT NULL
    ) STRICT;
    CREATE INDEX conversations_by_update ON conversations (updated DESC);
    CREATE TABLE records (
        conversation INTEGER NOT NULL REFERENCES conversations (key) ON DELETE CASCADE,
        seq          INTEGER NOT NULL,
        line         TEXT NOT NULL,
        PRIMARY KEY (conversation, seq)
    ) STRICT;
"];

/// How long others may keep the database to themselves.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    // A repository may bring a link of this name, which must not make a database of some other file.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let _turn = turn(path);
    let mut connection = Connection::open_with_flags(path, flags).map_err(|error| broken(&error))?;
    connection.busy_timeout(PATIENCE).and_then(|()| prepare(&connection)).map_err(|error| broken(&error))?;
    refuse_foreign(&connection)?;
    migrate(&mut connection, path)?;
    Ok(connection)
}

/// Who makes a database is refused at once while others do the same, so one does it at a time. The folder is locked: a
/// file beside the database might be a link. Where a file system cannot do that, there is only the refusal.
fn turn(path: &Path) -> Option<File> {
    let folder = File::open(path.parent()?).ok()?;
    folder.lock().ok()?;
    Some(folder)
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    // FULL, not NORMAL: a record that `append` said is there must be there after a power cut, too.
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
         PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -2048; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF;",
    )
}

/// A database that a repository brought may hold views and triggers, which would run when ours are read.
fn refuse_foreign(connection: &Connection) -> Result<(), StoreError> {
    let odd = "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')";
    let odd: i64 = connection.query_row(odd, [], |row| row.get(0)).map_err(|error| broken(&error))?;
    if odd > 0 {
        let text = "the conversation database was not made by Cinque: it holds views or triggers; move .cinque aside";
        return Err(StoreError::Broken(text.into()));
    }
    Ok(())
}

fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let known = STEPS.len() as i64;
    let found = version(connection).map_err(|error| broken(&error))?;
    if found > known {
        return Err(StoreError::Broken(format!(
            "the conversation database has version {found}, and this program knows versions up to {known}; \
             a newer Cinque wrote it: use that one, or keep this workspace's .cinque folder aside"
        )));
    }
    if found == known {
        return Ok(());
    }
    if found > 0 {
        let backup = path.with_extension(format!("v{found}.backup"));
        let copied = connection.execute("VACUUM INTO ?1", [backup.to_string_lossy()]);
        // A backup that is already there is from an earlier try at this very step.
        copied.or_else(|error| if backup.exists() { Ok(0) } else { Err(broken(&error)) })?;
    }
    climb(connection).map_err(|error| broken(&error))
}

fn climb(connection: &mut Connection) -> rusqlite::Result<()> {
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done it while this one waited for its turn.
    let found = version(&change)? as usize;
    for step in STEPS.iter().skip(found) {
        change.execute_batch(step)?;
    }
    change.pragma_update(None, "user_version", STEPS.len() as i64)?;
    change.commit()
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
