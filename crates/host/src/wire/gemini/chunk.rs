//! A piece of a reply, as far as it is of use. Every field may be missing.

use crate::wire::lenient::{Number, Text};
use agent::Usage;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk<'a> {
    #[serde(borrow)]
    pub(super) candidates: Option<Vec<Candidate<'a>>>,
    #[serde(rename = "usageMetadata")]
    pub(super) usage: Option<Tokens>,
    #[serde(borrow, rename = "promptFeedback")]
    pub(super) feedback: Option<Feedback<'a>>,
    pub(super) error: Option<IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Feedback<'a> {
    #[serde(borrow, rename = "blockReason")]
    pub(super) reason: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Candidate<'a> {
    #[serde(borrow)]
    pub(super) content: Option<Content<'a>>,
    #[serde(borrow, rename = "finishReason")]
    pub(super) reason: Text<'a>,
    #[serde(borrow, rename = "finishMessage")]
    pub(super) message: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Content<'a> {
    #[serde(borrow)]
    pub(super) parts: Option<Vec<Part<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Part<'a> {
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    pub(super) thought: bool,
    #[serde(borrow, rename = "thoughtSignature")]
    pub(super) signature: Text<'a>,
    #[serde(borrow, rename = "functionCall")]
    pub(super) call: Option<Function<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Function<'a> {
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) args: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Tokens {
    prompt_token_count: Number,
    candidates_token_count: Number,
    thoughts_token_count: Number,
    cached_content_token_count: Number,
}

impl Tokens {
    pub(super) fn counted(&self) -> Usage {
        let reasoning = self.thoughts_token_count.0.unwrap_or(0);
        Usage {
            input: self.prompt_token_count.0.unwrap_or(0),
            // Thoughts are counted apart here, and with the rest elsewhere.
            output: self.candidates_token_count.0.unwrap_or(0).saturating_add(reasoning),
            cached: self.cached_content_token_count.0.unwrap_or(0),
            reasoning,
        }
    }
}
