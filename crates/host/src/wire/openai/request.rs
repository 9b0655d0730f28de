//! A request as bytes: the part that stays the same, then the messages.

use crate::wire::provider::{Provider, Reasoning};
use agent::{Call, Message, Request, Spec};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// What this wire calls itself in what it hands back with a reply.
pub(super) const NAME: &str = "openai";

pub(in crate::wire) const PATH: &str = "/chat/completions";

/// What closes a request after its messages.
pub(in crate::wire) const TAIL: &[u8] = b"]}";

/// Everything before the first message but the system's.
pub(in crate::wire) fn head(provider: &Provider, model: &str, request: &Request) -> Vec<u8> {
    let head = Head {
        model,
        stream: true,
        stream_options: json!({ "include_usage": true }),
        reasoning_effort: provider.effort.map(|effort| effort.name()),
        response_format: request.schema.as_deref().map(response_format),
        tools: request.tools.iter().map(|spec| Tool { kind: "function", function: spec }).collect(),
    };
    let mut bytes = serialised(&head);
    bytes.pop();
    bytes.extend_from_slice(b",\"messages\":[");
    if !request.instructions.is_empty() {
        bytes.extend(serialised(&Line::System { content: &request.instructions }));
        if !request.messages.is_empty() {
            bytes.push(b',');
        }
    }
    bytes
}

/// The messages with commas between them.
pub(in crate::wire) fn write(provider: &Provider, messages: &[Arc<Message>], out: &mut Vec<u8>) {
    for (place, message) in messages.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        out.extend(serialised(&line(provider, message)));
    }
}

#[derive(Serialize)]
struct Head<'a> {
    model: &'a str,
    stream: bool,
    stream_options: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    function: &'a Spec,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Line<'a> {
    System {
        content: &'a str,
    },
    User {
        content: Content<'a>,
    },
    Assistant {
        content: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<CallLine<'a>>,
    },
    Tool {
        tool_call_id: &'a str,
        content: &'a str,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    One(&'a str),
    Parts(Vec<TextPart<'a>>),
}

#[derive(Serialize)]
struct TextPart<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct CallLine<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    function: FunctionLine<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<&'a Value>,
}

#[derive(Serialize)]
struct FunctionLine<'a> {
    name: &'a str,
    arguments: String,
}

fn line<'a>(provider: &Provider, message: &'a Message) -> Line<'a> {
    match message {
        Message::User { parts } => Line::User {
            content: match parts.as_slice() {
                [] => Content::One(""),
                [one] => Content::One(one),
                many => Content::Parts(many.iter().map(|text| TextPart { kind: "text", text }).collect()),
            },
        },
        Message::Assistant { text, reasoning, calls, opaque } => Line::Assistant {
            // Beside calls, an empty string is refused by some servers and a missing field by others.
            content: (!text.is_empty() || calls.is_empty()).then_some(text),
            reasoning_content: (provider.reasoning == Reasoning::Returned && !reasoning.is_empty())
                .then_some(reasoning),
            tool_calls: calls
                .iter()
                .enumerate()
                .map(|(place, call)| CallLine {
                    id: &call.id.0,
                    kind: "function",
                    function: FunctionLine { name: &call.name, arguments: arguments(call) },
                    extra_content: opaque.as_ref().and_then(|opaque| extra(opaque, place)),
                })
                .collect(),
        },
        Message::Result { call, text, .. } => Line::Tool { tool_call_id: &call.0, content: text },
    }
}

/// A call's arguments. Several servers parse them and refuse the whole conversation for good if they are not JSON,
/// so what the model wrote wrongly goes back inside an object.
fn arguments(call: &Call) -> String {
    if call.arguments.trim().is_empty() {
        return "{}".to_owned();
    }
    match serde_json::from_str::<serde::de::IgnoredAny>(&call.arguments) {
        Ok(_) => call.arguments.clone(),
        Err(_) => json!({ "malformed": call.arguments }).to_string(),
    }
}

/// What came with the call at `place`, if this wire heard it.
fn extra(opaque: &Value, place: usize) -> Option<&Value> {
    let ours = opaque.get("wire").and_then(Value::as_str) == Some(NAME);
    opaque.get("extra_content").filter(|_| ours)?.get(place).filter(|extra| !extra.is_null())
}

fn response_format(schema: &Value) -> Value {
    let mut format = json!({ "name": "answer", "schema": schema });
    if is_strict(schema) {
        format["strict"] = Value::Bool(true);
    }
    json!({ "type": "json_schema", "json_schema": format })
}

/// Whether OpenAI would enforce the schema and not refuse it: every object names all it may hold and requires it.
fn is_strict(schema: &Value) -> bool {
    let Value::Object(fields) = schema else { return !schema.is_array() || is_strict_list(schema) };
    let closed = match fields.get("properties") {
        Some(Value::Object(properties)) => {
            let required = fields.get("required").and_then(Value::as_array);
            fields.get("additionalProperties") == Some(&Value::Bool(false))
                && required.is_some_and(|names| {
                    properties.keys().all(|key| names.iter().any(|name| name.as_str() == Some(key)))
                })
        }
        _ => fields.get("type").and_then(Value::as_str) != Some("object"),
    };
    closed
        && fields
            .values()
            .all(|value| !matches!(value, Value::Object(_) | Value::Array(_)) || is_strict(value))
}

fn is_strict_list(list: &Value) -> bool {
    list.as_array().is_none_or(|items| items.iter().all(is_strict))
}

fn serialised(value: &impl Serialize) -> Vec<u8> {
    // Writing strings and maps with string keys into memory cannot fail.
    serde_json::to_vec(value).unwrap_or_default()
}
