//! Running commands: bash by argv behind the wall, with a time limit, live output and bounded memory.
//!
//! Start from [`Shell`] (what is found once at the start) and [`Shell::run`]. When it returns, every process that the
//! command started is dead; dropping its future ends them too. It must never wait for a pipe that somebody else holds.

use std::ffi::OsString;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;

use tokio::sync::mpsc;

use crate::sandbox::{Grants, Wall};

mod capture;
mod clock;
mod environment;
mod process;
mod scratch;
mod spare;

pub use capture::Captured;
pub use environment::{Environment, NO_EDITOR, NO_GIT_EDITOR};
pub use spare::Spare;

/// What is needed to run commands, resolved once.
#[derive(Clone, Debug)]
pub struct Shell {
    /// The binary that calls [`confine_if_asked`](crate::sandbox::confine_if_asked) first.
    pub confiner: PathBuf,
    pub bash: PathBuf,
    pub environment: Environment,
    pub home: Option<PathBuf>,
    pub wall: Wall,
    /// The directory whose tree a command may change.
    pub workspace: PathBuf,
    /// A private directory for the whole output of commands that print much.
    pub scratch: PathBuf,
    /// The confiner of the next command.
    pub spare: Spare,
}

/// What runs.
#[derive(Clone, Debug)]
pub enum Program {
    /// Shell source, given to bash.
    Source(String),
    /// A program and its arguments, without a shell.
    Argv(Vec<OsString>),
}

/// One call.
#[derive(Clone, Debug)]
pub struct Command {
    pub program: Program,
    pub directory: PathBuf,
    /// Variables beside the usual ones.
    pub environment: Vec<(OsString, OsString)>,
    pub limit: Duration,
    pub grants: Grants,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    Stdout,
    Stderr,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The code as a shell counts: 127 for a program that is missing, 128 and the number for a signal.
    Exit(i32),
    Timeout,
    Cancelled,
    /// The command never ran.
    Failed(String),
}

/// What became of a call.
#[derive(Debug)]
pub struct Finished {
    pub outcome: Outcome,
    pub stdout: Captured,
    pub stderr: Captured,
}

/// What the thread of a call tells the task that waits for it.
enum Event {
    Output(Stream, Vec<u8>),
    Finished(Box<Finished>),
}

/// So many pieces of output may wait for their listener; then the command waits too.
const BACKLOG: usize = 16;

impl Shell {
    /// What an approval of a command binds beside its source: where it runs and what runs it. Not the variables: who
    /// approves in another terminal, or on the page, has others and means the same.
    pub(crate) fn binds(&self) -> Vec<String> {
        let bash = self.bash.canonicalize().unwrap_or_else(|_| self.bash.clone());
        [&self.workspace, &bash].map(|path| path.to_string_lossy().into_owned()).into()
    }

    /// Looks for bash on the path of the given environment.
    pub fn find_bash(environment: &Environment) -> Option<PathBuf> {
        let path = environment.get("PATH")?;
        std::env::split_paths(path)
            .map(|directory| directory.join("bash"))
            .find(|candidate| candidate.is_file())
    }

    /// Runs one command to its end. `output` hears everything that it prints, as it is printed. When `cancel` is ready,
    /// the command is ended politely and then by force, within two seconds.
    pub async fn run(
        &self,
        command: &Command,
        output: &mut (dyn FnMut(Stream, &[u8]) + Send),
        cancel: impl Future<Output = ()>,
    ) -> Finished {
        let (sender, mut events) = mpsc::channel(BACKLOG);
        let mut stop = match process::start(self, command, sender) {
            Ok(stop) => Some(stop),
            Err(why) => return Finished::failed(why.to_string()),
        };
        let mut cancel = pin!(cancel);
        loop {
            let event = std::future::poll_fn(|context| {
                if stop.is_some() && cancel.as_mut().poll(context).is_ready() {
                    stop = None;
                }
                events.poll_recv(context)
            });
            match event.await {
                Some(Event::Output(stream, bytes)) => output(stream, &bytes),
                Some(Event::Finished(finished)) => return *finished,
                None => return Finished::failed("the call's thread ended without a result".into()),
            }
        }
    }
}

impl Finished {
    fn failed(why: String) -> Self {
        Self { outcome: Outcome::Failed(why), stdout: Captured::default(), stderr: Captured::default() }
    }
}

/// What [`probe`] found.
#[derive(Clone, Debug)]
pub struct Probe {
    pub wall: Wall,
    /// Stronger walls that were tried and what the system said.
    pub refusals: Vec<(Wall, String)>,
}

/// Finds the strongest wall that works here by building it around an empty command. It costs a few milliseconds: ask
/// once at the start and keep the answer.
pub fn probe(confiner: &Path) -> Probe {
    let mut refusals = Vec::new();
    for wall in Wall::candidates() {
        match process::try_wall(confiner, *wall) {
            Ok(()) => return Probe { wall: *wall, refusals },
            Err(why) => refusals.push((*wall, why)),
        }
    }
    Probe { wall: Wall::None, refusals }
}
