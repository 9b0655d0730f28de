//! A program that runs: its output so far, its end, and signals to it.
//!
//! Start from [`Running`]. Only the value itself reaps the process, so a signal never meets
//! another process that got the same id.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};

use super::{End, Outcome, Stdin};
use crate::server::Server;

/// How long the output is waited for once the program has ended: a grandchild may hold the pipe.
const DRAIN: Duration = Duration::from_secs(2);

/// A running program. It is killed when dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    watch: Arc<Watch>,
    started: Instant,
    deadline: Instant,
    reaped: Option<ExitStatus>,
}

/// What the watching threads have seen.
#[derive(Debug, Default)]
struct Watch {
    seen: Mutex<Seen>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Seen {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    closed: usize,
    ended: bool,
}

impl Running {
    pub(super) fn start(mut command: Command, stdin: Stdin, patience: Duration) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(match stdin {
            Stdin::Nothing => Stdio::null(),
            Stdin::Bytes(_) | Stdin::Open => Stdio::piped(),
        });
        let started = Instant::now();
        let mut child = command
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {:?}: {error}", command.get_program()));
        let watch = Arc::new(Watch::default());
        watch.follow(child.stdout.take(), |seen| &mut seen.stdout);
        watch.follow(child.stderr.take(), |seen| &mut seen.stderr);
        watch.end_of(pid(&child));
        let mut pipe = child.stdin.take();
        if let Stdin::Bytes(bytes) = stdin
            && let Some(mut pipe) = pipe.take()
        {
            // A program may end without having read everything, which is its right.
            thread::spawn(move || pipe.write_all(&bytes).is_ok());
        }
        Self { child, stdin: pipe, watch, started, deadline: started + patience, reaped: None }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What the program has printed on standard output so far.
    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.watch.lock().stdout).into_owned()
    }

    /// What the program has printed on standard error so far.
    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.watch.lock().stderr).into_owned()
    }

    /// Writes to the program's open standard input.
    ///
    /// # Panics
    /// If it was not left open, or the program does not read any more.
    pub fn say(&mut self, text: &str) {
        let pipe = self.stdin.as_mut().expect("standard input was not left open");
        let said = pipe.write_all(text.as_bytes()).and_then(|()| pipe.flush());
        said.unwrap_or_else(|error| panic!("the program does not read: {error}"));
    }

    /// Ends the program's open standard input.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Waits until standard output contains `text`.
    ///
    /// # Panics
    /// If the program ends or its deadline passes before.
    pub fn wait_for_stdout(&self, text: &str) {
        self.wait_for_text(text, |seen| &seen.stdout);
    }

    /// Waits until standard error contains `text`.
    ///
    /// # Panics
    /// If the program ends or its deadline passes before.
    pub fn wait_for_stderr(&self, text: &str) {
        self.wait_for_text(text, |seen| &seen.stderr);
    }

    /// Sends a signal to the program alone, not to its children.
    pub fn signal(&self, signal: Signal) {
        if self.reaped.is_none() {
            // It may have ended already, which is no fault of the test.
            let _ = kill_process(pid(&self.child), signal);
        }
    }

    /// Kills the program alone, as `kill -9` does, and gives what it had printed.
    pub fn kill(self) -> Outcome {
        self.signal(Signal::KILL);
        self.wait()
    }

    /// Kills the program once `server` has seen `count` requests, or at its deadline or end if
    /// that comes first.
    pub fn kill_after(self, server: &Server, count: usize) -> Outcome {
        while !self.over() {
            let left = self.deadline.saturating_duration_since(Instant::now());
            let step = left.min(Duration::from_millis(20));
            if server.wait_for_within(count, step).is_ok() {
                return self.kill();
            }
        }
        self.wait()
    }

    /// Waits for the end of the program, at most until its deadline.
    pub fn wait(mut self) -> Outcome {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let in_time = self.watch.wait(left, |seen| seen.ended);
        if !in_time {
            self.kill_group();
        }
        let elapsed = self.started.elapsed();
        let status = self.reap();
        self.watch.wait(DRAIN, |seen| seen.closed == 2);
        Outcome {
            end: if in_time { end(status) } else { End::Deadline },
            stdout: self.stdout(),
            stderr: self.stderr(),
            elapsed,
        }
    }

    fn over(&self) -> bool {
        self.watch.lock().ended || Instant::now() >= self.deadline
    }

    fn wait_for_text(&self, text: &str, output: fn(&Seen) -> &Vec<u8>) {
        let found = |seen: &Seen| {
            let mut windows = output(seen).windows(text.len().max(1));
            windows.any(|window| window == text.as_bytes())
        };
        let left = self.deadline.saturating_duration_since(Instant::now());
        self.watch.wait(left, |seen| found(seen) || seen.closed == 2);
        let printed = found(&self.watch.lock());
        assert!(
            printed,
            "the program did not print {text:?}\n--- stdout\n{}\n--- stderr\n{}",
            self.stdout(),
            self.stderr(),
        );
    }

    fn kill_group(&mut self) {
        let _ = kill_process_group(pid(&self.child), Signal::KILL);
    }

    fn reap(&mut self) -> ExitStatus {
        let status = self.child.wait().expect("a child can be waited for");
        self.reaped = Some(status);
        status
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.reaped.is_none() {
            self.kill_group();
            let _ = self.child.wait();
        }
    }
}

impl Watch {
    /// Gathers what comes out of a pipe, on a thread of its own.
    fn follow(
        self: &Arc<Self>,
        pipe: Option<impl Read + Send + 'static>,
        output: fn(&mut Seen) -> &mut Vec<u8>,
    ) {
        let watch = Arc::clone(self);
        thread::spawn(move || {
            let mut block = [0; 16 << 10];
            let mut pipe = pipe;
            while let Some(count) = pipe.as_mut().and_then(|pipe| pipe.read(&mut block).ok()) {
                let Some(bytes) = block.get(..count).filter(|bytes| !bytes.is_empty()) else {
                    break;
                };
                watch.change(|seen| output(seen).extend_from_slice(bytes));
            }
            watch.change(|seen| seen.closed += 1);
        });
    }

    /// Notes the end of a process without reaping it.
    fn end_of(self: &Arc<Self>, pid: Pid) {
        let watch = Arc::clone(self);
        thread::spawn(move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
            watch.change(|seen| seen.ended = true);
        });
    }

    /// Waits until `enough`, or until `patience` is over; says which.
    fn wait(&self, patience: Duration, enough: impl Fn(&Seen) -> bool) -> bool {
        let waiting = |seen: &mut Seen| !enough(seen);
        let waited = self.changed.wait_timeout_while(self.lock(), patience, waiting);
        let (seen, _) = waited.unwrap_or_else(PoisonError::into_inner);
        enough(&seen)
    }

    fn change(&self, change: impl FnOnce(&mut Seen)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn pid(child: &Child) -> Pid {
    let id = i32::try_from(child.id()).expect("a process id fits");
    Pid::from_raw(id).expect("a process id is not zero")
}

fn end(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Code(code),
        (None, signal) => End::Signal(signal.unwrap_or_default()),
    }
}
