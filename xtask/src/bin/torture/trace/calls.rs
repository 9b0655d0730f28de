//! Which system calls change a file, and what they say of it. Start from [`CALLS`].

use std::fs;
use std::path::{Path, PathBuf};

/// How a call names what it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// An open file, in this argument.
    Open(usize),
    /// A path, at the address in this argument.
    Path(usize),
    /// The same, but only if these flags in the second argument have `O_CREAT`.
    Made(usize, usize),
    /// Nothing: a process is begun.
    Process,
}

pub(super) struct Call {
    pub(super) number: i64,
    pub(super) name: &'static str,
    pub(super) target: Target,
    /// The argument with the number of bytes, of which half can be let through.
    pub(super) length: Option<usize>,
}

const fn call(number: i64, name: &'static str, target: Target) -> Call {
    Call { number, name, target, length: None }
}

const fn write(number: i64, name: &'static str) -> Call {
    Call { number, name, target: Target::Open(0), length: Some(2) }
}

pub(super) const CALLS: &[Call] = &[
    write(libc::SYS_write, "write"),
    write(libc::SYS_pwrite64, "pwrite"),
    call(libc::SYS_writev, "writev", Target::Open(0)),
    call(libc::SYS_pwritev, "pwritev", Target::Open(0)),
    call(libc::SYS_pwritev2, "pwritev2", Target::Open(0)),
    call(libc::SYS_copy_file_range, "copy_file_range", Target::Open(2)),
    call(libc::SYS_sendfile, "sendfile", Target::Open(0)),
    call(libc::SYS_ftruncate, "ftruncate", Target::Open(0)),
    call(libc::SYS_fallocate, "fallocate", Target::Open(0)),
    call(libc::SYS_fsync, "fsync", Target::Open(0)),
    call(libc::SYS_fdatasync, "fdatasync", Target::Open(0)),
    call(libc::SYS_fchmod, "fchmod", Target::Open(0)),
    call(libc::SYS_fchown, "fchown", Target::Open(0)),
    call(libc::SYS_open, "open", Target::Made(0, 1)),
    call(libc::SYS_openat, "openat", Target::Made(1, 2)),
    call(libc::SYS_creat, "creat", Target::Path(0)),
    call(libc::SYS_truncate, "truncate", Target::Path(0)),
    call(libc::SYS_rename, "rename", Target::Path(1)),
    call(libc::SYS_renameat, "renameat", Target::Path(3)),
    call(libc::SYS_renameat2, "renameat2", Target::Path(3)),
    call(libc::SYS_unlink, "unlink", Target::Path(0)),
    call(libc::SYS_unlinkat, "unlinkat", Target::Path(1)),
    call(libc::SYS_rmdir, "rmdir", Target::Path(0)),
    call(libc::SYS_mkdir, "mkdir", Target::Path(0)),
    call(libc::SYS_mkdirat, "mkdirat", Target::Path(1)),
    call(libc::SYS_link, "link", Target::Path(1)),
    call(libc::SYS_linkat, "linkat", Target::Path(3)),
    call(libc::SYS_symlink, "symlink", Target::Path(1)),
    call(libc::SYS_symlinkat, "symlinkat", Target::Path(2)),
    call(libc::SYS_chmod, "chmod", Target::Path(0)),
    call(libc::SYS_fchmodat, "fchmodat", Target::Path(1)),
    call(libc::SYS_utimensat, "utimensat", Target::Path(1)),
    call(libc::SYS_fork, "fork", Target::Process),
    call(libc::SYS_vfork, "vfork", Target::Process),
    call(libc::SYS_clone, "clone", Target::Process),
    call(libc::SYS_clone3, "clone3", Target::Process),
];

/// What a call is about to change: none if it changes no file beneath one of `roots`.
pub(super) fn target(call: &Call, thread: i32, values: &[u64; 6], roots: &[PathBuf]) -> Option<String> {
    let value = |index: usize| values.get(index).copied().unwrap_or(0);
    let beneath = |path: &Path| roots.iter().any(|root| path.starts_with(root));
    match call.target {
        Target::Open(index) => {
            let path = fs::read_link(format!("/proc/{thread}/fd/{}", value(index) as i32)).ok()?;
            beneath(&path).then(|| path.display().to_string())
        }
        Target::Made(path, flags) => {
            (value(flags) & libc::O_CREAT as u64 != 0).then(|| text(thread, value(path)))
        }
        Target::Path(index) => Some(text(thread, value(index))),
        Target::Process => Some("a process".to_owned()),
    }
    .filter(|name| !name.starts_with('/') || beneath(Path::new(name)))
}

/// The words at an address of a traced process.
pub(super) fn text(thread: i32, address: u64) -> String {
    let mut bytes = [0u8; 512];
    let memory = fs::File::open(format!("/proc/{thread}/mem"));
    let read = memory.and_then(|memory| std::os::unix::fs::FileExt::read_at(&memory, &mut bytes, address));
    let found = bytes.get(..read.unwrap_or(0)).unwrap_or_default();
    let end = found.iter().position(|byte| *byte == 0).unwrap_or(found.len());
    String::from_utf8_lossy(found.get(..end).unwrap_or_default()).replace('\n', " ")
}
