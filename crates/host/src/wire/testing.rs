//! What the tests of all wires share: a reply read from the data of its events, and a request as its bytes.

use super::answer::{Fault, Step};
use super::draft::Draft;
use super::format::{Asked, Reader, Share};
use super::provider::{Provider, Wire};
use agent::{Call, CallId, Message, Prefix, Reply, Request, Spec};
use serde_json::json;
use std::sync::Arc;

/// Reads a stream, each line of which is the data of one event.
pub(super) fn read(wire: Wire, stream: &str) -> Result<Reply, Fault> {
    let (mut reader, mut draft) = (Reader::new(wire), Draft::default());
    for data in stream.lines() {
        if reader.event("message", data, &mut draft)? == Step::Done {
            break;
        }
    }
    assert!(draft.is_finished(), "no finish mark: {stream}");
    Ok(draft.into_reply())
}

/// Reads an answer that came in one piece.
pub(super) fn whole(wire: Wire, body: &str) -> Result<Reply, Fault> {
    let mut draft = Draft::default();
    Reader::new(wire).whole(body, &mut draft)?;
    Ok(draft.into_reply())
}

/// Text, reasoning, and calls as `id|name|arguments`.
pub(super) fn shown(reply: &Reply) -> (&str, &str, Vec<String>) {
    let calls = reply.calls.iter().map(|call| format!("{}|{}|{}", call.id, call.name, call.arguments));
    (&reply.text, &reply.reasoning, calls.collect())
}

pub(super) fn said(words: &[&str]) -> Message {
    Message::User { parts: words.iter().map(|word| (*word).to_owned()).collect() }
}

pub(super) fn replied(text: &str, calls: Vec<Call>) -> Message {
    let prefix = Prefix::Same;
    Message::Assistant { text: text.into(), reasoning: "why".into(), calls, opaque: None, prefix }
}

/// The reply as it stands in the next request.
pub(super) fn again(reply: Reply) -> Message {
    standing(reply, Prefix::Same)
}

/// The reply as it stands in a later request.
pub(super) fn standing(reply: Reply, prefix: Prefix) -> Message {
    let Reply { text, reasoning, calls, opaque, .. } = reply;
    Message::Assistant { text, reasoning, calls, opaque, prefix }
}

pub(super) fn call(id: &str, arguments: &str) -> Call {
    Call { id: CallId(id.into()), name: "read".into(), arguments: arguments.into() }
}

pub(super) fn result(id: &str, text: &str) -> Message {
    Message::Result { call: CallId(id.into()), name: "read".into(), text: text.into() }
}

/// A request with one tool.
pub(super) fn request(messages: Vec<Message>) -> Request {
    Request {
        conversation: "c".into(),
        instructions: "be good".into(),
        tools: Arc::new([Spec { name: "read".into(), description: "reads".into(), parameters: json!({}) }]),
        messages: messages.into_iter().map(Arc::new).collect(),
        generation: 0,
        schema: None,
    }
}

pub(super) fn body(provider: &Provider, model: &str, request: &Request) -> String {
    let asked = Asked { provider, model, share: Share::New };
    let mut bytes = asked.head(request).to_vec();
    asked.write(&request.messages[asked.remembered(&request.messages)..], &mut bytes);
    bytes.extend_from_slice(&asked.tail());
    String::from_utf8(bytes).expect("JSON is UTF-8")
}
