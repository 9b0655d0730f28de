//! What the tools of one workspace share. Start at [`World::open`].

use super::ApiLimits;
use crate::config::{Redactor, Secrets};
use crate::dialect::json::Gate;
use crate::judge::{Judge, Judgement, Rule, RuleError, Rules, Strictness, Verdict, git_hardening};
use crate::run::{self, Command, Environment, Program, Shell, Spare};
use crate::sandbox::{Grants, Wall};
use crate::state::{State, make_private};
use crate::trim::Limit;
use crate::workspace::{Error, Workspace};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::Duration;

#[derive(Clone)]
pub struct World {
    pub workspace: Workspace,
    judge: Arc<Mutex<Arc<Judge>>>,
    last: Arc<Mutex<Option<Judged>>>,
    shell: Arc<LazyShell>,
    /// How long a command may take unless its call says otherwise.
    pub(super) timeout: Duration,
    /// How much of a command's output the model is shown.
    pub(super) shown: Limit,
    /// How many characters of it, where a profile counts those.
    pub(super) characters: usize,
    pub(crate) secrets: Redactor,
    /// How much the tools of the stateless API show.
    pub(super) api: ApiLimits,
    edits: Arc<AtomicBool>,
}

/// The last command that was judged, with whoever judged it: rules may have changed since.
struct Judged {
    judge: Arc<Judge>,
    source: String,
    judgement: Judgement,
}

/// What a world differs in.
pub struct WorldSettings {
    pub variables: Vec<(OsString, OsString)>,
    pub rules: Rules,
    pub timeout: Duration,
    pub shown: Limit,
    pub secrets: Redactor,
    pub api: ApiLimits,
}

impl WorldSettings {
    /// Without rules, secrets or limits of a configuration.
    pub fn plain(variables: Vec<(OsString, OsString)>) -> WorldSettings {
        WorldSettings {
            variables,
            rules: Rules::default(),
            timeout: Duration::from_secs(120),
            shown: Limit::default(),
            secrets: Arc::new(LazyLock::new(Box::new(Secrets::default))),
            api: ApiLimits::default(),
        }
    }
}

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
        let WorldSettings { variables, rules, timeout, shown, secrets, api } = settings;
        let workspace = Workspace::open(directory)?;
        workspace.recover()?;
        let environment = Environment::allowed(variables);
        let edits = Arc::new(AtomicBool::new(rules.edits.iter().any(|folder| folder == workspace.root())));
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
        let judge = Arc::new(Mutex::new(Arc::new(judge)));
        let (last, shell, characters) = (Arc::default(), Arc::new(shell), shown.bytes);
        Ok(World { workspace, judge, last, shell, timeout, shown, characters, secrets, api, edits })
    }

    /// The judge with the rules in force now.
    pub fn judge(&self) -> Arc<Judge> {
        self.judge.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the judge says of a command. A call is asked about before it is ruled on, again before it runs, and when it
    /// runs; the answer is carried from the first time.
    pub(super) fn judged(&self, source: &str) -> Judgement {
        let judge = self.judge();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = last.as_ref()
            && known.source == source
            && Arc::ptr_eq(&known.judge, &judge)
        {
            return known.judgement.clone();
        }
        let judgement = judge.judge(source);
        *last = Some(Judged { judge, source: source.to_owned(), judgement: judgement.clone() });
        judgement
    }

    /// Lets rules that a person just agreed to hold from now on.
    pub fn learn(&self, rules: Vec<Rule>) -> Result<(), RuleError> {
        let mut judge = self.judge.lock().unwrap_or_else(PoisonError::into_inner);
        *judge = Arc::new(judge.with_allowed(rules)?);
        Ok(())
    }

    /// Whether a rule of the person's lets file tools change files here without asking.
    pub fn agrees_to_edits(&self) -> bool {
        self.edits.load(Ordering::Relaxed)
    }

    /// Lets file tools change files here without asking from now on.
    pub fn agree_to_edits(&self) {
        self.edits.store(true, Ordering::Relaxed);
    }

    /// The same world with another time limit for commands.
    pub fn with_timeout(self, timeout: Duration) -> World {
        World { timeout, ..self }
    }

    /// The same world with another limit on what is shown of a command's output, for profiles that count characters.
    pub fn with_characters(self, characters: usize) -> World {
        World { characters, ..self }
    }

    /// What nobody may run where nobody can be asked. What cannot be told is rejected as well.
    pub fn gate(&self) -> Gate {
        let judge = (*self.judge()).clone().with_strictness(Strictness::Solve);
        Arc::new(move |command| judge.judge(command).verdict != Verdict::Allow)
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
        let probe = || run::probe(&self.confiner).wall;
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
