//! Carrying a plan out: all of it or none of it. Start from [`commit`].
//!
//! The order is what makes it safe. Old contents into the blobs; the journal; new contents beside their targets, synced; a second name for each
//! old file, synced; then only renames; then the folders are synced and the journal is marked done. Whatever fails before that mark is put back by
//! the journal's code, here or at the next start. Nothing is ever written into a file that a person can see.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{self, AtFlags, Stat};
use rustix::io::Errno;

use super::Workspace;
use super::blobs::{Blobs, Hash};
use super::change::{Changed, Content, Image, Plan, Receipt, Step, Version, is_link};
use super::disk::{Dir, Disk, exists};
use super::error::{Doing, Error};
use super::journal::{self, Desk, Entry, Journal};
use super::path::RelPath;
use super::resolve::stat;

/// Does what the plan says. The caller holds the lock, and the plan was made under it.
pub(crate) fn commit(
    workspace: &Workspace,
    plan: Plan<'_>,
    desk: &Desk<'_>,
    blobs: &Blobs<'_>,
) -> Result<Receipt, Error> {
    if plan.steps.is_empty() {
        return Ok(Receipt::default());
    }
    for image in plan.steps.iter().filter_map(|step| step.before.as_ref()) {
        blobs.put(image.version.hash, &image.content.bytes)?;
    }
    let journal = Journal::new(plan.steps.iter().map(entry).collect(), folders_to_make(&plan));
    let done = desk.begin(&journal).and_then(|()| carry_out(plan, &journal, desk));
    match done {
        Ok(receipt) => {
            // The change has happened; what is not cleared now is cleared by the next change or start.
            let _ = journal::finish(workspace, desk, &journal);
            Ok(receipt)
        }
        Err(cause) => match journal::put_back(workspace, desk, blobs, &journal) {
            Ok(_) => Err(cause),
            Err(source) => Err(Error::Unfinished { cause: Box::new(cause), source: Box::new(source) }),
        },
    }
}

/// Writes a content under a temporary name, durably, with its mode and owner, and says what it became.
pub(crate) fn stage(
    disk: &Disk,
    dir: Dir<'_>,
    name: &OsStr,
    content: &Content,
    owner: Option<&Stat>,
) -> io::Result<Version> {
    if content.mode.is_some_and(is_link) {
        disk.symlink(OsStr::from_bytes(&content.bytes), dir, name)?;
    } else {
        let mut file = disk.create(dir, name, 0o666)?;
        disk.write(&mut file, &content.bytes)?;
        if let Some(owner) = owner {
            keep_owner(disk, &file, owner)?;
        }
        if let Some(mode) = content.mode {
            disk.set_mode(&file, mode & 0o7777)?;
        }
        disk.sync(&file)?;
    }
    let staged = fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(Version {
        hash: Hash::of(&content.bytes),
        #[allow(clippy::useless_conversion, reason = "the width of a mode differs between systems")]
        mode: u32::from(staged.st_mode),
    })
}

fn entry(step: &Step) -> Entry {
    Entry {
        path: step.path.clone(),
        before: step.before.as_ref().map(|image| image.version),
        after: step.after.as_ref().map(|content| Hash::of(&content.bytes)),
    }
}

fn folders_to_make(plan: &Plan<'_>) -> Vec<RelPath> {
    let mut folders = Vec::new();
    for step in plan.steps.iter().filter(|step| step.after.is_some()) {
        let mut path = step.spot.at.clone();
        for name in &step.spot.missing {
            path = path.join(name);
            if !folders.contains(&path) {
                folders.push(path.clone());
            }
        }
    }
    folders
}

fn carry_out(plan: Plan<'_>, journal: &Journal, desk: &Desk<'_>) -> Result<Receipt, Error> {
    let mut work = Work { disk: desk.disk, touched: BTreeMap::new() };
    let steps = plan.steps.into_iter().enumerate();
    let jobs: Vec<Job> =
        steps.map(|(index, step)| work.prepare(step, journal, index)).collect::<Result<_, _>>()?;
    if !journal.is_single() {
        // The second names must outlive a power cut before the first rename does.
        work.sync()?;
    }
    for job in &jobs {
        work.swap(job)?;
    }
    settle(&work, journal, desk)?;
    let changed = |job: Job| Changed {
        path: job.path,
        before: job.before.map(|image| image.version),
        after: job.staged,
    };
    Ok(Receipt { files: jobs.into_iter().map(changed).collect(), folders: journal.folders.clone() })
}

/// Marks the change as done and makes it durable. With several files the mark comes last; with one, its rename is the mark that counts.
fn settle(work: &Work<'_>, journal: &Journal, desk: &Desk<'_>) -> Result<(), Error> {
    if !journal.is_single() {
        work.sync()?;
    }
    desk.commit()?;
    let durable = if journal.is_single() { work.sync() } else { desk.sync() };
    match durable {
        // Not durable: take it back, or, if even that fails, stand by what every process can see.
        Err(error) if desk.reopen().is_ok() => Err(error),
        _ => Ok(()),
    }
}

struct Work<'a> {
    disk: &'a Disk,
    /// Folders whose entries change, to be synced once each.
    touched: BTreeMap<RelPath, OwnedFd>,
}

/// One file with its new content staged and its old one held.
struct Job {
    dir: OwnedFd,
    name: OsString,
    path: RelPath,
    before: Option<Image>,
    staged: Option<Version>,
    new: OsString,
    old: OsString,
}

impl Work<'_> {
    fn prepare(&mut self, step: Step, journal: &Journal, index: usize) -> Result<Job, Error> {
        let dir = self.folder(&step)?;
        let (new, old) = (journal.new_name(index), journal.old_name(index));
        let path = step.path.as_path();
        let staged = match &step.after {
            Some(content) => {
                let owner = step.before.as_ref().map(|image| &image.stat);
                Some(stage(self.disk, dir.as_fd(), &new, content, owner).doing("write", path)?)
            }
            None => None,
        };
        if staged.is_some() && step.before.as_ref().is_some_and(|image| !image.version.is_link()) {
            hold(self.disk, dir.as_fd(), &step.name, &old, path)?;
        }
        Ok(Job { dir, name: step.name, path: step.path, before: step.before, staged, new, old })
    }

    /// The step's folder, with what is missing on the way to it made.
    fn folder(&mut self, step: &Step) -> Result<OwnedFd, Error> {
        let asked = step.path.as_path();
        let mut at = step.spot.at.clone();
        let mut dir = step.spot.dir.try_clone().doing("open", asked)?;
        for name in step.spot.missing.iter().filter(|_| step.after.is_some()) {
            let inner = self.disk.make_dir(dir.as_fd(), name, 0o777).doing("make the folder of", asked)?;
            let inside = at.join(name);
            self.touched.insert(at, dir);
            (at, dir) = (inside, inner);
        }
        self.touched.insert(at, dir.try_clone().doing("open", asked)?);
        Ok(dir)
    }

    fn sync(&self) -> Result<(), Error> {
        for (path, dir) in &self.touched {
            self.disk.sync_dir(dir.as_fd()).doing("sync", path.as_path())?;
        }
        Ok(())
    }

    /// The one rename that changes what people see, between two looks at what it replaces.
    fn swap(&self, job: &Job) -> Result<(), Error> {
        let path = job.path.as_path();
        let dir = job.dir.as_fd();
        job.check_unchanged(&job.name)?;
        match (&job.staged, &job.before) {
            (Some(_), Some(_)) => self.disk.rename(dir, &job.new, &job.name).doing("replace", path)?,
            (Some(_), None) => self.disk.rename_new(dir, &job.new, &job.name).doing("create", path)?,
            (None, Some(_)) => self.disk.rename(dir, &job.name, &job.old).doing("remove", path)?,
            (None, None) => {}
        }
        match exists(dir, &job.old).doing("look at", path)? {
            true => job.check_unchanged(&job.old),
            false => Ok(()),
        }
    }
}

impl Job {
    /// Sees that the old file, under this name, is still as it was read. Looking before and after the rename leaves no time in which an
    /// edit in place could get lost; a file put in its place between the look and the rename still would.
    fn check_unchanged(&self, name: &OsStr) -> Result<(), Error> {
        let path = self.path.as_path();
        let now = stat(self.dir.as_fd(), name, path)?;
        let same = match (&self.before, &now) {
            (None, None) => true,
            (Some(before), Some(now)) => identity(&before.stat) == identity(now),
            _ => false,
        };
        same.then_some(()).ok_or_else(|| Error::Changed { path: path.to_owned() })
    }
}

fn identity(stat: &Stat) -> impl PartialEq + use<> {
    (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime, stat.st_mtime_nsec, stat.st_mode)
}

/// Gives the old file a second name, so that putting it back is a rename and needs no space. Where links cannot be had, the blob has to do.
fn hold(disk: &Disk, dir: Dir<'_>, name: &OsStr, old: &OsStr, path: &Path) -> Result<(), Error> {
    let held = disk.hard_link(dir, name, old);
    match held.as_ref().map_err(Errno::from_io_error) {
        Err(Some(Errno::PERM | Errno::NOTSUP | Errno::NOSYS | Errno::MLINK)) => Ok(()),
        _ => held.doing("hold", path),
    }
}

/// Keeps the owner where the process may; an ordinary user's replacement of a shared file becomes the user's own.
fn keep_owner(disk: &Disk, file: &std::fs::File, owner: &Stat) -> io::Result<()> {
    let made = fs::fstat(file)?;
    if (made.st_uid, made.st_gid) == (owner.st_uid, owner.st_gid) {
        return Ok(());
    }
    match disk.set_owner(file, owner.st_uid, owner.st_gid) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests;
