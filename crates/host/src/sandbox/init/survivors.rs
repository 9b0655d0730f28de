//! Ending what a command leaves behind where there is no PID namespace to do it. Start from [`end`].
//! As this process adopts every orphan below it, whatever the command started is found by walking down from here.

use std::collections::HashMap;
use std::fs;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use libc::pid_t;

use super::sys::{self, Patience};

/// Processes that start others faster than they are killed are given up on after this long.
const LIMIT: Duration = Duration::from_millis(1500);

/// Kills every descendant and waits for it, over and over: one may start another while being killed.
pub fn end(signals: &OwnedFd) {
    let start = Instant::now();
    while sys::reap(-1, Patience::Look).is_ok() && start.elapsed() < LIMIT {
        signal(libc::SIGKILL);
        let _ = sys::poll(&mut [sys::watch(signals, libc::POLLIN)], 10);
        // SAFETY: the buffer is valid; the notices say nothing that is needed.
        unsafe {
            let mut notices = [0u8; 1024];
            libc::read(signals.as_raw_fd(), notices.as_mut_ptr().cast(), notices.len());
        }
        while let Ok(Some(_)) = sys::reap(-1, Patience::Look) {}
    }
}

/// Sends a signal to every descendant.
pub fn signal(signal: libc::c_int) {
    for pid in descendants(std::process::id() as pid_t) {
        sys::kill(pid, signal);
    }
}

fn descendants(of: pid_t) -> Vec<pid_t> {
    let mut children: HashMap<pid_t, Vec<pid_t>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if let Some((pid, parent)) = pid.and_then(|pid| Some((pid, parent(pid)?))) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let (mut found, mut next) = (Vec::new(), vec![of]);
    while let Some(pid) = next.pop() {
        let below = children.remove(&pid).unwrap_or_default();
        next.extend(&below);
        found.extend(below);
    }
    found
}

fn parent(pid: pid_t) -> Option<pid_t> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in brackets and may itself contain brackets and blanks.
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}
