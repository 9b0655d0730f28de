//! The tool `shell`: one command, judged by the shell's grammar and run behind the wall.

use super::{World, failed, flag, number, object, spec, text};
use crate::judge::{GIT_DRIVER_NAMES, Judgement, Verdict, git_drivers};
use crate::run::{Captured, Finished, Outcome as End, Program, Stream};
use crate::sandbox::{Network, Wall};
use crate::trim::Limit;
use agent::event::{Detail, Outcome, Spec, Status};
use agent::{Access, Job, Reach, Ruling, Tool};
use futures::future::{BoxFuture, FutureExt};
use serde_json::Value;
use std::ffi::OsString;
use std::time::Duration;

const LONGEST_LIMIT: u64 = 3600;

pub(super) struct Shell {
    spec: Spec,
    world: World,
}

impl Shell {
    pub(super) fn new(world: &World) -> Shell {
        let parameters = object(&[("command", "string"), ("timeout?", "integer"), ("network?", "boolean")]);
        Shell { spec: spec("shell", include_str!("shell.md"), parameters), world: world.clone() }
    }
}

impl Tool for Shell {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn access(&self, arguments: &Value) -> Result<Access, String> {
        let command = text(arguments, "command")?;
        if command.trim().is_empty() {
            return Err("`command` is blank".into());
        }
        number(arguments, "timeout")?;
        let network = flag(arguments, "network")?;
        let shell = self.world.shell()?;
        let mut finding = ruling(self.world.judge.judge(command), shell.wall);
        if network {
            finding = match finding {
                Ruling::Ask(reason) => Ruling::Ask(format!("it wants the network; {reason}")),
                other => other.worst(Ruling::Ask("it wants the network".into())),
            };
        }
        let binds = vec![
            shell.workspace.to_string_lossy().into_owned(),
            shell.bash.to_string_lossy().into_owned(),
            format!("{:?}", shell.environment),
        ];
        // The network is never granted by a mode: whoever lets things run unseen did not mean this.
        Ok(Access { reach: Reach::Run, finding, personal: network, binds })
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let world = self.world.clone();
        async move { run(&world, job).await.unwrap_or_else(failed) }.boxed()
    }
}

/// Where no wall stands, what the judge lets pass is asked about too: a rule may have let it pass that does more than read.
fn ruling(judgement: Judgement, wall: Wall) -> Ruling {
    let reasons = judgement.reasons.join("; ");
    match judgement.verdict {
        Verdict::Allow if wall == Wall::None => Ruling::Ask("no sandbox can be had here".into()),
        Verdict::Allow => Ruling::Allow,
        Verdict::Ask => Ruling::Ask(reasons),
        Verdict::Forbid => Ruling::Forbid(reasons),
    }
}

async fn run(world: &World, job: Job) -> Result<Outcome, String> {
    let source = text(&job.arguments, "command")?.to_owned();
    let seconds =
        number(&job.arguments, "timeout")?.unwrap_or(world.timeout.as_secs()).clamp(1, LONGEST_LIMIT);
    let shell = world.shell()?;
    let mut command = world.command(Program::Source(source), Duration::from_secs(seconds));
    if flag(&job.arguments, "network")? {
        command.grants.network = Network::Granted;
    }
    if world.judge.judge(text(&job.arguments, "command")?).runs_git {
        command.environment.extend(without_drivers(world, shell).await);
    }
    let progress = job.progress.clone();
    let mut show = move |_: Stream, bytes: &[u8]| progress.write(&String::from_utf8_lossy(bytes));
    let finished = shell.run(&command, &mut show, job.cancel.cancelled()).await;
    Ok(outcome(world, &finished, seconds))
}

/// What switches off the programs that a repository's own settings name for filtering and comparing files. Their names are
/// free, so git is asked for them first, behind the wall like every command.
async fn without_drivers(world: &World, shell: &crate::run::Shell) -> Vec<(OsString, OsString)> {
    let argv = std::iter::once("git").chain(GIT_DRIVER_NAMES.iter().copied()).map(OsString::from).collect();
    let command = world.command(Program::Argv(argv), Duration::from_secs(5));
    let found = shell.run(&command, &mut |_, _| {}, std::future::pending()).await;
    let names = found.stdout.trimmed(Limit { lines: usize::MAX, bytes: usize::MAX });
    git_drivers(&names).into_iter().map(|(name, value)| (name.into(), value.into())).collect()
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
fn keep(world: &World, captured: &Captured, shown: &str) -> Option<String> {
    if captured.total().bytes <= shown.len() as u64 {
        return None;
    }
    let path = captured.save(&world.shell().ok()?.scratch).ok()?;
    let inside = path.strip_prefix(world.workspace.root()).unwrap_or(&path);
    Some(inside.to_string_lossy().into_owned())
}
