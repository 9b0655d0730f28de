//! The planner's five tools, with the texts that programs rely on. Start at [`tool`].
//!
//! Nobody can be asked here: what is not refused runs, commands behind the wall and without the network.

use super::{World, aside, edit, object, reach, spec, text};
use crate::patch::{self, Creation, Failure, Intent};
use crate::workspace::{Error, Lines, Workspace};
use agent::event::{Outcome, Spec, Status};
use agent::{Access, Job, Reach, Tool};
use futures::future::{BoxFuture, FutureExt};
use serde_json::Value;
use std::sync::Arc;

mod command;

/// A tool of the planner by its name.
pub(super) fn tool(name: &str, world: &World) -> Option<Arc<dyn Tool>> {
    Some(match name {
        "read_file" => Arc::new(ReadFile {
            spec: spec(name, "The text of a file.", object(&[("path", "string")])),
            workspace: world.workspace.clone(),
        }),
        "apply_diff" => Arc::new(ApplyDiff {
            spec: spec(
                name,
                "Change one file by a unified diff.",
                object(&[("path", "string"), ("diff", "string")]),
            ),
            workspace: world.workspace.clone(),
        }),
        "run" | "git_status" | "git_diff" => Arc::new(command::Command::new(name, world)),
        _ => return None,
    })
}

struct ReadFile {
    spec: Spec,
    workspace: Workspace,
}

impl Tool for ReadFile {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn access(&self, arguments: &Value) -> Result<Access, String> {
        Ok(reach(Reach::Read, self.workspace.readable(text(arguments, "path")?).map(drop)))
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let workspace = self.workspace.clone();
        aside(move || read(&workspace, &job.arguments).unwrap_or_else(Outcome::failed)).boxed()
    }
}

/// The lines as they are, without numbers: a diff must repeat them exactly.
fn read(workspace: &Workspace, arguments: &Value) -> Result<Outcome, String> {
    let path = text(arguments, "path")?;
    let found = workspace.readable(path).and_then(|_| workspace.read(path, Lines::default()));
    let reading = found.map_err(|error| told(path, &error))?;
    let mut shown = reading.lines.join("\n");
    if reading.more > 0 || reading.cut {
        shown.push_str(&format!("\n[the file has {} lines; the rest is not shown]", reading.total));
    }
    if reading.lossy {
        shown.push_str("\n[not valid UTF-8: some characters are replaced]");
    }
    Ok(Outcome::done(shown))
}

struct ApplyDiff {
    spec: Spec,
    workspace: Workspace,
}

impl Tool for ApplyDiff {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn access(&self, arguments: &Value) -> Result<Access, String> {
        text(arguments, "diff")?;
        Ok(reach(Reach::Write, self.workspace.writable(text(arguments, "path")?).map(drop)))
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let workspace = self.workspace.clone();
        aside(move || apply(&workspace, &job.arguments).unwrap_or_else(Outcome::failed)).boxed()
    }
}

fn apply(workspace: &Workspace, arguments: &Value) -> Result<Outcome, String> {
    let (path, diff) = (text(arguments, "path")?, text(arguments, "diff")?);
    let mut load = |path: &str| match workspace.load(path) {
        Ok(loaded) => Ok(Some(loaded.bytes)),
        Err(Error::Missing { .. }) => Ok(None),
        Err(error) => Err(error),
    };
    let plan =
        patch::plan_file(path, Intent::Update, diff, Creation::Refuse, &mut load).map_err(|failure| {
            match failure {
                Failure::Patch(error) => error.as_diff_failure(),
                Failure::Read(error) => told(path, &error),
            }
        })?;
    if plan.is_empty() {
        return Err("Failed to apply diff - patch did not match: it changes nothing".to_owned());
    }
    if plan.changes.len() > 1 {
        let why = "it changes more files than this one; use one action for each";
        return Err(format!("Failed to apply diff - patch did not match: {why}"));
    }
    let outcome = edit::commit(workspace, &edit::changes(plan), format!("Applied diff to {path}"));
    match outcome.status {
        Status::Done => Ok(outcome),
        _ => Ok(Outcome { text: outcome.text.trim_start_matches("Error: ").to_owned(), ..outcome }),
    }
}

fn told(path: &str, error: &Error) -> String {
    match error {
        Error::Missing { .. } => format!("File not found: {path}"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
