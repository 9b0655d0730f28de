//! A provider as data: where it is, what it speaks, and what lets us in. Start at [`Provider`]; the ones known from
//! the start are in `known.rs`.

use super::gpt::Gpt;
use super::known;
use hyper::header::HeaderValue;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

/// All that a wire needs to know about who is asked; resolved once at the start.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider {
    /// What stands before the slash in `-m provider/model`.
    pub name: String,
    pub wire: Wire,
    /// Such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// The variable that sets `base_url`, for hints; empty where there is none.
    pub base_url_variable: String,
    pub key: Option<Secret>,
    /// The variables that a key is read from. Where there are none, the provider needs no key.
    pub key_variables: Vec<String>,
    pub carried: Carried,
    /// Sent with every request. They may hold secrets too.
    pub headers: Vec<(String, Secret)>,
    /// Fields of every request besides those that the wire writes, or instead of them.
    pub body: Map<String, Value>,
    pub effort: Option<Effort>,
    pub quirks: Quirks,
}

/// The format that requests and replies are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wire {
    /// Chat Completions, as OpenAI and very many others speak it.
    Openai,
    /// Chat Completions where the model is a deployment in the path.
    Azure,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's Messages.
    Anthropic,
    /// Google's `generateContent`.
    Gemini,
}

/// How the key travels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Carried {
    /// As `Authorization: Bearer`.
    Bearer,
    /// In a header of this name.
    Header(String),
}

/// How hard a reasoning model should think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    Minimal,
    Low,
    Medium,
    High,
}

/// Where servers of one format differ.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Quirks {
    pub reasoning: Reasoning,
    pub usage: Counting,
    pub memory: Memory,
    pub limit: Limit,
    /// The version that Azure wants to be named; empty for its unversioned address.
    pub api_version: String,
    /// The most tokens of a reply, for providers that want to be told; without it, what the model allows.
    pub output: Option<u64>,
}

/// What becomes of a reply's reasoning in the next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reasoning {
    #[default]
    Dropped,
    /// As `reasoning_content`, which some models need when they go on after a tool call.
    Returned,
}

/// Whether a server must be asked to count tokens in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counting {
    #[default]
    Asked,
    /// It counts unasked, and refuses fields that it does not know.
    Unasked,
}

/// What Chat Completions call the most tokens of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Limit {
    /// `max_tokens`, which nearly all servers know.
    #[default]
    Tokens,
    /// `max_completion_tokens`, without which OpenAI refuses a limit for models that reason.
    CompletionTokens,
}

/// Who remembers the conversation on the `responses` wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    /// We do: every request holds all of it, and reasoning travels encrypted. Nothing is stored at the provider.
    #[default]
    Ours,
    /// The provider does: a request names the reply before it and holds only what is new.
    Theirs,
}

/// A key. It is shown to nobody: not by `Debug`, and not in any message.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct Secret(String);

impl From<String> for Secret {
    fn from(text: String) -> Secret {
        Secret::new(text)
    }
}

impl Provider {
    /// OpenAI itself, without a key.
    pub fn openai() -> Provider {
        known::OPENAI.provider()
    }

    /// A provider of one's own, which needs no key unless one is given.
    pub fn new(name: impl Into<String>, wire: Wire, base_url: impl Into<String>) -> Provider {
        Provider {
            name: name.into(),
            wire,
            base_url: base_url.into(),
            base_url_variable: String::new(),
            key: None,
            key_variables: Vec::new(),
            carried: wire.carried(),
            headers: Vec::new(),
            body: Map::new(),
            effort: None,
            quirks: Quirks::default(),
        }
    }

    /// The provider as this model of it must be asked: OpenAI itself lets its newer ones use tools on the Responses wire
    /// alone. Servers that imitate it are asked as they are.
    pub fn serving(&self, model: &str) -> Provider {
        let mut provider = self.clone();
        let is_openai = self.wire == Wire::Openai && self.base_url == known::OPENAI.base_url;
        if is_openai && Gpt::of(model).needs_responses() {
            provider.wire = Wire::Responses;
        }
        provider
    }

    /// `text` with everything secret blotted out.
    pub(super) fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let secrets = self.key.iter().chain(self.headers.iter().map(|(_, value)| value));
        secrets.fold(Cow::Borrowed(text), |text, secret| secret.blot(text))
    }
}

impl Wire {
    fn carried(self) -> Carried {
        match self {
            Wire::Openai | Wire::Responses => Carried::Bearer,
            Wire::Azure => Carried::Header("api-key".to_owned()),
            Wire::Anthropic => Carried::Header("x-api-key".to_owned()),
            Wire::Gemini => Carried::Header("x-goog-api-key".to_owned()),
        }
    }
}

impl Effort {
    pub(super) fn name(self) -> &'static str {
        match self {
            Effort::Minimal => "minimal",
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
        }
    }

    /// About how many tokens of thought that is, for providers that count them.
    pub(super) fn tokens(self) -> u64 {
        match self {
            Effort::Minimal => 1024,
            Effort::Low => 4096,
            Effort::Medium => 10_240,
            Effort::High => 24_576,
        }
    }
}

impl Secret {
    /// The key without the white space that copying leaves around it.
    pub fn new(text: impl AsRef<str>) -> Secret {
        Secret(text.as_ref().trim().to_owned())
    }

    /// A header that carries the key after `prefix`; `None` where the key has characters that no header may have.
    pub(super) fn header(&self, prefix: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("{prefix}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    fn blot<'a>(&self, text: Cow<'a, str>) -> Cow<'a, str> {
        // A very short "key" is a placeholder for a local server; blotting it out would only garble the text.
        if self.0.len() < 4 || !text.contains(&self.0) {
            return text;
        }
        Cow::Owned(text.replace(&self.0, "[key]"))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
