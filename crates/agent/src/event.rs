//! The durable facts of a conversation. `Event` is **the** format: what stands on disk, what `exec --json` prints
//! and what the hub sends are these types and no others. Start at [`Event`].
//!
//! Nothing here may be renamed or change its meaning: old logs must keep loading. New fields get a default.

mod read;

use serde::{Deserialize, Serialize};
use std::fmt;

/// One thing that happened, in the order in which it was decided.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The first record of every conversation: all that a request needs besides what is said later.
    Opened(Opened),
    /// A person's words. While a run is busy they wait for the next request.
    Said(Said),
    /// A person wants a run that ended early to go on without new words.
    Continued {},
    /// A person wants the conversation made shorter before it goes on.
    Shortened {},
    /// A person, or a loop that acts for one, wants a call made without asking the model.
    Called(Call),
    /// Something that a door keeps with the conversation. The model is never shown it.
    Noted { note: serde_json::Value },
    /// The model is about to be called. With `summary_of` it is asked to sum up everything before that seq.
    Asked {
        model: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        summary_of: Option<u64>,
    },
    /// The model's whole reply.
    Replied(Reply),
    /// A ruling on one call: the policy's, or a person's.
    Judged(Judged),
    /// A call is about to run. Recorded before it does.
    Started { call: CallId },
    /// A call's one and only outcome.
    Ran { call: CallId, outcome: Outcome },
    /// From here on the model is shown less of what came before a seq.
    Compacted(Compacted),
    /// Settings that hold from here on.
    Configured(Configured),
    /// The model could not be asked or its reply could not be taken.
    Failed { failure: Failure, partial: String },
    /// A person wants the run to stop now.
    Cancelled {},
    /// The run is over.
    Stopped { reason: Stop },
    /// Files were put back to what they were before; the receipt says which.
    Undone { receipt: serde_json::Value, paths: Vec<String> },
}

/// The name of one tool call, unique in its conversation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub String);

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    pub profile: String,
    /// `provider/model`.
    pub model: String,
    pub directory: String,
    /// The system prompt as it was rendered when the conversation began.
    pub instructions: String,
    /// The tools as they were shown to the model, so that every request of the conversation shows the same.
    pub tools: Vec<Spec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<Fork>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fork {
    pub conversation: String,
    pub seq: u64,
}

/// A tool as the model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    pub name: String,
    pub description: String,
    /// A JSON Schema of the arguments.
    pub parameters: serde_json::Value,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Said {
    pub text: String,
    /// Material beside the words, such as piped input. Sent as a part of its own, before the words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Reply {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    pub finish: Finish,
    #[serde(default)]
    pub usage: Usage,
    /// What the wire must hand back unchanged with the next request: response ids, signed thinking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<serde_json::Value>,
}

impl Reply {
    /// How many messages a person sees in it: its text and each of its calls. A reply of nothing is an empty text.
    pub fn messages(&self) -> u64 {
        let text = !self.text.is_empty() || self.calls.is_empty();
        u64::from(text) + self.calls.len() as u64
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    #[default]
    Stop,
    Calls,
    /// The reply was cut at the model's length limit.
    Length,
    /// The provider filtered the reply.
    Filtered,
    Other,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub id: CallId,
    pub name: String,
    /// The arguments exactly as the model wrote them; they may not be JSON.
    pub arguments: String,
}

/// Tokens, as the provider counted them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    #[serde(default)]
    pub input: u64,
    #[serde(default)]
    pub output: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning: u64,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = self.cached.saturating_add(other.cached);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    pub call: CallId,
    pub verdict: Verdict,
    pub by: By,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What the verdict binds: the hash of the exact call, where it would run and with what.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The policy lets it run.
    Allow,
    /// A person must decide.
    Ask,
    /// The policy never lets it run.
    Forbid,
    /// A person, or the approval mode `auto`, lets it run once.
    Approve,
    /// A person, or the approval mode `never`, does not.
    Decline,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    Policy,
    Person,
    /// The approval mode, `auto` or `never`.
    Mode,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    pub status: Status,
    /// What the model reads.
    pub text: String,
    #[serde(default, skip_serializing_if = "Detail::is_empty")]
    pub detail: Detail,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Done,
    Failed,
    TimedOut,
    /// A person said no.
    Declined,
    /// The policy said no.
    Refused,
    Cancelled,
    /// The program died while the call ran; nobody knows what it did.
    Interrupted,
}

/// What people and later tools want to know beyond what the model reads.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Detail {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// A unified diff of what the call changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// What undo needs to put files back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<serde_json::Value>,
    /// Where the whole output can be read, when `text` holds only a part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub millis: Option<u64>,
}

impl Detail {
    pub fn is_empty(&self) -> bool {
        *self == Detail::default()
    }
}

impl Outcome {
    pub fn done(text: impl Into<String>) -> Outcome {
        Outcome::of(Status::Done, text)
    }

    pub fn failed(text: impl Into<String>) -> Outcome {
        Outcome::of(Status::Failed, text)
    }

    pub fn of(status: Status, text: impl Into<String>) -> Outcome {
        Outcome { status, text: text.into(), detail: Detail::default() }
    }

    /// How the words begin for a call that was under way when the program died. Programs look for them.
    pub const INTERRUPTED: &str = "Error: interrupted, outcome unknown";

    pub fn interrupted() -> Outcome {
        let words = format!(
            "{}. The program stopped while this call ran; it may or may not have had its effect. Look at the state of \
             things before you repeat it.",
            Outcome::INTERRUPTED
        );
        Outcome::of(Status::Interrupted, words)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compacted {
    /// Everything before this seq is shortened.
    pub before: u64,
    /// A summary that stands for it; without one, only tool output is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What the summary cost.
    #[serde(default)]
    pub usage: Usage,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Configured {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
}

/// Why the model could not be heard, in words for a person, with what to do about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    pub kind: FailureKind,
    pub message: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hint: String,
    #[serde(default)]
    pub retry: Retry,
}

impl Failure {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure { kind, message: message.into(), hint: String::new(), retry: kind.retry() }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = hint.into();
        self
    }

    pub fn retry(mut self, retry: Retry) -> Failure {
        self.retry = retry;
        self
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// Something is not configured: no key, no such provider.
    Setup,
    Auth,
    /// No such model or no such address at the provider.
    NotFound,
    Quota,
    /// 429, 5xx and their like: asking again later may help.
    Overloaded,
    ContextTooLong,
    Network,
    /// The provider said something that is not its protocol, or the stream broke off.
    Protocol,
    /// The provider declined to answer this request.
    Refused,
    Cancelled,
}

impl FailureKind {
    fn retry(self) -> Retry {
        match self {
            FailureKind::Overloaded | FailureKind::Network | FailureKind::Protocol => Retry::Later,
            _ => Retry::Never,
        }
    }
}

/// Whether asking again may help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retry {
    #[default]
    Never,
    /// After the usual back-off.
    Later,
    /// After what the provider said, in milliseconds.
    After(u64),
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    Done,
    Cancelled,
    /// The bound on model calls or the budget was reached.
    Bound,
    Failed,
}
