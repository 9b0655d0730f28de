//! The object of the `json` dialect for every profile but the planner's. Start at [`read`]; [`render`] and [`schema`]
//! are the other directions.
//!
//! `{"analysis": string, "calls": [{"name": string, "parameters": object}], "final": string or null}`. The names are in
//! the order of the alphabet on purpose: providers that enforce a schema make the model write the properties in the
//! schema's order, and a map that sorts its keys must not make it call before it thinks, or fill in parameters before it
//! names the tool.

#[cfg(test)]
mod tests;

use super::lenient;
use agent::{Call, CallId, Spec};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// What a model is told about the object, before its tools are listed.
pub(super) const PROTOCOL: &str = include_str!("calls/protocol.md");

/// What a reply came to. Words beside calls are the analysis; words without calls are the answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Said {
    pub words: String,
    pub calls: Vec<Call>,
}

/// Reads a reply. `None` means that it is none of these objects and no attempt at one: an answer in plain words. An
/// error is what to tell the model about an attempt that failed; nothing of it may run.
///
/// Tolerant as the planner's reader, and of the other names that models are used to (`thought`, `actions`, `answer`,
/// `tool`, `arguments`).
pub fn read(reply: &str) -> Result<Option<Said>, String> {
    let fields = match lenient::object(reply) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) => return Ok(None),
        Err(fault) if is_attempt(reply) => return Err(format!("invalid JSON: {fault}")),
        Err(_) => return Ok(None),
    };
    let calls = one_of(&fields, &["calls", "actions", "tool_calls"])?;
    let last = one_of(&fields, &["final", "answer"])?;
    if calls.is_none() && last.is_none() {
        return Ok(None);
    }
    let calls = match calls {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(items)) => items.iter().enumerate().map(call).collect::<Result<_, _>>()?,
        Some(_) => return Err("calls: expected a list".to_owned()),
    };
    let analysis = one_of(&fields, &["analysis", "thought"])?.and_then(Value::as_str).unwrap_or_default();
    let words = match last {
        Some(Value::String(answer)) if calls.is_empty() => answer.clone(),
        None | Some(Value::Null | Value::String(_)) => analysis.to_owned(),
        Some(_) if !calls.is_empty() => analysis.to_owned(),
        Some(value) => value.to_string(),
    };
    Ok(Some(Said { words, calls }))
}

/// What was said and called as the object would say it: the same bytes for the same calls.
pub fn render(words: &str, calls: &[Call]) -> String {
    let last = calls.is_empty();
    let object = Object {
        analysis: if last { "" } else { words },
        calls: calls.iter().map(|call| Named { name: &call.name, parameters: parameters(call) }).collect(),
        answer: last.then_some(words),
    };
    // Writing strings and maps with string keys into memory cannot fail.
    serde_json::to_string(&object).unwrap_or_default()
}

/// A JSON Schema of the object with these tools. `answer` is the schema of the final answer, if it must have one.
pub fn schema(tools: &[Spec], answer: Option<&Value>) -> Value {
    let calls: Vec<Value> = tools
        .iter()
        .map(|spec| {
            json!({
                "type": "object",
                "properties": {
                    "name": { "type": "string", "enum": [spec.name] },
                    "parameters": embedded(&spec.parameters),
                },
                "required": ["name", "parameters"],
                "additionalProperties": false,
            })
        })
        .collect();
    let answer = match answer {
        Some(schema) => json!({ "anyOf": [embedded(schema), { "type": "null" }] }),
        None => json!({ "type": ["string", "null"] }),
    };
    json!({
        "type": "object",
        "properties": {
            "analysis": { "type": "string" },
            "calls": { "type": "array", "items": { "anyOf": calls } },
            "final": answer,
        },
        "required": ["analysis", "calls", "final"],
        "additionalProperties": false,
    })
}

#[derive(Serialize)]
struct Object<'a> {
    analysis: &'a str,
    calls: Vec<Named<'a>>,
    #[serde(rename = "final")]
    answer: Option<&'a str>,
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    parameters: Value,
}

/// Arguments that are no JSON are shown as the string they are.
fn parameters(call: &Call) -> Value {
    if call.arguments.trim().is_empty() {
        return json!({});
    }
    serde_json::from_str(&call.arguments).unwrap_or_else(|_| Value::String(call.arguments.clone()))
}

/// Whether a reply that cannot be read was meant as the object, and is not an answer that happens to have braces in it.
fn is_attempt(reply: &str) -> bool {
    let start = reply.trim_start_matches('\u{feff}').trim_start();
    let start =
        if start.starts_with("```") { start.split_once('\n').map_or("", |(_, rest)| rest) } else { start };
    start.trim_start().starts_with('{') || reply.contains("\"calls\"")
}

fn call((place, item): (usize, &Value)) -> Result<Call, String> {
    let Value::Object(fields) = item else { return Err(format!("calls[{place}]: expected an object")) };
    let name = one_of(fields, &["name", "tool"])?.and_then(Value::as_str);
    let name = name.ok_or_else(|| format!("calls[{place}].name: expected the name of a tool"))?;
    let arguments = match one_of(fields, &["parameters", "arguments"])? {
        None | Some(Value::Null) => "{}".to_owned(),
        // Some models are used to arguments that are JSON in a string.
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    Ok(Call { id: CallId(String::new()), name: name.to_owned(), arguments })
}

/// The property with any of these names, in any case.
fn one_of<'a>(fields: &'a Map<String, Value>, names: &[&str]) -> Result<Option<&'a Value>, String> {
    let is_meant = |name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    let mut found = fields.iter().filter(|(name, _)| is_meant(name));
    match (found.next(), found.next()) {
        (Some((first, _)), Some((second, _))) => Err(format!("{first} and {second} mean the same: give one")),
        (first, _) => Ok(first.map(|(_, value)| value)),
    }
}

/// A schema as a part of another. References count from the root of the document they were written for, so a schema
/// that has any cannot be moved; it is then left to the reader of the value.
fn embedded(schema: &Value) -> Value {
    if has_reference(schema) { json!({ "type": "object" }) } else { schema.clone() }
}

fn has_reference(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            fields.keys().any(|key| matches!(key.as_str(), "$ref" | "$dynamicRef" | "$id"))
                || fields.values().any(has_reference)
        }
        Value::Array(items) => items.iter().any(has_reference),
        _ => false,
    }
}
