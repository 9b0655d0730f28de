//! What the page and programs get to see: the shapes of REST and of the hub's callbacks. The page's TypeScript is made
//! from them. Start at [`Change`].
//!
//! Nothing here decides or looks anything up; the shapes are filled elsewhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One line of the list of conversations.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ConversationShape {
    pub id: String,
    pub topic: String,
    pub date_created: String,
    pub date_updated: String,
    pub status: StatusShape,
    pub model: String,
    pub profile: String,
    /// How many messages the conversation has.
    pub messages: u64,
    pub calls: u64,
    /// Calls that wait for a decision.
    pub pending: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum StatusShape {
    /// Nothing was said yet.
    Idle,
    Running,
    /// A call waits for a decision.
    Waiting,
    Finished,
    Cancelled,
    /// The bound on model calls or the budget was reached.
    Bound,
    Failed,
    /// Its server died; it can be continued.
    Interrupted,
}

/// A conversation as its messages.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ConversationMessages {
    pub id: String,
    pub topic: String,
    pub status: StatusShape,
    pub messages: Vec<MessageShape>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "messageType", rename_all_fields = "camelCase")]
pub enum MessageShape {
    UserPrompt {
        content: String,
    },
    AgentResponse {
        content: String,
    },
    ToolCall {
        tool_name: String,
        /// A JSON text.
        arguments: String,
        /// Empty while the call is open.
        response: String,
    },
}

/// What one record of a conversation means to a reader.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Change {
    pub conversation_id: String,
    pub seq: u64,
    /// ISO 8601, in UTC.
    pub at: String,
    pub body: Body,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Body {
    Opened {
        model: String,
        profile: String,
        directory: String,
    },
    Prompt {
        text: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        context: Option<String>,
    },
    /// The model is being asked; a reply in progress begins.
    Asked {
        model: String,
        summary: bool,
    },
    Replied {
        text: String,
        reasoning: String,
        calls: Vec<CallShape>,
        finish: FinishShape,
        usage: UsageShape,
        /// In dollars, where the model's price is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        cost: Option<f64>,
    },
    Judged {
        call_id: String,
        verdict: VerdictShape,
        by: ByShape,
        reason: String,
        digest: String,
    },
    Started {
        call_id: String,
    },
    Ran {
        call_id: String,
        status: OutcomeShape,
        output: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        exit: Option<i32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        diff: Option<String>,
        /// Where the whole output can be read, when `output` holds only a part of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        whole: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        millis: Option<u64>,
        undoable: bool,
    },
    Failed {
        message: String,
        hint: String,
        /// The text of the reply that was not finished.
        partial: String,
    },
    Stopped {
        reason: StopShape,
    },
    Cancelled {},
    Continued {},
    /// A person wants the conversation made shorter.
    Shortened {},
    /// Something that a door keeps for itself.
    Noted {},
    Compacted {
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        summary: Option<String>,
    },
    Configured {
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        model: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        topic: Option<String>,
    },
    Undone {
        paths: Vec<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CallShape {
    pub call_id: String,
    pub tool_name: String,
    /// As the model wrote them: mostly a JSON text.
    pub arguments: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct UsageShape {
    pub input: u64,
    pub output: u64,
    pub cached: u64,
    pub reasoning: u64,
}

macro_rules! words {
    ($name:ident from $from:path: $($word:ident),+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
        #[cfg_attr(test, derive(ts_rs::TS))]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($word),+ }

        impl From<$from> for $name {
            fn from(from: $from) -> $name {
                use $from as From;
                match from { $(From::$word => $name::$word),+ }
            }
        }
    };
}

words!(FinishShape from agent::event::Finish: Stop, Calls, Length, Filtered, Other);
words!(VerdictShape from agent::event::Verdict: Allow, Ask, Forbid, Approve, Decline);
words!(ByShape from agent::event::By: Policy, Person, Mode);
words!(OutcomeShape from agent::event::Status: Done, Failed, TimedOut, Declined, Refused, Cancelled, Interrupted);
words!(StopShape from agent::event::Stop: Done, Cancelled, Bound, Failed);

/// More of the reply in progress, or of its reasoning; at offset 0 a new reply begins.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TextDelta<'a> {
    pub conversation_id: &'a str,
    /// In UTF-16 code units.
    pub offset: u64,
    pub text: &'a str,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ToolOutput<'a> {
    pub conversation_id: &'a str,
    pub call_id: &'a str,
    pub offset: u64,
    pub text: &'a str,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ModelRetry<'a> {
    pub conversation_id: &'a str,
    pub after_millis: u64,
    pub message: &'a str,
}

/// Why a run does not go on: it failed, or was interrupted.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RunFailed<'a> {
    pub conversation_id: &'a str,
    pub seq: u64,
    pub message: &'a str,
    pub hint: &'a str,
}

/// Totals of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct UsageUpdated<'a> {
    pub conversation_id: &'a str,
    pub seq: u64,
    #[serde(flatten)]
    pub usage: UsageShape,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub cost: Option<f64>,
}

/// Somebody decided a call; for everyone else it is decided elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ToolCallDecided<'a> {
    pub conversation_id: &'a str,
    pub seq: u64,
    pub call_id: &'a str,
    pub decision: DecisionShape,
    pub by: ByShape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum DecisionShape {
    Approved,
    Declined,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ConversationRemoved {
    pub id: String,
}

/// What `JoinConversation` answers: the last seq that is known.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Joined {
    pub seq: i64,
}

/// What a new conversation should be like; the third argument of `SubmitPromptWith`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Choice {
    #[serde(default)]
    pub model: Option<String>,
    #[serde(default)]
    pub profile: Option<String>,
}

/// The arguments of a call by name, each as a string: what the contract's callbacks carry.
pub type ArgumentMap = BTreeMap<String, String>;

#[cfg(test)]
mod tests;
