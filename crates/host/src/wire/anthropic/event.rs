//! An event of a Messages stream, as far as it is of use. Every field may be missing.

use crate::wire::lenient::{Number, Text};
use serde::Deserialize;
use serde_json::value::RawValue;

pub(super) type Count = Number;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Event<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    pub(super) index: Number,
    #[serde(borrow)]
    pub(super) delta: Change<'a>,
    #[serde(borrow)]
    pub(super) content_block: Box<Block<'a>>,
    pub(super) message: Start,
    pub(super) usage: Option<Tokens>,
}

/// What a delta adds; which of these it is follows from the block it belongs to.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Change<'a> {
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) partial_json: Text<'a>,
    #[serde(borrow)]
    pub(super) thinking: Text<'a>,
    #[serde(borrow)]
    pub(super) signature: Text<'a>,
    #[serde(borrow)]
    pub(super) stop_reason: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) thinking: Text<'a>,
    #[serde(borrow)]
    pub(super) signature: Text<'a>,
    #[serde(borrow)]
    pub(super) data: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Start {
    pub(super) usage: Option<Tokens>,
}

/// A message that came in one piece.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Whole<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Vec<Block<'a>>,
    #[serde(borrow)]
    pub(super) stop_reason: Text<'a>,
    pub(super) usage: Option<Tokens>,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    pub(super) input_tokens: Count,
    pub(super) output_tokens: Count,
    pub(super) cache_creation_input_tokens: Count,
    pub(super) cache_read_input_tokens: Count,
    pub(super) output_tokens_details: Option<Details>,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default)]
pub(super) struct Details {
    pub(super) thinking_tokens: Count,
}

impl Tokens {
    pub(super) fn update(&mut self, newer: &Tokens) {
        let later = |old: &mut Count, new: Count| *old = Number(new.0.or(old.0));
        later(&mut self.input_tokens, newer.input_tokens);
        later(&mut self.output_tokens, newer.output_tokens);
        later(&mut self.cache_creation_input_tokens, newer.cache_creation_input_tokens);
        later(&mut self.cache_read_input_tokens, newer.cache_read_input_tokens);
        self.output_tokens_details = newer.output_tokens_details.or(self.output_tokens_details);
    }
}
