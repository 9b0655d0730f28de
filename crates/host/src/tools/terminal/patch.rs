//! The tool `apply_patch`: one file by a diff, or several by an envelope, all or none. Start at [`face`].
//!
//! A patch that does not fit is put to the person like any other: this profile promises to ask about every patch. Only
//! what could never be granted is told to the model at once.

use crate::patch::{self, Creation, Failure, Intent, Plan};
use crate::tools::edit::{bytes, changes, make, told, writable};
use crate::tools::face::Face;
use crate::tools::{World, object, plan, spec, text, text_or};
use crate::workspace::{Error, Workspace};
use agent::event::{Outcome, Status};
use agent::{Access, Job, Reach, Ruling, Tool};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) fn face(world: &World) -> Arc<dyn Tool> {
    let fields = [("type", "string"), ("path", "string"), ("diff?", "string")];
    let mut parameters = object(&fields);
    parameters["properties"]["type"]["enum"] = json!(["create_file", "update_file", "delete_file"]);
    let spec = spec("apply_patch", include_str!("apply_patch.md"), parameters);
    Face::new(world, spec, may_apply, apply).worded(refusal).boxed()
}

/// What one call asks for.
struct Wish<'a> {
    operation: &'a str,
    intent: Intent,
    path: &'a str,
    diff: &'a str,
}

fn wish(arguments: &Value) -> Result<Wish<'_>, String> {
    let operation = text(arguments, "type")?;
    let intent = match operation {
        "create_file" => Intent::Create,
        "update_file" => Intent::Update,
        "delete_file" => Intent::Delete,
        other => return Err(format!("Unknown operation type: {other}")),
    };
    let diff = match intent {
        Intent::Delete => text_or(arguments, "diff", "")?,
        Intent::Create | Intent::Update => text(arguments, "diff")?,
    };
    Ok(Wish { operation, intent, path: text(arguments, "path")?, diff })
}

fn may_apply(world: &World, arguments: &Value) -> Result<Access, String> {
    let wish = wish(arguments)?;
    let workspace = &world.workspace;
    workspace.writable(wish.path).map_err(|error| words(&error, wish.path))?;
    let agreed = world.agrees_to_edits();
    let access = Access { agreed, ..Access::new(Reach::Write) };
    match wish.plan(workspace) {
        Ok(plan) => {
            writable(workspace, &plan).map_err(|error| words(&error, wish.path))?;
            Ok(access)
        }
        Err(Failure::Read(error @ (Error::Outside { .. } | Error::Protected { .. }))) => {
            Err(words(&error, wish.path))
        }
        Err(_) if agreed => Ok(access),
        Err(failure) => {
            let why = match failure {
                Failure::Read(error) => words(&error, wish.path),
                Failure::Patch(error) => error.fact(),
            };
            let finding = Ruling::Ask(format!("it does not fit the files as they are now: {why}"));
            Ok(Access { finding, ..access })
        }
    }
}

fn apply(world: &World, job: &Job) -> Outcome {
    match applied(&world.workspace, &job.arguments) {
        Ok(outcome) => outcome,
        Err(Refused { error, hint: None }) => Outcome::failed(refusal(error)),
        Err(Refused { error, hint }) => {
            Outcome::failed(json!({ "success": false, "error": error, "hint": hint }).to_string())
        }
    }
}

/// Why a patch was not applied, and what may help the model to write a better one.
struct Refused {
    error: String,
    hint: Option<String>,
}

impl From<String> for Refused {
    fn from(error: String) -> Refused {
        Refused { error, hint: None }
    }
}

fn applied(workspace: &Workspace, arguments: &Value) -> Result<Outcome, Refused> {
    let wish = wish(arguments)?;
    workspace.writable(wish.path).map_err(|error| words(&error, wish.path))?;
    let plan = wish.plan(workspace).map_err(|failure| match failure {
        Failure::Read(error) => words(&error, wish.path).into(),
        Failure::Patch(error) => Refused { hint: error.advice(), error: error.headline() },
    })?;
    let message = wish.message(&plan);
    let detail = make(workspace, &changes(plan)).map_err(|error| words(&error, wish.path))?;
    let told = json!({ "success": true, "operation": wish.operation, "path": wish.path, "message": message });
    Ok(Outcome { status: Status::Done, text: told.to_string(), detail })
}

impl Wish<'_> {
    /// An envelope names its own files; everything else is about the one that the call names.
    fn plan(&self, workspace: &Workspace) -> Result<Plan, Failure<Error>> {
        match self.is_envelope() {
            true => plan(workspace, self.diff),
            false => patch::plan_file(self.path, self.intent, self.diff, Creation::Replace, &mut |path| {
                bytes(workspace, path)
            }),
        }
    }

    fn is_envelope(&self) -> bool {
        self.intent != Intent::Delete && self.diff.lines().any(|line| line.trim() == "*** Begin Patch")
    }

    fn message(&self, plan: &Plan) -> String {
        let verb = match self.intent {
            Intent::Create => "Created",
            Intent::Update => "Updated",
            Intent::Delete => "Deleted",
        };
        match plan.changes.as_slice() {
            [_, _, ..] => plan.changes.iter().map(told).collect::<Vec<_>>().join(", "),
            // Of one file there are only three things to say, and its new name is in the patch.
            [patch::Change::Move { from, .. }] => format!("Updated {from}"),
            [change] if self.is_envelope() => told(change),
            _ => format!("{verb} {}", self.path),
        }
    }
}

fn words(error: &Error, path: &str) -> String {
    match error {
        Error::Outside { path: named } if named.as_os_str() == path => {
            format!("Operation outside workspace: {path}")
        }
        Error::Outside { path } => format!("Operation outside workspace: {}", path.display()),
        other => other.to_string(),
    }
}

fn refusal(why: String) -> String {
    json!({ "success": false, "error": why }).to_string()
}
