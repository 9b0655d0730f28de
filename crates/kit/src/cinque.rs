//! Runs the built binary as a person would, but in an environment of the test's own.
//!
//! Start from [`Cinque`]. A program started here never outlives its deadline, nor the value that
//! stands for it.

mod running;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process;
use std::time::Duration;

use serde_json::Value;

use crate::scratch::Scratch;
use crate::server::Server;
pub use running::Running;

/// The deadline of a run that names none.
const DEADLINE: Duration = Duration::from_secs(30);

/// The binary, a working directory, and a home that lives as long as this value.
///
/// ```no_run
/// use kit::{Cinque, Reply, Scratch, Server};
///
/// let work = Scratch::new();
/// let server = Server::play([Reply::text("Hello.")]);
/// let cinque = Cinque::new("target/debug/cinque", &work).against(&server);
/// let outcome = cinque.command(["exec", "say hello"]).run();
/// outcome.assert_code(0);
/// ```
#[derive(Debug)]
pub struct Cinque {
    binary: PathBuf,
    directory: PathBuf,
    home: Scratch,
    environment: Vec<(OsString, OsString)>,
    first_arguments: Vec<OsString>,
}

/// One run in the making.
#[derive(Debug)]
pub struct Command {
    command: process::Command,
    stdin: Stdin,
    deadline: Duration,
}

/// What the program reads.
#[derive(Debug)]
enum Stdin {
    Nothing,
    Bytes(Vec<u8>),
    /// A pipe that the test writes to while the program runs.
    Open,
}

/// How a run ended, and what it printed.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub end: End,
    pub stdout: String,
    pub stderr: String,
    pub elapsed: Duration,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Code(i32),
    Signal(i32),
    /// It was killed, with its process group, because its time was over.
    Deadline,
}

impl Cinque {
    /// `binary` is mostly `env!("CARGO_BIN_EXE_cinque")`.
    pub fn new(binary: impl Into<PathBuf>, work: &Scratch) -> Self {
        Self {
            binary: binary.into(),
            directory: work.path().to_owned(),
            home: Scratch::new(),
            environment: Vec::new(),
            first_arguments: Vec::new(),
        }
    }

    /// Talks to `server`: its base URL, a key, and a model as the first arguments.
    pub fn against(self, server: &Server) -> Self {
        self.env("OPENAI_BASE_URL", server.base_url())
            .env("OPENAI_API_KEY", "test")
            .first_arguments(["-m", "openai/scripted"])
    }

    /// Sets a variable for all runs; a later value wins.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// What stands before the arguments of every run, instead of the model.
    pub fn first_arguments<T: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = T>) -> Self {
        self.first_arguments = arguments.into_iter().map(Into::into).collect();
        self
    }

    /// The home directory of all runs.
    pub fn home(&self) -> &Scratch {
        &self.home
    }

    /// A run with these arguments.
    pub fn command<T: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = T>) -> Command {
        let mut command = process::Command::new(&self.binary);
        command
            .args(&self.first_arguments)
            .args(arguments)
            .current_dir(&self.directory)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home.path())
            .env("LANG", "C.UTF-8");
        let places = [
            ("XDG_CONFIG_HOME", ".config"),
            ("XDG_DATA_HOME", ".local/share"),
            ("XDG_STATE_HOME", ".local/state"),
            ("XDG_CACHE_HOME", ".cache"),
            ("XDG_RUNTIME_DIR", ".run"),
            ("TMPDIR", ".tmp"),
        ];
        for (name, place) in places {
            command.env(name, self.home.directory(place));
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        // A group of its own, so that a run whose time is over goes with all its children.
        command.process_group(0);
        Command { command, stdin: Stdin::Nothing, deadline: DEADLINE }
    }
}

impl Command {
    /// Gives the program these bytes to read, then the end of the file.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Stdin::Bytes(bytes.into());
        self
    }

    /// Leaves standard input open for [`Running::say`].
    pub fn stdin_open(mut self) -> Self {
        self.stdin = Stdin::Open;
        self
    }

    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Runs the program through another one, which gets the whole command line as its last arguments.
    pub fn through<T: AsRef<OsStr>>(
        mut self,
        other: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = T>,
    ) -> Self {
        let mut outer = process::Command::new(other);
        outer.args(arguments).arg(self.command.get_program()).args(self.command.get_args());
        outer.env_clear().process_group(0);
        outer.envs(self.command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        if let Some(directory) = self.command.get_current_dir() {
            outer.current_dir(directory);
        }
        self.command = outer;
        self
    }

    /// The time after which the program is killed, counted from its start.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Runs to the end.
    ///
    /// # Panics
    /// If the program cannot be started.
    pub fn run(self) -> Outcome {
        self.spawn().wait()
    }

    /// Starts the program.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn spawn(self) -> Running {
        Running::start(self.command, self.stdin, self.deadline)
    }
}

impl Outcome {
    /// The exit code; none if the program was killed.
    pub fn code(&self) -> Option<i32> {
        match self.end {
            End::Code(code) => Some(code),
            End::Signal(_) | End::Deadline => None,
        }
    }

    /// Fails with all that was printed unless the program ended with `code`.
    ///
    /// # Panics
    /// If it ended otherwise.
    pub fn assert_code(&self, code: i32) -> &Self {
        let Self { end, stdout, stderr, elapsed } = self;
        assert_eq!(*end, End::Code(code), "after {elapsed:?}\n--- stdout\n{stdout}\n--- stderr\n{stderr}");
        self
    }

    /// The lines of standard output as JSON.
    ///
    /// # Panics
    /// If a line is not JSON.
    pub fn json_lines(&self) -> Vec<Value> {
        let lines = self.stdout.lines();
        lines
            .map(|line| {
                serde_json::from_str(line)
                    .unwrap_or_else(|error| panic!("a line is not JSON: {error}\n{line}"))
            })
            .collect()
    }
}
