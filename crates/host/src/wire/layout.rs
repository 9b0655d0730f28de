//! The order of a reply's parts, and what must go back with them unchanged. Start at [`Layout`] for hearing and
//! [`arranged`] for sending.
//!
//! A reply of the core is text and calls; several providers want their own parts back in their own order, with
//! signed or encrypted thoughts between them. Those parts are kept in the reply's `opaque`, the text and the calls
//! only as marks. What another wire has heard is not sent back: the parts then follow in the plain order.

use agent::Call;
use serde_json::{Value, json};

/// A layout while a reply is being heard.
#[derive(Debug, Default)]
pub(super) struct Layout {
    items: Vec<Value>,
    /// Whether there is anything in it that plain order would lose.
    matters: bool,
}

/// A part of a message to be sent.
#[derive(Debug, PartialEq)]
pub(super) enum Item<'a> {
    /// A part to hand back as it came.
    Thought(&'a Value),
    Text {
        text: &'a str,
        signature: Option<&'a str>,
        phase: Option<&'a str>,
    },
    Call {
        call: &'a Call,
        signature: Option<&'a str>,
    },
}

impl Layout {
    /// Adds text that was heard; unsigned neighbours are one part.
    pub(super) fn text(&mut self, length: usize) {
        if length == 0 {
            return;
        }
        let plain = |item: &&mut Value| item.get("signature").or(item.get("phase")).is_none();
        if !lengthened(self.items.last_mut().filter(plain), length) {
            self.items.push(json!({ "text": length }));
        }
    }

    /// Adds text of which the provider said what it is in the course of a reply; neighbours of one phase are one part.
    pub(super) fn phased_text(&mut self, length: usize, phase: &str) {
        self.matters = true;
        let same = |item: &&mut Value| item.get("phase").and_then(Value::as_str) == Some(phase);
        if !lengthened(self.items.last_mut().filter(same), length) {
            self.items.push(json!({ "text": length, "phase": phase }));
        }
    }

    /// Adds text that came with a signature; it stays a part of its own, even where it is empty.
    pub(super) fn signed_text(&mut self, length: usize, signature: &str) {
        self.matters = true;
        self.items.push(json!({ "text": length, "signature": signature }));
    }

    /// Adds the call at `place` in the reply, once.
    pub(super) fn call(&mut self, place: usize) {
        let mark = json!(place);
        if !self.items.iter().any(|item| item.get("call") == Some(&mark)) {
            self.items.push(json!({ "call": place }));
        }
    }

    pub(super) fn signed_call(&mut self, place: usize, signature: &str) {
        self.matters = true;
        self.items.push(json!({ "call": place, "signature": signature }));
    }

    /// Adds a part that goes back as it came.
    pub(super) fn thought(&mut self, part: Value) {
        self.matters = true;
        self.items.push(json!({ "thought": part }));
    }

    /// What the reply carries for `wire`; nothing where plain order says as much.
    pub(super) fn opaque(&self, wire: &str) -> Option<Value> {
        self.matters.then(|| json!({ "wire": wire, "layout": self.items }))
    }
}

/// Adds to the mark of a text, if there is one.
fn lengthened(item: Option<&mut Value>, length: usize) -> bool {
    let Some(before) = item.and_then(|item| item.get_mut("text")) else { return false };
    *before = json!(before.as_u64().unwrap_or(0) + length as u64);
    true
}

/// The parts of a reply in the order in which `wire` heard them; in plain order where another wire did.
pub(super) fn arranged<'a>(
    wire: &str,
    opaque: Option<&'a Value>,
    text: &'a str,
    calls: &'a [Call],
) -> Vec<Item<'a>> {
    heard(wire, opaque, text, calls).unwrap_or_else(|| {
        let text = (!text.is_empty()).then_some(Item::Text { text, signature: None, phase: None });
        text.into_iter().chain(calls.iter().map(|call| Item::Call { call, signature: None })).collect()
    })
}

fn heard<'a>(
    wire: &str,
    opaque: Option<&'a Value>,
    text: &'a str,
    calls: &'a [Call],
) -> Option<Vec<Item<'a>>> {
    let opaque = opaque.filter(|opaque| opaque.get("wire").and_then(Value::as_str) == Some(wire))?;
    let mut rest = text;
    let mut used = vec![false; calls.len()];
    let mut items = Vec::new();
    for item in opaque.get("layout")?.as_array()? {
        let signature = item.get("signature").and_then(Value::as_str);
        if let Some(part) = item.get("thought") {
            items.push(Item::Thought(part));
        } else if let Some(length) = item.get("text").and_then(Value::as_u64) {
            let (text, after) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            rest = after;
            let phase = item.get("phase").and_then(Value::as_str);
            items.push(Item::Text { text, signature, phase });
        } else if let Some(place) =
            item.get("call").and_then(Value::as_u64).and_then(|place| usize::try_from(place).ok())
        {
            *used.get_mut(place)? = true;
            items.push(Item::Call { call: &calls[place], signature });
        }
    }
    let complete = rest.is_empty() && used.iter().all(|used| *used);
    complete.then_some(items)
}

#[cfg(test)]
mod tests;
