//! Thoughts as gateways tell them: a list in which other providers' signatures and encrypted parts travel. Start from
//! [`Details`].
//!
//! It goes back as it came, but for the pieces of one thought, which are joined.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

#[derive(Debug, Default)]
pub(super) struct Details(Vec<Value>);

impl Details {
    /// Takes the details of one chunk.
    pub(super) fn add(&mut self, raw: &RawValue) {
        let pieces: Vec<Map<String, Value>> = serde_json::from_str(raw.get()).unwrap_or_default();
        for piece in pieces {
            match self.0.last_mut() {
                Some(Value::Object(last)) if continues(last, &piece) => join(last, piece),
                _ => self.0.push(Value::Object(piece)),
            }
        }
    }

    /// All of them; nothing where there were none.
    pub(super) fn whole(&self) -> Option<Value> {
        (!self.0.is_empty()).then(|| Value::Array(self.0.clone()))
    }
}

/// Only numbered ones come in pieces.
fn continues(last: &Map<String, Value>, piece: &Map<String, Value>) -> bool {
    let same = |name: &str| last.get(name) == piece.get(name);
    piece.get("index").is_some_and(Value::is_number) && same("index") && same("type")
}

fn join(last: &mut Map<String, Value>, piece: Map<String, Value>) {
    for (name, value) in piece {
        match (name.as_str(), last.get_mut(&name), value) {
            (_, _, Value::Null) => {}
            ("text" | "summary" | "data", Some(Value::String(before)), Value::String(more)) => {
                before.push_str(&more);
            }
            (_, _, value) => {
                last.insert(name, value);
            }
        }
    }
}
