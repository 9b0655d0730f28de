//! A piece of a reply as servers send it, read without copying where that can be done.
//!
//! What differs between servers: any field may be missing or null; `content` is a string, or a list of text and
//! thinking parts; numbers come as strings; arguments come as an object instead of a string; usage is reported in a
//! chunk without choices, beside the last one, in all of them, or under another name.

use crate::wire::lenient::{Cached, Number, Text, Thought, fragment};
use agent::Usage;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk<'a> {
    #[serde(borrow)]
    pub(super) choices: Option<Vec<Choice<'a>>>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
    pub(super) error: Option<IgnoredAny>,
    #[serde(borrow)]
    pub(super) x_groq: Option<Groq<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Groq<'a> {
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice<'a> {
    #[serde(borrow)]
    pub(super) delta: Option<Said<'a>>,
    /// In place of `delta` where an answer comes in one piece; on the heap, as it is rare and chunks are moved about.
    #[serde(borrow)]
    pub(super) message: Option<Box<Said<'a>>>,
    #[serde(borrow)]
    pub(super) finish_reason: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Said<'a> {
    #[serde(borrow)]
    pub(super) content: Text<'a>,
    #[serde(borrow)]
    pub(super) reasoning_content: Text<'a>,
    #[serde(borrow)]
    pub(super) reasoning: Text<'a>,
    #[serde(borrow)]
    pub(super) reasoning_details: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) refusal: Option<Box<Text<'a>>>,
    #[serde(borrow)]
    pub(super) tool_calls: Option<Vec<CallPart<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CallPart<'a> {
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    pub(super) index: Number,
    #[serde(borrow)]
    pub(super) function: Option<Function<'a>>,
    #[serde(borrow)]
    pub(super) extra_content: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Function<'a> {
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl<'a> Function<'a> {
    /// The fragment of arguments, or the JSON text of what a server sent instead of one.
    pub(super) fn arguments(&self) -> Cow<'a, str> {
        self.arguments.map(fragment).unwrap_or_default()
    }
}

/// Tokens as servers count them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    prompt_tokens: Number,
    completion_tokens: Number,
    prompt_tokens_details: Option<Cached>,
    completion_tokens_details: Option<Thought>,
    prompt_cache_hit_tokens: Number,
}

impl Tokens {
    pub(super) fn read(raw: &RawValue) -> Option<Usage> {
        let tokens: Tokens = serde_json::from_str(raw.get()).ok()?;
        let cached = tokens.prompt_tokens_details.and_then(|details| details.cached_tokens.0);
        Some(Usage {
            input: tokens.prompt_tokens.0.unwrap_or(0),
            output: tokens.completion_tokens.0.unwrap_or(0),
            cached: cached.or(tokens.prompt_cache_hit_tokens.0).unwrap_or(0),
            reasoning: tokens
                .completion_tokens_details
                .and_then(|details| details.reasoning_tokens.0)
                .unwrap_or(0),
        })
    }
}
