//! The tools of the standard profile: thin faces over the operations of [`Workspace`](crate::workspace::Workspace),
//! [`search`](crate::search), [`patch`](crate::patch) and [`run`](crate::run). Start at [`of`].
//!
//! What the model reads about a tool stands in a `.md` file beside its code.

mod edit;
mod look;
mod quiet;
mod shell;
mod world;

pub use edit::{changes, plan, told};
pub use world::{Redactor, World, WorldSettings};

use agent::event::{Outcome, Spec};
use agent::{Access, Reach, Ruling, Tool};
use serde_json::Value;
use std::sync::Arc;

use crate::workspace::Error;

/// The tools of these names, in this order. A name that is no tool is left out.
pub fn of(names: &[String], world: &World) -> Vec<Arc<dyn Tool>> {
    let make = |name: &String| -> Option<Arc<dyn Tool>> {
        match name.as_str() {
            "shell" => Some(Arc::new(shell::Shell::new(world))),
            "read" => Some(Arc::new(look::Read::new(world))),
            "list" => Some(Arc::new(look::List::new(world))),
            "search" => Some(Arc::new(look::Search::new(world))),
            "write" => Some(Arc::new(edit::Write::new(world))),
            "replace" => Some(Arc::new(edit::Replace::new(world))),
            "patch" => Some(Arc::new(edit::Patch::new(world))),
            _ => None,
        }
    };
    let quiet = |tool| -> Arc<dyn Tool> { Arc::new(quiet::Quiet { tool, secrets: world.secrets.clone() }) };
    names.iter().filter_map(make).map(quiet).collect()
}

fn spec(name: &str, description: &str, parameters: Value) -> Spec {
    Spec { name: name.to_owned(), description: description.trim_end().to_owned(), parameters }
}

/// A schema of an object whose fields are all of simple kinds; a `?` behind a name makes it optional.
fn object(fields: &[(&str, &str)]) -> Value {
    let name = |field: &str| field.trim_end_matches('?').to_owned();
    let properties: serde_json::Map<String, Value> =
        fields.iter().map(|(field, kind)| (name(field), serde_json::json!({ "type": kind }))).collect();
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
