//! The Chat Completions format.
//!
//! Start from [`frames`]. Every byte is a function of the message and the request (no clock, no
//! random ids), so that a test can cut a stream at an offset it computed before.

#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use super::{Asked, Frame, Mark};
use crate::message::{self, Call, Message, Usage};

/// The counts of a reply whose script names none.
const USAGE: Usage = Usage { input: 10, output: 5, cached: 0, reasoning: 0 };

pub(super) fn frames(message: &Message, asked: &Asked) -> Vec<Frame> {
    let chunk = Chunk::new(asked);
    let mut frames = Vec::with_capacity(message.text.len() + 8);
    if message.empty_choices {
        frames.push(Frame::content(chunk.bare(None)));
    }
    frames.push(chunk.delta(r#"{"role":"assistant","content":""}"#));
    let said = [("reasoning_content", &message.reasoning), ("content", &message.text)];
    for (member, pieces) in said {
        for piece in pieces {
            frames.push(chunk.said(member, piece));
        }
    }
    for (position, call) in message.calls.iter().enumerate() {
        for delta in call_deltas(call, position, message.fragment, asked) {
            let delta = json!({ "tool_calls": [delta] });
            frames.push(chunk.delta(&delta.to_string()));
        }
    }
    end(message, asked, &chunk, &mut frames);
    frames.push(Frame { data: "[DONE]".to_owned(), mark: Mark::Done });
    frames
}

pub(super) fn whole(message: &Message, asked: &Asked) -> String {
    if let Some(text) = &message.error {
        return failure(text).to_string();
    }
    let text = message.text.concat();
    let mut said = json!({
        "role": "assistant",
        "content": if message.text.is_empty() { Value::Null } else { Value::from(text) },
    });
    if !message.reasoning.is_empty() {
        said["reasoning_content"] = Value::from(message.reasoning.concat());
    }
    if !message.calls.is_empty() {
        let calls = message.calls.iter().enumerate();
        said["tool_calls"] = calls
            .map(|(position, call)| {
                let function = json!({"name": call.name, "arguments": call.arguments});
                opened(call, position, asked, function)
            })
            .collect();
    }
    let mut body = json!({
        "id": id(asked),
        "object": "chat.completion",
        "created": 0,
        "model": asked.model,
        "choices": [{"index": 0, "message": said, "finish_reason": finish(message)}],
    });
    if let Some(usage) = message.usage.or_natural(|| Some(USAGE)) {
        body["usage"] = counts(usage);
    }
    body.to_string()
}

/// Writes chunks; what all chunks of a stream share is written once.
struct Chunk {
    head: String,
}

impl Chunk {
    fn new(asked: &Asked) -> Self {
        let head = format!(
            r#"{{"id":{},"object":"chat.completion.chunk","created":0,"model":{},"choices":["#,
            quoted(&id(asked)),
            quoted(&asked.model),
        );
        Self { head }
    }

    fn delta(&self, delta: &str) -> Frame {
        let head = &self.head;
        Frame::content(format!(r#"{head}{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#))
    }

    /// A delta of one member. It has no tree and no `format!` because a benchmark streams tens of
    /// thousands of these.
    fn said(&self, member: &str, text: &str) -> Frame {
        let text = quoted(text);
        let parts =
            [&self.head, r#"{"index":0,"delta":{""#, member, r#"":"#, &text, r#"},"finish_reason":null}]}"#];
        Frame::content(parts.concat())
    }

    fn finish(&self, word: &str) -> Frame {
        let (head, word) = (&self.head, quoted(word));
        Frame {
            data: format!(r#"{head}{{"index":0,"delta":{{}},"finish_reason":{word}}}]}}"#),
            mark: Mark::Finish,
        }
    }

    /// A chunk without choices.
    fn bare(&self, usage: Option<Usage>) -> String {
        let head = &self.head;
        match usage {
            Some(usage) => format!(r#"{head}],"usage":{}}}"#, counts(usage)),
            None => format!("{head}]}}"),
        }
    }
}

/// The frames after the content: finish and usage, or the error.
fn end(message: &Message, asked: &Asked, chunk: &Chunk, frames: &mut Vec<Frame>) {
    if let Some(text) = &message.error {
        frames.push(Frame { data: failure(text).to_string(), mark: Mark::Finish });
        return;
    }
    if let Some(word) = finish(message) {
        frames.push(chunk.finish(&word));
    }
    let natural = || asked.wants_usage().then_some(USAGE);
    if let Some(usage) = message.usage.or_natural(natural) {
        frames.push(Frame::content(chunk.bare(Some(usage))));
    }
}

/// The deltas of one call: the first opens it, the others carry its arguments.
fn call_deltas(
    call: &Call,
    position: usize,
    fragment: Option<usize>,
    asked: &Asked,
) -> impl Iterator<Item = Value> {
    let function = json!({"name": call.name, "arguments": ""});
    let mut opening = opened(call, position, asked, function);
    let index = call.index.or_natural(|| Some(position));
    if let Some(index) = index {
        opening["index"] = Value::from(index);
    }
    let fragments = match fragment {
        Some(count) => message::pieces(&call.arguments, count),
        None => vec![call.arguments.clone()],
    };
    let rest = fragments.into_iter().map(move |piece| {
        let mut delta = json!({"function": {"arguments": piece}});
        if let Some(index) = index {
            delta["index"] = Value::from(index);
        }
        delta
    });
    std::iter::once(opening).chain(rest)
}

fn opened(call: &Call, position: usize, asked: &Asked, function: Value) -> Value {
    let mut opened = json!({"type": "function", "function": function});
    let natural = || Some(format!("call_{}_{position}", asked.number));
    if let Some(id) = call.id.or_natural(natural) {
        opened["id"] = Value::from(id);
    }
    opened
}

fn finish(message: &Message) -> Option<String> {
    let natural = if message.calls.is_empty() { "stop" } else { "tool_calls" };
    message.finish.or_natural(|| Some(natural.to_owned()))
}

fn failure(text: &str) -> Value {
    json!({"error": {"message": text, "type": "server_error", "param": null, "code": null}})
}

fn counts(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    })
}

fn id(asked: &Asked) -> String {
    format!("chatcmpl-{}", asked.number)
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
