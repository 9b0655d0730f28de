//! An event of a Responses stream, as far as it is of use. Every field may be missing.

use crate::wire::lenient::{Cached, Number, Text, Thought};
use agent::Usage;
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Event<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    pub(super) output_index: Number,
    #[serde(borrow)]
    pub(super) delta: Text<'a>,
    #[serde(borrow)]
    pub(super) item: Box<Item<'a>>,
    #[serde(borrow)]
    pub(super) response: Option<Box<Outcome<'a>>>,
}

/// A part of the output: a message, a call, or thoughts.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Item<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) call_id: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Text<'a>,
    #[serde(borrow)]
    pub(super) phase: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Text<'a>,
    #[serde(borrow)]
    pub(super) summary: Text<'a>,
    #[serde(borrow)]
    pub(super) encrypted_content: Text<'a>,
}

/// The response itself.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Outcome<'a> {
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) status: Text<'a>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) incomplete_details: Option<Incomplete<'a>>,
    #[serde(borrow)]
    pub(super) output: Vec<Item<'a>>,
    pub(super) usage: Option<Tokens>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Incomplete<'a> {
    #[serde(borrow)]
    pub(super) reason: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    input_tokens: Number,
    output_tokens: Number,
    input_tokens_details: Option<Cached>,
    output_tokens_details: Option<Thought>,
}

impl Tokens {
    pub(super) fn counted(&self) -> Usage {
        let cached = self.input_tokens_details.as_ref().and_then(|details| details.cached_tokens.0);
        let reasoning = self.output_tokens_details.as_ref().and_then(|details| details.reasoning_tokens.0);
        Usage {
            input: self.input_tokens.0.unwrap_or(0),
            output: self.output_tokens.0.unwrap_or(0),
            cached: cached.unwrap_or(0),
            reasoning: reasoning.unwrap_or(0),
        }
    }
}
