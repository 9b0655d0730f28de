//! The figures of the mailbox: a session that waits, and how it wakes. Start from [`Waiting`].

use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use kit::Scratch;

use crate::process::{Memory, Watch};
use crate::program::{Fault, Program};
use crate::samples::milliseconds;

/// The files of a large workspace, and the folders they lie in.
const FILES: usize = 100_000;
const FOLDERS: usize = 1000;
/// How long after its last line a session has settled, and how long it is looked at then.
const SETTLED: Duration = Duration::from_secs(4);
const A_WHILE: Duration = Duration::from_secs(10);

/// A session that waits for a reply; it is killed when dropped.
struct Waiting {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    /// Kills it when its time is over.
    guard: Option<Watch>,
}

/// From the last byte of a reply to the line that says that it is taken.
pub fn pickup(program: &Program) -> Result<f64, Fault> {
    let work = Scratch::new();
    let mut waiting = Waiting::begin(program, work.path())?;
    fs::write(work.join(".cinque/mailbox/inbox/reply.txt"), "[DONE]\nok\n[/DONE]\n").map_err(told)?;
    let written = Instant::now();
    waiting.until("Processing: ")?;
    Ok(milliseconds(written.elapsed()))
}

/// From the start to the line that says that the outbox is ready.
pub fn list(program: &Program) -> Result<f64, Fault> {
    let work = Scratch::new();
    for folder in 0..FOLDERS {
        let folder = work.directory(format!("folder-{folder:04}"));
        for file in 0..FILES / FOLDERS {
            fs::File::create(folder.join(format!("file-{file:03}.txt"))).map_err(told)?;
        }
    }
    let started = Instant::now();
    let _waiting = Waiting::begin(program, work.path())?;
    Ok(milliseconds(started.elapsed()))
}

pub fn memory(program: &Program) -> Result<f64, Fault> {
    let work = Scratch::new();
    let waiting = Waiting::begin(program, work.path())?;
    let status = fs::read_to_string(format!("/proc/{}/status", waiting.child.id())).map_err(told)?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB"));
    let kibibytes: Option<f64> = resident.and_then(|number| number.trim().parse().ok());
    kibibytes.map(|number| number * 1024.0 / 1e6).ok_or(Fault::Senseless("the kernel does not tell"))
}

/// Milliseconds of processor time a second.
#[expect(clippy::disallowed_methods, reason = "what a program does while nothing happens takes time to see")]
pub fn idle(program: &Program) -> Result<f64, Fault> {
    let work = Scratch::new();
    let waiting = Waiting::begin(program, work.path())?;
    std::thread::sleep(SETTLED);
    let before = waiting.processor()?;
    std::thread::sleep(A_WHILE);
    Ok((waiting.processor()? - before) / A_WHILE.as_secs_f64())
}

impl Waiting {
    fn begin(program: &Program, work: &Path) -> Result<Self, Fault> {
        let mut command = program.alone(work);
        command.args(["mailbox", "new", "go"]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(told)?;
        let stdout = child.stdout.take().ok_or(Fault::Senseless("there is no pipe"))?;
        let guard = Watch::start(child.id(), Memory::Ignored, program.end()).map_err(told)?;
        let mut waiting = Self { child, lines: BufReader::new(stdout).lines(), guard: Some(guard) };
        waiting.until("Waiting for inbox response")?;
        Ok(waiting)
    }

    fn until(&mut self, start: &str) -> Result<(), Fault> {
        let found = self.lines.by_ref().map_while(Result::ok).any(|line| line.starts_with(start));
        if found { Ok(()) } else { Err(Fault::Ended(None, format!("it never said {start:?}"))) }
    }

    /// Milliseconds of user and system time so far, by the scheduler's own clock.
    fn processor(&self) -> Result<f64, Fault> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id())).map_err(told)?;
        let mut nanoseconds = 0.0;
        for task in tasks.flatten() {
            let times = fs::read_to_string(task.path().join("schedstat")).map_err(told)?;
            nanoseconds += times.split(' ').next().and_then(|time| time.parse::<f64>().ok()).unwrap_or(0.0);
        }
        Ok(nanoseconds / 1e6)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // No guard may outlive the child, whose number may then be another's.
        self.guard = None;
        // It may have ended by itself, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn told(error: std::io::Error) -> Fault {
    Fault::NotStarted(error.to_string())
}
