//! What the tools of one workspace share. Start at [`World::open`].

use crate::config::Secrets;
use crate::judge::{Judge, RuleError, Rules, git_hardening};
use crate::run::{Command, Environment, Program, Shell, Spare};
use crate::sandbox::{Grants, Wall};
use crate::state::{State, make_private};
use crate::trim::Limit;
use crate::workspace::{Error, Workspace};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

#[derive(Clone)]
pub struct World {
    pub workspace: Workspace,
    pub(super) judge: Arc<Judge>,
    shell: Arc<LazyShell>,
    /// How long a command may take unless its call says otherwise.
    pub(super) timeout: Duration,
    /// How much of a command's output the model is shown.
    pub(super) shown: Limit,
    pub(super) secrets: Redactor,
}

/// What a world differs in.
pub struct WorldSettings {
    pub variables: Vec<(OsString, OsString)>,
    pub rules: Rules,
    pub timeout: Duration,
    pub shown: Limit,
    pub secrets: Redactor,
}

/// Blots secrets out of a text. Made when it is first needed: most of its cost is in finding them.
pub type Redactor = Arc<LazyLock<Secrets, Box<dyn FnOnce() -> Secrets + Send>>>;

/// Commands cost nothing until the first one runs: looking for bash and trying the wall wait until then.
struct LazyShell {
    environment: Environment,
    directory: PathBuf,
    confiner: PathBuf,
    found: OnceLock<Result<Shell, String>>,
}

#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    #[error(transparent)]
    Workspace(#[from] Error),
    #[error("a rule of the policy cannot be used: {0}")]
    Rule(#[from] RuleError),
    #[error("cannot find the program's own file, which confines commands: {0}")]
    Confiner(#[from] std::io::Error),
}

impl World {
    /// Opens a workspace. `variables` is the environment, of which commands see only what is allowed.
    pub fn open(directory: &Path, settings: WorldSettings) -> Result<World, WorldError> {
        let WorldSettings { variables, rules, timeout, shown, secrets } = settings;
        let workspace = Workspace::open(directory)?;
        workspace.recover()?;
        let environment = Environment::allowed(variables);
        let mut judge = Judge::new(rules)?.with_workspace(directory.to_string_lossy());
        if let Some(home) = environment.get("HOME") {
            judge = judge.with_home(home.to_string_lossy());
        }
        let shell = LazyShell {
            environment,
            directory: directory.to_owned(),
            confiner: std::env::current_exe()?,
            found: OnceLock::new(),
        };
        Ok(World { workspace, judge: Arc::new(judge), shell: Arc::new(shell), timeout, shown, secrets })
    }

    /// What runs commands here, or why nothing can.
    pub fn shell(&self) -> Result<&Shell, String> {
        self.shell.found.get_or_init(|| self.shell.find()).as_ref().map_err(Clone::clone)
    }

    /// A command as the agent runs it.
    pub fn command(&self, program: Program, limit: Duration) -> Command {
        let hardening = git_hardening().into_iter().map(|(name, value)| (name.into(), value.into()));
        Command {
            program,
            directory: self.shell.directory.clone(),
            environment: hardening.collect(),
            limit,
            grants: Grants::default(),
        }
    }
}

impl LazyShell {
    /// In the workspace's own state if it can be had; a folder that cannot be written may still run commands.
    fn scratch(&self) -> PathBuf {
        let output = State::prepare(&self.directory).map(|state| state.output());
        output.ok().filter(|output| make_private(output).is_ok()).unwrap_or_else(std::env::temp_dir)
    }

    /// Tried on a thread of its own, because it waits for a process and a runtime's thread must not.
    fn wall(&self) -> Wall {
        let probe = || Wall::probe(&self.confiner).wall;
        std::thread::scope(|scope| scope.spawn(probe).join()).unwrap_or(Wall::None)
    }

    fn find(&self) -> Result<Shell, String> {
        let bash = Shell::find_bash(&self.environment)
            .ok_or("there is no bash on the PATH; install it to let commands run")?;
        Ok(Shell {
            confiner: self.confiner.clone(),
            bash,
            environment: self.environment.clone(),
            home: self.environment.get("HOME").map(PathBuf::from),
            wall: self.wall(),
            workspace: self.directory.clone(),
            scratch: self.scratch(),
            spare: Spare::kept(),
        })
    }
}
