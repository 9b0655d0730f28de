//! Calls as JSON objects with a name and arguments: the whole reply, in a fence at its end, or in `<tool_call>`.

use super::{Found, blanks, fence_marks, made, markup};
use crate::dialect::{MOST_CALLS, lenient};
use agent::{Call, Spec};
use serde_json::{Map, Value};

/// Whether something besides the object itself says that it is a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marked {
    Yes,
    No,
}

/// The calls that a reply is, from its first to its last character.
pub(super) fn whole(text: &str, tools: &[Spec]) -> Option<Vec<Call>> {
    let text = text.trim();
    let (value, end) = lenient::value(text, 0).ok().filter(|_| text.starts_with(['{', '[']))?;
    calls(value, Marked::No, tools).filter(|calls| end == text.len() && calls.len() <= MOST_CALLS)
}

/// The calls in the fence that opens here, if it is the last thing in the reply.
pub(super) fn fenced(text: &str, tools: &[Spec]) -> Option<Vec<Call>> {
    let (first, rest) = text.split_once('\n')?;
    let marks = fence_marks(first.trim_start());
    let label = first.trim_start()[marks.len()..].trim().to_ascii_lowercase();
    if !matches!(label.as_str(), "json" | "tool_code" | "tool_call" | "tool_calls") {
        return None;
    }
    let content = rest.trim_end().strip_suffix(marks)?;
    whole(content.strip_suffix('\n')?, tools)
}

/// `<tool_call>` with JSON in it (Hermes, Qwen), or with markup.
pub(super) fn tagged(text: &str, tools: &[Spec]) -> Found {
    const OPEN: &str = "<tool_call>";
    const CLOSE: &str = "</tool_call>";
    let mut found = Vec::new();
    let mut at = OPEN.len();
    loop {
        at += blanks(&text[at..]);
        let rest = &text[at..];
        if rest.starts_with(['{', '[']) {
            let (value, length) = lenient::value(rest, 0).ok()?;
            found.extend(calls(value, Marked::Yes, tools)?);
            at += length;
        } else if markup::begins(rest) {
            let (calls, length) = markup::functions(rest, tools)?;
            found.extend(calls);
            at += length;
        } else if let Some(after) = rest.strip_prefix(CLOSE) {
            let end = text.len() - after.len();
            return Some((found, end)).filter(|(found, _)| !found.is_empty());
        } else {
            // Where the closing tag is the stop word, the server keeps it. The call itself is whole.
            return Some((found, at)).filter(|(found, _)| rest.is_empty() && !found.is_empty());
        }
    }
}

/// One call or a list of calls.
pub(super) fn calls(value: Value, marked: Marked, tools: &[Spec]) -> Option<Vec<Call>> {
    match value {
        Value::Array(items) => {
            let calls: Option<Vec<Call>> = items.into_iter().map(|item| call(item, marked, tools)).collect();
            calls.filter(|calls| !calls.is_empty())
        }
        one => Some(vec![call(one, marked, tools)?]),
    }
}

fn call(value: Value, marked: Marked, tools: &[Spec]) -> Option<Call> {
    let Value::Object(mut fields) = value else { return None };
    // The form in which calls go over OpenAI's wire.
    if let Some(Value::Object(inner)) = fields.remove("function") {
        let rest = fields.keys().all(|key| matches!(key.as_str(), "id" | "type" | "index"));
        return if rest { named(inner, marked, tools) } else { None };
    }
    named(fields, marked, tools)
}

fn named(mut fields: Map<String, Value>, marked: Marked, tools: &[Spec]) -> Option<Call> {
    let Some(Value::String(name)) = fields.remove("name") else { return None };
    let arguments = match (fields.remove("arguments"), fields.remove("parameters")) {
        (Some(_), Some(_)) => return None,
        (Some(given), None) | (None, Some(given)) => given,
        (None, None) if marked == Marked::Yes => Value::Object(Map::new()),
        (None, None) => return None,
    };
    let arguments = match arguments {
        Value::Object(_) => arguments.to_string(),
        Value::String(text) => text,
        Value::Null => "{}".to_owned(),
        _ => return None,
    };
    let known = fields.keys().all(|key| matches!(key.as_str(), "id" | "type"));
    made(&name, arguments, tools).filter(|_| known)
}
