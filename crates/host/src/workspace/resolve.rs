//! From a path to what it names, beneath the workspace and nowhere else. Start from [`open`] for reading and [`walk`] for everything else.
//!
//! Both hold at the moment of the call and cannot be raced: `open` leaves the resolution to the kernel (`openat2` with `RESOLVE_BENEATH`),
//! `walk` goes part by part through handles that it holds, reads links itself and takes `..` from its own stack. Neither ever opens a link
//! that leads out, an absolute link, or a magic link of `/proc`.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{self, AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::disk::{Dir, open_dir};
use super::error::{Doing, Error, Kind};
use super::path::{RelPath, climbs_out, names_folder};

/// As many links as Linux follows in one path.
const LINKS: usize = 40;

/// What to do with a link in the last part of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Last {
    /// Go on to what it points to: reading and writing mean the file.
    Follow,
    /// Stop at the link: removing and moving mean the link.
    Keep,
}

/// A place in the workspace: the deepest folder that exists, and the names below it.
pub(crate) struct Spot {
    /// The deepest existing folder on the way.
    pub(crate) dir: OwnedFd,
    /// Where that folder is.
    pub(crate) at: RelPath,
    /// Folders that do not exist yet, outermost first.
    pub(crate) missing: Vec<OsString>,
    /// The last name, or `None` where the path names `dir` itself. It may or may not exist.
    pub(crate) name: Option<OsString>,
    /// Whether the path, or the last link on it, ends in `/` and so cannot mean a file.
    pub(crate) folder: bool,
}

impl Spot {
    /// The whole path, with no link on the way.
    pub(crate) fn path(&self) -> RelPath {
        let names = self.missing.iter().chain(&self.name);
        names.fold(self.at.clone(), |path, name| path.join(name))
    }
}

/// Opens what `path` names for reading, whatever it is, without waiting for a pipe's other end.
pub(crate) fn open(root: Dir<'_>, path: &Path) -> Result<OwnedFd, Error> {
    match open_by_kernel(root, path) {
        Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::NAMETOOLONG) => open_by_walk(root, path),
        opened => opened.map_err(|errno| explain(errno, "open", path)),
    }
}

#[cfg(target_os = "linux")]
fn open_by_kernel(root: Dir<'_>, path: &Path) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    // The kernel gives EAGAIN when a rename elsewhere might have moved a `..` under it; a few tries outlast any honest rename.
    for _ in 0..8 {
        match fs::openat2(root, path, READ, Mode::empty(), beneath) {
            Err(Errno::AGAIN) => {}
            done => return done,
        }
    }
    Err(Errno::AGAIN)
}

#[cfg(not(target_os = "linux"))]
fn open_by_kernel(_root: Dir<'_>, _path: &Path) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// The same as [`open`] for kernels without `openat2`.
pub(crate) fn open_by_walk(root: Dir<'_>, path: &Path) -> Result<OwnedFd, Error> {
    let spot = walk(root, path, Last::Follow)?;
    if !spot.missing.is_empty() {
        return Err(explain(Errno::NOENT, "open", path));
    }
    let name = spot.name.as_deref().unwrap_or(OsStr::new("."));
    let folder = if spot.folder { OFlags::DIRECTORY } else { OFlags::empty() };
    fs::openat(&spot.dir, name, READ | OFlags::NOFOLLOW | folder, Mode::empty())
        .map_err(|errno| explain(errno, "open", path))
}

/// Finds the place that `path` names. The last parts need not exist.
pub(crate) fn walk(root: Dir<'_>, path: &Path, last: Last) -> Result<Spot, Error> {
    let mut walk = Walk {
        asked: path,
        root: root.try_clone_to_owned().doing("open", path)?,
        stack: Vec::new(),
        missing: Vec::new(),
        todo: VecDeque::new(),
        links: 0,
        folder: false,
    };
    walk.push(path)?;
    while let Some(part) = walk.todo.pop_front() {
        if part == ".." {
            walk.up()?;
        } else if walk.todo.is_empty() && !(last == Last::Keep && names_folder(path)) {
            if last == Last::Keep || !walk.follow(&part)? {
                return Ok(walk.finish(Some(part)));
            }
        } else {
            walk.down(part)?;
        }
    }
    Ok(walk.finish(None))
}

struct Walk<'a> {
    asked: &'a Path,
    root: OwnedFd,
    stack: Vec<(OsString, OwnedFd)>,
    missing: Vec<OsString>,
    todo: VecDeque<OsString>,
    links: usize,
    folder: bool,
}

impl Walk<'_> {
    fn dir(&self) -> Dir<'_> {
        self.stack.last().map_or(self.root.as_fd(), |(_, dir)| dir.as_fd())
    }

    /// Puts the parts of a path, or of a link's target, before what is still to do.
    fn push(&mut self, path: &Path) -> Result<(), Error> {
        self.folder |= self.todo.is_empty() && names_folder(path);
        for part in path.components().rev() {
            match part {
                Component::Normal(name) => self.todo.push_front(name.to_owned()),
                Component::ParentDir => self.todo.push_front("..".into()),
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => return Err(self.outside()),
            }
        }
        Ok(())
    }

    fn up(&mut self) -> Result<(), Error> {
        if !self.missing.is_empty() {
            return Err(explain(Errno::NOENT, "open", self.asked));
        }
        self.stack.pop().map(drop).ok_or_else(|| self.outside())
    }

    fn down(&mut self, part: OsString) -> Result<(), Error> {
        if !self.missing.is_empty() {
            self.missing.push(part);
            return Ok(());
        }
        match open_dir(self.dir(), &part) {
            Ok(dir) => self.stack.push((part, dir)),
            Err(error) => match Errno::from_io_error(&error) {
                Some(Errno::NOENT) => self.missing.push(part),
                Some(Errno::NOTDIR | Errno::LOOP | Errno::MLINK) => {
                    if !self.follow(&part)? {
                        return Err(explain(Errno::NOTDIR, "open", self.asked));
                    }
                }
                _ => return Err(error).doing("open", self.asked),
            },
        }
        Ok(())
    }

    /// If `part` is a link, takes its target as the next parts and says so.
    fn follow(&mut self, part: &OsStr) -> Result<bool, Error> {
        if !self.missing.is_empty() {
            return Ok(false);
        }
        let target = match fs::readlinkat(self.dir(), part, Vec::new()) {
            Ok(target) => PathBuf::from(OsString::from_vec(target.into_bytes())),
            Err(Errno::INVAL | Errno::NOENT) => return Ok(false),
            Err(errno) => return Err(explain(errno, "open", self.asked)),
        };
        self.links += 1;
        if self.links > LINKS {
            return Err(explain(Errno::LOOP, "open", self.asked));
        }
        self.push(&target)?;
        Ok(true)
    }

    fn finish(self, name: Option<OsString>) -> Spot {
        let at = self.stack.iter().fold(RelPath::default(), |path, (name, _)| path.join(name));
        let dir = self.stack.into_iter().last().map_or(self.root, |(_, dir)| dir);
        Spot { dir, at, missing: self.missing, name, folder: self.folder }
    }

    fn outside(&self) -> Error {
        Error::Outside { path: self.asked.to_owned() }
    }
}

/// What a failed resolution means to the caller. A path whose spelling leaves the workspace is outside even where the part before its `..`
/// is missing, so that the answer does not depend on what else exists.
pub(crate) fn explain(errno: Errno, doing: &'static str, path: &Path) -> Error {
    let path = path.to_owned();
    match errno {
        Errno::XDEV => Error::Outside { path },
        Errno::NOENT | Errno::NOTDIR if climbs_out(&path) => Error::Outside { path },
        Errno::NOENT | Errno::NOTDIR => Error::Missing { path },
        Errno::LOOP => Error::Loop { path },
        // Opening a socket gives "no such device".
        Errno::NXIO => Error::NotAFile { path, kind: Kind::Socket },
        other => Error::Io { doing, path, source: other.into() },
    }
}

/// The kind and size of what stands at a name, links not followed; `None` for nothing.
pub(crate) fn stat(dir: Dir<'_>, name: &OsStr, path: &Path) -> Result<Option<fs::Stat>, Error> {
    match fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno).doing("look at", path),
    }
}

/// The text of a link, as it stands.
pub(crate) fn link_text(dir: Dir<'_>, name: &OsStr, path: &Path) -> Result<OsString, Error> {
    let text = fs::readlinkat(dir, name, Vec::new()).doing("read the link", path)?;
    Ok(OsStr::from_bytes(text.as_bytes()).to_owned())
}
