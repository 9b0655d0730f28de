//! The first process behind the wall. Start from [`run`].
//!
//! It builds what must be built from inside, starts the command, answers for the [`Warden`], collects every process
//! that ends, and ends with the command or with the agent, whichever goes first. In a PID namespace its end is the end
//! of everything in it; without one it adopts what the command leaves behind and kills it.
//! It must never wait for anything but its poll: a blocked init would outlive its agent.

use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::confine::{Refused, Step, tell};
use super::filter::Filter;
use super::landlock::Ruleset;
use super::paths::Guard;
use super::sys::{self, Patience};
use super::traces::Traces;
use super::warden::{Doors, Warden, Writing};
use super::zones::Zones;
use super::{Order, Report, Spec, Wall, mounts, namespaces, paths};

mod exec;
mod survivors;

/// How long what a command leaves behind may go on: long enough for the `tee` of a process substitution to write its
/// last lines, short enough not to be noticed when a server was left running.
const GRACE: Duration = Duration::from_millis(100);

/// Bypassing file permissions (1) and acting as a file's owner (3): kept for root in a workspace of somebody else, who
/// could not even write there without.
const FILE_CAPABILITIES: u64 = 1 << 1 | 1 << 3;

/// Reading the arguments of waiting calls, also where the machine lets only administrators look into processes.
const LOOK_INTO_PROCESSES: u64 = 1 << 19;

/// Builds the wall and runs behind it what is ordered, one command after the other, until one leaves something behind;
/// the result is the exit code of the last.
pub fn run(spec: &Spec, control: UnixStream) -> Result<i32, Refused> {
    // It is read by setting it.
    let umask = sys::umask(0o077);
    sys::umask(umask);
    build(spec)?;
    let untouched = if spec.wall == Wall::Full { Traces::now().ok() } else { None };
    let filter = Rc::new(Filter::of(spec));
    let mut first = true;
    loop {
        let order = Order::read(&control).step("waiting for an order")?;
        let (guard, secrets) = (Guard::of(spec), paths::existing_secrets(spec));
        if spec.wall == Wall::Full && !mounts::still_hold(spec, &guard, &secrets) {
            return stale(&control);
        }
        let confinement = match confine(spec, &filter, guard, secrets) {
            // Most capabilities went with the first command; what cannot be done without them takes a new wall.
            Err(_) if !first => return stale(&control),
            confinement => confinement?,
        };
        first = false;
        // The warden changes the mask, and a command the mode of what it prints to.
        sys::umask(umask);
        [1, 2].into_iter().try_for_each(sys::renew_pipe).step("preparing the output")?;
        let end = serve(spec, &order, confinement, &control)?;
        let clean = untouched.is_some() && Traces::now().ok() == untouched;
        let (report, code) = match end {
            None => return Ok(128 + libc::SIGKILL),
            Some((code, Left::Somebody)) => (Report::Left(code), code),
            Some((code, Left::Nobody)) if clean => (Report::Exit(code), code),
            Some((code, Left::Nobody)) => (Report::Spent(code), code),
        };
        tell(&control, &report);
        if !clean || matches!(report, Report::Left(_)) {
            return Ok(code);
        }
    }
}

/// The agent builds a new wall and gives its order again.
fn stale(control: &UnixStream) -> Result<i32, Refused> {
    tell(control, &Report::Stale);
    Ok(1)
}

/// Runs one command to its end; `None` if the agent went first.
fn serve(
    spec: &Spec,
    order: &Order,
    confinement: Option<Confinement>,
    control: &UnixStream,
) -> Result<Option<(i32, Left)>, Refused> {
    let signals = sys::child_signals().step("watching for ended processes")?;
    let (command, listener) = start(order, confinement.as_ref(), &signals)?;
    let warden = confinement.zip(listener).map(|(built, listener)| {
        let writing = if spec.wall == Wall::Full { Writing::Kernel } else { Writing::Warden };
        Warden::new(listener, built.zones, Doors::of(spec), writing)
    });
    let mut init = Init { control, signals, warden, command, wall: spec.wall, ended: None };
    let end = init.watch();
    init.end_everything();
    if spec.wall != Wall::Full {
        // Here rather than in the agent, which may be gone.
        let _ = std::fs::remove_dir_all(&spec.temp);
    }
    Ok(end)
}

/// What the command's process puts on before it becomes the command.
struct Confinement {
    rules: Ruleset,
    filter: Rc<Filter>,
    zones: Zones,
}

/// Whether a command that ended has left anybody behind.
#[derive(Clone, Copy)]
enum Left {
    Nobody,
    Somebody,
}

struct Init<'a> {
    control: &'a UnixStream,
    signals: OwnedFd,
    warden: Option<Warden>,
    command: libc::pid_t,
    wall: Wall,
    ended: Option<(i32, Instant)>,
}

/// What does not depend on the command, and takes longest.
fn build(spec: &Spec) -> Result<(), Refused> {
    if spec.wall == Wall::Full {
        mounts::build(spec)?;
        // This limit counts the processes of the user namespace only; without one it would count all of the user's.
        sys::limit(libc::RLIMIT_NPROC, namespaces::MOST_PROCESSES).step("limiting processes")?;
    } else {
        sys::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0).step("adopting orphans")?;
    }
    sys::limit(libc::RLIMIT_CORE, 0).step("forbidding core dumps")
}

/// What is looked up at the last moment, because folders of the workspace come and go.
fn confine(
    spec: &Spec,
    filter: &Rc<Filter>,
    guard: Guard,
    secrets: Vec<PathBuf>,
) -> Result<Option<Confinement>, Refused> {
    if spec.wall == Wall::None {
        return Ok(None);
    }
    sys::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0).step("giving up new privileges")?;
    let zones = Zones::of(spec, guard, secrets);
    let rules = Ruleset::of(spec, &zones)?;
    // The warden acts with what is kept here, so it can do no more than the command in what is not landlock's.
    sys::keep_capabilities(kept(spec), LOOK_INTO_PROCESSES).step("dropping capabilities")?;
    // Nobody may look into this process, which is not bound by landlock.
    sys::prctl(libc::PR_SET_DUMPABLE, 0, 0).step("closing the supervisor")?;
    Ok(Some(Confinement { rules, filter: filter.clone(), zones }))
}

fn kept(spec: &Spec) -> u64 {
    // SAFETY: the call cannot fail and touches no memory.
    let root = unsafe { libc::geteuid() } == 0;
    let foreign = spec.workspace.metadata().is_ok_and(|found| found.uid() != 0);
    if root && foreign { FILE_CAPABILITIES } else { 0 }
}

/// Starts the command; the second part is where its questions to the warden arrive.
///
/// The child shares the table of descriptors until it becomes the command, so the listener that it makes is open here
/// too, under the number that it writes into the pipe.
fn start(
    order: &Order,
    confinement: Option<&Confinement>,
    signals: &OwnedFd,
) -> Result<(libc::pid_t, Option<OwnedFd>), Refused> {
    let (mut heard, teller) = io::pipe().step("making a pipe")?;
    let command = exec::Prepared::new(order)?;
    let told = teller.as_raw_fd();
    let pid = sys::spawn(libc::CLONE_FILES, || exec::become_command(&command, confinement, told))
        .step("starting the command")?;
    let mut fds = [sys::watch(&heard, libc::POLLIN), sys::watch(signals, libc::POLLIN)];
    sys::poll(&mut fds, -1).step("waiting for the command")?;
    let mut number = [0; 4];
    if fds[0].revents & libc::POLLIN == 0 {
        return Err(Refused {
            step: "starting the command".into(),
            source: io::ErrorKind::BrokenPipe.into(),
        });
    }
    heard.read_exact(&mut number).step("waiting for the command")?;
    match i32::from_ne_bytes(number) {
        exec::NO_LISTENER => Ok((pid, None)),
        // SAFETY: the child made it and does not close it here: it has its own table as soon as it is the command.
        listener if listener >= 0 => Ok((pid, Some(unsafe { OwnedFd::from_raw_fd(listener) }))),
        error => {
            let (step, beyond) = if error < exec::NO_DIRECTORY {
                ("entering the directory", exec::NO_DIRECTORY)
            } else {
                ("putting on landlock and seccomp", exec::NO_LISTENER)
            };
            Err(Refused { step: step.into(), source: io::Error::from_raw_os_error(beyond - error) })
        }
    }
}

impl Init<'_> {
    /// Until the command has ended; `None` if the agent went first.
    fn watch(&mut self) -> Option<(i32, Left)> {
        loop {
            if let Some((code, at)) = self.ended {
                if self.alone() {
                    return Some((code, Left::Nobody));
                }
                if at.elapsed() >= GRACE {
                    return Some((code, Left::Somebody));
                }
            }
            let mut fds =
                vec![sys::watch(self.control, libc::POLLIN), sys::watch(&self.signals, libc::POLLIN)];
            fds.extend(self.warden.as_ref().map(|warden| sys::watch(warden.listener(), libc::POLLIN)));
            let patience =
                self.ended.map_or(-1, |(_, at)| GRACE.saturating_sub(at.elapsed()).as_millis() as i32 + 1);
            sys::poll(&mut fds, patience).ok()?;
            if fds[0].revents != 0 {
                self.obey()?;
            }
            if fds[1].revents != 0 {
                self.collect();
            }
            if fds.get(2).is_some_and(|fd| fd.revents & libc::POLLIN != 0) {
                self.warden.iter().for_each(Warden::answer);
            } else if fds.get(2).is_some_and(|fd| fd.revents != 0) {
                // The last process that could ask has ended.
                self.warden = None;
            }
        }
    }

    /// Hears the agent; `None` once it has gone.
    fn obey(&mut self) -> Option<()> {
        let mut word = [0];
        match self.control.read(&mut word) {
            Ok(1..) => {
                self.signal_everyone(libc::SIGTERM);
                // A stopped process hears nothing else until it goes on.
                self.signal_everyone(libc::SIGCONT);
                Some(())
            }
            _ => None,
        }
    }

    fn collect(&mut self) {
        // SAFETY: the buffer is large enough for several notices, which say no more than that there is something to collect.
        unsafe {
            let mut notices = [0u8; 1024];
            libc::read(self.signals.as_raw_fd(), notices.as_mut_ptr().cast(), notices.len());
        }
        while let Ok(Some(ended)) = sys::reap(-1, Patience::Look) {
            if ended.pid == self.command {
                self.ended = Some((ended.code, Instant::now()));
            }
        }
    }

    fn alone(&self) -> bool {
        sys::reap(-1, Patience::Look).is_err()
    }

    fn signal_everyone(&self, signal: libc::c_int) {
        if self.wall == Wall::Full {
            sys::kill(-1, signal);
        } else {
            survivors::signal(signal);
        }
    }

    /// In a PID namespace the kernel does it when this process ends.
    fn end_everything(&self) {
        if self.wall != Wall::Full {
            survivors::end(&self.signals);
        }
    }
}
