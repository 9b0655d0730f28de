//! What the kernel knows about a child: its processor time and its memory. Start from [`Watch`].
//!
//! The standard library waits for children, but does not tell what they used. This is the only place
//! with unsafe code.

use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What a child used until its end.
pub struct Usage {
    pub code: Option<i32>,
    /// User and system time, with those of the children that it waited for.
    pub processor: Duration,
    /// The most memory that was resident at once, in bytes; 0 if nobody looked.
    pub memory: u64,
    pub in_time: bool,
}

/// Whether the memory of a child is looked at while it runs, which costs it a little time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    Ignored,
    Watched,
}

/// Guards a child that leads its own process group: kills the group when its time is over.
pub struct Watch {
    child: libc::pid_t,
    over: Sender<()>,
    thread: JoinHandle<Seen>,
}

struct Seen {
    memory: u64,
    in_time: bool,
}

impl Watch {
    pub fn start(child: u32, memory: Memory, end: Instant) -> io::Result<Self> {
        let child = libc::pid_t::try_from(child).map_err(io::Error::other)?;
        let (over, told) = mpsc::channel();
        let thread = thread::spawn(move || {
            let mut seen = Seen { memory: 0, in_time: true };
            loop {
                let left = end.saturating_duration_since(Instant::now());
                let step = match memory {
                    Memory::Watched => left.min(Duration::from_millis(1)),
                    Memory::Ignored => left,
                };
                match told.recv_timeout(step) {
                    Err(RecvTimeoutError::Timeout) if memory == Memory::Watched && !left.is_zero() => {
                        seen.memory = peak(child).unwrap_or(0).max(seen.memory);
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        seen.in_time = false;
                        kill_group(child);
                        return seen;
                    }
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => return seen,
                }
            }
        });
        Ok(Self { child, over, thread })
    }

    /// Waits for the end of the child and for nothing else.
    pub fn finish(self) -> io::Result<Usage> {
        // The id stays the child's until it is reaped, so the guard never kills a stranger.
        await_end(self.child)?;
        let _ = self.over.send(());
        let seen = self.thread.join().map_err(|_| io::Error::other("the guard panicked"))?;
        let (code, processor) = reap(self.child)?;
        Ok(Usage { code, processor, memory: seen.memory, in_time: seen.in_time })
    }
}

/// The high-water mark of the memory of a process that runs.
///
/// The figure that `wait4` gives is no use: a child inherits the mark of the process that started it.
pub fn peak(child: libc::pid_t) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{child}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Lets this process open as many files as it may: every client of a server is one.
pub fn allow_many_files() {
    let mut limit = MaybeUninit::<libc::rlimit>::zeroed();
    // SAFETY: `limit` is valid for writes, and is read only after the kernel has filled it in.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, limit.as_mut_ptr()) == 0 {
            let mut limit = limit.assume_init();
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
        }
    }
}

/// Waits until the child has ended, and leaves it to be reaped.
fn await_end(child: libc::pid_t) -> io::Result<()> {
    let id = libc::id_t::try_from(child).map_err(io::Error::other)?;
    retry(|| {
        let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
        // SAFETY: `info` is valid for writes, and nothing reads it afterwards.
        unsafe { libc::waitid(libc::P_PID, id, info.as_mut_ptr(), libc::WEXITED | libc::WNOWAIT) }
    })
}

/// The exit code, if the child was not killed, and the processor time.
fn reap(child: libc::pid_t) -> io::Result<(Option<i32>, Duration)> {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    retry(|| {
        // SAFETY: both are valid for writes.
        unsafe { libc::wait4(child, &raw mut status, 0, usage.as_mut_ptr()) }
    })?;
    // SAFETY: a structure of numbers, zeroed before and filled in by the kernel.
    let usage = unsafe { usage.assume_init() };
    let code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
    Ok((code, duration(usage.ru_utime) + duration(usage.ru_stime)))
}

fn kill_group(child: libc::pid_t) {
    // SAFETY: it touches no memory of this process. The group may be gone already, which is as good.
    unsafe { libc::kill(-child, libc::SIGKILL) };
}

/// Calls again when a signal came in between.
fn retry(mut call: impl FnMut() -> i32) -> io::Result<()> {
    loop {
        if call() != -1 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let microseconds = u64::try_from(time.tv_usec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(microseconds)
}
