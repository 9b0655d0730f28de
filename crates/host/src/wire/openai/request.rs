//! A request as bytes: the part that stays the same, then the messages.

use crate::http::Address;
use crate::wire::format::Asked;
use crate::wire::gpt::Gpt;
use crate::wire::provider::{Counting, Limit, Reasoning};
use crate::wire::write::{Content, Ordered, arguments, is_strict, list, opened, serialised};
use agent::{Message, Request, Spec};
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;

/// What this wire calls itself in what it hands back with a reply.
pub(super) const NAME: &str = "openai";

/// Azure names the deployment in the path, except at its newer address, which is as everywhere.
pub(in crate::wire) fn azure_path(asked: &Asked<'_>, address: &Address) -> String {
    let version = &asked.provider.quirks.api_version;
    if address.join("").contains("/openai/v1") {
        return address.join("/chat/completions");
    }
    if version.is_empty() || version == "v1" {
        return address.join("/openai/v1/chat/completions");
    }
    address.join(&format!("/openai/deployments/{}/chat/completions?api-version={version}", asked.model))
}

/// Everything before the first message but the system's.
pub(in crate::wire) fn head(asked: &Asked<'_>, request: &Request) -> Vec<u8> {
    let quirks = &asked.provider.quirks;
    let head = Head {
        model: asked.model,
        stream: true,
        stream_options: (quirks.usage == Counting::Asked).then(|| json!({ "include_usage": true })),
        reasoning_effort: asked.provider.effort.map(|effort| Gpt::of(asked.model).effort(effort)),
        max_tokens: quirks.output.filter(|_| quirks.limit == Limit::Tokens),
        max_completion_tokens: quirks.output.filter(|_| quirks.limit == Limit::CompletionTokens),
        response_format: request.schema.as_deref().map(response_format).map(Ordered),
        tools: request.tools.iter().map(|spec| Tool { kind: "function", function: spec }).collect(),
    };
    let mut bytes = opened(&head, &asked.provider.body, "messages");
    if !request.instructions.is_empty() {
        bytes.extend(serialised(&Line::System { content: &request.instructions }));
        if !request.messages.is_empty() {
            bytes.push(b',');
        }
    }
    bytes
}

/// The messages with commas between them.
pub(in crate::wire) fn write(asked: &Asked<'_>, messages: &[Arc<Message>], out: &mut Vec<u8>) {
    list(messages.iter().map(|message| line(asked.provider.quirks.reasoning, message)), out);
}

#[derive(Serialize)]
struct Head<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Ordered<Value>>,
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
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_details: Option<&'a Value>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<CallLine<'a>>,
    },
    Tool {
        tool_call_id: &'a str,
        content: &'a str,
    },
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
    arguments: Cow<'a, str>,
}

fn line(returned: Reasoning, message: &Message) -> Line<'_> {
    match message {
        Message::User { parts } => Line::User { content: Content::of(parts, "text") },
        Message::Assistant { text, reasoning, calls, opaque, .. } => Line::Assistant {
            // Beside calls, an empty string is refused by some servers and a missing field by others.
            content: (!text.is_empty() || calls.is_empty()).then_some(text),
            reasoning_content: (returned == Reasoning::Returned && !reasoning.is_empty())
                .then_some(reasoning),
            reasoning_details: opaque.as_ref().and_then(|opaque| heard(opaque, "reasoning_details")),
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

/// What came with the call at `place`.
fn extra(opaque: &Value, place: usize) -> Option<&Value> {
    heard(opaque, "extra_content")?.get(place).filter(|extra| !extra.is_null())
}

/// What came with the reply under this name, if this wire heard it.
fn heard<'a>(opaque: &'a Value, name: &str) -> Option<&'a Value> {
    let ours = opaque.get("wire").and_then(Value::as_str) == Some(NAME);
    opaque.get(name).filter(|_| ours)
}

fn response_format(schema: &Value) -> Value {
    let mut format = json!({ "name": "answer", "schema": schema });
    if is_strict(schema) {
        format["strict"] = Value::Bool(true);
    }
    json!({ "type": "json_schema", "json_schema": format })
}
