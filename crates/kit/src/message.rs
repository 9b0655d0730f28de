//! What the model says in one reply, before any provider's format.
//!
//! Start from [`Message`]. The formats are in `shape/`; this file must never know one of them, so
//! that one script can be played over every wire.

use serde_json::Value;

use crate::reply::Reply;

/// One reply of the model: reasoning, text and calls, in that order.
#[derive(Debug, Clone, Default)]
pub struct Message {
    pub(crate) reasoning: Vec<String>,
    pub(crate) text: Vec<String>,
    pub(crate) calls: Vec<Call>,
    pub(crate) finish: Field<String>,
    pub(crate) usage: Field<Usage>,
    pub(crate) error: Option<String>,
    pub(crate) empty_choices: bool,
    pub(crate) fragment: Option<usize>,
}

/// One tool call of a message.
#[derive(Debug, Clone)]
pub struct Call {
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) id: Field<String>,
    pub(crate) index: Field<usize>,
}

/// The token counts that a reply reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    /// The part of `input` that the provider had cached.
    pub cached: u64,
    /// The part of `output` that was reasoning.
    pub reasoning: u64,
}

/// A field that a well-behaved server fills in by itself, and that a test may set or leave out.
#[derive(Debug, Clone, Default)]
pub(crate) enum Field<T> {
    #[default]
    Natural,
    Given(T),
    Missing,
}

impl Message {
    /// Text alone, in one piece.
    pub fn text(text: impl Into<String>) -> Self {
        Self::default().and_text(text)
    }

    /// Text in the given pieces, one streamed chunk each.
    pub fn tokens<T: Into<String>>(tokens: impl IntoIterator<Item = T>) -> Self {
        Self { text: tokens.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Calls alone.
    pub fn calls(calls: impl IntoIterator<Item = Call>) -> Self {
        Self { calls: calls.into_iter().collect(), ..Self::default() }
    }

    /// A reply that says nothing and calls nothing.
    pub fn nothing() -> Self {
        Self::default()
    }

    pub fn and_text(mut self, text: impl Into<String>) -> Self {
        self.text.push(text.into());
        self
    }

    pub fn and_call(mut self, call: Call) -> Self {
        self.calls.push(call);
        self
    }

    /// Reasoning before the text (`reasoning_content` on the Chat Completions wire).
    pub fn reasoning(mut self, text: impl Into<String>) -> Self {
        self.reasoning.push(text.into());
        self
    }

    /// The finish reason in the wire's own word, instead of the one that fits the content.
    pub fn finish(mut self, word: impl Into<String>) -> Self {
        self.finish = Field::Given(word.into());
        self
    }

    /// Leaves the finish reason out, although the stream ends in order.
    pub fn without_finish(mut self) -> Self {
        self.finish = Field::Missing;
        self
    }

    /// Breaks the message off with an error in place of its finish: a stream that began well gets
    /// an error event, a reply in one piece is nothing but the error.
    pub fn error(mut self, text: impl Into<String>) -> Self {
        self.error = Some(text.into());
        self
    }

    /// Reports these counts even when the request did not ask for any.
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = Field::Given(usage);
        self
    }

    /// Reports no counts even when the request asks for them.
    pub fn without_usage(mut self) -> Self {
        self.usage = Field::Missing;
        self
    }

    /// Begins the stream with a chunk without choices, as some gateways do.
    pub fn empty_choices(mut self) -> Self {
        self.empty_choices = true;
        self
    }

    /// Streams text and reasoning in pieces of `count` characters.
    pub fn text_every(mut self, count: usize) -> Self {
        self.text = pieces(&self.text.concat(), count);
        self.reasoning = pieces(&self.reasoning.concat(), count);
        self
    }

    /// Streams the arguments of every call in fragments of `count` characters.
    pub fn arguments_every(mut self, count: usize) -> Self {
        self.fragment = Some(count);
        self
    }

    /// The reply that carries this message; faults are put on it.
    pub fn reply(self) -> Reply {
        Reply::from(self)
    }
}

impl Call {
    pub fn new(name: impl Into<String>, arguments: Value) -> Self {
        Self::raw(name, arguments.to_string())
    }

    /// A call whose arguments are sent as they are, JSON or not.
    pub fn raw(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self { name: name.into(), arguments: arguments.into(), id: Field::Natural, index: Field::Natural }
    }

    /// Names the call; giving two calls one id is how a repeated id is scripted.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Field::Given(id.into());
        self
    }

    pub fn without_id(mut self) -> Self {
        self.id = Field::Missing;
        self
    }

    /// The position that the stream claims for this call.
    pub fn index(mut self, index: usize) -> Self {
        self.index = Field::Given(index);
        self
    }

    pub fn without_index(mut self) -> Self {
        self.index = Field::Missing;
        self
    }
}

impl Usage {
    pub fn new(input: u64, output: u64) -> Self {
        Self { input, output, cached: 0, reasoning: 0 }
    }

    pub fn cached(mut self, tokens: u64) -> Self {
        self.cached = tokens;
        self
    }

    pub fn reasoning(mut self, tokens: u64) -> Self {
        self.reasoning = tokens;
        self
    }
}

impl<T: Clone> Field<T> {
    /// The value to send: the given one, none, or what a well-behaved server would send.
    pub(crate) fn or_natural(&self, natural: impl FnOnce() -> Option<T>) -> Option<T> {
        match self {
            Field::Natural => natural(),
            Field::Given(value) => Some(value.clone()),
            Field::Missing => None,
        }
    }
}

/// Cuts `text` into pieces of `count` characters; no text gives no pieces.
pub(crate) fn pieces(text: &str, count: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(count.max(1)).map(|piece| piece.iter().collect()).collect()
}
