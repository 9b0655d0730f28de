//! The command line as it is typed. Start at [`Arguments`]. Nothing here is resolved: that is the doors' business.

mod mailbox;
mod solve;

pub use mailbox::{Letters, MailboxDoor};
pub use solve::Solve;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Parser, Subcommand, ValueEnum};
use host::config::Layer;
use std::path::PathBuf;

/// One coding agent, five doors.
///
/// Without a subcommand Cinque opens a chat in the terminal; where there is none, it carries out PROMPT as `cinque exec`
/// does.
#[derive(Debug, Parser)]
#[command(name = "cinque", version, after_help = AFTER_HELP)]
pub struct Arguments {
    #[command(subcommand)]
    pub door: Option<Door>,
    #[command(flatten)]
    pub here: Here,
    #[command(flatten)]
    pub exec: Exec,
    /// Chat in plain lines, without a live area: for screen readers
    #[arg(long)]
    pub plain: bool,
}

const AFTER_HELP: &str = "\
Set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or another provider's key, then try:
  cinque exec \"explain this project\"
  cinque exec --approve auto \"make the failing test pass\"
`cinque demo` needs no key.";

const EXIT_CODES: &str = "\
Exit codes:
  0 done                      5 bound or budget reached
  1 error                     6 refused by policy
  2 usage                     7 check failed (schema, verification)
  3 model or network failed   130 interrupted
  4 approval needed, nobody to ask: go on with
    cinque exec --resume ID --approve-call CALL (or --decline-call CALL)";

/// Options that every door understands.
#[derive(Debug, Clone, Args)]
pub struct Here {
    /// The model, as PROVIDER/NAME (for example openai/gpt-5.1)
    #[arg(short = 'm', long, global = true, value_name = "PROVIDER/NAME")]
    pub model: Option<String>,
    /// How tool calls are spoken: auto, native, json or text
    #[arg(long, global = true, value_name = "DIALECT", value_parser = ["auto", "native", "json", "text"])]
    pub dialect: Option<String>,
    /// The folder to work in, instead of the one you stand in
    #[arg(short = 'C', long, global = true, value_name = "DIR", value_parser = path())]
    pub directory: Option<PathBuf>,
}

/// Any path; that a blank one makes no sense is for the doors to say, each in its own words.
fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

#[derive(Debug, Subcommand)]
pub enum Door {
    /// One headless run: the answer on stdout, everything else on stderr
    Exec(Exec),
    /// The page, the hub and the routes for programs; opens the browser
    #[command(visible_alias = "run")]
    Web(Web),
    /// The same as web, without the browser
    Serve(Web),
    /// Work with any chat, without a key or a network: a person carries text between files and the chat
    #[command(subcommand)]
    Mailbox(MailboxDoor),
    /// Solve a task in CI: a planner that answers in JSON, a loop that acts and decides when to stop
    Solve(Box<Solve>),
    /// Look at the conversations of this folder
    #[command(subcommand)]
    Log(Log),
    /// Put files back to what they were before the agent changed them; undo of undo works
    Undo(Undo),
    /// Apply a patch, all or nothing: V4A or unified
    Apply(Apply),
    /// What would happen to a command, and why
    #[command(subcommand)]
    Policy(Policy),
    /// Run a command as the agent would
    Sandbox(Sandbox),
    /// The models that can be used now
    Models {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// What is configured, what is missing, what the sandbox can do
    Doctor,
    /// Let this folder's configuration act, after you have looked at it
    Trust(Trust),
    /// The settings in force, and where each came from
    #[command(subcommand)]
    Config(ConfigDoor),
    /// Watch a recorded model mend a small project with real tools; needs no key
    Demo(Demo),
}

#[derive(Debug, Default, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Exec {
    /// What to do; `-` reads it from stdin. Input piped beside a prompt is given to the model as material. Of stdin 256 KiB
    /// are read
    pub prompt: Option<String>,
    /// Print one JSON object a line: the records of the log, and deltas as they come
    #[arg(long)]
    pub json: bool,
    /// Write the final answer to a file as well
    #[arg(long, value_name = "FILE")]
    pub output_last_message: Option<PathBuf>,
    /// Check the answer against a JSON Schema; the model gets one more try
    #[arg(long, value_name = "FILE")]
    pub output_schema: Option<PathBuf>,
    /// What to do with calls that need a decision. What is forbidden stays forbidden in all three
    #[arg(long, value_enum, value_name = "MODE")]
    pub approve: Option<ApproveMode>,
    /// Model calls in one run (20)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_turns: Option<u32>,
    #[command(flatten)]
    pub budget: Budget,
    /// How hard a reasoning model should think
    #[arg(short = 'r', long, value_name = "EFFORT", value_parser = ["none", "minimal", "low", "medium", "high"])]
    pub reasoning: Option<String>,
    /// Go on with a conversation of this folder; in a terminal, without ID, with one that you choose
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    pub resume: Option<String>,
    /// Go on with the newest conversation of this folder
    #[arg(long = "continue", conflicts_with = "resume")]
    pub continue_newest: bool,
    /// Let a waiting call of the resumed conversation run
    #[arg(long, value_name = "CALL")]
    pub approve_call: Vec<String>,
    /// Do not let a waiting call of the resumed conversation run
    #[arg(long, value_name = "CALL")]
    pub decline_call: Vec<String>,
}

/// What one run may use up before it ends with exit code 5; it can be resumed.
#[derive(Debug, Clone, Default, Args)]
pub struct Budget {
    /// Tokens, in and out together
    #[arg(long, value_name = "N")]
    pub max_tokens_total: Option<u64>,
    /// Dollars, for models whose price is known
    #[arg(long, value_name = "DOLLARS", value_parser = positive)]
    pub max_cost: Option<f64>,
    /// Seconds
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub max_time: Option<f64>,
}

impl Budget {
    /// Writes what the flags say into a layer of the configuration.
    fn write_to(&self, layer: &mut Layer) {
        let flags = [
            ("--max-tokens-total", "max_tokens_total", self.max_tokens_total.map(|n| n.to_string())),
            ("--max-cost", "max_cost", self.max_cost.map(|n| n.to_string())),
            ("--max-time", "max_time", self.max_time.map(|n| n.to_string())),
        ];
        for (flag, name, value) in flags {
            if let Some(value) = value {
                layer.flag(flag, name, &value);
            }
        }
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("a number above 0 is needed".into()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ApproveMode {
    /// Ask on the terminal; without one the run ends with exit code 4 (this is the default)
    Ask,
    /// Approve
    Auto,
    /// Decline
    Never,
}

impl Exec {
    /// What the flags say, as a layer of the configuration.
    pub fn layer(&self) -> Layer {
        let mut layer = Layer::default();
        let mut set = |flag: &str, name: &str, value: Option<String>| {
            if let Some(value) = value {
                layer.flag(flag, name, &value);
            }
        };
        let approve = self.approve.and_then(|mode| mode.to_possible_value());
        set("--reasoning", "reasoning", self.reasoning.clone());
        set("--approve", "approve", approve.map(|mode| mode.get_name().to_owned()));
        set("--max-turns", "max_turns", self.max_turns.map(|n| n.to_string()));
        self.budget.write_to(&mut layer);
        layer
    }
}

/// Prints the address with its token. The token is also in .cinque/token, for programs.
#[derive(Debug, Args)]
pub struct Web {
    /// The folder to work in, instead of the one you stand in
    #[arg(long, value_name = "DIR")]
    pub target_directory: Option<PathBuf>,
    /// The address to listen on [default: localhost]. Other machines can reach other addresses
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// The port to listen on [default: 5000]; 0 takes any free one
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Do not open the browser
    #[arg(long)]
    pub no_open: bool,
}

impl Web {
    /// What the flags say, as a layer of the configuration.
    pub fn layer(&self) -> Layer {
        let mut layer = Layer::default();
        if let Some(host) = &self.host {
            layer.flag("--host", "web.host", host);
        }
        if let Some(port) = self.port {
            layer.flag("--port", "web.port", &port.to_string());
        }
        if self.no_open {
            layer.flag("--no-open", "web.open", "false");
        }
        layer
    }
}

#[derive(Debug, Subcommand)]
pub enum Log {
    /// The conversations, newest first
    List {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// One conversation for people
    Show { id: String },
    /// One conversation as one file
    Export {
        id: String,
        #[arg(long, value_enum, default_value_t)]
        format: crate::logs::export::Format,
    },
    /// Play a conversation again with real tools on a copy of the files, and say where it differs
    Replay {
        id: String,
        /// Play it in this folder, as it is, instead of in a copy
        #[arg(long = "in", value_name = "DIR")]
        place: Option<PathBuf>,
        /// Run again what was approved then; without it the replay stops there. The network is never granted
        #[arg(long)]
        approve: bool,
    },
    /// Check that nothing was changed or removed since it was written
    Verify { id: Option<String> },
}

#[derive(Debug, Args)]
pub struct Undo {
    /// The conversation; the newest of this folder that did anything unless named
    pub id: Option<String>,
    /// Undo everything after this record instead of the last run's changes
    #[arg(long, value_name = "SEQ")]
    pub to: Option<u64>,
    /// Only show what would change
    #[arg(long)]
    pub dry_run: bool,
    /// Also put back files that somebody else has changed since
    #[arg(long)]
    pub force: bool,
}

/// Exit code 6: a path outside the folder or a protected one; 7: the patch does not match. Nothing is changed then.
#[derive(Debug, Args)]
pub struct Apply {
    /// The patch; `-` or nothing reads it from stdin
    pub patch: Option<PathBuf>,
    /// Only say whether it fits
    #[arg(long)]
    pub check: bool,
}

#[derive(Debug, Subcommand)]
pub enum Policy {
    /// The rule that would let a command run without asking from now on; none for what may run any code
    Always {
        /// Save the rule, after you have looked at it
        #[arg(long)]
        save: bool,
        /// The shell source, as one argument
        #[arg(last = true, required = true, value_name = "COMMAND")]
        source: String,
    },
    /// Judge shell source: allow, ask or forbid, with the reasons
    Check {
        /// One JSON object: verdict and reasons
        #[arg(long)]
        json: bool,
        /// Judge many: a JSON string a line on stdin, an object a line on stdout
        #[arg(long, conflicts_with = "source")]
        stdin: bool,
        /// The shell source, as one argument
        #[arg(last = true, value_name = "COMMAND")]
        source: Vec<String>,
    },
}

/// Exit code and output are the command's own. There is no network and stdin is empty, as for the agent.
#[derive(Debug, Args)]
pub struct Sandbox {
    /// Let the command reach the network
    #[arg(long)]
    pub network: bool,
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<std::ffi::OsString>,
}

#[derive(Debug, Args)]
pub struct Trust {
    /// The folder; the one you stand in unless named
    pub folder: Option<PathBuf>,
    /// Take the trust back
    #[arg(long)]
    pub remove: bool,
}

#[derive(Debug, Subcommand)]
pub enum ConfigDoor {
    /// Every setting with its value and its origin
    Show {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// A file to begin with
    Sample,
}

#[derive(Debug, Args)]
pub struct Demo {
    /// Keep the project folder instead of removing it afterwards
    #[arg(long)]
    pub keep: bool,
}

impl Arguments {
    /// Reads the command line. Somebody who asks for help makes a mistake to the library, too.
    pub fn read() -> Result<Arguments, clap::Error> {
        Arguments::try_parse().map_err(with_advice)
    }
}

/// Words of a prompt without quotes around them are the commonest surplus arguments.
fn with_advice(mut error: clap::Error) -> clap::Error {
    let surplus = match error.get(ContextKind::InvalidArg).or(error.get(ContextKind::InvalidSubcommand)) {
        Some(ContextValue::String(word)) => !word.starts_with('-'),
        _ => false,
    };
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let kinds = [ErrorKind::UnknownArgument, ErrorKind::InvalidSubcommand];
    if surplus && kinds.contains(&error.kind()) && usage.contains("[PROMPT]") {
        let advice = "a prompt of several words needs quotes: cinque exec \"fix the bug\"";
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
    }
    error
}
