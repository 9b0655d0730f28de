//! The confiner: the process that builds the wall. Start from [`confine`].
//!
//! With the full wall it makes the namespaces, lets the first process in them ([`init`]) build the rest and run the
//! command, and waits outside; without namespaces it is that process itself. It ends when the command has ended or the
//! agent has gone, and everything behind the wall ends with it.

use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use super::sys::{self, Patience};
use super::{Report, Spec, Wall, init, namespaces};

/// What could not be set up, with the system's reason.
#[derive(Debug, thiserror::Error)]
#[error("{step}: {source}")]
pub(crate) struct Refused {
    pub step: String,
    pub source: io::Error,
}

/// Names the step at which something failed.
pub(crate) trait Step<T> {
    fn step(self, name: impl Into<String>) -> Result<T, Refused>;
}

impl<T> Step<T> for io::Result<T> {
    fn step(self, name: impl Into<String>) -> Result<T, Refused> {
        self.map_err(|source| Refused { step: name.into(), source })
    }
}

/// Runs one command as the agent asked on standard input; the result is the process's exit code.
pub(crate) fn confine() -> i32 {
    // SAFETY: standard input is ours alone: the agent gave its end of a socket pair, and nothing else reads it.
    let control = UnixStream::from(unsafe { OwnedFd::from_raw_fd(0) });
    let refused = match prepare(&control) {
        Err(refused) => return fail(&control, &refused),
        Ok((spec, kept)) => {
            // By now standard input is empty, so the last words need a copy of the connection of their own.
            let speaker = kept.try_clone();
            match (start(&spec, kept), speaker) {
                (Ok(code), _) => return code,
                (Err(refused), Ok(speaker)) => return fail(&speaker, &refused),
                (Err(refused), Err(_)) => refused,
            }
        }
    };
    fail(&control, &refused)
}

fn fail(control: &UnixStream, refused: &Refused) -> i32 {
    tell(control, &Report::Failed(refused.to_string()));
    1
}

/// Says to the agent how it ended. An agent that has gone cannot hear it, and need not.
pub(crate) fn tell(mut control: &UnixStream, report: &Report) {
    let _ = control.write_all(&report.to_bytes());
}

/// Reads the specification, leaves the agent's session and closes what was inherited.
fn prepare(control: &UnixStream) -> Result<(Spec, UnixStream), Refused> {
    sys::close_from(3).step("closing inherited descriptors")?;
    // SAFETY: no memory is involved. It fails only for a group leader, which then has a session of its own already.
    unsafe { libc::setsid() };
    let spec = Spec::read(control).step("reading the specification")?;
    let kept = control.try_clone().step("keeping the connection")?;
    let nothing = sys::open(None, c"/dev/null", libc::O_RDONLY, 0, 0).step("opening /dev/null")?;
    // SAFETY: both descriptors are open; the copy on 0 is what the command will read.
    sys::check(unsafe { libc::dup2(nothing.as_raw_fd(), 0) }.into()).step("emptying standard input")?;
    Ok((spec, kept))
}

fn start(spec: &Spec, control: UnixStream) -> Result<i32, Refused> {
    if spec.wall != Wall::Full {
        return init::run(spec, control);
    }
    match namespaces::enter(spec)? {
        namespaces::Side::Inside => std::process::exit(inside(spec, control)),
        namespaces::Side::Outside(child) => Ok(outside(child, &control)),
    }
}

fn inside(spec: &Spec, control: UnixStream) -> i32 {
    let speaker = control.try_clone();
    let failed = match init::run(spec, control) {
        Ok(code) => return code,
        Err(refused) => refused,
    };
    if let Ok(speaker) = speaker {
        tell(&speaker, &Report::Failed(failed.to_string()));
    }
    1
}

/// Waits for the first process inside. Should it not notice that the agent has gone, it is ended from here.
fn outside(child: OwnedFd, control: &UnixStream) -> i32 {
    let mut fds = [sys::watch(&child, libc::POLLIN), sys::watch(control, libc::POLLRDHUP)];
    while fds[0].revents == 0 && fds[1].revents == 0 {
        if sys::poll(&mut fds, -1).is_err() {
            break;
        }
    }
    if fds[0].revents == 0 {
        namespaces::kill(child.as_fd());
    }
    sys::reap(-1, Patience::Wait).ok().flatten().map_or(1, |ended| ended.code)
}
