//! A request as bytes: the part that stays the same, then the messages.

use super::schema::fitted;
use crate::http::Address;
use crate::schema::demand;
use crate::wire::format::Asked;
use crate::wire::layout::{Item, arranged};
use crate::wire::write::{Ordered, input, list, opened};
use agent::{Call, Message, Request, Spec};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;

/// What this wire calls itself in what it hands back with a reply.
pub(super) const NAME: &str = "anthropic";

/// The version of the protocol, sent as a header.
pub(in crate::wire) const VERSION: &str = "2023-06-01";

/// The base URL is the host's root by custom; one that names the version already is taken as it is.
pub(in crate::wire) fn path(address: &Address) -> String {
    match address.join("").ends_with("/v1") {
        true => address.join("/messages"),
        false => address.join("/v1/messages"),
    }
}

/// Everything before the first message.
pub(in crate::wire) fn head(asked: &Asked<'_>, request: &Request) -> Vec<u8> {
    let enforced = request.schema.as_deref().and_then(fitted);
    // What cannot be enforced is said in words.
    let said = request.schema.as_deref().filter(|_| enforced.is_none()).map(demand);
    let instructions = Some(&*request.instructions).filter(|own| !own.is_empty());
    let system: Vec<&str> = instructions.into_iter().chain(said.as_deref()).collect();
    let head = Head {
        model: asked.model,
        max_tokens: asked.provider.quirks.output.unwrap_or_else(|| longest(asked.model)),
        stream: true,
        cache_control: json!({ "type": "ephemeral" }),
        thinking: asked
            .provider
            .effort
            .map(|effort| json!({ "type": "enabled", "budget_tokens": effort.tokens() })),
        output_config: enforced
            .map(|schema| Ordered(json!({ "format": { "type": "json_schema", "schema": schema } }))),
        system: (!system.is_empty()).then(|| system.join("\n\n")),
        tools: request.tools.iter().map(tool).collect(),
    };
    opened(&head, "messages")
}

/// The messages with commas between them. The results of one reply's calls are one message.
pub(in crate::wire) fn write(messages: &[Arc<Message>], out: &mut Vec<u8>) {
    let groups = messages.chunk_by(|one, next| is_result(one) && is_result(next));
    list(groups.map(turn), out);
}

#[derive(Serialize)]
struct Head<'a> {
    model: &'a str,
    max_tokens: u64,
    stream: bool,
    cache_control: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<Ordered<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a Value,
}

#[derive(Serialize)]
struct Turn<'a> {
    role: &'a str,
    content: Vec<Part<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Part<'a> {
    Plain(Plain<'a>),
    AsItCame(&'a Value),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Plain<'a> {
    Text { text: &'a str },
    ToolUse { id: &'a str, name: &'a str, input: Option<Box<RawValue>> },
    ToolResult { tool_use_id: &'a str, content: &'a str },
}

fn tool(spec: &Spec) -> Tool<'_> {
    Tool { name: &spec.name, description: &spec.description, input_schema: &spec.parameters }
}

fn is_result(message: &Arc<Message>) -> bool {
    matches!(**message, Message::Result { .. })
}

fn turn(group: &[Arc<Message>]) -> Turn<'_> {
    let role = match group.first().map(|message| &**message) {
        Some(Message::Assistant { .. }) => "assistant",
        _ => "user",
    };
    let mut content: Vec<Part<'_>> = group.iter().flat_map(|message| parts(message)).collect();
    if content.is_empty() {
        // A message without content is refused, and with it every later request.
        content.push(Part::Plain(Plain::Text { text: "(nothing)" }));
    }
    Turn { role, content }
}

fn parts(message: &Message) -> Vec<Part<'_>> {
    match message {
        Message::User { parts } => {
            parts.iter().filter(|text| !text.trim().is_empty()).map(|text| plain_text(text)).collect()
        }
        Message::Assistant { text, calls, opaque, .. } => {
            arranged(NAME, opaque.as_ref(), text, calls).into_iter().filter_map(part).collect()
        }
        Message::Result { call, text, .. } => {
            vec![Part::Plain(Plain::ToolResult { tool_use_id: &call.0, content: text })]
        }
    }
}

fn part(item: Item<'_>) -> Option<Part<'_>> {
    match item {
        Item::Thought(part) => Some(Part::AsItCame(part)),
        // Text of nothing but white space is refused.
        Item::Text { text, .. } => (!text.trim().is_empty()).then(|| plain_text(text)),
        Item::Call { call, .. } => Some(tool_use(call)),
    }
}

fn plain_text(text: &str) -> Part<'_> {
    Part::Plain(Plain::Text { text })
}

fn tool_use(call: &Call) -> Part<'_> {
    Part::Plain(Plain::ToolUse { id: &call.id.0, name: &call.name, input: input(call) })
}

/// The longest reply that may be asked for: more than a model can write is refused.
fn longest(model: &str) -> u64 {
    if model.starts_with("claude-3-5") {
        return 8192;
    }
    if model.starts_with("claude-3-") && !model.starts_with("claude-3-7") {
        return 4096;
    }
    32_000
}
