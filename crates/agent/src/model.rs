//! The model as the core sees it: a request goes in, a stream of [`Delta`]s comes out. Start at [`Model`].
//!
//! The core knows no provider, no wire and no key; those live in `host`.

use crate::event::{Call, CallId, Failure, Reply, Spec};
use futures::stream::BoxStream;
use std::sync::Arc;

/// Something that can be asked.
///
/// The contract of `stream`: it yields any number of text and reasoning pieces and then exactly one last item,
/// [`Delta::Finished`] or [`Delta::Failed`]. A reply is finished only if the provider said so: a stream that is cut
/// before its finish mark ends in `Failed`. Dropping the stream gives up the request. An implementation does not
/// retry; the turn does, where it can be seen and cancelled.
pub trait Model: Send + Sync {
    fn info(&self) -> Info;
    fn stream(&self, request: Request) -> BoxStream<'static, Delta>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Info {
    /// `provider/model`.
    pub name: String,
    /// Tokens that fit into one request, where known.
    pub window: Option<u64>,
}

/// One question to the model: a pure function of the log.
#[derive(Debug, Clone)]
pub struct Request {
    pub conversation: String,
    pub instructions: Arc<str>,
    pub tools: Arc<[Spec]>,
    /// Grows only at its end between two requests of a conversation, unless a compaction came between.
    pub messages: Vec<Arc<Message>>,
    /// How often the messages were rewritten by compaction; a wire that keeps what it sent starts anew when it changes.
    pub generation: u64,
    /// A JSON Schema that the answer should satisfy, for providers that can enforce one.
    pub schema: Option<Arc<serde_json::Value>>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// A person's turn; each part stays a part of its own.
    User { parts: Vec<String> },
    Assistant {
        text: String,
        reasoning: String,
        calls: Vec<Call>,
        opaque: Option<serde_json::Value>,
        prefix: Prefix,
    },
    /// What a call came to.
    Result { call: CallId, name: String, text: String },
}

/// Whether all that stands before a reply is what the model had before it when it spoke. Some providers accept what
/// they signed or stored only then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prefix {
    #[default]
    Same,
    /// A compaction changed something since.
    Rewritten,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    Text(String),
    Reasoning(String),
    Finished(Box<Reply>),
    Failed(Failure),
}
