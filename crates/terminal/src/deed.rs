//! What a call does, for people: read from its name and its arguments, whatever its profile calls them. Start at
//! [`Deed::of`].
//!
//! A deed is only words about a call; nothing is decided or carried out by it.

use agent::event::{Call, Outcome, Status};
use serde_json::Value;

use crate::diff::Change;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// Shell source, each with its own outcome.
    Commands(Vec<String>),
    /// A change of files: what kind, which path, the diff or content as the model wrote it.
    Change { change: Change, path: String, diff: String },
    /// Anything else: its name and its most telling argument.
    Other { name: String, about: String },
}

/// What one command of a call came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub output: String,
    pub note: Option<String>,
    pub failed: bool,
}

impl Deed {
    pub fn of(call: &Call) -> Deed {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        if let Some(commands) = commands(&arguments) {
            return Deed::Commands(commands);
        }
        if let Some(deed) = change(&call.name, &arguments) {
            return deed;
        }
        Deed::Other { name: call.name.clone(), about: about(&arguments) }
    }

    /// What the commands of this deed came to, in their order.
    pub fn ended(&self, outcome: &Outcome) -> Vec<Ended> {
        let Deed::Commands(commands) = self else { return Vec::new() };
        let listed = serde_json::from_str::<Value>(&outcome.text).ok();
        let listed = listed.as_ref().and_then(|value| value.get("output")).and_then(Value::as_array);
        match listed {
            Some(outputs) => (0..commands.len()).map(|at| listed_end(outputs.get(at))).collect(),
            None => {
                let mut ends = vec![plain_end(outcome)];
                ends.resize(commands.len().max(1), skipped());
                ends
            }
        }
    }
}

/// The arguments that a deed's own words do not show, one `name: value` each.
pub fn other_arguments(call: &Call, deed: &Deed) -> Vec<(String, String)> {
    let told: &[&str] = match deed {
        Deed::Commands(_) => &["command", "commands", "needsApproval"],
        Deed::Change { .. } => &["type", "path", "diff", "patch", "content", "old", "new"],
        Deed::Other { .. } => &[],
    };
    match serde_json::from_str::<Value>(&call.arguments) {
        Ok(Value::Object(fields)) => fields
            .into_iter()
            .filter(|(name, value)| !told.contains(&name.as_str()) && !value.is_null())
            .map(|(name, value)| (name, shown(&value)))
            .collect(),
        // What is no object is shown as it is.
        _ => vec![("arguments".into(), call.arguments.clone())],
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn commands(arguments: &Value) -> Option<Vec<String>> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match (arguments.get("commands"), arguments.get("command")) {
        (Some(Value::Array(commands)), _) if !commands.is_empty() => commands.iter().map(text).collect(),
        (_, Some(command)) => text(command).map(|command| vec![command]),
        _ => None,
    }
}

fn change(name: &str, arguments: &Value) -> Option<Deed> {
    let text = |field: &str| arguments.get(field).and_then(Value::as_str).map(str::to_owned);
    let kind = match (text("type").as_deref(), name) {
        (Some("create_file"), _) => Change::Create,
        (Some("update_file"), _) => Change::Update,
        (Some("delete_file"), _) => Change::Delete,
        (_, "write" | "replace" | "patch" | "apply_patch") => Change::Update,
        _ => return None,
    };
    let added = |content: String| content.lines().map(|line| format!("+{line}\n")).collect::<String>();
    let removed = |content: String| content.lines().map(|line| format!("-{line}\n")).collect::<String>();
    let replaced = || Some(format!("{}{}", removed(text("old")?), added(text("new")?)));
    let diff =
        text("diff").or_else(|| text("patch")).or_else(replaced).or_else(|| text("content").map(added));
    Some(Deed::Change {
        change: kind,
        path: text("path").unwrap_or_default(),
        diff: diff.unwrap_or_default(),
    })
}

fn about(arguments: &Value) -> String {
    let Value::Object(fields) = arguments else { return String::new() };
    let known = ["path", "pattern", "query", "name", "url"];
    let found: Vec<String> = known
        .iter()
        .filter_map(|name| fields.get(*name))
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    match found.is_empty() {
        true => fields.values().filter_map(Value::as_str).next().unwrap_or_default().to_owned(),
        false => found.join(" "),
    }
}

/// One entry of the list that the terminal's own shell tool answers with.
fn listed_end(entry: Option<&Value>) -> Ended {
    let Some(entry) = entry else { return skipped() };
    let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
    let (stdout, stderr) = (text("stdout"), text("stderr"));
    let gap = if stdout.is_empty() || stderr.is_empty() || stdout.ends_with('\n') { "" } else { "\n" };
    let exit = entry.pointer("/outcome/exitCode").and_then(Value::as_i64);
    let timeout = entry.pointer("/outcome/type").and_then(Value::as_str) == Some("timeout");
    let note = match exit {
        _ if timeout => Some("timed out".to_owned()),
        Some(0) | None => None,
        Some(code) => Some(format!("exit code {code}")),
    };
    Ended { output: format!("{stdout}{gap}{stderr}"), failed: note.is_some(), note }
}

fn skipped() -> Ended {
    Ended { output: String::new(), note: Some("not run".into()), failed: true }
}

/// An outcome in words: its first line says how it ended.
fn plain_end(outcome: &Outcome) -> Ended {
    let failed = outcome.status != Status::Done;
    let (head, output) = outcome.text.split_once('\n').unwrap_or((&outcome.text, ""));
    let told = head.starts_with("exit code ") || head.starts_with("Error: ");
    match (told, failed) {
        (true, true) => {
            Ended { output: output.into(), note: Some(head.trim_start_matches("Error: ").into()), failed }
        }
        (true, false) => Ended { output: output.into(), note: None, failed },
        (false, _) => Ended { output: outcome.text.clone(), note: None, failed },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent::event::CallId;
    use serde_json::json;

    fn call(name: &str, arguments: Value) -> Call {
        Call { id: CallId("c".into()), name: name.into(), arguments: arguments.to_string() }
    }

    #[test]
    fn calls_are_told_in_words() {
        let path = || "a.rs".to_owned();
        for (call, deed) in [
            (call("shell", json!({ "command": "ls" })), Deed::Commands(vec!["ls".into()])),
            (call("shell", json!({ "commands": ["a", "b"] })), Deed::Commands(vec!["a".into(), "b".into()])),
            (
                call("apply_patch", json!({ "type": "create_file", "path": "a.rs", "diff": "+x" })),
                Deed::Change { change: Change::Create, path: path(), diff: "+x".into() },
            ),
            (
                call("replace", json!({ "path": "a.rs", "old": "x", "new": "y" })),
                Deed::Change { change: Change::Update, path: path(), diff: "-x\n+y\n".into() },
            ),
            (
                call("search", json!({ "pattern": "x", "path": "src", "case_sensitive": true })),
                Deed::Other { name: "search".into(), about: "src x".into() },
            ),
        ] {
            assert_eq!(Deed::of(&call), deed);
        }
    }

    #[test]
    fn outcomes_are_read_in_both_forms() {
        let deed = Deed::Commands(vec!["a".into(), "b".into()]);
        let listed = json!({ "output": [
            { "command": "a", "stdout": "out\n", "stderr": "err", "outcome": { "type": "exit", "exitCode": 2 } },
        ] });
        let ends = deed.ended(&Outcome::done(listed.to_string()));
        assert_eq!(
            ends[0],
            Ended { output: "out\nerr".into(), note: Some("exit code 2".into()), failed: true }
        );
        assert_eq!(ends[1], skipped());
        let one = Deed::Commands(vec!["a".into()]);
        let ends = one.ended(&Outcome::done("exit code 0\nhello"));
        assert_eq!(ends, [Ended { output: "hello".into(), note: None, failed: false }]);
        let ends = one.ended(&Outcome::failed("exit code 3"));
        assert_eq!(ends, [Ended { output: String::new(), note: Some("exit code 3".into()), failed: true }]);
    }
}
