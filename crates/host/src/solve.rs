//! The solve loop: a model plans in JSON, the loop acts, checks and decides when to stop. Start at [`Workshop::solve`];
//! [`Task`] goes in, [`Solved`] comes out.
//!
//! All of a run stands in one conversation: its brief as a note, each prompt as something said, each plan as a reply with
//! its actions as calls, the test as a call of the loop's own, and the result as a last note. So a run can be played
//! again from its log alone, and must then come out the same. Nothing in a prompt depends on a clock or a random name.
//!
//! The example solves a task with a recorded model. A program that lets commands run must call
//! [`confine_if_asked`](crate::sandbox::confine_if_asked) before anything else, because it confines them by running
//! itself again.
//!
//! ```standalone_crate
//! use host::replay::Replay;
//! use host::solve::{Task, Workshop};
//! use host::tools::WorldSettings;
//! use std::sync::Arc;
//!
//! const PLANS: &str = r#"
//! {"text": "{\"thought\": \"say it\", \"plan\": [], \"actions\": [{\"tool\": \"run\", \"command\": \"echo hello > said\"}]}", "finish": "stop"}
//! "#;
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     host::sandbox::confine_if_asked();
//!     let folder = std::env::temp_dir().join(format!("solve-example-{}", std::process::id()));
//!     std::fs::create_dir_all(&folder)?;
//!     let model = Arc::new(Replay::read("example", PLANS)?);
//!     let workshop = Workshop::open(&folder, model, WorldSettings::plain(std::env::vars_os().collect()))?;
//!     let task = Task { test: Some("grep hello said".into()), ..Task::new("Say hello in a file") };
//!     let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//!     let solved = runtime.block_on(host::solve::solve(&workshop, &task))?;
//!     std::fs::remove_dir_all(&folder)?;
//!     assert_eq!((solved.success, solved.iterations), (true, 1));
//!     assert_eq!(solved.summary, "Task completed - tests passed");
//!     Ok(())
//! }
//! ```

mod bench;
pub mod memory;
mod prompt;
mod result;
mod round;
mod run;
pub mod snapshot;

pub use bench::{Workshop, planner};
pub use result::{Entry, Role};
pub use snapshot::Snapshot;

use crate::dialect::json::{Gate, Plan};
use agent::event::{Call, Failure, Outcome, Usage};
use agent::profile::Price;
use agent::{SendError, StoreError};
use serde::{Deserialize, Serialize};

/// What is to be done, and within which bounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub description: String,
    pub max_iterations: u32,
    /// A command that says by its exit code whether the task is done.
    pub test: Option<String>,
    /// Whether what earlier runs of the task left behind is not looked at.
    pub fresh: bool,
    /// Whether it ends with the first plan, of which nothing is carried out.
    pub dry_run: bool,
    pub budget: Budget,
}

impl Task {
    /// A task with the usual bounds.
    pub fn new(description: impl Into<String>) -> Task {
        Task {
            description: description.into(),
            max_iterations: 5,
            test: None,
            fresh: false,
            dry_run: false,
            budget: Budget::default(),
        }
    }
}

/// What a run may use up.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Budget {
    /// Tokens, in and out together.
    pub tokens: Option<u64>,
    /// Dollars, where the price is known.
    pub cost: Option<f64>,
    pub price: Option<Price>,
}

impl Budget {
    /// What of it is used up, in words.
    fn spent(&self, used: &Usage) -> Option<String> {
        let tokens = used.input.saturating_add(used.output);
        if let Some(most) = self.tokens.filter(|most| tokens >= *most) {
            return Some(format!("Token budget ({most}) reached"));
        }
        let cost = self.price.map_or(0.0, |price| price.of(used));
        self.cost.filter(|most| cost >= *most).map(|most| format!("Cost budget (${most}) reached"))
    }
}

/// A task as a run is given it: all that its prompts depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Brief {
    pub task: Task,
    /// The folder as the planner is told it.
    pub directory: String,
    /// What earlier runs left behind.
    pub memory: String,
}

/// What a run came to. Its JSON is what `cinque solve --json` prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Solved {
    pub success: bool,
    pub iterations: u32,
    pub summary: String,
    pub memory_summary: String,
    pub error: Option<String>,
    #[serde(skip)]
    pub ending: Ending,
}

impl Solved {
    /// A run that did not begin.
    pub fn not_begun(ending: Ending, error: impl Into<String>) -> Solved {
        let error = error.into();
        Solved {
            success: false,
            iterations: 0,
            summary: error.clone(),
            memory_summary: String::new(),
            error: Some(error),
            ending,
        }
    }
}

/// Why a run ended, as far as programs want to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ending {
    #[default]
    Done,
    /// The task makes no sense.
    Usage,
    /// The model failed, or gave no plan that may run.
    Model,
    /// Iterations, budget or time were used up.
    Bound,
    /// The planner saw nothing left to do, and the test command says otherwise.
    TestsFailed,
    /// The test command is one that is never run.
    Refused,
    Cancelled,
}

/// Why a run is to stop before its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Halt {
    /// A person wants it.
    Interrupted,
    /// So many seconds are over.
    OutOfTime(f64),
}

/// What happens in a run, for whoever watches.
#[derive(Debug)]
pub enum Step<'a> {
    Iteration(u32),
    Planned(&'a Plan),
    /// A reply was no plan that may run; the planner is asked once more.
    Rejected(&'a str),
    Ran(&'a Call, &'a Outcome),
    Tested(&'a Entry),
    Retrying(&'a Failure),
}

#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Send(#[from] SendError),
    #[error("the memory of the task could not be kept: {0}")]
    Memory(#[from] std::io::Error),
    #[error("{0}")]
    Broken(String),
}

/// Why a task is not even begun.
pub fn refusal(task: &Task, gate: &Gate) -> Option<Solved> {
    if task.description.trim().is_empty() {
        return Some(Solved::not_begun(Ending::Usage, "Task description is required"));
    }
    let test = task.test.as_ref().filter(|test| gate(test))?;
    Some(Solved::not_begun(Ending::Refused, format!("Destructive command not allowed: {test}")))
}

/// Solves a task with nobody watching.
pub async fn solve(workshop: &Workshop, task: &Task) -> Result<Solved, SolveError> {
    workshop.solve(task, &mut |_| {}, Box::pin(std::future::pending())).await
}

#[cfg(test)]
mod tests;
