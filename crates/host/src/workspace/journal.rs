//! The journal of the change in progress, and the way back from it. Start from [`Journal`].
//!
//! It lies in the state folder as `pending` from before the first file changes until all have, and as `done` while temporary files are
//! cleared. Finding `pending` therefore means: put everything back; finding `done`: only clear up. There is one direction for each, every
//! step of it can be repeated, and it is the same code after an error as after kill -9. A file that somebody else changed meanwhile stays as it is.
//! The change of a single file is one rename, which has happened or has not, and its journal is not waited for: after a power cut it may be
//! older than what it tells of. So it only says what to clear up.
//! The journal may come with an untrusted repository: its paths are resolved, and protected names refused, like anyone's.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Workspace;
use super::blobs::Blobs;
use super::change::{Content, Version, look};
use super::commit::stage;
use super::disk::{Dir, Disk, exists, read_file};
use super::error::{Doing, Error};
use super::path::RelPath;
use super::resolve::{Last, Spot, walk};

/// What `recover` found and did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Files of an interrupted change; they are as they were before it.
    pub put_back: Vec<RelPath>,
    /// Files of it that somebody changed since; they were left alone.
    pub left: Vec<RelPath>,
    /// A journal that could not be read was moved to this name in the state folder.
    pub unreadable: Option<String>,
}

/// One change on its way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Journal {
    version: u32,
    /// Part of the names of all temporary files.
    id: u64,
    pub(crate) files: Vec<Entry>,
    /// Folders that the change makes, outermost first.
    pub(crate) folders: Vec<RelPath>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) path: RelPath,
    pub(crate) before: Option<Version>,
    /// The new content's hash.
    pub(crate) after: Option<super::blobs::Hash>,
}

/// The folder in which journals lie.
pub(crate) struct Desk<'a> {
    pub(crate) dir: OwnedFd,
    pub(crate) disk: &'a Disk,
}

pub(crate) const FOLDER: &str = "journal";
const VERSION: u32 = 1;
const NEW: &str = "new";
const PENDING: &str = "pending";
const DONE: &str = "done";

impl Journal {
    pub(crate) fn new(files: Vec<Entry>, folders: Vec<RelPath>) -> Journal {
        Journal { version: VERSION, id: random(), files, folders }
    }

    pub(crate) fn is_single(&self) -> bool {
        self.files.len() == 1
    }

    /// The name, beside the target, of the new content until it takes the target's place.
    pub(crate) fn new_name(&self, index: usize) -> OsString {
        format!(".cinque-{:016x}-{index}.new", self.id).into()
    }

    /// The name, beside the target, under which the old file is held until all is done.
    pub(crate) fn old_name(&self, index: usize) -> OsString {
        format!(".cinque-{:016x}-{index}.old", self.id).into()
    }

    /// The name of an old content on its way back from the blobs. It is not the new content's, whose presence says "not yet changed".
    fn back_name(&self, index: usize) -> OsString {
        format!(".cinque-{:016x}-{index}.back", self.id).into()
    }
}

impl Desk<'_> {
    /// Writes the journal; from here on an interrupted change is put back.
    ///
    /// One rename is atomic by itself, so for a single file the journal serves to clear up after kill -9 only, and is not worth waiting for.
    pub(crate) fn begin(&self, journal: &Journal) -> Result<(), Error> {
        let write = || {
            self.disk.unlink(self.dir.as_fd(), OsStr::new(NEW))?;
            let mut file = self.disk.create(self.dir.as_fd(), OsStr::new(NEW), 0o600)?;
            self.disk.write(&mut file, &serde_json::to_vec(journal)?)?;
            if journal.is_single() {
                return self.disk.rename(self.dir.as_fd(), OsStr::new(NEW), OsStr::new(PENDING));
            }
            self.disk.sync(&file)?;
            self.disk.rename(self.dir.as_fd(), OsStr::new(NEW), OsStr::new(PENDING))?;
            self.disk.sync_dir(self.dir.as_fd())
        };
        write().doing("write", Path::new("the journal"))
    }

    /// The point of no return: from here on the change has happened.
    pub(crate) fn commit(&self) -> Result<(), Error> {
        let done = self.disk.rename(self.dir.as_fd(), OsStr::new(PENDING), OsStr::new(DONE));
        done.doing("finish", Path::new("the journal"))
    }

    /// Takes the commit back, for a change that could not be made durable.
    pub(crate) fn reopen(&self) -> Result<(), Error> {
        let undone = self.disk.rename(self.dir.as_fd(), OsStr::new(DONE), OsStr::new(PENDING));
        undone.doing("take back", Path::new("the journal"))
    }

    pub(crate) fn sync(&self) -> Result<(), Error> {
        self.disk.sync_dir(self.dir.as_fd()).doing("sync", Path::new("the journal"))
    }

    fn clear(&self, name: &str) -> Result<(), Error> {
        self.disk.unlink(self.dir.as_fd(), OsStr::new(name)).doing("clear", Path::new("the journal"))
    }

    fn read(&self, name: &str) -> Result<Option<Result<Journal, serde_json::Error>>, Error> {
        let bytes = read_file(self.dir.as_fd(), OsStr::new(name)).doing("read", Path::new("the journal"))?;
        Ok(bytes.map(|bytes| serde_json::from_slice(&bytes)))
    }

    fn set_aside(&self, name: &str) -> Result<String, Error> {
        let aside = format!("unreadable-{:016x}", random());
        self.disk
            .rename(self.dir.as_fd(), OsStr::new(name), OsStr::new(&aside))
            .doing("set aside", Path::new("the journal"))?;
        Ok(format!("{FOLDER}/{aside}"))
    }
}

/// Whether there is a journal in this folder: of a dead process, or of one at work.
pub(crate) fn is_waiting(dir: Dir<'_>) -> Result<bool, Error> {
    let is_there = |name: &str| exists(dir, OsStr::new(name)).doing("look at", Path::new("the journal"));
    Ok(is_there(PENDING)? || is_there(DONE)?)
}

/// Mends what a dead process left. The caller holds the lock, so a journal that is there belongs to nobody.
pub(crate) fn recover(workspace: &Workspace, desk: &Desk<'_>, blobs: &Blobs<'_>) -> Result<Recovery, Error> {
    let mut recovery = Recovery::default();
    for name in [DONE, PENDING] {
        match desk.read(name)? {
            None => {}
            Some(Ok(journal)) if journal.version == VERSION && name == DONE => {
                finish(workspace, desk, &journal)?
            }
            Some(Ok(journal)) if journal.version == VERSION && journal.is_single() => {
                clear_beside(workspace, desk, &journal)?
            }
            Some(Ok(journal)) if journal.version == VERSION => {
                recovery = put_back(workspace, desk, blobs, &journal)?
            }
            Some(_) => recovery.unreadable = Some(desk.set_aside(name)?),
        }
    }
    if exists(&desk.dir, OsStr::new(NEW)).doing("look at", Path::new("the journal"))? {
        desk.clear(NEW)?;
    }
    Ok(recovery)
}

/// Clears the temporary files of a change that has happened.
pub(crate) fn finish(workspace: &Workspace, desk: &Desk<'_>, journal: &Journal) -> Result<(), Error> {
    for (index, entry) in journal.files.iter().enumerate() {
        if let Some((spot, _)) = place(workspace, &entry.path)? {
            let path = entry.path.as_path();
            remove_if_there(desk.disk, spot.dir.as_fd(), &journal.old_name(index), path)?;
        }
    }
    desk.clear(DONE)
}

/// Clears the temporary files of a change that has happened or has not.
fn clear_beside(workspace: &Workspace, desk: &Desk<'_>, journal: &Journal) -> Result<(), Error> {
    for (index, entry) in journal.files.iter().enumerate() {
        if let Some((spot, _)) = place(workspace, &entry.path)? {
            for name in [journal.new_name(index), journal.old_name(index), journal.back_name(index)] {
                remove_if_there(desk.disk, spot.dir.as_fd(), &name, entry.path.as_path())?;
            }
        }
    }
    remove_folders(workspace, desk.disk, &journal.folders)?;
    desk.clear(PENDING)
}

/// Puts every file of an unfinished change back and forgets the change.
pub(crate) fn put_back(
    workspace: &Workspace,
    desk: &Desk<'_>,
    blobs: &Blobs<'_>,
    journal: &Journal,
) -> Result<Recovery, Error> {
    let mut recovery = Recovery::default();
    for (index, entry) in journal.files.iter().enumerate().rev() {
        let Some((spot, name)) = place(workspace, &entry.path)? else {
            continue;
        };
        let way_back = WayBack {
            workspace,
            disk: desk.disk,
            blobs,
            entry,
            spot: &spot,
            name: &name,
            new: &journal.new_name(index),
            old: &journal.old_name(index),
            back: &journal.back_name(index),
        };
        match way_back.take()? {
            Outcome::PutBack => recovery.put_back.push(entry.path.clone()),
            Outcome::Left => recovery.left.push(entry.path.clone()),
        }
        desk.disk.sync_dir(spot.dir.as_fd()).doing("put back", entry.path.as_path())?;
    }
    remove_folders(workspace, desk.disk, &journal.folders)?;
    desk.clear(PENDING)?;
    Ok(recovery)
}

/// Removes folders that a change made, innermost first, as far as they are empty.
pub(crate) fn remove_folders(workspace: &Workspace, disk: &Disk, folders: &[RelPath]) -> Result<(), Error> {
    for folder in folders.iter().rev() {
        if let Some((spot, name)) = place(workspace, folder)? {
            disk.remove_dir(spot.dir.as_fd(), &name).doing("remove", folder.as_path())?;
        }
    }
    Ok(())
}

/// Where a path of the journal is, if its folder exists and nothing on the way became a link or is protected.
fn place(workspace: &Workspace, path: &RelPath) -> Result<Option<(Spot, OsString)>, Error> {
    if workspace.rule(path).is_some() {
        return Ok(None);
    }
    let spot = match walk(workspace.dir(), path.as_path(), Last::Keep) {
        Err(Error::Outside { .. } | Error::Missing { .. } | Error::Loop { .. }) => return Ok(None),
        spot => spot?,
    };
    let same = spot.missing.is_empty() && spot.path() == *path;
    Ok(spot.name.clone().filter(|_| same).map(|name| (spot, name)))
}

fn remove_if_there(disk: &Disk, dir: Dir<'_>, name: &OsStr, path: &Path) -> Result<(), Error> {
    match exists(dir, name).doing("look at", path)? {
        true => disk.unlink(dir, name).doing("clear up beside", path),
        false => Ok(()),
    }
}

enum Outcome {
    PutBack,
    Left,
}

/// One file on its way back.
struct WayBack<'a> {
    workspace: &'a Workspace,
    disk: &'a Disk,
    blobs: &'a Blobs<'a>,
    entry: &'a Entry,
    spot: &'a Spot,
    name: &'a OsStr,
    new: &'a OsStr,
    old: &'a OsStr,
    back: &'a OsStr,
}

impl WayBack<'_> {
    fn take(&self) -> Result<Outcome, Error> {
        let (dir, path) = (self.spot.dir.as_fd(), self.entry.path.as_path());
        remove_if_there(self.disk, dir, self.back, path)?;
        // The new content still waits beside the target, so the target was not touched.
        if exists(dir, self.new).doing("look at", path)? {
            remove_if_there(self.disk, dir, self.old, path)?;
            self.disk.unlink(dir, self.new).doing("clear up beside", path)?;
            return Ok(Outcome::PutBack);
        }
        let now = match look(self.spot, self.name, path, self.workspace.limits().keep_file) {
            Ok(image) => image.map(|image| image.version),
            Err(Error::NotAFile { .. } | Error::TooLarge { .. }) => return self.leave(),
            Err(error) => return Err(error),
        };
        match (self.entry.before, now) {
            (None, None) => Ok(Outcome::PutBack),
            (None, Some(now)) if Some(now.hash) == self.entry.after => {
                self.disk.unlink(dir, self.name).doing("remove", path)?;
                Ok(Outcome::PutBack)
            }
            (Some(before), Some(now)) if now == before => self.leave().map(|_| Outcome::PutBack),
            (Some(before), now) if now.map(|now| now.hash) == self.entry.after => self.restore(before),
            (Some(before), None) => self.restore(before),
            _ => self.leave(),
        }
    }

    /// Somebody else's file stays; only our own second name of the old one goes.
    fn leave(&self) -> Result<Outcome, Error> {
        remove_if_there(self.disk, self.spot.dir.as_fd(), self.old, self.entry.path.as_path())?;
        Ok(Outcome::Left)
    }

    /// The very file that was there, if it was held; else its content from the blobs.
    fn restore(&self, before: Version) -> Result<Outcome, Error> {
        let (dir, path) = (self.spot.dir.as_fd(), self.entry.path.as_path());
        if exists(dir, self.old).doing("look at", path)? {
            self.disk.rename(dir, self.old, self.name).doing("put back", path)?;
            return Ok(Outcome::PutBack);
        }
        let Some(bytes) =
            self.blobs.get(before.hash, self.workspace.limits().keep_file).doing("read", path)?
        else {
            return Ok(Outcome::Left);
        };
        let content = Content { bytes, mode: Some(before.mode) };
        stage(self.disk, dir, self.back, &content, None).doing("put back", path)?;
        self.disk.rename(dir, self.back, self.name).doing("put back", path)?;
        Ok(Outcome::PutBack)
    }
}

/// Unpredictable enough that no name is met twice; the standard library seeds its hash maps so.
fn random() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests;
