//! The tools that profiles show the model: thin faces over the operations of [`Workspace`](crate::workspace::Workspace),
//! [`search`](crate::search), [`patch`](crate::patch) and [`run`](crate::run). Start at [`of`].
//!
//! What the model reads about a tool stands in a `.md` file beside its code.

mod api;
mod edit;
mod face;
mod look;
mod mailbox;
mod quiet;
mod shell;
mod solve;
mod terminal;
#[cfg(test)]
mod tests;
mod web;
mod world;

pub use api::Limits as ApiLimits;
pub use edit::{changes, is_edit, plan, told};
pub use world::{World, WorldError, WorldSettings};

use agent::event::{Outcome, Spec};
use agent::{Access, Profile, Reach, Ruling, Tool};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

use crate::judge::is_credential;
use crate::profiles;
use crate::workspace::{Error, RelPath, STATE_FOLDER, Workspace, quoted};

/// The tools that a profile names, in its order, with that profile's faces. A name that is no tool is left out.
pub fn of(profile: &Profile, world: &World) -> Vec<Arc<dyn Tool>> {
    let make = |name: &String| match profile.name.as_str() {
        "web" => web::face(name, world),
        "terminal" => terminal::face(name, world),
        "api" => api::face(name, world),
        profiles::MAILBOX => mailbox::of(name, world),
        profiles::SOLVE => solve::tool(name, world),
        _ => standard(name, world),
    };
    let quiet = |tool| -> Arc<dyn Tool> { Arc::new(quiet::Quiet { tool, secrets: world.secrets.clone() }) };
    profile.tools.iter().filter_map(make).map(quiet).collect()
}

fn standard(name: &str, world: &World) -> Option<Arc<dyn Tool>> {
    Some(match name {
        "shell" => Arc::new(shell::Shell::new(world)),
        "read" => Arc::new(look::Read::new(world)),
        "list" => Arc::new(look::List::new(world)),
        "search" => Arc::new(look::Search::new(world)),
        "write" => Arc::new(edit::Write::new(world)),
        "replace" => Arc::new(edit::Replace::new(world)),
        "patch" => Arc::new(edit::Patch::new(world)),
        _ => return None,
    })
}

fn spec(name: &str, description: &str, parameters: Value) -> Spec {
    Spec { name: name.to_owned(), description: description.trim_end().to_owned(), parameters }
}

/// A schema of an object whose fields are all of simple kinds, or lists of `strings`; a `?` behind a name makes it
/// optional.
fn object(fields: &[(&str, &str)]) -> Value {
    let name = |field: &str| field.trim_end_matches('?').to_owned();
    let schema = |kind: &str| match kind {
        "strings" => serde_json::json!({ "type": "array", "items": { "type": "string" } }),
        kind => serde_json::json!({ "type": kind }),
    };
    let properties: serde_json::Map<String, Value> =
        fields.iter().map(|(field, kind)| (name(field), schema(kind))).collect();
    let required: Vec<String> =
        fields.iter().filter(|(field, _)| !field.ends_with('?')).map(|(field, _)| name(field)).collect();
    serde_json::json!({ "type": "object", "properties": properties, "required": required })
}

fn text<'a>(arguments: &'a Value, name: &str) -> Result<&'a str, String> {
    match arguments.get(name) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(format!("`{name}` must be a string")),
        None => Err(format!("`{name}` is missing")),
    }
}

fn text_or<'a>(arguments: &'a Value, name: &str, default: &'a str) -> Result<&'a str, String> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(default),
        _ => text(arguments, name),
    }
}

/// A list of strings; models also write one string where they mean a list of one.
fn texts<'a>(arguments: &'a Value, name: &str) -> Result<Vec<&'a str>, String> {
    let wrong = || format!("`{name}` must be a list of strings");
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![text]),
        Some(Value::Array(items)) => items.iter().map(|item| item.as_str().ok_or_else(wrong)).collect(),
        Some(_) => Err(wrong()),
    }
}

/// A whole number of at least 0; models also write them as strings or with a decimal point.
fn number(arguments: &Value, name: &str) -> Result<Option<u64>, String> {
    let whole = |value: f64| (value >= 0.0 && value.fract() == 0.0 && value < 1e15).then_some(value as u64);
    let found = match arguments.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number.as_u64().or_else(|| number.as_f64().and_then(whole)),
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(_) => None,
    };
    found.map(Some).ok_or_else(|| format!("`{name}` must be a whole number"))
}

/// A whole number that may be negative; otherwise as [`number`].
fn whole(arguments: &Value, name: &str) -> Result<Option<i64>, String> {
    let exact = |value: f64| (value.fract() == 0.0 && value.abs() < 1e15).then_some(value as i64);
    let found = match arguments.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number.as_i64().or_else(|| number.as_f64().and_then(exact)),
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(_) => None,
    };
    found.map(Some).ok_or_else(|| format!("`{name}` must be a whole number"))
}

fn flag(arguments: &Value, name: &str) -> Result<bool, String> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(format!("`{name}` must be true or false")),
    }
}

/// What touching a path comes to: what the workspace will refuse is forbidden from the start.
fn reach(reach: Reach, found: Result<(), Error>) -> Access {
    let finding = match found {
        Err(error @ (Error::Outside { .. } | Error::Protected { .. })) => Ruling::Forbid(error.to_string()),
        _ => Ruling::Allow,
    };
    Access { finding, ..Access::new(reach) }
}

/// What a change of one file comes to.
fn edit(world: &World, path: &str) -> Access {
    let access = reach(Reach::Write, world.workspace.writable(path).map(drop));
    Access { agreed: world.agrees_to_edits(), ..access }
}

/// What reading a path comes to. Credentials are for a person to show, whether a command or a tool reads them.
fn looks(workspace: &Workspace, path: &str) -> Access {
    let found = match workspace.readable(path) {
        Ok(found) => found,
        Err(error) => return reach(Reach::Read, Err(error)),
    };
    let finding = if is_secret(&found, path) { touches(path) } else { Ruling::Allow };
    Access { finding, ..Access::new(Reach::Read) }
}

/// Whether a path holds credentials, by the name it was asked for or by the one it leads to.
fn is_secret(found: &RelPath, asked: &str) -> bool {
    let state = found.as_path().starts_with(STATE_FOLDER);
    !state && (is_credential(found.as_path()) || is_credential(Path::new(asked)))
}

fn touches(path: &str) -> Ruling {
    Ruling::Ask(format!("it touches credentials: {}", quoted(Path::new(path))))
}

fn failed(error: impl std::fmt::Display) -> Outcome {
    Outcome::failed(format!("Error: {error}"))
}

/// Runs file work where it may take its time.
async fn aside(work: impl FnOnce() -> Outcome + Send + 'static) -> Outcome {
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Outcome::failed("Error: the program is ending"),
    }
}
