//! A request as bytes: the part that stays the same, then the messages.

use super::schema::fitted;
use super::version::{Version, trying};
use crate::http::Address;
use crate::schema::demand;
use crate::wire::format::Asked;
use crate::wire::layout::{Item, arranged};
use crate::wire::provider::Effort;
use crate::wire::write::{Ordered, input, list, opened};
use agent::{Call, Message, Prefix, Request, Spec};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
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
    let (version, effort) = (Version::of(asked.model), asked.provider.effort);
    let longest = asked.provider.quirks.output.unwrap_or_else(|| version.longest());
    let head = Head {
        model: asked.model,
        max_tokens: longest,
        stream: true,
        cache_control: Breakpoint::EPHEMERAL,
        thinking: version.thinking(effort, longest),
        output_config: output_config(enforced, effort.filter(|_| version.adapts())),
        system: (!system.is_empty()).then(|| [System::new(system.join("\n\n"))]),
        tools: request.tools.iter().map(tool).collect(),
    };
    opened(&head, &asked.provider.body, "messages")
}

/// The messages with commas between them. The results of one reply's calls are one message.
pub(in crate::wire) fn write(asked: &Asked<'_>, messages: &[Arc<Message>], out: &mut Vec<u8>) {
    let bound = Version::of(asked.model).binds_thoughts();
    let groups = messages.chunk_by(|one, next| is_result(one) && is_result(next));
    list(groups.map(|group| turn(bound, group)), out);
}

#[derive(Serialize)]
struct Head<'a> {
    model: &'a str,
    max_tokens: u64,
    stream: bool,
    cache_control: Breakpoint,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<Ordered<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<[System<'a>; 1]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
}

/// What the provider is to remember up to here for a while.
#[derive(Serialize)]
struct Breakpoint {
    #[serde(rename = "type")]
    kind: &'static str,
}

/// The instructions end a part that is remembered by itself: tools and instructions outlive a compaction.
#[derive(Serialize)]
struct System<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    text: String,
    cache_control: Breakpoint,
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

impl Breakpoint {
    const EPHEMERAL: Breakpoint = Breakpoint { kind: "ephemeral" };
}

impl System<'_> {
    fn new(text: String) -> Self {
        System { kind: "text", text, cache_control: Breakpoint::EPHEMERAL }
    }
}

/// What the answer must be like, and how hard the model should try.
fn output_config(schema: Option<Value>, effort: Option<Effort>) -> Option<Ordered<Value>> {
    let mut config = Map::new();
    if let Some(schema) = schema {
        config.insert("format".into(), json!({ "type": "json_schema", "schema": schema }));
    }
    if let Some(effort) = effort {
        config.insert("effort".into(), trying(effort).into());
    }
    (!config.is_empty()).then(|| Ordered(config.into()))
}

fn tool(spec: &Spec) -> Tool<'_> {
    Tool { name: &spec.name, description: &spec.description, input_schema: &spec.parameters }
}

fn is_result(message: &Arc<Message>) -> bool {
    matches!(**message, Message::Result { .. })
}

fn turn(bound: bool, group: &[Arc<Message>]) -> Turn<'_> {
    let role = match group.first().map(|message| &**message) {
        Some(Message::Assistant { .. }) => "assistant",
        _ => "user",
    };
    let mut content: Vec<Part<'_>> = group.iter().flat_map(|message| parts(bound, message)).collect();
    if content.is_empty() {
        // A message without content is refused, and with it every later request.
        content.push(Part::Plain(Plain::Text { text: "(nothing)" }));
    }
    Turn { role, content }
}

fn parts(bound: bool, message: &Message) -> Vec<Part<'_>> {
    match message {
        Message::User { parts } => {
            parts.iter().filter(|text| !text.trim().is_empty()).map(|text| plain_text(text)).collect()
        }
        Message::Assistant { text, calls, opaque, prefix, .. } => {
            let stale = bound && *prefix == Prefix::Rewritten;
            let items = arranged(NAME, opaque.as_ref(), text, calls).into_iter();
            items.filter(|item| !(stale && matches!(item, Item::Thought(_)))).filter_map(part).collect()
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
