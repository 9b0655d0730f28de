//! How the program ends: one table of exit codes, and the one presentable form of every error. Start at [`Exit`].

use crate::paint::{Paint, visible};
use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;

/// The exit codes, as documented in the README and by `cinque exec --help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Done = 0,
    Error = 1,
    Usage = 2,
    /// The model or the network failed.
    Model = 3,
    /// An approval is needed and there is nobody to ask.
    Approval = 4,
    /// A bound or budget was reached.
    Bound = 5,
    /// The policy refused.
    Refused = 6,
    /// A check failed: tests, verification, a schema.
    Check = 7,
    Interrupted = 130,
}

/// Prints a line. A closed pipe, as by `| head`, ends the program and is no error.
pub fn print(line: &str) -> Result<(), Fault> {
    match write(format!("{line}\n").as_bytes()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(Exit::Done as i32),
        other => other.map_err(unwritten),
    }
}

/// Prints a line of something that goes on whether or not anybody reads it: after a closed pipe nothing is printed, and
/// that is no error either.
pub fn print_if_read(line: &str) -> Result<(), Fault> {
    write_if_read(format!("{line}\n").as_bytes())
}

/// The same for bytes that are passed on as they are.
pub fn write_if_read(bytes: &[u8]) -> Result<(), Fault> {
    match write(bytes) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(unwritten),
    }
}

/// Whether stdout and stderr are the same terminal, file or pipe, so that what stands on one is read on the other.
pub fn one_place() -> bool {
    let place = |status: rustix::io::Result<rustix::fs::Stat>| {
        status.ok().map(|status| (status.st_dev, status.st_ino, status.st_rdev))
    };
    let out = place(rustix::fs::fstat(std::io::stdout()));
    out.is_some() && out == place(rustix::fs::fstat(std::io::stderr()))
}

fn write(bytes: &[u8]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush())
}

fn unwritten(error: std::io::Error) -> Fault {
    Fault::error(format!("stdout cannot be written: {error}"))
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// The hint of a usage error that nothing better is known for.
const GENERAL: &str = "see --help";

/// What went wrong, in words for a person, with what to do about it.
#[derive(Debug)]
pub struct Fault {
    pub exit: Exit,
    pub message: String,
    pub hints: Vec<String>,
}

impl Fault {
    pub fn new(exit: Exit, message: impl Into<String>) -> Fault {
        Fault { exit, message: message.into(), hints: Vec::new() }
    }

    pub fn error(message: impl std::fmt::Display) -> Fault {
        Fault::new(Exit::Error, message.to_string())
    }

    pub fn usage(message: impl Into<String>) -> Fault {
        Fault::new(Exit::Usage, message).hint(GENERAL)
    }

    /// Says what to do. Whoever knows better than the general hint replaces it.
    pub fn hint(mut self, hint: impl Into<String>) -> Fault {
        let hint = hint.into();
        if !hint.is_empty() {
            self.hints.retain(|known| known != GENERAL);
            self.hints.push(hint);
        }
        self
    }

    pub fn report(&self) -> Exit {
        let paint = Paint::for_stderr();
        aside!("{} {}", paint.red("error:"), visible(&self.message));
        for hint in &self.hints {
            aside!("{} {}", paint.dim("hint:"), visible(hint));
        }
        self.exit
    }
}

impl From<agent::StoreError> for Fault {
    fn from(error: agent::StoreError) -> Fault {
        match error {
            agent::StoreError::Unknown(_) => Fault::usage(error.to_string())
                .hint("`cinque log list` shows the conversations of this folder"),
            agent::StoreError::Damaged { ref id, .. } => {
                let hint =
                    format!("`cinque log verify {id}` says more; the other conversations are not touched");
                Fault::new(Exit::Check, error.to_string()).hint(hint)
            }
            other => Fault::error(other),
        }
    }
}

impl From<agent::SendError> for Fault {
    fn from(error: agent::SendError) -> Fault {
        match error {
            agent::SendError::Refused(refusal) => Fault::new(Exit::Usage, refusal.to_string()),
            agent::SendError::Store(error) => error.into(),
            agent::SendError::Closed => Fault::error(error),
        }
    }
}
