//! Landlock: what the kernel itself forbids a process to do with files, whatever is mounted. Start from [`Ruleset`].
//! Rights can only be given up, and only paths that exist can be named: what is not named is forbidden.

use std::fs;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use super::confine::{Refused, Step};
use super::zones::Zones;
use super::{Spec, Wall, paths, sys};

const EXECUTE: u64 = 1 << 0;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const REMOVE: u64 = (1 << 4) | (1 << 5);
const TRUNCATE: u64 = 1 << 14;
const DEVICE_CONTROL: u64 = 1 << 15;

const READ: u64 = EXECUTE | READ_FILE | READ_DIR;
/// Rights that make sense for a file; the kernel refuses the others in a rule about one.
const OF_FILES: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_CONTROL;
/// What may be done in a closed directory when protected paths are held by mounts: everything but making names.
const CLOSED: u64 = READ | WRITE_FILE | TRUNCATE | REMOVE | DEVICE_CONTROL;

/// The kernel must know how to move files between directories (version 2, Linux 5.19), or `mv` would not work.
const OLDEST: i64 = 2;

/// Devices that a command may use when it sees the host's `/dev`.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts"];

/// Rules that are ready to bind the process that enforces them, and all its children.
pub struct Ruleset {
    rules: OwnedFd,
    handled: u64,
}

impl Ruleset {
    pub fn of(spec: &Spec, zones: &Zones) -> Result<Self, Refused> {
        let ruleset = Self::new().step("asking for landlock")?;
        ruleset.fill(spec, zones).step("writing landlock rules")?;
        Ok(ruleset)
    }

    /// Binds this process for good. It must have given up new privileges before.
    pub fn enforce(&self) -> io::Result<()> {
        // SAFETY: no memory is involved.
        sys::check(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, self.rules.as_raw_fd(), 0) })?;
        Ok(())
    }

    fn new() -> io::Result<Self> {
        // SAFETY: with this flag the call takes no structure and returns the version.
        let version =
            sys::check(unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, 0usize, 0usize, 1) })?;
        if version < OLDEST {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "Linux 5.19 or newer is needed"));
        }
        let handled = match version {
            2 => (1 << 14) - 1,
            3..5 => (1 << 15) - 1,
            _ => (1 << 16) - 1,
        };
        // Files, TCP (left to the network namespace and seccomp, which also see UDP), abstract sockets and signals.
        let attributes: [u64; 3] = [handled, 0, 0b11];
        let size = if version < 6 { 8 } else { 24 };
        // SAFETY: the array has the layout of `struct landlock_ruleset_attr`, of which `size` bytes are valid.
        let rules = sys::check(unsafe {
            libc::syscall(libc::SYS_landlock_create_ruleset, attributes.as_ptr(), size as usize, 0)
        })?;
        // SAFETY: the call returned a new descriptor.
        Ok(Self { rules: unsafe { OwnedFd::from_raw_fd(rules as i32) }, handled })
    }

    fn fill(&self, spec: &Spec, zones: &Zones) -> io::Result<()> {
        let everything = self.handled;
        if spec.wall == Wall::Full {
            self.allow(Path::new("/"), READ)?;
            for path in zones.closed() {
                self.allow(path, CLOSED)?;
            }
        } else {
            // Beside secrets: disks, which their owner may read raw, and what services keep for themselves.
            let hidden = [zones.masked(), &["/dev".into(), "/run".into()]].concat();
            self.allow(Path::new("/"), READ_DIR)?;
            self.allow_except(Path::new("/"), &hidden)?;
            self.allow(Path::new("/dev/shm"), READ)?;
            // It may lie in what is hidden.
            self.allow_except(&spec.workspace, zones.masked())?;
            for name in DEVICES {
                self.allow(&Path::new("/dev").join(name), READ | WRITE_FILE | DEVICE_CONTROL)?;
            }
            for path in paths::RUN_KEPT {
                self.allow(Path::new(path), READ)?;
            }
            for path in zones.files() {
                self.allow(&path, OF_FILES)?;
            }
        }
        for path in zones.open() {
            self.allow(&path, everything)?;
        }
        Ok(())
    }

    /// Allows reading all below `path` but the masked paths, by naming everything beside the ways to them.
    fn allow_except(&self, path: &Path, masked: &[PathBuf]) -> io::Result<()> {
        if masked.iter().any(|secret| secret == path) {
            return Ok(());
        }
        if !masked.iter().any(|secret| secret.starts_with(path)) {
            return self.allow(path, READ);
        }
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            // A link gives no right of its own: what it leads to is named where it is.
            if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
                self.allow_except(&entry.path(), masked)?;
            }
        }
        Ok(())
    }

    /// Allows `rights` on a path and everything below it. A path that has gone, or that this user cannot reach, needs no rule.
    fn allow(&self, path: &Path, rights: u64) -> io::Result<()> {
        let Ok(target) = sys::open_path(path) else {
            return Ok(());
        };
        let kind = sys::status(std::os::fd::AsFd::as_fd(&target), c"")?.st_mode & libc::S_IFMT;
        let rights = if kind == libc::S_IFDIR { rights } else { rights & OF_FILES } & self.handled;
        #[repr(C, packed)]
        struct Rule {
            rights: u64,
            target: i32,
        }
        let rule = Rule { rights, target: target.as_raw_fd() };
        // SAFETY: `rule` has the layout of `struct landlock_path_beneath_attr`, which is packed; 1 is its kind.
        sys::check(unsafe {
            libc::syscall(libc::SYS_landlock_add_rule, self.rules.as_raw_fd(), 1, &raw const rule, 0)
        })?;
        Ok(())
    }
}
