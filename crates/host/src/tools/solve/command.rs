//! The planner's commands: `run`, and git's status and differences as commands that are fixed. Start at [`Command`].

use super::super::{World, object, shell, spec, text};
use crate::judge::Verdict;
use crate::run::{Captured, Finished, Outcome as End};
use crate::sandbox::{Grants, Wall};
use crate::trim::Limit;
use agent::event::{Detail, Outcome, Spec, Status};
use agent::{Access, Job, Reach, Ruling, Tool};
use futures::future::{BoxFuture, FutureExt};
use serde_json::Value;

/// How much of each stream is kept in the log. The prompt shows what of it there is room for.
const KEPT: Limit = Limit { lines: 2000, bytes: 48 << 10 };

pub(super) struct Command {
    spec: Spec,
    world: World,
    /// The command that the tool stands for; without one it is an argument.
    fixed: Option<&'static str>,
}

impl Command {
    pub(super) fn new(name: &str, world: &World) -> Command {
        let (fixed, about) = match name {
            "git_status" => (Some("git status --short --branch"), "What git says of the files."),
            "git_diff" => (Some("git --no-pager diff --no-color"), "What git sees changed."),
            _ => (None, "Run a bash command in the working directory."),
        };
        let fields: &[(&str, &str)] = if fixed.is_some() { &[] } else { &[("command", "string")] };
        Command { spec: spec(name, about, object(fields)), world: world.clone(), fixed }
    }

    fn source(&self, arguments: &Value) -> Result<String, String> {
        match self.fixed {
            Some(command) => Ok(command.to_owned()),
            None => text(arguments, "command").map(str::to_owned),
        }
    }
}

impl Tool for Command {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn access(&self, arguments: &Value) -> Result<Access, String> {
        let source = self.source(arguments)?;
        let shell = self.world.shell()?;
        let finding = match () {
            () if (self.world.gate())(&source) => {
                Ruling::Forbid(format!("Destructive command not allowed: {source}"))
            }
            // Without a wall only what surely changes nothing may run unseen.
            () if shell.wall == Wall::None && self.world.judge().judge(&source).verdict != Verdict::Allow => {
                Ruling::Ask("no sandbox can be had here".into())
            }
            () => Ruling::Allow,
        };
        Ok(Access { finding, binds: shell.binds(), ..Access::new(Reach::Run) })
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let (world, source) = (self.world.clone(), self.source(&job.arguments));
        async move {
            match source {
                Ok(source) => run(&world, source, job).await.unwrap_or_else(Outcome::failed),
                Err(why) => Outcome::failed(why),
            }
        }
        .boxed()
    }
}

async fn run(world: &World, source: String, job: Job) -> Result<Outcome, String> {
    let finished = shell::execute(world, &source, world.timeout, Grants::default(), &job).await?;
    Ok(outcome(&finished, world.timeout.as_secs_f64()))
}

fn outcome(finished: &Finished, seconds: f64) -> Outcome {
    let (status, head, exit) = match &finished.outcome {
        End::Exit(0) => (Status::Done, String::new(), Some(0)),
        End::Exit(code) => (Status::Failed, format!("Command exited with code {code}"), Some(*code)),
        End::Timeout => (Status::TimedOut, format!("Command timed out after {seconds} s"), None),
        End::Cancelled => (Status::Cancelled, "Command cancelled".to_owned(), None),
        End::Failed(why) => return Outcome::failed(format!("Command was not run: {why}")),
    };
    let stdout = kept(&finished.stdout);
    let stderr = kept(&finished.stderr);
    let stderr = if stderr.is_empty() { stderr } else { format!("[stderr]\n{stderr}") };
    let parts = [head, stdout, stderr];
    let text = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
    Outcome { status, text, detail: Detail { exit, ..Detail::default() } }
}

/// The whole of a long output is not kept on the disk: no request may depend on the name it would have there.
fn kept(captured: &Captured) -> String {
    if let Some(whole) = captured.whole() {
        let _ = std::fs::remove_file(whole);
    }
    captured.trimmed(KEPT).trim_end_matches('\n').to_owned()
}
