//! A program under measurement, in an environment of its own. Start from [`Program::run`].

use std::cell::Cell;
use std::fmt;
use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kit::{Recording, Request, Scratch, Script, Server};

use crate::process::{Memory, Watch};
use crate::window::Window;
use crate::wires::Wire;

/// The prompt of every run.
const PROMPT: &str = "go";

/// A binary with a home and a workspace that all its runs share, as a person's runs do.
pub struct Program {
    path: PathBuf,
    home: Scratch,
    work: Scratch,
    /// The time at which a run is killed, and the one after which it never goes on.
    end: Instant,
    last: Instant,
    floor: bool,
    prepared: Cell<bool>,
}

/// The door that a conversation is held through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    Exec(Wire),
    Solve,
}

/// One conversation to be held.
pub struct Plan {
    pub door: Door,
    pub script: Script,
    /// How many requests the script is good for; a run that makes more or fewer measured something else.
    pub requests: usize,
    pub memory: Memory,
}

/// What was seen of one run.
pub struct Run {
    pub started: Instant,
    pub requests: Vec<Arc<Request>>,
    pub processor: Duration,
    /// In bytes; 0 unless the plan watches it.
    pub memory: u64,
}

/// Why there is no figure.
#[derive(Debug)]
pub enum Fault {
    /// The time for the figure, or for the whole benchmark, was over.
    NoTime,
    NotStarted(String),
    /// It ended with another code than 0; with the end of what it said.
    Ended(Option<i32>, String),
    /// It made this many requests instead of the second number.
    Requests(usize, usize),
    /// The numbers make no sense.
    Senseless(&'static str),
    /// There is nothing to compare with, and none is wanted.
    NoFloor,
}

impl Program {
    /// No run lasts beyond `end`.
    pub fn new(path: &Path, end: Instant) -> Self {
        // The program runs in a directory of its own, where a relative path would lead elsewhere.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let (home, work, prepared) = (Scratch::new(), Scratch::new(), Cell::new(false));
        Self { path, home, work, end, last: end, floor: false, prepared }
    }

    /// Says that it is what the program is compared with.
    pub fn into_floor(self) -> Self {
        Self { floor: true, ..self }
    }

    pub fn is_floor(&self) -> bool {
        self.floor
    }

    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// When a run is killed.
    pub fn end(&self) -> Instant {
        self.end
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Kills runs that last until then.
    pub fn end_runs_at(&mut self, end: Instant) {
        self.end = end.min(self.last);
    }

    /// Holds one conversation with a server of its own.
    pub fn run(&self, plan: Plan) -> Result<Run, Fault> {
        self.hold(plan, Command::new(&self.path))
    }

    /// The instructions of one conversation in millions, without those of the commands in it.
    pub fn count(&self, plan: Plan) -> Result<f64, Fault> {
        let mut counter = Command::new("valgrind");
        counter.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(&self.path);
        self.hold(plan, counter)?;
        let said = fs::read_to_string(self.errors()).unwrap_or_default();
        let mut counts =
            said.lines().filter_map(|line| line.split_once("Collected :")?.1.trim().parse().ok());
        counts
            .next_back()
            .map(|count: f64| count / 1e6)
            .ok_or(Fault::Senseless("callgrind did not tell what it counted"))
    }

    fn hold(&self, plan: Plan, start: Command) -> Result<Run, Fault> {
        if Instant::now() >= self.end {
            return Err(Fault::NoTime);
        }
        let name = start.get_program().to_owned();
        let told = |error: std::io::Error| Fault::NotStarted(format!("{}: {error}", name.display()));
        let server = Server::start(plan.script, Recording::Heads, 0).map_err(told)?;
        let errors = self.errors();
        let mut command = self.command(start, plan.door, &server, plan.requests);
        command.stderr(File::create(&errors).map_err(told)?);
        let started = Instant::now();
        let child = command.spawn().map_err(told)?;
        let watch = Watch::start(child.id(), plan.memory, self.end).map_err(told)?;
        let usage = watch.finish().map_err(told)?;
        if !usage.in_time {
            return Err(Fault::NoTime);
        }
        if usage.code != Some(0) {
            return Err(Fault::Ended(usage.code, last_lines(&errors)));
        }
        let requests = server.requests();
        if requests.len() != plan.requests {
            return Err(Fault::Requests(requests.len(), plan.requests));
        }
        Ok(Run { started, requests, processor: usage.processor, memory: usage.memory })
    }

    /// The program as a server in its workspace, in front of a model.
    pub fn server(&self, model: &str) -> Command {
        let mut command = self.alone(self.work.path());
        command.env("OPENAI_BASE_URL", model).env("OPENAI_API_KEY", "test");
        command.args(["serve", "--port", "0", "-m", "openai/test"]).stderr(Stdio::null());
        command
    }

    /// Opens the terminal door in a window, in front of a server that lives as long as it.
    pub fn window(&self, script: Script, arguments: &[&str]) -> Result<(Window, Server), Fault> {
        let told = |error: std::io::Error| Fault::NotStarted(format!("{}: {error}", self.path.display()));
        let server = Server::start(script, Recording::Heads, 0).map_err(told)?;
        let mut command = self.bare(self.work.path());
        command.env("OPENAI_BASE_URL", server.base_url()).env("OPENAI_API_KEY", "test");
        command.args(["-m", "openai/test"]).args(arguments).env("TERM", "xterm-256color");
        Ok((Window::open(command, 100, 30).map_err(told)?, server))
    }

    /// Does something that later figures build on, the first time only.
    pub fn once(&self, work: impl FnOnce() -> Result<(), Fault>) -> Result<(), Fault> {
        if !self.prepared.get() {
            work()?;
            self.prepared.set(true);
        }
        Ok(())
    }

    /// Where a conversation's complaints are.
    fn errors(&self) -> PathBuf {
        self.home.join("errors")
    }

    fn command(&self, start: Command, door: Door, server: &Server, requests: usize) -> Command {
        let mut command = apart(self.dressed(start, self.work.path()));
        let turns = (requests + 90).to_string();
        let wire = match door {
            Door::Exec(wire) => {
                command.args(["exec", "--approve", "auto", "--max-turns", &turns]);
                wire
            }
            Door::Solve => {
                command.args(["solve", "--fresh", "--max-iterations", &turns]);
                Wire::Openai
            }
        };
        command.args(["-m", wire.model(), PROMPT]);
        command.env(wire.address_variable(), server.base_url()).env(wire.key_variable(), "test");
        command
    }

    /// The program in a folder, with no arguments, no model and nothing to read.
    pub fn alone(&self, work: &Path) -> Command {
        apart(self.bare(work))
    }

    /// The program in a folder and with its own home.
    fn bare(&self, work: &Path) -> Command {
        self.dressed(Command::new(&self.path), work)
    }

    fn dressed(&self, mut command: Command, work: &Path) -> Command {
        command.current_dir(work).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("LANG", "C.UTF-8").env("HOME", self.home.path());
        let places = [
            ("XDG_CONFIG_HOME", ".config"),
            ("XDG_DATA_HOME", ".local/share"),
            ("XDG_STATE_HOME", ".local/state"),
            ("XDG_CACHE_HOME", ".cache"),
            ("TMPDIR", ".tmp"),
        ];
        for (name, place) in places {
            command.env(name, self.home.directory(place));
        }
        command
    }
}

impl Run {
    /// The times between the arrivals of each request and the next.
    pub fn gaps(&self) -> Vec<Duration> {
        self.requests.windows(2).map(|pair| pair[1].at.saturating_duration_since(pair[0].at)).collect()
    }
}

/// Nothing to read, nobody to tell, and a group of its own, so that a run whose time is over goes with all its children.
fn apart(mut command: Command) -> Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).process_group(0);
    command
}

fn last_lines(path: &Path) -> String {
    let text = fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().rev().take(5).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join("\n")
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTime => write!(f, "it took too long, or the time for the benchmark was over"),
            Self::NotStarted(why) => write!(f, "could not be started: {why}"),
            Self::Ended(Some(code), said) => write!(f, "ended with exit code {code}, saying:\n{said}"),
            Self::Ended(None, said) => write!(f, "was killed, saying:\n{said}"),
            Self::Requests(made, planned) => write!(f, "made {made} requests instead of {planned}"),
            Self::Senseless(why) => f.write_str(why),
            Self::NoFloor => f.write_str("is not measured"),
        }
    }
}
