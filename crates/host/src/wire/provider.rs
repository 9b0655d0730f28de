//! A provider as data: where it is, what it speaks, and what lets us in.

use hyper::header::HeaderValue;
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
    /// Sent with every request. They may hold secrets too.
    pub headers: Vec<(String, Secret)>,
    pub effort: Option<Effort>,
    pub reasoning: Reasoning,
}

/// The format that requests and replies are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Chat Completions, as OpenAI and very many others speak it.
    Openai,
}

/// How hard a reasoning model should think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    Minimal,
    Low,
    Medium,
    High,
}

/// What becomes of a reply's reasoning in the next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reasoning {
    #[default]
    Dropped,
    /// As `reasoning_content`, which some models need when they go on after a tool call.
    Returned,
}

/// A key. It is shown to nobody: not by `Debug`, and not in any message.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Provider {
    /// OpenAI itself, without a key.
    pub fn openai() -> Provider {
        Provider {
            name: "openai".to_owned(),
            wire: Wire::Openai,
            base_url: "https://api.openai.com/v1".to_owned(),
            base_url_variable: "OPENAI_BASE_URL".to_owned(),
            key: None,
            key_variables: vec!["OPENAI_API_KEY".to_owned()],
            headers: Vec::new(),
            effort: None,
            reasoning: Reasoning::Dropped,
        }
    }

    /// `text` with everything secret blotted out.
    pub(super) fn redact(&self, text: &str) -> String {
        let secrets = self.key.iter().chain(self.headers.iter().map(|(_, value)| value));
        secrets.fold(text.to_owned(), |text, secret| secret.blot(text))
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

    fn blot(&self, text: String) -> String {
        // A very short "key" is a placeholder for a local server; blotting it out would only garble the text.
        if self.0.len() < 4 || !text.contains(&self.0) {
            return text;
        }
        text.replace(&self.0, "[key]")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
