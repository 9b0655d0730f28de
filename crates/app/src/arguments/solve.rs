//! The arguments of `cinque solve`, as they are typed. Start at [`Solve`].

use super::{Arguments, Budget};
use clap::{Args, CommandFactory};
use host::config::Layer;
use std::ffi::OsString;
use std::path::PathBuf;

const EXIT_CODES: &str = "\
Exit codes:
  0 done                      5 iterations, budget or time used up
  1 error                     6 the test command is refused by policy
  2 usage                     7 nothing left to do, but the test command fails
  3 model or network failed, or two plans in a row were no good
  130 interrupted";

/// The model plans in JSON; the loop acts, checks and decides when to stop. Made for scripts and CI.
#[derive(Debug, Default, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Solve {
    /// What to do
    pub description: Option<String>,
    /// Rounds of planning and acting (5)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_iterations: Option<u32>,
    /// The task is done once this command exits with 0 after an iteration that acted
    #[arg(long, value_name = "COMMAND")]
    pub test: Option<String>,
    /// Print the result as one JSON object, and nothing else
    #[arg(long)]
    pub json: bool,
    /// Forget what earlier runs of the same task left behind
    #[arg(long)]
    pub fresh: bool,
    /// Print the JSON Schema of a plan, and nothing else
    #[arg(long)]
    pub schema: bool,
    /// Ask for one plan and carry nothing of it out
    #[arg(long)]
    pub dry_run: bool,
    /// Write the result as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write the result as Markdown
    #[arg(long, value_name = "FILE")]
    pub summary: Option<PathBuf>,
    /// Write what changed in the folder as a patch for `git apply`
    #[arg(long, value_name = "FILE")]
    pub patch: Option<PathBuf>,
    /// Append the patch as a line of SWE-bench predictions
    #[arg(long, value_name = "FILE", requires = "instance_id")]
    pub predictions: Option<PathBuf>,
    /// The instance that the predictions line is about
    #[arg(long, value_name = "ID", requires = "predictions")]
    pub instance_id: Option<String>,
    #[command(flatten)]
    pub budget: Budget,
}

impl Solve {
    /// What the flags say, as a layer of the configuration.
    pub fn layer(&self) -> Layer {
        let mut layer = Layer::default();
        self.budget.write_to(&mut layer);
        if let Some(most) = self.max_iterations {
            layer.flag("--max-iterations", "solve.max_iterations", &most.to_string());
        }
        layer
    }

    /// Whether words that cannot be read were meant for this door, and ask for JSON.
    pub fn wants_json(words: impl IntoIterator<Item = OsString>) -> bool {
        let words: Vec<OsString> = words.into_iter().collect();
        let read = Arguments::command().ignore_errors(true).try_get_matches_from(&words);
        let ours = read.is_ok_and(|read| read.subcommand_name() == Some("solve"));
        ours && words.iter().take_while(|word| *word != "--").any(|word| word == "--json")
    }
}
