//! A run of the solve door for people, on stderr. Start at [`Show::step`].

use crate::paint::{Paint, visible};
use agent::event::{Call, Outcome, Status};
use host::solve::{Entry, Step};
use serde_json::Value;

const WIDTH: usize = 120;

pub struct Show {
    paint: Paint,
}

impl Show {
    pub fn new() -> Show {
        Show { paint: Paint::for_stderr() }
    }

    pub fn step(&mut self, step: Step<'_>) {
        match step {
            Step::Iteration(number) => aside!("{}", self.paint.bold(&format!("iteration {number}"))),
            Step::Planned(plan) => aside!("  {}", short(&plan.thought)),
            Step::Rejected(why) => aside!("  {} {}", self.paint.red("not a plan:"), short(why)),
            Step::Ran(call, outcome) => self.ran(call, outcome),
            Step::Tested(Entry { success, .. }) => {
                let verdict = if *success { "passed" } else { "failed" };
                aside!("  {} {verdict}", self.paint.dim("test:"));
            }
            Step::Retrying(failure) => aside!("  trying again: {}", short(&failure.message)),
        }
    }

    fn ran(&self, call: &Call, outcome: &Outcome) {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        let about = arguments["path"].as_str().or(arguments["command"].as_str()).unwrap_or_default();
        let mark = if outcome.status == Status::Done { "✓".to_owned() } else { self.paint.red("✗") };
        aside!("  {mark} {} {}", call.name, short(about));
        if outcome.status != Status::Done {
            aside!("    {}", short(outcome.text.lines().next().unwrap_or_default()));
        }
    }
}

/// One line of a text, without anything that would move the cursor.
fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(WIDTH).collect();
    let mark = if cut.len() < line.len() { "…" } else { "" };
    visible(&format!("{cut}{mark}")).into_owned()
}
