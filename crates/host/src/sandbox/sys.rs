//! The system calls of the wall, one thin function each: errors become `io::Error`, descriptors become `OwnedFd`.
//! Nothing here decides anything. It exists because most of these calls have no safe wrapper anywhere.

use std::ffi::{CStr, CString};
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use libc::{c_int, c_long, c_uint, c_ulong};

pub const RDONLY: u64 = 0x1;
pub const NOSUID: u64 = 0x2;
pub const NODEV: u64 = 0x4;
pub const NOEXEC: u64 = 0x8;

const OPEN_TREE_CLONE: c_uint = 1;
const OPEN_TREE_CLOEXEC: c_uint = libc::O_CLOEXEC as c_uint;
const MOVE_MOUNT_F_EMPTY_PATH: c_uint = 0x4;
const FSCONFIG_SET_STRING: c_uint = 1;
const FSCONFIG_CMD_CREATE: c_uint = 6;

/// A path relative to a directory, or from the root or the working directory if there is none.
pub type Base<'a> = Option<BorrowedFd<'a>>;

pub fn check(result: c_long) -> io::Result<c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// # Safety
/// `result` must be what a call that returns a new descriptor gave back, or negative.
unsafe fn descriptor(result: c_long) -> io::Result<OwnedFd> {
    let raw = check(result)? as RawFd;
    // SAFETY: the caller promises that nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(raw) })
}

pub fn cstring(bytes: &[u8]) -> io::Result<CString> {
    CString::new(bytes).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}

fn raw(base: Base<'_>) -> c_int {
    base.map_or(libc::AT_FDCWD, |fd| fd.as_raw_fd())
}

fn path(path: &Path) -> io::Result<CString> {
    cstring(path.as_os_str().as_bytes())
}

pub fn make_private() -> io::Result<()> {
    let flags = libc::MS_REC | libc::MS_PRIVATE;
    // SAFETY: every pointer is null or a constant string.
    check(
        unsafe { libc::mount(std::ptr::null(), c"/".as_ptr(), std::ptr::null(), flags, std::ptr::null()) }
            .into(),
    )?;
    Ok(())
}

/// A detached copy of what is mounted at `at`, with everything mounted below it.
pub fn copy_tree(base: Base<'_>, at: &Path) -> io::Result<OwnedFd> {
    let flags = OPEN_TREE_CLONE
        | OPEN_TREE_CLOEXEC
        | libc::AT_RECURSIVE as c_uint
        | libc::AT_SYMLINK_NOFOLLOW as c_uint
        | libc::AT_EMPTY_PATH as c_uint;
    let at = path(at)?;
    // SAFETY: `at` lives until the call returns.
    unsafe { descriptor(libc::syscall(libc::SYS_open_tree, raw(base), at.as_ptr(), flags)) }
}

/// A new file system of a kind, detached.
pub fn new_mount(kind: &CStr, options: &[(&CStr, &CStr)], attributes: u64) -> io::Result<OwnedFd> {
    // SAFETY: all pointers come from C strings that outlive the calls; the context is closed on return.
    unsafe {
        let context = descriptor(libc::syscall(libc::SYS_fsopen, kind.as_ptr(), 1))?;
        let configure = |command: c_uint, key: *const libc::c_char, value: *const libc::c_char| {
            check(libc::syscall(libc::SYS_fsconfig, context.as_raw_fd(), command, key, value, 0))
        };
        for (key, value) in options {
            configure(FSCONFIG_SET_STRING, key.as_ptr(), value.as_ptr())?;
        }
        configure(FSCONFIG_CMD_CREATE, std::ptr::null(), std::ptr::null())?;
        descriptor(libc::syscall(libc::SYS_fsmount, context.as_raw_fd(), 1, attributes as c_uint))
    }
}

/// Attaches a detached mount at an existing path.
pub fn attach(mount: BorrowedFd<'_>, at: &Path) -> io::Result<()> {
    let at = path(at)?;
    // SAFETY: both paths live until the call returns.
    check(unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            mount.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_FDCWD,
            at.as_ptr(),
            MOVE_MOUNT_F_EMPTY_PATH,
        )
    })?;
    Ok(())
}

/// Which mounts an attribute is set on.
pub enum Reach {
    One,
    All,
}

pub fn set_mount(mount: BorrowedFd<'_>, reach: Reach, attributes: u64) -> io::Result<()> {
    change_mount(mount.as_raw_fd(), c"", libc::AT_EMPTY_PATH, reach, attributes)
}

pub fn set_mount_at(at: &CStr, reach: Reach, attributes: u64) -> io::Result<()> {
    change_mount(libc::AT_FDCWD, at, 0, reach, attributes)
}

fn change_mount(base: c_int, at: &CStr, flags: c_int, reach: Reach, attributes: u64) -> io::Result<()> {
    let change: [u64; 4] = [attributes, 0, 0, 0];
    let flags = flags | if matches!(reach, Reach::All) { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: `change` has the layout and size of `struct mount_attr`.
    check(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            base,
            at.as_ptr(),
            flags,
            change.as_ptr(),
            size_of_val(&change),
        )
    })?;
    Ok(())
}

/// Like `fork`, with clone flags. Only for a process with one thread.
pub fn fork(flags: c_int) -> io::Result<libc::pid_t> {
    let flags = (flags | libc::SIGCHLD) as c_ulong;
    // SAFETY: without a stack the child continues on a copy of this one, as after `fork`.
    check(unsafe { libc::syscall(libc::SYS_clone, flags, 0usize, 0usize, 0usize, 0usize) })
        .map(|pid| pid as libc::pid_t)
}

/// Does `work` in a child that shares this process's memory, which waits until the child has become another program or has
/// ended: nothing is copied for it. The result of `work` is its exit code. Only for a process with one thread.
pub fn spawn<F: Fn() -> c_int>(flags: c_int, work: F) -> io::Result<libc::pid_t> {
    extern "C" fn begin<F: Fn() -> c_int>(work: *mut libc::c_void) -> c_int {
        // SAFETY: it is the work of the caller, who waits on its stack.
        unsafe { (*work.cast::<F>())() }
    }
    // The child needs a stack of its own; the kernel gives memory only for what is used of it.
    let mut stack = vec![0u128; (256 << 10) / size_of::<u128>()];
    let flags = flags | libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: stacks grow down from the aligned end of the memory, which outlives the child's use of it, as `work` does:
    // this process goes on only when the child has left them.
    let pid = unsafe {
        let top = stack.as_mut_ptr().add(stack.len()).cast();
        libc::clone(begin::<F>, top, flags, (&raw const work).cast_mut().cast())
    };
    check(pid.into()).map(|pid| pid as libc::pid_t)
}

pub fn prctl(option: c_int, one: c_ulong, two: c_ulong) -> io::Result<c_int> {
    // SAFETY: only options without pointers are used.
    check(unsafe { libc::prctl(option, one, two, 0, 0) }.into()).map(|value| value as c_int)
}

/// Gives up every capability but `keep` for good; this process itself also keeps `own`, which no program that it
/// becomes or starts can have.
pub fn keep_capabilities(keep: u64, own: u64) -> io::Result<()> {
    for number in 0..64 {
        if keep & (1 << number) == 0 && prctl(libc::PR_CAPBSET_DROP, number, 0).is_err() {
            break;
        }
    }
    let header: [u32; 2] = [0x2008_0522, 0];
    let set = |kept: u64| {
        let (low, high) = (kept as u32, (kept >> 32) as u32);
        // Effective, permitted and inheritable, in two halves.
        let sets: [u32; 6] = [low, low, keep as u32, high, high, (keep >> 32) as u32];
        // SAFETY: the arrays have the layout of version 3 of the capability structures.
        check(unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), sets.as_ptr()) }).map(drop)
    };
    // An ordinary user without a user namespace has nothing to keep.
    set(keep | own).or_else(|_| set(keep))
}

pub fn close_from(first: c_uint) -> io::Result<()> {
    // SAFETY: callers own no descriptor at or above `first`.
    check(unsafe { libc::syscall(libc::SYS_close_range, first, c_uint::MAX, 0) })?;
    Ok(())
}

pub fn limit(resource: libc::__rlimit_resource_t, at_most: u64) -> io::Result<()> {
    let mut current = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both calls get a valid structure.
    unsafe {
        check(libc::getrlimit(resource, &mut current).into())?;
        let value = at_most.min(current.rlim_max);
        check(libc::setrlimit(resource, &libc::rlimit { rlim_cur: value, rlim_max: value }).into())?;
    }
    Ok(())
}

/// Opens with `openat2`; `resolve` are its `RESOLVE_` flags.
pub fn open(base: Base<'_>, at: &CStr, flags: c_int, mode: u32, resolve: u64) -> io::Result<OwnedFd> {
    let mode =
        if flags & (libc::O_CREAT | (libc::O_TMPFILE & !libc::O_DIRECTORY)) != 0 { mode & 0o7777 } else { 0 };
    let how: [u64; 3] = [(flags | libc::O_CLOEXEC) as u32 as u64, mode.into(), resolve];
    // SAFETY: `how` has the layout and size of `struct open_how`.
    unsafe {
        descriptor(libc::syscall(libc::SYS_openat2, raw(base), at.as_ptr(), how.as_ptr(), size_of_val(&how)))
    }
}

pub fn open_path(at: &Path) -> io::Result<OwnedFd> {
    open(None, &path(at)?, libc::O_PATH, 0, 0)
}

pub fn status(base: BorrowedFd<'_>, name: &CStr) -> io::Result<libc::stat> {
    let flags = libc::AT_SYMLINK_NOFOLLOW | libc::AT_EMPTY_PATH;
    let mut status = std::mem::MaybeUninit::uninit();
    // SAFETY: the kernel fills the structure before it reports success.
    unsafe {
        check(libc::fstatat(base.as_raw_fd(), name.as_ptr(), status.as_mut_ptr(), flags).into())?;
        Ok(status.assume_init())
    }
}

/// Whether something is mounted at exactly this path.
pub fn is_mount(at: &Path) -> bool {
    let Ok(at) = path(at) else { return false };
    // SAFETY: the structure is zeroed and the path ends with a zero byte.
    unsafe {
        let mut found: libc::statx = std::mem::zeroed();
        let flags = libc::AT_SYMLINK_NOFOLLOW | libc::AT_NO_AUTOMOUNT;
        libc::statx(libc::AT_FDCWD, at.as_ptr(), flags, 0, &raw mut found) == 0
            && found.stx_attributes & libc::STATX_ATTR_MOUNT_ROOT as u64 != 0
    }
}

/// What is left of a file system, and how it is mounted where a path leads.
pub struct Space {
    pub blocks: u64,
    pub files: u64,
    pub flags: c_ulong,
}

pub fn space(at: &Path) -> io::Result<Space> {
    let at = path(at)?;
    let mut found = std::mem::MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: the kernel fills the structure before it reports success.
    unsafe {
        check(libc::statvfs(at.as_ptr(), found.as_mut_ptr()).into())?;
        let found = found.assume_init();
        Ok(Space { blocks: found.f_bfree, files: found.f_ffree, flags: found.f_flag })
    }
}

/// How many bytes the names of a path's attributes take.
pub fn attributes(at: &Path) -> io::Result<usize> {
    let at = path(at)?;
    // SAFETY: without a buffer the call only counts.
    check(unsafe { libc::listxattr(at.as_ptr(), std::ptr::null_mut(), 0) } as c_long)
        .map(|count| count as usize)
}

/// What a small file of the kernel says. Their size is not told beforehand, so that they are else read in many pieces.
pub fn read_small(at: &str) -> io::Result<String> {
    let mut bytes = [0; 4096];
    let count = std::fs::File::open(at)?.read(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes[..count]).into_owned())
}

/// Sets the mask of modes that new files do not get; the result is the one before.
pub fn umask(mask: libc::mode_t) -> libc::mode_t {
    // SAFETY: no memory is involved, and the call cannot fail.
    unsafe { libc::umask(mask) }
}

/// Makes a pipe to be written what it was when it was new, whatever somebody who had it before did to it.
pub fn renew_pipe(fd: RawFd) -> io::Result<()> {
    // SAFETY: no memory is involved.
    unsafe {
        check(libc::fcntl(fd, libc::F_SETFL, 0).into())?;
        // Neither is worth failing for: a small pipe is slow, and a lock on one holds up nobody who does not ask for it.
        libc::fcntl(fd, libc::F_SETPIPE_SZ, 64 << 10);
        libc::flock(fd, libc::LOCK_UN);
    }
    Ok(())
}

pub fn kill(pid: libc::pid_t, signal: c_int) {
    // SAFETY: no memory is involved. A process that is already gone is no error.
    unsafe { libc::kill(pid, signal) };
}

/// What became of a child.
pub struct Ended {
    pub pid: libc::pid_t,
    /// As a shell counts: the exit code, or 128 and the signal's number.
    pub code: i32,
}

/// Whether to wait for a child or only look.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    Wait,
    Look,
}

/// The next child that ended; `None` if there are children but none has ended.
pub fn reap(pid: libc::pid_t, patience: Patience) -> io::Result<Option<Ended>> {
    let mut status = 0;
    let flags = if patience == Patience::Look { libc::WNOHANG } else { 0 };
    loop {
        // SAFETY: `status` is valid for writing.
        let found = unsafe { libc::waitpid(pid, &mut status, flags) };
        if found < 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted {
            continue;
        }
        let pid = check(found.into())? as libc::pid_t;
        let code =
            if libc::WIFSIGNALED(status) { 128 + libc::WTERMSIG(status) } else { libc::WEXITSTATUS(status) };
        return Ok((pid > 0).then_some(Ended { pid, code }));
    }
}

/// Waits until one of the descriptors has something, at most `milliseconds` (-1 for ever).
pub fn poll(fds: &mut [libc::pollfd], milliseconds: c_int) -> io::Result<usize> {
    loop {
        // SAFETY: the slice is valid and its length is given.
        let found = unsafe { libc::poll(fds.as_mut_ptr(), fds.len() as libc::nfds_t, milliseconds) };
        match check(found.into()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => return other.map(|count| count as usize),
        }
    }
}

pub fn watch(fd: &impl AsFd, events: libc::c_short) -> libc::pollfd {
    libc::pollfd { fd: fd.as_fd().as_raw_fd(), events, revents: 0 }
}

/// A descriptor that becomes readable when a child ends; the signal itself stays blocked.
pub fn child_signals() -> io::Result<OwnedFd> {
    // SAFETY: the set is initialised before use.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGCHLD);
        check(libc::sigprocmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()).into())?;
        descriptor(libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK).into())
    }
}

/// Back to the signals of a fresh process: nothing blocked, nothing ignored.
pub fn reset_signals() {
    // SAFETY: setting a default disposition and an empty mask is always sound.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigprocmask(libc::SIG_SETMASK, &set, std::ptr::null_mut());
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
}
