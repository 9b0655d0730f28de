//! The workspace: the one folder in which file tools read and write. Start from [`Workspace`].
//!
//! Every path is resolved beneath the open folder at the moment it is used, whatever links, races or spellings say; every change is atomic, all
//! or nothing over several files, and can be undone. Nothing here decides whether a change is allowed, asks anyone, or words what a model
//! reads: callers match on [`Error`] for that. Nothing here may write to a file except through `commit`.

mod blobs;
mod change;
mod commit;
mod disk;
mod error;
mod journal;
mod list;
mod path;
mod protect;
mod read;
mod resolve;
mod state;
mod text;
mod undo;

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustix::fs::{FileType, Mode, OFlags};

pub use crate::sandbox::names::STATE_FOLDER;
use crate::sandbox::names::STATE_READABLE;
pub use blobs::{Hash, Keep, Pruned};
pub use change::{Change, Changed, Expect, Preview, Receipt, Version};
pub use error::{Error, Kind};
pub use journal::Recovery;
pub use list::{Entry, EntryKind, Ignored, Listing};
pub(crate) use list::{Stop, Tour};
pub use path::{Absolute, RelPath, quoted};
pub use protect::rule as protected;
pub use read::{Lines, Reading};
pub use text::{Ending, Mismatch, Tail, Text};
pub use undo::{Conflict, Theirs, Undo, Undone};

use blobs::Blobs;
use change::{Plan, read_bounded};
use disk::{Dir, Disk};
use error::Doing;
use journal::Desk;
use resolve::Last;
use state::State;

/// A folder held open. Cloning is cheap and gives another handle on the same folder.
#[derive(Clone)]
pub struct Workspace {
    dir: Arc<OwnedFd>,
    /// The folder's absolute path: without links, and as it was given.
    roots: Arc<[PathBuf]>,
    /// Why nothing at all may be written, if the folder itself is a protected one.
    sealed: Option<&'static str>,
    limits: Limits,
    absolute: Absolute,
    disk: Arc<Disk>,
}

/// Bounds on what one call may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The largest file that is read by lines, in bytes. It is streamed, so this bounds time, not memory.
    pub read_file: u64,
    /// The most text that one reading gives back, in bytes.
    pub window: usize,
    /// The largest file that is edited as text, in bytes.
    pub text: u64,
    /// The largest file that is replaced, removed or moved, in bytes, because what it held is kept.
    pub keep_file: u64,
    /// How long to wait for another process that is changing files.
    pub patience: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            read_file: 1 << 30,
            window: 256 << 10,
            text: 16 << 20,
            keep_file: 64 << 20,
            patience: Duration::from_secs(10),
        }
    }
}

/// A file's bytes and the hash to expect when it is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    pub bytes: Vec<u8>,
    pub hash: Hash,
}

impl Workspace {
    /// Opens a folder. Nothing is written, not even the state folder, until something changes.
    pub fn open(dir: impl AsRef<Path>) -> Result<Workspace, Error> {
        let given = dir.as_ref();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = rustix::fs::open(given, flags, Mode::empty()).map_err(|errno| match errno {
            rustix::io::Errno::NOTDIR => Error::NotAFolder { path: given.to_owned() },
            other => resolve::explain(other, "open", given),
        })?;
        let canonical = given.canonicalize().doing("open", given)?;
        let absolute = std::path::absolute(given).doing("open", given)?;
        Ok(Workspace {
            dir: Arc::new(handle),
            sealed: protect::inside_git(&canonical),
            roots: [canonical, absolute].into(),
            limits: Limits::default(),
            absolute: Absolute::default(),
            disk: Arc::default(),
        })
    }

    pub fn with_limits(mut self, limits: Limits) -> Workspace {
        self.limits = limits;
        self
    }

    pub fn with_absolute(mut self, absolute: Absolute) -> Workspace {
        self.absolute = absolute;
        self
    }

    /// The folder's path without links.
    pub fn root(&self) -> &Path {
        self.roots.first().map_or(Path::new("."), PathBuf::as_path)
    }

    /// Makes the folder in which this workspace keeps its state.
    pub fn prepare_state(&self) -> Result<(), Error> {
        State::make(self.dir(), &self.disk).map(drop)
    }

    /// Where a path leads, links followed, whether or not something is there.
    pub fn resolve(&self, path: impl AsRef<Path>) -> Result<RelPath, Error> {
        Ok(resolve::walk(self.dir(), &self.relative(path.as_ref())?, Last::Follow)?.path())
    }

    /// Where a path leads that tools may read. Of our own state only what commands printed is for the model: the rest
    /// holds conversations and the server's token.
    pub fn readable(&self, path: impl AsRef<Path>) -> Result<RelPath, Error> {
        let asked = path.as_ref();
        let found = self.resolve(asked)?;
        let inside = found.as_path().strip_prefix(STATE_FOLDER);
        match inside.is_ok_and(|inside| !inside.starts_with(STATE_READABLE)) {
            true => Err(Error::Protected { path: asked.into(), rule: "Cinque's own state" }),
            false => Ok(found),
        }
    }

    /// Where a write to `path` would go, or why tools may not write there. For asking before the act; the act checks again.
    pub fn writable(&self, path: impl AsRef<Path>) -> Result<RelPath, Error> {
        let asked = path.as_ref();
        let resolved = self.resolve(asked)?;
        match self.rule(&resolved) {
            Some(rule) => Err(Error::Protected { path: asked.to_owned(), rule }),
            None => Ok(resolved),
        }
    }

    /// Opens a regular file for reading. Folders, pipes, sockets and devices are refused, and none is waited for.
    pub fn open_file(&self, path: impl AsRef<Path>) -> Result<File, Error> {
        let asked = path.as_ref();
        regular(resolve::open(self.dir(), &self.relative(asked)?)?, asked).map(|(file, _)| file)
    }

    /// The whole of a file, as bytes.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Loaded, Error> {
        self.load_bounded(path.as_ref(), self.limits.keep_file)
    }

    /// The whole of a file as text to edit. Binary files, and such as are not UTF-8, are refused.
    pub fn text(&self, path: impl AsRef<Path>) -> Result<Text, Error> {
        let asked = path.as_ref();
        Text::decode(self.load_bounded(asked, self.limits.text)?.bytes, asked)
    }

    /// Some lines of a file, for reading.
    pub fn read(&self, path: impl AsRef<Path>, lines: Lines) -> Result<Reading, Error> {
        let asked = path.as_ref();
        read::read(self.open_file(asked)?, asked, lines, &self.limits)
    }

    /// The entries of a folder, or all that match a glob (a path with `*` or `?`), sorted by bytes, the first `limit` of them.
    pub fn list(&self, path: impl AsRef<Path>, ignored: Ignored, limit: usize) -> Result<Listing, Error> {
        list::list(self, path.as_ref(), ignored, limit)
    }

    /// What `change` would do now, with the bytes. Nothing is written.
    pub fn preview(&self, changes: &[Change]) -> Result<Vec<Preview>, Error> {
        Ok(Plan::new(self, changes)?.preview())
    }

    /// Makes all the changes, or none of them.
    pub fn change(&self, changes: &[Change]) -> Result<Receipt, Error> {
        // The same checks first without the lock: what is refused leaves no trace, not even a state folder.
        if Plan::new(self, changes)?.steps.is_empty() {
            return Ok(Receipt::default());
        }
        self.locked(|desk, blobs| commit::commit(self, Plan::new(self, changes)?, desk, blobs))
    }

    /// What undoing these receipts, newest first, would do now. Nothing is written.
    pub fn plan_undo(&self, receipts: &[Receipt]) -> Result<Undo, Error> {
        let objects = match State::find(self.dir())? {
            Some(state) => state.existing(OBJECTS)?,
            None => None,
        };
        let blobs = objects.map(|dir| Blobs { dir, disk: &self.disk });
        undo::plan(self, blobs.as_ref(), receipts)
    }

    /// Puts the files back, all or none; files changed since they were planned make it refuse.
    pub fn undo(&self, undo: &Undo, theirs: Theirs) -> Result<Receipt, Error> {
        if undo.steps(self, theirs)?.steps.is_empty() && undo.folders.is_empty() {
            return Ok(Receipt::default());
        }
        self.locked(|desk, blobs| {
            let receipt = commit::commit(self, undo.steps(self, theirs)?, desk, blobs)?;
            // A folder that stays behind is a blemish, not a failure of the undo.
            let _ = journal::remove_folders(self, &self.disk, &undo.folders);
            Ok(receipt)
        })
    }

    /// Mends what an interrupted change left behind. Call it once at the start; every change does it too.
    pub fn recover(&self) -> Result<Recovery, Error> {
        let Some(state) = State::find(self.dir())? else {
            return Ok(Recovery::default());
        };
        // Looked at without the lock first: a folder that cannot be written, and has nothing to mend, is no obstacle to reading.
        match state.existing(journal::FOLDER)? {
            Some(dir) if journal::is_waiting(dir.as_fd())? => {}
            _ => return Ok(Recovery::default()),
        }
        let _lock = state.lock(self.limits.patience, &self.disk)?;
        let (desk, blobs) = self.furnish(&state)?;
        journal::recover(self, &desk, &blobs)
    }

    /// Drops kept contents that are too old or too many. Call it at the start and after a run.
    pub fn prune(&self, keep: &Keep, now: SystemTime) -> Result<Pruned, Error> {
        let Some(state) = State::find(self.dir())? else {
            return Ok(Pruned::default());
        };
        let _lock = state.lock(self.limits.patience, &self.disk)?;
        let (_, blobs) = self.furnish(&state)?;
        blobs.prune(keep, now).doing("prune", Path::new("the kept contents"))
    }

    /// Where a folder is, links resolved.
    pub(crate) fn folder(&self, asked: &Path) -> Result<RelPath, Error> {
        list::find_folder(self, &self.relative(asked)?, asked)
    }

    /// Opens a regular file that a walk came by. The walk saw no link there, so one that appeared since may lead where it likes: not outside.
    /// Its size comes with it.
    pub(crate) fn open_resolved(&self, path: &RelPath) -> Result<(File, u64), Error> {
        regular(resolve::open(self.dir(), path.as_path())?, path.as_path())
    }

    pub(crate) fn dir(&self) -> Dir<'_> {
        self.dir.as_fd()
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn relative(&self, asked: &Path) -> Result<PathBuf, Error> {
        path::beneath(&self.roots, asked, self.absolute)
    }

    /// Why tools may not write this resolved path, or `None` where they may.
    pub(crate) fn rule(&self, path: &RelPath) -> Option<&'static str> {
        self.sealed.or_else(|| protect::rule(path))
    }

    fn load_bounded(&self, asked: &Path, limit: u64) -> Result<Loaded, Error> {
        let file = self.open_file(asked)?;
        let found = rustix::fs::fstat(&file).doing("read", asked)?;
        let bytes = read_bounded(file, &found, asked, limit)?;
        Ok(Loaded { hash: Hash::of(&bytes), bytes })
    }

    /// Runs `act` as the only changer of this workspace, after anything interrupted was mended.
    fn locked<T>(&self, act: impl FnOnce(&Desk<'_>, &Blobs<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let state = State::make(self.dir(), &self.disk)?;
        let _lock = state.lock(self.limits.patience, &self.disk)?;
        let (desk, blobs) = self.furnish(&state)?;
        journal::recover(self, &desk, &blobs)?;
        act(&desk, &blobs)
    }

    fn furnish(&self, state: &State) -> Result<(Desk<'_>, Blobs<'_>), Error> {
        let desk = Desk { dir: state.folder(journal::FOLDER, &self.disk)?, disk: &self.disk };
        let blobs = Blobs { dir: state.folder(OBJECTS, &self.disk)?, disk: &self.disk };
        Ok((desk, blobs))
    }
}

const OBJECTS: &str = "objects";

fn regular(file: OwnedFd, asked: &Path) -> Result<(File, u64), Error> {
    let found = rustix::fs::fstat(&file).doing("open", asked)?;
    match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => Ok((file.into(), u64::try_from(found.st_size).unwrap_or_default())),
        other => Err(Error::NotAFile { path: asked.to_owned(), kind: other.into() }),
    }
}

impl std::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Workspace").field(&self.root()).finish()
    }
}

#[cfg(test)]
impl Workspace {
    /// The same workspace on a disk that fails as planned.
    pub(crate) fn with_faults(mut self, faults: disk::faults::Faults) -> Workspace {
        self.disk = Arc::new(Disk { faults });
        self
    }

    pub(crate) fn steps(&self) -> u64 {
        self.disk.faults.steps()
    }
}

#[cfg(test)]
pub(crate) mod tests;
