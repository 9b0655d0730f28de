//! The warden makes names for a command where the command itself may not. Start from [`Warden`].
//!
//! Protected paths must stay read-only also when they do not exist, and nothing may be put on the host to hold their
//! place. So landlock forbids the command to create anything in the directories where they could appear, the kernel
//! asks the warden about every call that makes a name, and the warden makes it, unless it is a protected one.
//!
//! A call may change its arguments in memory after the warden has read them. That gains nothing: where the warden tells
//! the kernel to go on, landlock still decides, and where landlock would refuse, the warden acts on its own copy.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::PathBuf;

use libc::c_int;

use super::sys;
use super::zones::{Verdict, Zones};

mod call;
mod connect;
mod listener;

use call::{Call, Place};
pub use connect::Doors;
use listener::{Answer, Listener};

/// Whether landlock lets the command write files in closed directories, because mounts hold the protected ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    Kernel,
    Warden,
}

pub struct Warden {
    listener: Listener,
    zones: Zones,
    doors: Doors,
    writing: Writing,
}

/// What a call makes or removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// It is empty when it is made, and when it is removed.
    Directory,
    Other,
}

/// A directory that the warden has opened for itself, and a name in it.
struct Target {
    directory: OwnedFd,
    name: CString,
    verdict: Verdict,
}

impl Warden {
    pub fn new(listener: OwnedFd, zones: Zones, doors: Doors, writing: Writing) -> Self {
        Self { listener: Listener::new(listener), zones, doors, writing }
    }

    /// Readable when a call waits.
    pub fn listener(&self) -> &Listener {
        &self.listener
    }

    /// Answers one waiting call.
    pub fn answer(&self) {
        let Ok(asked) = self.listener.receive() else {
            return;
        };
        let answer = match Call::read(&asked) {
            // The process may have ended and its number been given to another, whose memory was then read.
            Ok(call) if self.listener.is_waiting(asked.id) => self.carry_out(asked.id, call),
            // Nothing else holds connections back.
            _ if i64::from(asked.data.nr) == libc::SYS_connect => Answer::Error(libc::EACCES),
            // What cannot be read by the warden is left to the kernel and landlock, which can only refuse more.
            _ => Answer::Continue,
        };
        self.listener.reply(asked.id, answer);
    }

    fn carry_out(&self, id: u64, call: Call) -> Answer {
        match call {
            Call::Open { place, flags, mode, resolve } => self.open(&place, flags, mode, resolve),
            Call::Make { place, kind, mode, device } => self.make(&place, kind, mode, device),
            Call::Symlink { content, place } => {
                self.alone(&place, What::Other, libc::EEXIST, |target| target.symlink(&content))
            }
            Call::Link { from, to, flags } => self.link(&from, &to, flags),
            Call::Rename { from, to, flags } => self.rename(&from, &to, flags),
            Call::Connect { process, socket, address } => {
                connect::start(&self.listener, id, &self.doors, (process, socket), &address)
            }
            Call::Remove { place, flags } => {
                let what = if flags & libc::AT_REMOVEDIR != 0 { What::Directory } else { What::Other };
                self.alone(&place, what, libc::EROFS, |target| target.remove(flags))
            }
        }
    }

    fn open(&self, place: &Place, flags: c_int, mode: u32, resolve: u64) -> Answer {
        let target = match self.find(place, resolve) {
            Ok(target) => target,
            // Reading makes no name: the kernel knows the way, and landlock what may be read.
            Err(_) if flags & (libc::O_CREAT | libc::O_TRUNC | libc::O_ACCMODE) == 0 => {
                return Answer::Continue;
            }
            Err(answer) => return answer,
        };
        if matches!(target.verdict, Verdict::Kernel | Verdict::Outside) || place.wants_directory() {
            return Answer::Continue;
        }
        match sys::status(target.directory.as_fd(), &target.name) {
            Ok(found) => self.open_existing(&target, found.st_mode & libc::S_IFMT, flags),
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) && flags & libc::O_CREAT != 0 => {
                open_new(&target, flags, mode, place.umask())
            }
            Err(_) => Answer::Continue,
        }
    }

    /// Only plain files are opened here: opening a pipe could wait for ever, and the warden must not.
    fn open_existing(&self, target: &Target, kind: u32, flags: c_int) -> Answer {
        if self.writing == Writing::Kernel || kind != libc::S_IFREG {
            return Answer::Continue;
        }
        if target.verdict != Verdict::Warden {
            return Answer::Error(libc::EROFS);
        }
        if flags & (libc::O_CREAT | libc::O_EXCL) == libc::O_CREAT | libc::O_EXCL {
            return Answer::Error(libc::EEXIST);
        }
        let opened =
            sys::open(Some(target.directory.as_fd()), &target.name, libc::O_PATH | libc::O_NOFOLLOW, 0, 0)
                .and_then(|file| match sys::status(file.as_fd(), c"")?.st_mode & libc::S_IFMT {
                    libc::S_IFREG => reopen(&file, flags),
                    _ => Err(io::Error::from_raw_os_error(libc::EACCES)),
                });
        opened.map_or_else(Answer::from, |file| Answer::File { file, flags })
    }

    fn make(&self, place: &Place, kind: u32, mode: u32, device: u64) -> Answer {
        // A name that is taken is a plain error: `mkdir -p` goes on after this one.
        let what = if kind == libc::S_IFDIR { What::Directory } else { What::Other };
        self.alone(place, what, libc::EEXIST, |target| {
            with_umask(place.umask(), || match kind {
                libc::S_IFDIR => target.make_directory(mode),
                _ => target.make_node(kind | mode, device),
            })
        })
    }

    /// Making a hard link to what a symbolic link leads to is left to the kernel.
    fn link(&self, from: &Place, to: &Place, flags: c_int) -> Answer {
        let (from, to) = match (self.find(from, 0), self.find(to, 0)) {
            (Ok(from), Ok(to)) => (from, to),
            (Err(answer), _) | (_, Err(answer)) => return answer,
        };
        match pair(&from, &to) {
            Verdict::Warden if flags == 0 => from.link(&to).into(),
            Verdict::Refuse | Verdict::Hollow => Answer::Error(libc::EROFS),
            Verdict::Outside => Answer::Error(libc::EXDEV),
            Verdict::Warden | Verdict::Kernel => Answer::Continue,
        }
    }

    fn rename(&self, from: &Place, to: &Place, flags: u32) -> Answer {
        let (from, to) = match (self.find(from, 0), self.find(to, 0)) {
            (Ok(from), Ok(to)) => (from, to),
            (Err(answer), _) | (_, Err(answer)) => return answer,
        };
        match pair(&from, &to) {
            Verdict::Warden => from.rename(&to, flags).into(),
            Verdict::Refuse | Verdict::Hollow => Answer::Error(libc::EROFS),
            Verdict::Outside => Answer::Error(libc::EXDEV),
            Verdict::Kernel => Answer::Continue,
        }
    }

    /// Does something with one name; `taken` is the error for a protected one that exists.
    fn alone(
        &self,
        place: &Place,
        what: What,
        taken: c_int,
        act: impl FnOnce(&Target) -> io::Result<()>,
    ) -> Answer {
        let target = match self.find(place, 0) {
            Ok(target) => target,
            Err(answer) => return answer,
        };
        match target.verdict {
            Verdict::Kernel | Verdict::Outside => Answer::Continue,
            Verdict::Warden => act(&target).into(),
            Verdict::Hollow if what == What::Directory => act(&target).into(),
            Verdict::Hollow | Verdict::Refuse => {
                let exists = sys::status(target.directory.as_fd(), &target.name).is_ok();
                Answer::Error(if exists { taken } else { libc::EROFS })
            }
        }
    }

    /// Opens the directory of a place as the caller would, and judges the name in it; otherwise the answer. A way that
    /// leads through a link of `/proc` that is not understood is closed: who cannot see where a name is made makes none.
    fn find(&self, place: &Place, resolve: u64) -> Result<Target, Answer> {
        // A path without a name at its end makes none.
        let (parent, name) = place.split().ok_or(Answer::Continue)?;
        let directory = place.enter(&parent, resolve).map_err(|error| match error.raw_os_error() {
            Some(libc::ELOOP) => Answer::Error(libc::EACCES),
            _ => error.into(),
        })?;
        let at = std::fs::read_link(format!("/proc/self/fd/{}", directory.as_raw_fd()))?;
        let verdict = self.zones.judge(&at, name.to_bytes());
        Ok(Target { directory, name, verdict })
    }
}

impl Target {
    fn fd(&self) -> c_int {
        self.directory.as_raw_fd()
    }

    fn make_directory(&self, mode: u32) -> io::Result<()> {
        // SAFETY: the name lives until the call returns, as in all calls below.
        done(unsafe { libc::mkdirat(self.fd(), self.name.as_ptr(), mode) })
    }

    fn make_node(&self, mode: u32, device: u64) -> io::Result<()> {
        done(unsafe { libc::mknodat(self.fd(), self.name.as_ptr(), mode, device) })
    }

    fn symlink(&self, content: &CStr) -> io::Result<()> {
        done(unsafe { libc::symlinkat(content.as_ptr(), self.fd(), self.name.as_ptr()) })
    }

    fn link(&self, to: &Target) -> io::Result<()> {
        done(unsafe { libc::linkat(self.fd(), self.name.as_ptr(), to.fd(), to.name.as_ptr(), 0) })
    }

    fn rename(&self, to: &Target, flags: u32) -> io::Result<()> {
        done(unsafe { libc::renameat2(self.fd(), self.name.as_ptr(), to.fd(), to.name.as_ptr(), flags) })
    }

    fn remove(&self, flags: c_int) -> io::Result<()> {
        done(unsafe { libc::unlinkat(self.fd(), self.name.as_ptr(), flags) })
    }
}

/// Who decides about a call that touches two names. The warden is not bound by landlock, so it must never move or link
/// anything between the workspace and what lies outside; "another device" makes programs copy instead.
fn pair(from: &Target, to: &Target) -> Verdict {
    match (from.verdict, to.verdict) {
        (Verdict::Refuse | Verdict::Hollow, _) | (_, Verdict::Refuse | Verdict::Hollow) => Verdict::Refuse,
        (Verdict::Outside, Verdict::Warden) | (Verdict::Warden, Verdict::Outside) => Verdict::Outside,
        (Verdict::Warden, _) | (_, Verdict::Warden) => Verdict::Warden,
        _ => Verdict::Kernel,
    }
}

fn done(result: c_int) -> io::Result<()> {
    sys::check(result.into()).map(drop)
}

/// Exclusive, so that what is opened is what was made, never a link or a pipe that was put there meanwhile.
fn open_new(target: &Target, flags: c_int, mode: u32, umask: u32) -> Answer {
    if target.verdict != Verdict::Warden {
        return Answer::Error(libc::EROFS);
    }
    let exclusive = flags | libc::O_EXCL | libc::O_NOFOLLOW | libc::O_NOCTTY;
    let made =
        with_umask(umask, || sys::open(Some(target.directory.as_fd()), &target.name, exclusive, mode, 0));
    match made {
        Ok(file) => Answer::File { file, flags },
        Err(error) if error.raw_os_error() == Some(libc::EEXIST) && flags & libc::O_EXCL == 0 => {
            Answer::Continue
        }
        Err(error) => error.into(),
    }
}

/// Opens anew what is held, so that the file cannot be exchanged in between.
fn reopen(file: &OwnedFd, flags: c_int) -> io::Result<OwnedFd> {
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let path = sys::cstring(path.as_os_str().as_encoded_bytes())?;
    sys::open(None, &path, flags & !(libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW), 0, 0)
}

/// What is made must have the mode that the caller's mask gives it; the warden has one thread and none of its own to keep.
fn with_umask<T>(umask: u32, act: impl FnOnce() -> T) -> T {
    sys::umask(umask);
    act()
}
