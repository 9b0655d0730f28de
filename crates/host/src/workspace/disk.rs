//! The few system calls that change the disk, in one place. Start from [`Disk`].
//!
//! Everything that writes goes through here and nothing else does: so a test can fail, or die at, the n-th change for every n, and see that
//! user files stay whole. No call here decides anything, and none follows a link in the last part of a name.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{self, AtFlags, Gid, Mode, OFlags, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, Uid};

/// A directory handle, held open; names are always relative to one.
pub(crate) type Dir<'a> = BorrowedFd<'a>;

#[derive(Debug, Default)]
pub(crate) struct Disk {
    #[cfg(test)]
    pub(crate) faults: faults::Faults,
}

impl Disk {
    /// A new file that nobody else has: an existing name is an error, never opened.
    pub(crate) fn create(&self, dir: Dir<'_>, name: &OsStr, mode: u32) -> io::Result<File> {
        self.step()?;
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(fs::openat(dir, name, flags, bits(mode))?))
    }

    /// A file that need not be new, for locking.
    pub(crate) fn open_lock(&self, dir: Dir<'_>, name: &OsStr) -> io::Result<File> {
        self.step()?;
        let flags = OFlags::CREATE | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(File::from(fs::openat(dir, name, flags, bits(0o600))?))
    }

    pub(crate) fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        self.step().inspect_err(|_| {
            // A full disk takes the first half before it refuses the rest, and so does the injected one.
            let _ = file.write_all(bytes.get(..bytes.len() / 2).unwrap_or_default());
        })?;
        file.write_all(bytes)
    }

    pub(crate) fn set_mode(&self, file: &File, mode: u32) -> io::Result<()> {
        self.step()?;
        Ok(fs::fchmod(file, bits(mode))?)
    }

    pub(crate) fn set_owner(&self, file: &File, user: u32, group: u32) -> io::Result<()> {
        self.step()?;
        Ok(fs::fchown(file, Some(Uid::from_raw(user)), Some(Gid::from_raw(group)))?)
    }

    /// Sets the time of the last change to now.
    pub(crate) fn touch(&self, dir: Dir<'_>, name: &OsStr) -> io::Result<()> {
        self.step()?;
        let at = |nanoseconds| Timespec { tv_sec: 0, tv_nsec: nanoseconds };
        let times = Timestamps { last_access: at(UTIME_OMIT), last_modification: at(UTIME_NOW) };
        Ok(fs::utimensat(dir, name, &times, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    pub(crate) fn sync(&self, file: &File) -> io::Result<()> {
        self.step()?;
        flush(file)
    }

    /// Makes renames in this folder durable. The handle may be a mere place holder, so the folder is opened once more.
    pub(crate) fn sync_dir(&self, dir: Dir<'_>) -> io::Result<()> {
        self.step()?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        flush(&File::from(fs::openat(dir, ".", flags, Mode::empty())?))
    }

    pub(crate) fn rename(&self, dir: Dir<'_>, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.rename_into(dir, from, dir, to)
    }

    pub(crate) fn rename_into(
        &self,
        dir: Dir<'_>,
        from: &OsStr,
        to_dir: Dir<'_>,
        to: &OsStr,
    ) -> io::Result<()> {
        self.step()?;
        Ok(fs::renameat(dir, from, to_dir, to)?)
    }

    /// Like [`Disk::rename`], but an existing `to` is an error wherever the file system can promise that.
    pub(crate) fn rename_new(&self, dir: Dir<'_>, from: &OsStr, to: &OsStr) -> io::Result<()> {
        use rustix::io::Errno;
        self.step()?;
        match fs::renameat_with(dir, from, dir, to, fs::RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            done => return Ok(done?),
        }
        match fs::statat(dir, to, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Err(Errno::EXIST.into()),
            Err(Errno::NOENT) => Ok(fs::renameat(dir, from, dir, to)?),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn hard_link(&self, dir: Dir<'_>, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.step()?;
        Ok(fs::linkat(dir, from, dir, to, AtFlags::empty())?)
    }

    pub(crate) fn symlink(&self, target: &OsStr, dir: Dir<'_>, name: &OsStr) -> io::Result<()> {
        self.step()?;
        Ok(fs::symlinkat(target, dir, name)?)
    }

    /// Removes a file; one that is already gone is not an error.
    pub(crate) fn unlink(&self, dir: Dir<'_>, name: &OsStr) -> io::Result<()> {
        self.step()?;
        gone_is_fine(fs::unlinkat(dir, name, AtFlags::empty()))
    }

    /// Makes a folder, or finds it made, and opens it.
    pub(crate) fn make_dir(&self, dir: Dir<'_>, name: &OsStr, mode: u32) -> io::Result<OwnedFd> {
        self.step()?;
        match fs::mkdirat(dir, name, bits(mode)) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => open_dir(dir, name),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a folder if it is empty; one that is in use or already gone is not an error.
    pub(crate) fn remove_dir(&self, dir: Dir<'_>, name: &OsStr) -> io::Result<()> {
        use rustix::io::Errno;
        self.step()?;
        match fs::unlinkat(dir, name, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => Ok(()),
            done => gone_is_fine(done),
        }
    }

    #[cfg(not(test))]
    #[inline]
    fn step(&self) -> io::Result<()> {
        Ok(())
    }

    #[cfg(test)]
    fn step(&self) -> io::Result<()> {
        self.faults.step()
    }
}

/// Opens a folder by its own name, not through a link.
pub(crate) fn open_dir(dir: Dir<'_>, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(fs::openat(dir, name, flags | PLACE, Mode::empty())?)
}

/// Linux can hold a folder without the right to list it.
#[cfg(target_os = "linux")]
pub(crate) const PLACE: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
pub(crate) const PLACE: OFlags = OFlags::RDONLY;

/// No file of the state folder is larger, whoever wrote it.
const LARGEST: u64 = 256 << 20;

/// Reads a whole file of the state folder; `None` if there is none.
pub(crate) fn read_file(dir: Dir<'_>, name: &OsStr) -> io::Result<Option<Vec<u8>>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match fs::openat(dir, name, flags, Mode::empty()) {
        Ok(file) => {
            let mut bytes = Vec::new();
            File::from(file).take(LARGEST).read_to_end(&mut bytes)?;
            Ok(Some(bytes))
        }
        Err(rustix::io::Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether the name is taken, by anything.
pub(crate) fn exists(dir: impl AsFd, name: &OsStr) -> io::Result<bool> {
    match fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Ok(true),
        Err(rustix::io::Errno::NOENT) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// A mode as the system's own type, whose width differs between systems.
fn bits(mode: u32) -> Mode {
    Mode::from_raw_mode(mode as fs::RawMode)
}

/// Waits for the disk. No test can see whether this was done, and thousands of them would wait for it, so there it is only counted as a step.
fn flush(file: &File) -> io::Result<()> {
    if cfg!(test) { Ok(()) } else { file.sync_all() }
}

fn gone_is_fine(done: rustix::io::Result<()>) -> io::Result<()> {
    match done {
        Err(rustix::io::Errno::NOENT) | Ok(()) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
pub(crate) mod faults;
