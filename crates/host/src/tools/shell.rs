//! The tool `shell`: one command, judged by the shell's grammar and run behind the wall.

use super::{World, failed, flag, number, object, spec, text, texts};
use crate::judge::{GIT_DRIVER_SCRIPT, Judgement, Verdict, git_drivers};
use crate::run::{Captured, Finished, NO_EDITOR, Outcome as End, Program, Shell as Runner, Stream};
use crate::sandbox::{self, Grants, Network, Wall};
use crate::trim::Limit;
use crate::workspace::quoted;
use agent::event::{Detail, Outcome, Spec, Status};
use agent::{Access, Job, Reach, Ruling, Tool};
use futures::future::{BoxFuture, FutureExt};
use serde_json::Value;
use std::ffi::OsString;
use std::time::Duration;

/// Seconds that a call may ask for at most.
pub(super) const LONGEST_LIMIT: u64 = 3600;
/// How long git may take to list the settings of repositories.
const SETTINGS_LIMIT: Duration = Duration::from_secs(20);
/// More paths than a person reads are no grant.
const MOST_PATHS: usize = 8;

pub(super) struct Shell {
    spec: Spec,
    world: World,
}

impl Shell {
    pub(super) fn new(world: &World) -> Shell {
        let parameters = object(&[
            ("command", "string"),
            ("timeout?", "integer"),
            ("network?", "boolean"),
            ("writable?", "strings"),
        ]);
        Shell { spec: spec("shell", include_str!("shell.md"), parameters), world: world.clone() }
    }

    /// The same, for a profile that gives a command and nothing else.
    pub(super) fn plain(world: &World) -> Shell {
        let words = include_str!("web/shell.md");
        Shell { spec: spec("shell", words, object(&[("command", "string")])), world: world.clone() }
    }
}

impl Tool for Shell {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn access(&self, arguments: &Value) -> Result<Access, String> {
        let mut access = assess(&self.world, text(arguments, "command")?)?;
        number(arguments, "timeout")?;
        let grants = grants(arguments, self.world.shell()?)?;
        let wishes = wishes(&grants);
        if !wishes.is_empty() {
            access.finding = match access.finding {
                Ruling::Ask(reason) => Ruling::Ask(format!("{wishes}; {reason}")),
                other => other.worst(Ruling::Ask(wishes)),
            };
            // Such wishes are never granted by a mode: whoever lets things run unseen did not mean this.
            access.personal = true;
        }
        access.binds.push(format!("{:?}", grants.writable));
        Ok(access)
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let world = self.world.clone();
        async move { run(&world, job).await.unwrap_or_else(failed) }.boxed()
    }
}

/// What running a command comes to.
pub(super) fn assess(world: &World, command: &str) -> Result<Access, String> {
    if command.trim().is_empty() {
        return Err("the command is blank".into());
    }
    let shell = world.shell()?;
    let judgement = world.judged(command);
    let finding = ruling(&judgement, shell.wall);
    Ok(Access { finding, agreed: judgement.agreed, binds: shell.binds(), ..Access::new(Reach::Run) })
}

/// What the call asks for beyond the usual. What may never be granted is told to the model.
fn grants(arguments: &Value, shell: &Runner) -> Result<Grants, String> {
    let wanted = texts(arguments, "writable")?;
    if wanted.len() > MOST_PATHS {
        return Err(format!("`writable` names {} paths, and {MOST_PATHS} are the most", wanted.len()));
    }
    let workspace = shell.workspace.canonicalize().map_err(|error| error.to_string())?;
    let mut writable = Vec::new();
    for text in wanted {
        let granted = sandbox::writable(text, &workspace, shell.home.as_deref());
        writable.extend(granted.map_err(|refused| refused.to_string())?);
    }
    let network = if flag(arguments, "network")? { Network::Granted } else { Network::Denied };
    Ok(Grants { network, writable, ..Grants::default() })
}

/// The same in words for a person; blank where it asks for nothing.
fn wishes(grants: &Grants) -> String {
    let network = (grants.network == Network::Granted).then(|| "it wants the network".to_owned());
    let paths: Vec<String> = grants.writable.iter().map(|path| quoted(path).to_string()).collect();
    let paths = (!paths.is_empty())
        .then(|| format!("it wants to write {}, outside the workspace", paths.join(" and ")));
    network.into_iter().chain(paths).collect::<Vec<_>>().join("; ")
}

/// Where no wall stands, what only a rule lets pass is asked about too: it may do more than read.
fn ruling(judgement: &Judgement, wall: Wall) -> Ruling {
    let reasons = judgement.reasons.join("; ");
    match judgement.verdict {
        Verdict::Allow if wall == Wall::None && !judgement.rules.is_empty() => {
            Ruling::Ask("no sandbox can be had here, and only a rule says that it may run".into())
        }
        Verdict::Allow => Ruling::Allow,
        Verdict::Ask => Ruling::Ask(reasons),
        Verdict::Forbid => Ruling::Forbid(reasons),
    }
}

async fn run(world: &World, job: Job) -> Result<Outcome, String> {
    let seconds =
        number(&job.arguments, "timeout")?.unwrap_or(world.timeout.as_secs()).clamp(1, LONGEST_LIMIT);
    let grants = grants(&job.arguments, world.shell()?)?;
    let source = text(&job.arguments, "command")?;
    let finished = execute(world, source, Duration::from_secs(seconds), grants, &job).await?;
    Ok(outcome(world, &finished, seconds))
}

/// Runs one command behind the wall; the job's watchers see what it prints.
pub(super) async fn execute(
    world: &World,
    source: &str,
    limit: Duration,
    grants: Grants,
    job: &Job,
) -> Result<Finished, String> {
    let shell = world.shell()?;
    let mut command = world.command(Program::Source(source.to_owned()), limit);
    command.grants = grants;
    let judgement = world.judged(source);
    if judgement.edits {
        return Err(NO_EDITOR.to_owned());
    }
    if judgement.runs_git {
        command.environment.extend(without_drivers(world, shell, &judgement.repositories).await?);
    }
    let progress = job.progress.clone();
    let mut show = move |_: Stream, bytes: &[u8]| progress.write(&String::from_utf8_lossy(bytes));
    Ok(shell.run(&command, &mut show, job.cancel.cancelled()).await)
}

/// What switches off the programs that repositories' own settings name for filtering and comparing files. Their names are
/// free, so git is asked for them first, behind the wall like every command.
async fn without_drivers(
    world: &World,
    shell: &Runner,
    repositories: &[String],
) -> Result<Vec<(OsString, OsString)>, String> {
    let bash = ["--noprofile", "--norc", "-c", GIT_DRIVER_SCRIPT, "bash", "."].map(OsString::from);
    let places = repositories.iter().map(OsString::from);
    let argv = std::iter::once(shell.bash.clone().into()).chain(bash).chain(places).collect();
    let command = world.command(Program::Argv(argv), SETTINGS_LIMIT);
    let found = shell.run(&command, &mut |_, _| {}, std::future::pending()).await;
    let names = found.stdout.trimmed(Limit { lines: usize::MAX, bytes: usize::MAX });
    let variables = git_drivers(&names).ok_or(
        "git was not run: the settings of this repository, or of one registered in it, could not be listed, and they may name programs",
    )?;
    Ok(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
}

fn outcome(world: &World, finished: &Finished, seconds: u64) -> Outcome {
    let (status, head, exit) = match &finished.outcome {
        End::Exit(0) => (Status::Done, "exit code 0".to_owned(), Some(0)),
        End::Exit(code) => (Status::Failed, format!("exit code {code}"), Some(*code)),
        End::Timeout => (Status::TimedOut, format!("Error: ended after the time limit of {seconds} s"), None),
        End::Cancelled => (Status::Cancelled, "Error: cancelled".to_owned(), None),
        End::Failed(why) => return Outcome::failed(format!("Error: the command was not run: {why}")),
    };
    let mut text = head;
    let mut whole = None;
    for (name, captured) in [("stdout", &finished.stdout), ("stderr", &finished.stderr)] {
        if captured.total().bytes == 0 {
            continue;
        }
        let shown = captured.trimmed(world.shown);
        let label = if name == "stdout" { String::new() } else { format!("[{name}]\n") };
        text.push_str(&format!("\n{label}{}", shown.trim_end_matches('\n')));
        if let Some(kept) = keep(world, captured, &shown) {
            text.push_str(&format!("\n[the whole {name} is in {kept}]"));
            whole.get_or_insert(kept);
        }
    }
    Outcome { status, text, detail: Detail { exit, whole, ..Detail::default() } }
}

/// Keeps output that was shortened where a tool can read it, and says where.
pub(super) fn keep(world: &World, captured: &Captured, shown: &str) -> Option<String> {
    if captured.total().bytes <= shown.len() as u64 {
        return None;
    }
    let path = captured.save(&world.shell().ok()?.scratch).ok()?;
    let inside = path.strip_prefix(world.workspace.root()).unwrap_or(&path);
    Some(inside.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests;
