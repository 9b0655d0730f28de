//! A request as bytes: the part that stays the same, then the contents.

use super::generation::Generation;
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
pub(super) const NAME: &str = "gemini";

/// What stands in for the signature of a call that another model made; without any, newer models refuse the request.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// The base URL is the host's root by custom; one that names the version already is taken as it is.
pub(in crate::wire) fn path(asked: &Asked<'_>, address: &Address) -> String {
    let version = if address.join("").is_empty() { "/v1beta" } else { "" };
    address.join(&format!("{version}/models/{}:streamGenerateContent?alt=sse", asked.model))
}

/// Everything before the first message.
pub(in crate::wire) fn head(asked: &Asked<'_>, request: &Request) -> Vec<u8> {
    let generation = Generation::of(asked.model);
    // Before the third generation a request with tools and a schema is refused; there the schema is said in words.
    let enforced = generation >= Generation::Third || request.tools.is_empty();
    let schema = request.schema.as_deref().filter(|_| enforced);
    let said = request.schema.as_deref().filter(|_| !enforced).map(demand);
    let own = Some(&*request.instructions).filter(|own| !own.is_empty());
    let system: Vec<&str> = own.into_iter().chain(said.as_deref()).collect();
    let head = Head {
        config: Config {
            thinking: generation.thinking(asked),
            longest: asked.provider.quirks.output,
            mime: schema.map(|_| "application/json"),
            schema: schema.map(Ordered),
        },
        instructions: (!system.is_empty()).then(|| json!({ "parts": [{ "text": system.join("\n\n") }] })),
        tools: match request.tools.is_empty() {
            true => Vec::new(),
            false => vec![Tools { declarations: request.tools.iter().map(tool).collect() }],
        },
    };
    opened(&head, &asked.provider.body, "contents")
}

/// The messages with commas between them. The results of one reply's calls are one message.
pub(in crate::wire) fn write(asked: &Asked<'_>, messages: &[Arc<Message>], out: &mut Vec<u8>) {
    let groups = messages.chunk_by(|one, next| is_result(one) && is_result(next));
    list(groups.map(|group| turn(asked, group)), out);
}

#[derive(Serialize)]
struct Head<'a> {
    #[serde(rename = "generationConfig")]
    config: Config<'a>,
    #[serde(rename = "systemInstruction", skip_serializing_if = "Option::is_none")]
    instructions: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tools<'a>>,
}

#[derive(Serialize)]
struct Config<'a> {
    #[serde(rename = "thinkingConfig", skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(rename = "maxOutputTokens", skip_serializing_if = "Option::is_none")]
    longest: Option<u64>,
    #[serde(rename = "responseMimeType", skip_serializing_if = "Option::is_none")]
    mime: Option<&'a str>,
    #[serde(rename = "responseJsonSchema", skip_serializing_if = "Option::is_none")]
    schema: Option<Ordered<&'a Value>>,
}

#[derive(Serialize)]
struct Tools<'a> {
    #[serde(rename = "functionDeclarations")]
    declarations: Vec<Tool<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    #[serde(rename = "parametersJsonSchema")]
    parameters: &'a Value,
}

#[derive(Serialize)]
struct Turn<'a> {
    role: &'a str,
    parts: Vec<Part<'a>>,
}

/// One of the first three, and perhaps a signature. Not an enum flattened into a struct, because letter-for-letter
/// JSON does not survive that.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_call: Option<FunctionCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_response: Option<FunctionResponse<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought_signature: Option<&'a str>,
}

#[derive(Serialize)]
struct FunctionCall<'a> {
    id: &'a str,
    name: &'a str,
    args: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct FunctionResponse<'a> {
    id: &'a str,
    name: &'a str,
    response: Output<'a>,
}

#[derive(Serialize)]
struct Output<'a> {
    output: &'a str,
}

fn turn<'a>(asked: &Asked<'_>, group: &'a [Arc<Message>]) -> Turn<'a> {
    let role = match group.first().map(|message| &**message) {
        Some(Message::Assistant { .. }) => "model",
        _ => "user",
    };
    let mut parts: Vec<Part<'a>> = group.iter().flat_map(|message| parts(asked, message)).collect();
    if parts.is_empty() {
        parts.push(text_part("", None));
    }
    Turn { role, parts }
}

fn parts<'a>(asked: &Asked<'_>, message: &'a Message) -> Vec<Part<'a>> {
    match message {
        Message::User { parts } => parts.iter().map(|text| text_part(text, None)).collect(),
        Message::Assistant { text, calls, opaque, .. } => {
            let mut parts: Vec<Part<'a>> =
                arranged(NAME, opaque.as_ref(), text, calls).into_iter().filter_map(part).collect();
            let first = parts.iter_mut().find(|part| part.function_call.is_some());
            if let Some(call) = first.filter(|_| Generation::of(asked.model) >= Generation::Third) {
                call.thought_signature.get_or_insert(UNSIGNED);
            }
            parts
        }
        Message::Result { call, name, text } => {
            let response = FunctionResponse { id: &call.0, name, response: Output { output: text } };
            vec![Part { function_response: Some(response), ..Part::default() }]
        }
    }
}

fn part(item: Item<'_>) -> Option<Part<'_>> {
    match item {
        Item::Thought(part) => thought_part(part),
        Item::Text { text, signature, .. } => Some(text_part(text, signature)),
        Item::Call { call, signature } => Some(call_part(call, signature)),
    }
}

fn text_part<'a>(text: &'a str, signature: Option<&'a str>) -> Part<'a> {
    Part { text: Some(text), thought_signature: signature, ..Part::default() }
}

/// A thought goes back for the sake of its signature.
fn thought_part(part: &Value) -> Option<Part<'_>> {
    let text = part.get("text").and_then(Value::as_str)?;
    let signature = part.get("thoughtSignature").and_then(Value::as_str)?;
    Some(Part { thought: Some(true), ..text_part(text, Some(signature)) })
}

fn call_part<'a>(call: &'a Call, signature: Option<&'a str>) -> Part<'a> {
    let function_call = FunctionCall { id: &call.id.0, name: &call.name, args: input(call) };
    Part { function_call: Some(function_call), thought_signature: signature, ..Part::default() }
}

fn tool(spec: &Spec) -> Tool<'_> {
    Tool { name: &spec.name, description: &spec.description, parameters: &spec.parameters }
}

fn is_result(message: &Arc<Message>) -> bool {
    matches!(**message, Message::Result { .. })
}
