//! Changing files: what a caller asks for ([`Change`]), what it gets back ([`Receipt`]), and the plan in between.
//!
//! Changes fold in order over what is on the disk, so that "remove A, write A" or "move A to B, write A" mean what they say; the result is
//! then carried out at once by `commit`. Planning reads and checks; it writes nothing. A plan is only good under the workspace's lock.
//!
//! Links: writing to a link writes the file that it points to; removing or moving a link removes or moves the link. Hard links: a write gives
//! the path a new file and leaves the other names as they were, so no write reaches a protected file through a second name of it. Mode is kept,
//! and the owner where the process is root; access lists and other extended attributes of a replaced file are not.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{self, Access, AtFlags, FileType, Mode, OFlags, Stat};
use serde::{Deserialize, Serialize};

use super::Workspace;
use super::blobs::Hash;
use super::error::{Doing, Error, Kind};
use super::path::RelPath;
use super::resolve::{Last, Spot, link_text, stat, walk};

/// One wish. Several of them are granted together or not at all.
#[derive(Debug, Clone)]
pub enum Change {
    /// The file has these bytes afterwards. A new one gets the mode that the umask leaves, an existing one keeps its own.
    Write { path: PathBuf, bytes: Vec<u8>, expect: Expect },
    /// The file or link is gone afterwards.
    Remove { path: PathBuf, expect: Expect },
    /// The file or link is at `to` afterwards, with new `bytes` if given.
    Move {
        from: PathBuf,
        to: PathBuf,
        bytes: Option<Vec<u8>>,
        expect: Expect,
        /// What must be at `to`.
        onto: Expect,
    },
}

/// What must be on the disk for a change to go ahead, checked under the lock at the moment of the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    Anything,
    Absent,
    Hash(Hash),
}

/// What a change did, for the log: enough to show and to undo it, none of the content.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Receipt {
    pub files: Vec<Changed>,
    /// Folders that the change made, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<RelPath>,
}

/// One file before and after; `None` is "no file".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    pub path: RelPath,
    pub before: Option<Version>,
    pub after: Option<Version>,
}

/// A content and the mode with its type bits, as git has them: `0o100644` a file, `0o120777` a link whose content is its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    pub hash: Hash,
    pub mode: u32,
}

/// What a change would do to one file, with the bytes, for a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    pub path: RelPath,
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
}

impl Version {
    pub(crate) fn is_link(&self) -> bool {
        is_link(self.mode)
    }
}

pub(crate) fn is_link(mode: u32) -> bool {
    FileType::from_raw_mode(mode as _) == FileType::Symlink
}

/// All steps of one change, at most one a path.
pub(crate) struct Plan<'a> {
    workspace: &'a Workspace,
    pub(crate) steps: Vec<Step>,
}

pub(crate) struct Step {
    pub(crate) spot: Spot,
    pub(crate) name: OsString,
    pub(crate) path: RelPath,
    pub(crate) before: Option<Image>,
    pub(crate) after: Option<Content>,
}

/// What is on the disk.
pub(crate) struct Image {
    pub(crate) content: Content,
    pub(crate) version: Version,
    pub(crate) stat: Stat,
}

/// What is to be on the disk; without a mode, a new file's.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    pub(crate) mode: Option<u32>,
}

impl<'a> Plan<'a> {
    pub(crate) fn new(workspace: &'a Workspace, changes: &[Change]) -> Result<Plan<'a>, Error> {
        let mut plan = Plan { workspace, steps: Vec::new() };
        for change in changes {
            match change {
                Change::Write { path, bytes, expect } => plan.write(path, bytes, *expect)?,
                Change::Remove { path, expect } => plan.remove(path, *expect)?,
                Change::Move { from, to, bytes, expect, onto } => {
                    plan.rename(from, to, bytes.as_ref(), *expect, *onto)?
                }
            }
        }
        plan.steps.retain(Step::does_something);
        Ok(plan)
    }

    pub(crate) fn preview(self) -> Vec<Preview> {
        let preview = |step: Step| Preview {
            path: step.path,
            before: step.before.map(|image| image.content.bytes),
            after: step.after.map(|content| content.bytes),
        };
        self.steps.into_iter().map(preview).collect()
    }

    /// The path itself, link or not, has this content afterwards; for undo, which knows exactly what it replaces.
    pub(crate) fn set(
        &mut self,
        path: &RelPath,
        expect: Option<Version>,
        content: Option<Content>,
    ) -> Result<(), Error> {
        let asked = path.as_path();
        let step = self.step(asked, Last::Keep)?;
        if step.path != *path || step.before.as_ref().map(|image| image.version) != expect {
            return Err(Error::Changed { path: asked.to_owned() });
        }
        step.after = content;
        Ok(())
    }

    fn write(&mut self, path: &Path, bytes: &[u8], expect: Expect) -> Result<(), Error> {
        let step = self.step(path, Last::Follow)?;
        expect.check(step.after.as_ref(), path)?;
        step.check_writable(path)?;
        step.after = Some(Content {
            bytes: bytes.to_vec(),
            mode: step.after.as_ref().and_then(|content| content.mode),
        });
        Ok(())
    }

    fn remove(&mut self, path: &Path, expect: Expect) -> Result<(), Error> {
        let step = self.step(path, Last::Keep)?;
        expect.check(step.after.as_ref(), path)?;
        step.after.take().map(drop).ok_or_else(|| missing(path))
    }

    fn rename(
        &mut self,
        from: &Path,
        to: &Path,
        bytes: Option<&Vec<u8>>,
        expect: Expect,
        onto: Expect,
    ) -> Result<(), Error> {
        let source = self.step(from, Last::Keep)?;
        expect.check(source.after.as_ref(), from)?;
        let mut content = source.after.take().ok_or_else(|| missing(from))?;
        if let Some(bytes) = bytes {
            if content.mode.is_some_and(is_link) {
                return Err(Error::NotAFile { path: from.to_owned(), kind: Kind::Link });
            }
            content.bytes = bytes.clone();
        }
        let target = self.step(to, Last::Keep)?;
        onto.check(target.after.as_ref(), to)?;
        target.after = Some(content);
        Ok(())
    }

    /// The step for a path, made from the disk when the path is first named.
    fn step(&mut self, asked: &Path, last: Last) -> Result<&mut Step, Error> {
        let folder = || Error::NotAFile { path: asked.to_owned(), kind: Kind::Folder };
        let relative = self.workspace.relative(asked)?;
        let spot = walk(self.workspace.dir(), &relative, last)?;
        let path = spot.path();
        if let Some(rule) = self.workspace.rule(&path) {
            return Err(Error::Protected { path: asked.to_owned(), rule });
        }
        if spot.folder {
            return Err(folder());
        }
        let index = match self.steps.iter().position(|step| step.path == path) {
            Some(index) => index,
            None => {
                let name = spot.name.clone().ok_or_else(folder)?;
                let before = match spot.missing.is_empty() {
                    true => look(&spot, &name, asked, self.workspace.limits().keep_file)?,
                    false => None,
                };
                self.steps.push(Step {
                    spot,
                    name,
                    path,
                    after: before.as_ref().map(|image| image.content.clone()),
                    before,
                });
                self.steps.len() - 1
            }
        };
        Ok(&mut self.steps[index])
    }
}

impl Step {
    fn does_something(&self) -> bool {
        self.before.as_ref().map(|image| &image.content) != self.after.as_ref()
    }

    /// A rename would replace a file that its mode keeps from being written; the mode is the person's word, so it is asked first.
    fn check_writable(&self, asked: &Path) -> Result<(), Error> {
        match &self.before {
            Some(image) if !image.version.is_link() => {
                fs::accessat(&self.spot.dir, &self.name, Access::WRITE_OK, AtFlags::empty())
                    .doing("write", asked)
            }
            _ => Ok(()),
        }
    }
}

impl Expect {
    fn check(self, now: Option<&Content>, path: &Path) -> Result<(), Error> {
        let path = path.to_owned();
        match (self, now) {
            (Expect::Anything, _) | (Expect::Absent, None) => Ok(()),
            (Expect::Absent, Some(_)) => Err(Error::Exists { path }),
            (Expect::Hash(hash), Some(now)) if hash == Hash::of(&now.bytes) => Ok(()),
            (Expect::Hash(_), Some(_)) => Err(Error::Changed { path }),
            (Expect::Hash(_), None) => Err(Error::Missing { path }),
        }
    }
}

fn missing(path: &Path) -> Error {
    Error::Missing { path: path.to_owned() }
}

/// Reads what stands at a name: a file's bytes, a link's target, or nothing. Anything else is refused without waiting on it.
pub(crate) fn look(spot: &Spot, name: &OsStr, asked: &Path, limit: u64) -> Result<Option<Image>, Error> {
    let Some(found) = stat(spot.dir.as_fd(), name, asked)? else {
        return Ok(None);
    };
    match FileType::from_raw_mode(found.st_mode) {
        FileType::Symlink => {
            let text = link_text(spot.dir.as_fd(), name, asked)?;
            Ok(Some(Image::new(text.as_bytes().to_vec(), found)))
        }
        FileType::RegularFile => {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let file = fs::openat(&spot.dir, name, flags, Mode::empty()).doing("read", asked)?;
            let found = fs::fstat(&file).doing("read", asked)?;
            let bytes = read_bounded(File::from(file), &found, asked, limit)?;
            Ok(Some(Image::new(bytes, found)))
        }
        other => Err(Error::NotAFile { path: asked.to_owned(), kind: other.into() }),
    }
}

/// The whole of a regular file, unless it is larger than `limit`, also if it grows while it is read.
pub(crate) fn read_bounded(file: File, found: &Stat, asked: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    let kind = FileType::from_raw_mode(found.st_mode);
    if kind != FileType::RegularFile {
        return Err(Error::NotAFile { path: asked.to_owned(), kind: kind.into() });
    }
    let size = u64::try_from(found.st_size).unwrap_or_default();
    let too_large = |size| Error::TooLarge { path: asked.to_owned(), size, limit };
    if size > limit {
        return Err(too_large(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    file.take(limit + 1).read_to_end(&mut bytes).doing("read", asked)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

impl Image {
    #[allow(clippy::useless_conversion, reason = "the width of a mode differs between systems")]
    fn new(bytes: Vec<u8>, stat: Stat) -> Image {
        let mode = u32::from(stat.st_mode);
        Image {
            version: Version { hash: Hash::of(&bytes), mode },
            content: Content { bytes, mode: Some(mode) },
            stat,
        }
    }
}

#[cfg(test)]
mod tests;
