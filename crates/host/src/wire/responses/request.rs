//! A request as bytes: the part that stays the same, then the items of the conversation.

use super::event::Item as Heard;
use crate::wire::format::Asked;
use crate::wire::gpt::Gpt;
use crate::wire::layout::{Item, arranged};
use crate::wire::provider::Memory;
use crate::wire::write::{Content, Ordered, arguments, is_strict, list, opened};
use agent::{Call, Message, Prefix, Request, Spec};
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;

/// What this wire calls itself in what it hands back with a reply.
pub(super) const NAME: &str = "responses";

/// Everything before the first item.
pub(in crate::wire) fn head(asked: &Asked<'_>, request: &Request) -> Vec<u8> {
    let ours = asked.provider.quirks.memory == Memory::Ours;
    let gpt = Gpt::of(asked.model);
    let thinks = asked.provider.effort.is_some() || gpt.reasons();
    let head = Head {
        model: asked.model,
        stream: true,
        store: !ours,
        include: (ours && thinks).then_some(["reasoning.encrypted_content"]),
        reasoning: thinks.then(|| Thinking {
            effort: asked.provider.effort.map(|effort| gpt.effort(effort)),
            summary: "auto",
        }),
        max_output_tokens: asked.provider.quirks.output,
        text: request.schema.as_deref().map(|schema| Ordered(json!({ "format": format(schema) }))),
        instructions: (!request.instructions.is_empty()).then_some(&*request.instructions),
        tools: request.tools.iter().map(tool).collect(),
        previous_response_id: match asked.remembered(&request.messages) {
            0 => None,
            known => request.messages.get(known - 1).and_then(|message| id(message)),
        },
    };
    opened(&head, &asked.provider.body, "input")
}

/// The items of the messages with commas between them.
pub(in crate::wire) fn write(messages: &[Arc<Message>], out: &mut Vec<u8>) {
    list(messages.iter().flat_map(|message| items(message)), out);
}

/// How many messages the provider remembers: all up to the last reply that it stored.
pub(in crate::wire) fn remembered(asked: &Asked<'_>, messages: &[Arc<Message>]) -> usize {
    match asked.provider.quirks.memory {
        Memory::Ours => 0,
        Memory::Theirs => {
            messages.iter().rposition(|message| id(message).is_some()).map_or(0, |place| place + 1)
        }
    }
}

/// Thoughts as they go back; nothing where the provider did not let us have them.
pub(super) fn returnable(item: &Heard<'_>) -> Option<Value> {
    if item.encrypted_content.is_empty() {
        return None;
    }
    let summary = match item.summary.as_str() {
        "" => json!([]),
        text => json!([{ "type": "summary_text", "text": text }]),
    };
    let (id, content) = (item.id.as_str(), item.encrypted_content.as_str());
    Some(json!({ "type": "reasoning", "id": id, "summary": summary, "encrypted_content": content }))
}

#[derive(Serialize)]
struct Head<'a> {
    model: &'a str,
    stream: bool,
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    include: Option<[&'a str; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Thinking<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Ordered<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_response_id: Option<&'a str>,
}

#[derive(Serialize)]
struct Thinking<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'a str>,
    summary: &'a str,
}

#[derive(Serialize)]
struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
    /// Said because it is on where nothing is said, and our schemas need not meet its rules.
    strict: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Line<'a> {
    Said {
        role: &'a str,
        content: Content<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        phase: Option<&'a str>,
    },
    AsItCame(&'a Value),
    Called(Called<'a>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Called<'a> {
    FunctionCall { call_id: &'a str, name: &'a str, arguments: Cow<'a, str> },
    FunctionCallOutput { call_id: &'a str, output: &'a str },
}

fn items(message: &Message) -> Vec<Line<'_>> {
    match message {
        Message::User { parts } => {
            vec![Line::Said { role: "user", content: Content::of(parts, "input_text"), phase: None }]
        }
        Message::Assistant { text, calls, opaque, .. } => {
            let lines =
                arranged(NAME, opaque.as_ref().filter(|kept| kept.get("layout").is_some()), text, calls);
            match lines.is_empty() {
                // An item for every message keeps the commas simple, and an empty answer is an answer.
                true => vec![Line::Said { role: "assistant", content: Content::One(""), phase: None }],
                false => lines.into_iter().map(line).collect(),
            }
        }
        Message::Result { call, text, .. } => {
            vec![Line::Called(Called::FunctionCallOutput { call_id: &call.0, output: text })]
        }
    }
}

fn line(item: Item<'_>) -> Line<'_> {
    match item {
        Item::Thought(part) => Line::AsItCame(part),
        Item::Text { text, phase, .. } => {
            Line::Said { role: "assistant", content: Content::One(text), phase }
        }
        Item::Call { call, .. } => called(call),
    }
}

fn called(call: &Call) -> Line<'_> {
    Line::Called(Called::FunctionCall { call_id: &call.id.0, name: &call.name, arguments: arguments(call) })
}

fn tool(spec: &Spec) -> Tool<'_> {
    let Spec { name, description, parameters } = spec;
    Tool { kind: "function", name, description, parameters, strict: false }
}

fn format(schema: &Value) -> Value {
    json!({ "type": "json_schema", "name": "answer", "schema": schema, "strict": is_strict(schema) })
}

/// The name under which the provider stored a reply with all before it. It serves only as long as nothing of that was
/// compacted: what was too long would come back with it.
fn id(message: &Message) -> Option<&str> {
    match message {
        Message::Assistant { opaque: Some(kept), prefix: Prefix::Same, .. }
            if kept.get("wire").and_then(Value::as_str) == Some(NAME) =>
        {
            kept.get("id").and_then(Value::as_str)
        }
        _ => None,
    }
}
