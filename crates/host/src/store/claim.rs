//! The right to act for a conversation, as a locked file that dies with its process. Start at [`take`].
//!
//! The file is removed by whoever holds its lock. A process that locked a file which was removed in that very moment
//! finds that the name leads elsewhere and tries again, so two can never hold the same name.

use crate::state::make_private;
use agent::store::{Claim, Id};
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Ends the race with processes that keep removing the file; one try is the rule.
const TRIES: usize = 100;

struct Held {
    path: PathBuf,
    _file: File,
}

impl Drop for Held {
    fn drop(&mut self) {
        // The lock is still held here, so nobody else relies on the name. A file that stays does no harm.
        let _ = fs::remove_file(&self.path);
    }
}

pub(super) fn take(folder: &Path, id: &Id) -> io::Result<Option<Claim>> {
    make_private(folder)?;
    let path = folder.join(id.as_str());
    for _ in 0..TRIES {
        let file = open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        if is_at(&file, &path)? {
            return Ok(Some(Claim(Box::new(Held { path, _file: file }))));
        }
    }
    Ok(None)
}

/// Neither follows a link nor waits for a pipe: a repository may have put either here.
fn open(path: &Path) -> io::Result<File> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = File::options().create(true).truncate(false).write(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
    }
    Ok(file)
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let held = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (held.dev(), held.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
