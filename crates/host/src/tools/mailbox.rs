//! The commands of the mailbox's profile, with its summaries and its words for failures. Start at [`of`].
//!
//! An outcome's text is what the next outbox says of the command, to the letter: [`Told`].

use super::edit::commit;
use super::{World, aside, looks, object, shell, spec, text, text_or};
use crate::dialect::MISREAD;
use crate::mailbox::{BadRange, Told, edits_told, file_of, replace};
use crate::run::{Finished, Outcome as End};
use crate::sandbox::Grants;
use crate::workspace::{Change, Error, Expect, Tail, Workspace};
use agent::event::{Detail, Outcome, Spec, Status};
use agent::{Access, Job, Reach, Ruling, Tool};
use futures::future::{BoxFuture, FutureExt, ready};
use serde_json::Value;
use std::sync::Arc;

const TRUNCATED: &str = "\n... (output truncated)";

/// The command of a name.
pub(super) fn of(name: &str, world: &World) -> Option<Arc<dyn Tool>> {
    let path = ("path", "string");
    let content = ("content", "string");
    let lines = [path, ("start_line", "integer"), ("end_line", "integer"), content];
    let words = [("text", "string")];
    let (kind, description, fields): (Kind, &str, &[(&str, &str)]) = match name {
        "create_file" => (Kind::Create, include_str!("mailbox/create_file.md"), &[path, content]),
        "edit_file" => (Kind::Edit, include_str!("mailbox/edit_file.md"), &lines),
        "delete_file" => (Kind::Delete, include_str!("mailbox/delete_file.md"), &[path]),
        "read_file" => (Kind::Read, include_str!("mailbox/read_file.md"), &[path]),
        "run_command" => (Kind::Run, include_str!("mailbox/run_command.md"), &[("command", "string")]),
        "message" => (Kind::Say, include_str!("mailbox/message.md"), &words),
        "done" => (Kind::Say, include_str!("mailbox/done.md"), &words),
        MISREAD => (Kind::Misread, include_str!("mailbox/parse_error.md"), &words),
        _ => return None,
    };
    Some(Arc::new(Command { spec: spec(name, description, object(fields)), kind, world: world.clone() }))
}

struct Command {
    spec: Spec,
    kind: Kind,
    world: World,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Create,
    Edit,
    Delete,
    Read,
    Run,
    /// Words for the person: a message, or the last one.
    Say,
    Misread,
}

/// What a command came to: its summary, and what belongs beside it.
struct Done {
    status: Status,
    summary: String,
    output: Option<String>,
    detail: Detail,
}

impl Tool for Command {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    /// A path outside is told in this profile's words when the command is carried out, and not carried out.
    fn access(&self, arguments: &Value) -> Result<Access, String> {
        let reach = match self.kind {
            Kind::Create | Kind::Edit | Kind::Delete => Reach::Write,
            Kind::Read => Reach::Read,
            Kind::Run => return shell::assess(&self.world, text(arguments, "command")?),
            Kind::Say | Kind::Misread => Reach::Nothing,
        };
        let finding = match looks(&self.world.workspace, text_or(arguments, "path", "")?).finding {
            // What is read goes to the chat.
            ask @ Ruling::Ask(_) if reach == Reach::Read => ask,
            _ => Ruling::Allow,
        };
        Ok(Access { finding, ..Access::new(reach) })
    }

    fn outright(&self, arguments: &Value) -> Option<Outcome> {
        let words = || arguments.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
        let done = match self.kind {
            Kind::Say => Done::ok(words()),
            Kind::Misread => Done::failed(words()),
            _ => return None,
        };
        Some(tell(&self.spec.name.to_uppercase(), done))
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        if let Some(outcome) = self.outright(&job.arguments) {
            return ready(outcome).boxed();
        }
        let (kind, world, name) = (self.kind, self.world.clone(), self.spec.name.to_uppercase());
        match kind {
            Kind::Run => {
                async move { tell(&name, run(&world, &job).await.unwrap_or_else(Done::failed)) }.boxed()
            }
            _ => aside(move || {
                let done = on_file(kind, &world.workspace, &job.arguments).unwrap_or_else(Done::failed);
                tell(&name, done)
            })
            .boxed(),
        }
    }
}

fn tell(kind: &str, done: Done) -> Outcome {
    let Done { status, summary, output, detail } = done;
    let told = Told { ok: status == Status::Done, kind: kind.to_owned(), summary, output };
    Outcome { status, text: told.render(), detail }
}

impl Done {
    fn ok(summary: String) -> Done {
        Done { status: Status::Done, summary, output: None, detail: Detail::default() }
    }

    fn failed(summary: String) -> Done {
        Done { status: Status::Failed, ..Done::ok(summary) }
    }
}

fn on_file(kind: Kind, workspace: &Workspace, arguments: &Value) -> Result<Done, String> {
    let path = text(arguments, "path")?;
    match kind {
        Kind::Create => {
            let bytes = file_of(text(arguments, "content")?);
            let change = Change::Write { path: path.into(), bytes, expect: Expect::Anything };
            changed(workspace, path, change, format!("Created '{path}'"))
        }
        Kind::Edit => edit(workspace, path, arguments),
        Kind::Delete => {
            inside(workspace, path)?;
            let change = Change::Remove { path: path.into(), expect: Expect::Anything };
            changed(workspace, path, change, format!("Deleted '{path}'"))
        }
        _ => inside(workspace, path).map(|()| Done::ok(format!("Queued '{path}' for next outbox"))),
    }
}

/// Refuses a path that leads outside, also one that is itself a link which does.
fn inside(workspace: &Workspace, path: &str) -> Result<(), String> {
    match workspace.resolve(path) {
        Err(error @ Error::Outside { .. }) => Err(words(path, &error)),
        _ => Ok(()),
    }
}

fn edit(workspace: &Workspace, path: &str, arguments: &Value) -> Result<Done, String> {
    let line = |name: &str| {
        let number = arguments.get(name).and_then(Value::as_i64);
        number.ok_or_else(|| "EDIT_FILE start_line/end_line must be integers".to_owned())
    };
    let (start, end) = (line("start_line")?, line("end_line")?);
    let (earlier, expect) = edits_told(arguments);
    let file = workspace.text(path).map_err(|error| words(path, &error))?;
    if expect.is_some_and(|expect| expect != file.hash()) {
        return Err(format!("File '{path}' is not what the edits before this one make of it; read it again"));
    }
    let body =
        replace(file.body(), (start, end), text(arguments, "content")?, &earlier).map_err(
            |bad| match bad {
                BadRange::Outside { lines } => {
                    format!("Invalid line range {start}-{end} for file with {lines} lines")
                }
                BadRange::Overlap => {
                    format!("Lines {start}-{end} of '{path}' were replaced by an edit before in this reply")
                }
            },
        )?;
    let bytes = file.encode(&body, Tail::AsBefore);
    let change = Change::Write { path: path.into(), bytes, expect: Expect::Hash(file.hash()) };
    changed(workspace, path, change, format!("Edited '{path}' lines {start}-{end}"))
}

fn changed(workspace: &Workspace, path: &str, change: Change, summary: String) -> Result<Done, String> {
    // Looked at first, so that what is refused is told in this profile's words.
    workspace.preview(std::slice::from_ref(&change)).map_err(|error| words(path, &error))?;
    let Outcome { status, text, detail } = commit(workspace, &[change], summary);
    let summary = text.strip_prefix("Error: ").map_or(text.clone(), str::to_owned);
    Ok(Done { status, summary, output: None, detail })
}

fn words(path: &str, error: &Error) -> String {
    match error {
        Error::Outside { .. } => format!("REJECTED: Path '{path}' is outside workspace"),
        Error::Protected { rule, .. } => format!("REJECTED: Path '{path}' is protected ({rule})"),
        Error::Missing { .. } => format!("File '{path}' not found"),
        other => other.to_string(),
    }
}

async fn run(world: &World, job: &Job) -> Result<Done, String> {
    let command = text(&job.arguments, "command")?.to_owned();
    let finished = shell::execute(world, &command, world.timeout, Grants::default(), job).await?;
    let (status, summary, exit) = match &finished.outcome {
        End::Exit(code) => {
            let status = if *code == 0 { Status::Done } else { Status::Failed };
            (status, format!("Ran '{command}' (exit code {code})"), Some(*code))
        }
        End::Timeout => {
            let seconds = world.timeout.as_secs_f64();
            (Status::TimedOut, format!("Command timed out ({seconds}s): {command}"), None)
        }
        End::Cancelled => (Status::Cancelled, format!("Command cancelled: {command}"), None),
        End::Failed(why) => return Err(format!("Command was not run: {why}")),
    };
    let (output, whole) = output(world, &finished);
    Ok(Done { status, summary, output, detail: Detail { exit, whole, ..Detail::default() } })
}

/// What a command printed, up to the limit, and where all of it can be read if that is not all.
fn output(world: &World, finished: &Finished) -> (Option<String>, Option<String>) {
    let limit = world.characters;
    // A secret must be seen whole to be blotted out, so a little more than the limit is looked at.
    let first = |captured: &crate::run::Captured| captured.first(limit.saturating_add(4096));
    let (mut all, errors) = (first(&finished.stdout), first(&finished.stderr));
    if !all.is_empty() && !all.ends_with('\n') && !errors.is_empty() {
        all.push('\n');
    }
    all.push_str(&errors);
    let all = world.secrets.redact(all.trim_end_matches(['\n', '\r'])).into_owned();
    let Some((cut, _)) = all.char_indices().nth(limit) else {
        return (Some(all).filter(|all| !all.is_empty()), None);
    };
    let whole = [&finished.stdout, &finished.stderr]
        .into_iter()
        .find_map(|captured| shell::keep(world, captured, ""));
    (Some(format!("{}{TRUNCATED}", &all[..cut])), whole)
}
