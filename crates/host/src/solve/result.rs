//! What an action came to, as the planner is told and as it is remembered. Start at [`Entry`].

use super::memory::one_line;
use agent::event::{Call, Outcome, Status};
use serde_json::Value;

/// Longer commands and paths are cut where they only name what a result is about.
const SUBJECT: usize = 300;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub tool: String,
    /// The path or the command that it was about.
    pub subject: String,
    pub role: Role,
    pub success: bool,
    pub output: String,
    pub error: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// An action of the plan.
    Action,
    /// The run of the test command after them.
    Test,
}

impl Entry {
    pub fn new(call: &Call, outcome: &Outcome, role: Role) -> Entry {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        let subject = arguments["path"].as_str().or(arguments["command"].as_str()).unwrap_or_default();
        let success = outcome.status == Status::Done;
        let text = outcome.text.strip_prefix("Error: ").unwrap_or(&outcome.text);
        let is_command = matches!(call.name.as_str(), "run" | "git_status" | "git_diff");
        // The first line of a command's outcome says how it ended, the rest is what it printed.
        let (error, output) = match success {
            true => ("", text),
            false if is_command => text.split_once('\n').unwrap_or((text, "")),
            false => (text, ""),
        };
        Entry {
            tool: call.name.clone(),
            subject: one_line(subject, SUBJECT),
            role,
            success,
            output: output.to_owned(),
            error: error.to_owned(),
        }
    }

    /// One line for the memory.
    pub(super) fn remembered(&self) -> String {
        let Entry { subject, success, error, .. } = self;
        let ended = match success {
            true => "succeeded".to_owned(),
            false => format!("failed: {}", one_line(error, 160)),
        };
        match (self.role, self.tool.as_str()) {
            (_, tool) if never_ran(error) => format!("{} {error}", about(tool, subject)),
            (Role::Test, _) if *success => format!("Test `{subject}`: passed"),
            (Role::Test, _) => format!("Test `{subject}`: {ended}"),
            (_, "apply_diff") if *success => format!("Changed {subject}"),
            (_, "apply_diff") => format!("Change of {subject} {ended}"),
            (_, "run") => format!("Ran `{subject}`: {ended}"),
            (_, tool) => format!("{} {ended}", about(tool, subject)),
        }
    }
}

fn about(tool: &str, subject: &str) -> String {
    if subject.is_empty() { format!("{tool}:") } else { format!("{tool} {subject}:") }
}

/// Whether the core says that the action was left out.
fn never_ran(error: &str) -> bool {
    error.starts_with("not run") || error.starts_with("cancelled before it ran")
}
