//! The state folder `.cinque` of a workspace, and the lock that makes one change at a time. Start from [`State`].
//!
//! A repository may bring its own `.cinque`, also as a link: the folder and everything in it is opened by its own name only, never through a
//! link, and what is found in it is checked before it is believed.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{self, FlockOperation};
use rustix::io::Errno;

use crate::sandbox::names::STATE_FOLDER;

use super::disk::{Dir, Disk, exists, open_dir};
use super::error::{Doing, Error};

const LOCK: &str = "lock";

/// What git does not see of the folder: all but what a repository may want to bring to others.
const IGNORED: &[u8] = b"*\n!config.toml\n";

/// An open state folder.
pub(crate) struct State {
    dir: OwnedFd,
}

/// Held while one process changes files; the kernel lets go of it when the process dies.
pub(crate) struct Lock {
    _file: File,
}

impl State {
    /// The folder, if there is one.
    pub(crate) fn find(root: Dir<'_>) -> Result<Option<State>, Error> {
        if !exists(root, OsStr::new(STATE_FOLDER)).doing("look at", Path::new(STATE_FOLDER))? {
            return Ok(None);
        }
        let dir = open_dir(root, OsStr::new(STATE_FOLDER)).doing("open", Path::new(STATE_FOLDER))?;
        Ok(Some(State { dir }))
    }

    /// The folder, made if need be: for its owner only, and ignored by git without touching git.
    pub(crate) fn make(root: Dir<'_>, disk: &Disk) -> Result<State, Error> {
        let path = Path::new(STATE_FOLDER);
        let dir = disk.make_dir(root, OsStr::new(STATE_FOLDER), 0o700).doing("make", path)?;
        let ignore = OsStr::new(".gitignore");
        if !exists(&dir, ignore).doing("look at", path)? {
            // Conversations are synced in this folder, which is of no use if the folder itself is lost in a power cut.
            disk.sync_dir(root).doing("sync", path)?;
            match disk.create(dir.as_fd(), ignore, 0o600) {
                Ok(mut file) => disk.write(&mut file, IGNORED).doing("write", path)?,
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error).doing("write", path),
            }
        }
        Ok(State { dir })
    }

    /// A folder in it, made if need be. What is synced in it must not be lost with it.
    pub(crate) fn folder(&self, name: &str, disk: &Disk) -> Result<OwnedFd, Error> {
        let (path, is_new) = (Path::new(STATE_FOLDER).join(name), self.existing(name)?.is_none());
        let made = disk.make_dir(self.dir.as_fd(), OsStr::new(name), 0o700).doing("make", &path)?;
        if is_new {
            disk.sync_dir(self.dir.as_fd()).doing("sync", &path)?;
        }
        Ok(made)
    }

    /// A folder in it, if there is one.
    pub(crate) fn existing(&self, name: &str) -> Result<Option<OwnedFd>, Error> {
        match open_dir(self.dir.as_fd(), OsStr::new(name)) {
            Ok(dir) => Ok(Some(dir)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).doing("open", &Path::new(STATE_FOLDER).join(name)),
        }
    }

    /// Waits until nobody else changes this workspace, for `patience` at most.
    #[expect(
        clippy::disallowed_methods,
        reason = "a lock of another process can be waited for only without a bound"
    )]
    pub(crate) fn lock(&self, patience: Duration, disk: &Disk) -> Result<Lock, Error> {
        let path = Path::new(STATE_FOLDER).join(LOCK);
        let file = disk.open_lock(self.dir.as_fd(), OsStr::new(LOCK)).doing("open", &path)?;
        let start = Instant::now();
        loop {
            match fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Lock { _file: file }),
                Err(Errno::WOULDBLOCK) if start.elapsed() < patience => {
                    std::thread::sleep(Duration::from_millis(2))
                }
                Err(Errno::WOULDBLOCK) => return Err(Error::Busy),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno).doing("lock", &path),
            }
        }
    }
}
