//! A program in a terminal of its own, watched byte by byte. Start from [`Window::open`].

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::program::Fault;

/// How long something is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal with a program in it; both end when it is dropped.
pub struct Window {
    master: File,
    child: Child,
    seen: Arc<(Mutex<Vec<u8>>, Condvar)>,
    pub started: Instant,
}

impl Window {
    pub fn open(mut command: Command, columns: u16, rows: u16) -> io::Result<Self> {
        let (master, slave) = pair(columns, rows)?;
        command.stdin(Stdio::from(slave.try_clone()?)).stdout(Stdio::from(slave.try_clone()?));
        command.stderr(Stdio::from(slave));
        // SAFETY: both calls may be made between fork and exec; they make the terminal the program's own.
        unsafe {
            command.pre_exec(|| {
                match libc::setsid() == -1 || libc::ioctl(0, libc::TIOCSCTTY as _, 0) == -1 {
                    true => Err(io::Error::last_os_error()),
                    false => Ok(()),
                }
            });
        }
        let started = Instant::now();
        let child = command.spawn()?;
        let seen = Arc::<(Mutex<Vec<u8>>, Condvar)>::default();
        let (mut source, kept) = (master.try_clone()?, seen.clone());
        thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(count @ 1..) = source.read(&mut buffer) {
                kept.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&buffer[..count]);
                kept.1.notify_all();
            }
        });
        Ok(Self { master, child, seen, started })
    }

    pub fn keys(&mut self, keys: &str) -> Result<(), Fault> {
        self.master.write_all(keys.as_bytes()).map_err(|error| Fault::NotStarted(error.to_string()))
    }

    /// How many bytes the program has written.
    pub fn written(&self) -> usize {
        self.seen().len()
    }

    /// Waits until `text` was written after the first `from` bytes; gives when that was seen.
    pub fn wait_for(&self, text: &str, from: usize) -> Result<Instant, Fault> {
        let end = Instant::now() + PATIENCE;
        let mut seen = self.seen();
        loop {
            let new = seen.get(from..).unwrap_or_default();
            if new.windows(text.len()).any(|window| window == text.as_bytes()) {
                return Ok(Instant::now());
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Fault::NoTime);
            }
            (seen, _) = self.seen.1.wait_timeout(seen, left).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The memory that the program has now, in bytes.
    pub fn memory(&self) -> Result<u64, Fault> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line
            .and_then(|line| line.split_whitespace().next())
            .and_then(|number| number.parse::<u64>().ok());
        kilobytes
            .map(|number| number * 1024)
            .ok_or(Fault::Senseless("the kernel does not tell how much memory a process has"))
    }

    fn seen(&self) -> MutexGuard<'_, Vec<u8>> {
        self.seen.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The two ends of a new terminal: the one that a person would sit at, and the program's.
fn pair(columns: u16, rows: u16) -> io::Result<(File, OwnedFd)> {
    let (mut master, mut slave) = (-1, -1);
    let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the pointers are to values that live through the call; a name and settings are not asked for.
    let made =
        unsafe { libc::openpty(&mut master, &mut slave, std::ptr::null_mut(), std::ptr::null(), &size) };
    if made == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call has just made both, and nobody else has them.
    let (master, slave) = unsafe { (File::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) };
    // SAFETY: the descriptor is open. The program must not inherit the person's end, or it would never see it close.
    unsafe { libc::fcntl(master.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) };
    Ok((master, slave))
}
