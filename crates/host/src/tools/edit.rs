//! Tools that change files: `write`, `replace` and `patch`. Each call changes all it names or nothing, and can be undone.

use super::{World, aside, edit, failed, flag, object, reach, spec, text};
use crate::judge::is_credential;
use crate::patch::{self, Creation, Plan};
use crate::workspace::{Change, Error, Expect, Hash, Tail, Workspace};
use agent::event::{Detail, Outcome, Spec, Status};
use agent::{Access, Job, Reach, Ruling, Tool};
use futures::future::{BoxFuture, FutureExt};
use serde_json::Value;

pub(super) struct Write {
    spec: Spec,
    world: World,
}

impl Write {
    pub(super) fn new(world: &World) -> Write {
        let parameters = object(&[("path", "string"), ("content", "string")]);
        Write { spec: spec("write", include_str!("write.md"), parameters), world: world.clone() }
    }
}

impl Tool for Write {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn access(&self, arguments: &Value) -> Result<Access, String> {
        text(arguments, "content")?;
        Ok(edit(&self.world, text(arguments, "path")?))
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let workspace = self.world.workspace.clone();
        aside(move || {
            let write = || -> Result<Outcome, String> {
                let path = text(&job.arguments, "path")?;
                let bytes = text(&job.arguments, "content")?.as_bytes().to_vec();
                let change = Change::Write { path: path.into(), bytes, expect: Expect::Anything };
                Ok(commit(&workspace, &[change], format!("Wrote {path}")))
            };
            write().unwrap_or_else(failed)
        })
        .boxed()
    }
}

pub(super) struct Replace {
    spec: Spec,
    world: World,
}

impl Replace {
    pub(super) fn new(world: &World) -> Replace {
        let parameters =
            object(&[("path", "string"), ("old", "string"), ("new", "string"), ("all?", "boolean")]);
        Replace { spec: spec("replace", include_str!("replace.md"), parameters), world: world.clone() }
    }
}

impl Tool for Replace {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn access(&self, arguments: &Value) -> Result<Access, String> {
        text(arguments, "old")?;
        text(arguments, "new")?;
        flag(arguments, "all")?;
        Ok(edit(&self.world, text(arguments, "path")?))
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let workspace = self.world.workspace.clone();
        aside(move || replace(&workspace, &job.arguments).unwrap_or_else(failed)).boxed()
    }
}

fn replace(workspace: &Workspace, arguments: &Value) -> Result<Outcome, String> {
    let path = text(arguments, "path")?;
    let (old, new) = (text(arguments, "old")?, text(arguments, "new")?);
    let file = workspace.text(path).map_err(|error| error.to_string())?;
    let body = match flag(arguments, "all")? {
        true if !old.is_empty() && file.body().contains(old) => file.body().replace(old, new),
        _ => file.replace(old, new).map_err(|mismatch| format!("{mismatch} ({path})"))?,
    };
    let bytes = file.encode(&body, Tail::AsGiven);
    let change = Change::Write { path: path.into(), bytes, expect: Expect::Hash(file.hash()) };
    Ok(commit(workspace, &[change], format!("Changed {path}")))
}

pub(super) struct Patch {
    spec: Spec,
    world: World,
}

impl Patch {
    pub(super) fn new(world: &World) -> Patch {
        let parameters = object(&[("patch", "string")]);
        Patch { spec: spec("patch", include_str!("patch.md"), parameters), world: world.clone() }
    }
}

impl Tool for Patch {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    /// A patch that does not fit is not worth a person's time: it is told to the model without asking.
    fn access(&self, arguments: &Value) -> Result<Access, String> {
        let source = text(arguments, "patch")?;
        let plan = match plan(&self.world.workspace, source) {
            Ok(plan) => plan,
            // Why it does not fit is told with lines of the file, which a person must agree to here.
            Err(_) if names_credentials(source) => {
                let finding = Ruling::Ask("it touches credentials, and does not fit".into());
                return Ok(Access { finding, ..Access::new(Reach::Write) });
            }
            Err(failure) => return Err(failure.to_string()),
        };
        let access = reach(Reach::Write, writable(&self.world.workspace, &plan));
        Ok(Access { agreed: self.world.agrees_to_edits(), ..access })
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let workspace = self.world.workspace.clone();
        aside(move || {
            let apply = || -> Result<Outcome, String> {
                let plan = plan(&workspace, text(&job.arguments, "patch")?)
                    .map_err(|failure| failure.to_string())?;
                let words = plan.changes.iter().map(told).collect::<Vec<_>>().join("\n");
                Ok(commit(&workspace, &changes(plan), words))
            };
            apply().unwrap_or_else(failed)
        })
        .boxed()
    }
}

/// Whether any line of a patch that could not be planned may name a file with credentials.
fn names_credentials(source: &str) -> bool {
    let words = source.lines().flat_map(str::split_whitespace);
    words
        .map(|word| word.trim_start_matches("a/").trim_start_matches("b/"))
        .any(|word| is_credential(word.as_ref()))
}

/// Whether a tool of this name changes files, in whatever profile.
pub fn is_edit(tool: &str) -> bool {
    const EDITS: [&str; 8] = [
        "write",
        "replace",
        "patch",
        "write_file",
        "insert_text",
        "replace_text",
        "apply_patch",
        "replaceText",
    ];
    EDITS.contains(&tool)
}

/// Plans a patch against the files of a workspace.
pub fn plan(workspace: &Workspace, text: &str) -> Result<Plan, patch::Failure<Error>> {
    patch::plan(text, Creation::Replace, &mut |path| bytes(workspace, path))
}

/// What a file holds; `None` where there is none.
pub(super) fn bytes(workspace: &Workspace, path: &str) -> Result<Option<Vec<u8>>, Error> {
    match workspace.load(path) {
        Ok(loaded) => Ok(Some(loaded.bytes)),
        Err(Error::Missing { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether tools may write all that a plan changes.
pub(super) fn writable(workspace: &Workspace, plan: &Plan) -> Result<(), Error> {
    let writable = |path: &str| workspace.writable(path).map(drop);
    plan.changes.iter().try_for_each(|change| match change {
        patch::Change::Move { from, to, .. } => writable(from).and_then(|()| writable(to)),
        other => writable(other.path()),
    })
}

/// A patch's plan as changes of a workspace, each of which insists on what the plan was made from.
pub fn changes(plan: Plan) -> Vec<Change> {
    let was = |bytes: &[u8]| Expect::Hash(Hash::of(bytes));
    let absent_or = |bytes: &Option<Vec<u8>>| bytes.as_deref().map_or(Expect::Absent, was);
    let change = |change| match change {
        patch::Change::Write { path, content, before } => {
            Change::Write { path: path.into(), bytes: content, expect: absent_or(&before) }
        }
        patch::Change::Delete { path, before } => Change::Remove { path: path.into(), expect: was(&before) },
        patch::Change::Move { from, to, content, before, replaced } => Change::Move {
            from: from.into(),
            to: to.into(),
            bytes: Some(content),
            expect: was(&before),
            onto: absent_or(&replaced),
        },
    };
    plan.changes.into_iter().map(change).collect()
}

/// What a change of a patch did, in words.
pub fn told(change: &patch::Change) -> String {
    match change {
        patch::Change::Write { path, before: None, .. } => format!("Created {path}"),
        patch::Change::Write { path, .. } => format!("Updated {path}"),
        patch::Change::Delete { path, .. } => format!("Deleted {path}"),
        patch::Change::Move { from, to, .. } => format!("Moved {from} to {to}"),
    }
}

/// Makes the changes, all or none, and says what they came to.
pub(super) fn commit(workspace: &Workspace, changes: &[Change], words: String) -> Outcome {
    match make(workspace, changes) {
        Ok(detail) => Outcome { status: Status::Done, text: words, detail },
        Err(error) => refused(error),
    }
}

/// Makes the changes, all or none: the diff to show and the receipt to undo them by.
pub(super) fn make(workspace: &Workspace, changes: &[Change]) -> Result<Detail, Error> {
    let diff = workspace.preview(changes)?.iter().map(shown).collect::<String>();
    let receipt = serde_json::to_value(workspace.change(changes)?).ok();
    Ok(Detail { diff: Some(diff), receipt, ..Detail::default() })
}

fn refused(error: Error) -> Outcome {
    let status = match error {
        Error::Outside { .. } | Error::Protected { .. } => Status::Refused,
        _ => Status::Failed,
    };
    Outcome::of(status, format!("Error: {error}"))
}

fn shown(preview: &crate::workspace::Preview) -> String {
    let path = preview.path.as_path().to_string_lossy();
    patch::unified(&path, preview.before.as_deref(), preview.after.as_deref())
}
