//! The planner's object: what the `solve` profile's model answers, and nothing else. Start at [`read`], then
//! [`validate`]; [`schema`] is what is published and sent to providers.
//!
//! The schema is stricter than the reader: providers enforce only schemas that require every property and allow no
//! others, while the contract forgives other cases of names, unknown properties and what is left out. So a reply is read
//! by [`read`], and a [`Plan`] written down again always satisfies the schema.

mod planner;
#[cfg(test)]
mod tests;

pub use super::lenient::Fault;
pub use planner::{Gate, Planner, Unusable, decide};

use super::lenient;
use serde::Serialize;
use serde_json::{Map, Value};

/// The published JSON Schema as text, with the properties in the order in which a model should write them.
pub const SCHEMA: &str = include_str!("json/plan.schema.json");

/// How many actions a plan may have.
pub const MOST_ACTIONS: usize = 200;

const TOOLS: [&str; 5] = ["read_file", "apply_diff", "run", "git_status", "git_diff"];

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Plan {
    pub thought: String,
    pub plan: Vec<String>,
    pub actions: Vec<Action>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Action {
    pub tool: String,
    pub path: Option<String>,
    pub diff: Option<String>,
    pub command: Option<String>,
}

/// Why a reply is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// It is not JSON.
    #[error(transparent)]
    Json(#[from] Fault),
    /// It is JSON of another shape. `at` is where, as in `actions[2].path`.
    #[error("{at}: expected {expected}, found {found}")]
    Shape { at: String, expected: &'static str, found: &'static str },
    /// The same property in two cases.
    #[error("{at}: given twice")]
    Twice { at: String },
}

/// The plan in a reply.
pub fn read(reply: &str) -> Result<Plan, PlanError> {
    let mut root = Fields::of(lenient::object(reply)?, "", &["thought", "plan", "actions"])?;
    let thought = root.required("thought", "a string", string)?;
    let plan = root.required("plan", "a list of strings", list)?;
    let plan =
        items(plan, "plan", |item, at| string(item).map_err(|item| shape(at, "a string", Some(&item))))?;
    let actions = root.required("actions", "a list of actions", list)?;
    let actions = items(actions, "actions", action)?;
    Ok(Plan { thought, plan, actions })
}

/// Whether a plan may run. The first failure in the order of the actions is told, in the contract's words.
pub fn validate(plan: &Plan, is_destructive: &dyn Fn(&str) -> bool) -> Result<(), String> {
    if plan.actions.len() > MOST_ACTIONS {
        let count = plan.actions.len();
        return Err(format!("Too many actions: {count}. At most {MOST_ACTIONS} are allowed in one plan"));
    }
    plan.actions.iter().try_for_each(|action| check(action, is_destructive))
}

/// The schema as providers take it: without the `$schema` keyword, which some refuse.
pub fn schema() -> Value {
    // The text is part of the program, and a test reads it.
    let mut schema: Map<String, Value> = serde_json::from_str(SCHEMA).unwrap_or_default();
    schema.remove("$schema");
    Value::Object(schema)
}

fn check(action: &Action, is_destructive: &dyn Fn(&str) -> bool) -> Result<(), String> {
    let tool = action.tool.as_str();
    let requires = |name: &str, given: &Option<String>| match given {
        Some(value) if !value.trim().is_empty() => Ok(()),
        _ => Err(format!("{tool} requires '{name}' parameter")),
    };
    match tool {
        "read_file" => requires("path", &action.path),
        "apply_diff" => requires("path", &action.path).and(requires("diff", &action.diff)),
        "run" => {
            requires("command", &action.command)?;
            match &action.command {
                Some(command) if is_destructive(command) => {
                    Err(format!("Destructive command not allowed: {command}"))
                }
                _ => Ok(()),
            }
        }
        "git_status" | "git_diff" => Ok(()),
        _ => Err(format!("Unknown tool: {tool}. Allowed tools: {}", TOOLS.join(", "))),
    }
}

fn action(value: Value, at: &str) -> Result<Action, PlanError> {
    let mut fields = Fields::of(value, at, &["tool", "path", "diff", "command"])?;
    Ok(Action {
        tool: fields.required("tool", "a string", string)?,
        path: fields.optional("path")?,
        diff: fields.optional("diff")?,
        command: fields.optional("command")?,
    })
}

/// The known properties of an object, by their lower-case names.
struct Fields<'a> {
    at: &'a str,
    known: Map<String, Value>,
}

impl<'a> Fields<'a> {
    fn of(value: Value, at: &'a str, names: &[&str]) -> Result<Fields<'a>, PlanError> {
        let Value::Object(given) = value else { return Err(shape(at, "an object", Some(&value))) };
        let mut fields = Fields { at, known: Map::new() };
        for (name, value) in given {
            let name = name.to_ascii_lowercase();
            if !names.contains(&name.as_str()) {
                continue;
            }
            let at = fields.place(&name);
            if fields.known.insert(name, value).is_some() {
                return Err(PlanError::Twice { at });
            }
        }
        Ok(fields)
    }

    fn place(&self, name: &str) -> String {
        if self.at.is_empty() { name.to_owned() } else { format!("{}.{name}", self.at) }
    }

    fn required<T>(
        &mut self,
        name: &str,
        expected: &'static str,
        read: fn(Value) -> Result<T, Value>,
    ) -> Result<T, PlanError> {
        let place = self.place(name);
        match self.known.remove(name) {
            None => Err(shape(&place, expected, None)),
            Some(value) => read(value).map_err(|value| shape(&place, expected, Some(&value))),
        }
    }

    /// Providers that enforce the schema make models write `null` for what they would leave out.
    fn optional(&mut self, name: &str) -> Result<Option<String>, PlanError> {
        match self.known.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(_) => self.required(name, "a string or null", string).map(Some),
        }
    }
}

fn string(value: Value) -> Result<String, Value> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(other),
    }
}

fn list(value: Value) -> Result<Vec<Value>, Value> {
    match value {
        Value::Array(items) => Ok(items),
        other => Err(other),
    }
}

fn items<T>(
    values: Vec<Value>,
    at: &str,
    read: impl Fn(Value, &str) -> Result<T, PlanError>,
) -> Result<Vec<T>, PlanError> {
    values.into_iter().enumerate().map(|(place, value)| read(value, &format!("{at}[{place}]"))).collect()
}

fn shape(at: &str, expected: &'static str, found: Option<&Value>) -> PlanError {
    let found = match found {
        None => "nothing",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "true or false",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "a string",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
    };
    PlanError::Shape { at: at.to_owned(), expected, found }
}
