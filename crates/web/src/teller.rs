//! What each record of a conversation is told as. Start at [`Teller::tell`]: the same record is told the same to
//! everyone, live or later.
//!
//! A teller holds the fold of the records it was given and nothing else; it sends nothing.

use crate::frame::{self, Text};
use crate::shape::*;
use crate::time::iso;
use agent::event::{By, Call, Event, Judged, Outcome, Reply, Status, Stop, Usage, Verdict};
use agent::view::CallState;
use agent::{Desk, OpenCall, Phase, Record, Summary, View};
use serde_json::Value;
use std::sync::Arc;

/// The tool whose words are the agent's answer.
pub const FINAL: &str = "final_output";

/// What is said of a run whose process ended.
pub const INTERRUPTED: &str = "The run was interrupted: the program that drove it ended.";
const INTERRUPTED_HINT: &str = "Continue it, or say something.";

/// Folds the records of one conversation and says what each of them means to a reader.
pub struct Teller {
    id: String,
    desk: Arc<dyn Desk>,
    pub view: View,
    pub created: u64,
    pub updated: u64,
    /// The model that was asked last: what a reply costs is its price.
    asked: String,
    /// What the conversation cost so far; unknown once a price was.
    cost: Option<f64>,
    /// Why the last run failed, with the seq that says so.
    pub failure: Option<(u64, String)>,
}

/// Whether a record happens now or is told again to somebody who was not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    Now,
    /// What waited for a decision then may not wait any more.
    Again,
}

impl Teller {
    pub fn new(id: &str, desk: Arc<dyn Desk>) -> Teller {
        let (id, view, asked) = (id.to_owned(), View::default(), String::new());
        Teller { id, desk, view, created: 0, updated: 0, asked, cost: Some(0.0), failure: None }
    }

    /// Takes the next record without a word.
    pub fn hear(&mut self, record: &Record) {
        if record.seq == 0 {
            self.created = record.at;
        }
        self.updated = record.at;
        match &record.event {
            Event::Failed { failure, .. } => {
                let hint =
                    if failure.hint.is_empty() { String::new() } else { format!(" ({})", failure.hint) };
                self.failure = Some((record.seq, format!("{}{hint}", failure.message)));
            }
            Event::Asked { model, .. } => self.asked.clone_from(model),
            Event::Replied(reply) => self.pay(&reply.usage),
            Event::Compacted(compacted) => self.pay(&compacted.usage),
            _ => {}
        }
        self.view.apply(&record.event);
    }

    /// Takes the next record and gives the callbacks that tell of it.
    pub fn tell(&mut self, record: &Record, when: When) -> Vec<Text> {
        let before = match &record.event {
            Event::Ran { call, outcome } => self.ran(&call.0, outcome),
            Event::Judged(judged) if when == When::Now => self.asked(judged),
            _ => Vec::new(),
        };
        let change = frame::call("ReceiveChange", &(self.change(record),));
        self.hear(record);
        let mut texts = vec![change];
        texts.extend(before);
        self.tell_more(record, &mut texts);
        texts
    }

    /// What a record means to a reader. Must be asked before the record is heard.
    pub fn change(&self, record: &Record) -> Change {
        let (conversation_id, seq, at) = (self.id.clone(), record.seq, iso(record.at));
        Change { conversation_id, seq, at, body: self.body(&record.event) }
    }

    /// The question that a pending call puts.
    pub fn question(&self, open: &OpenCall) -> Text {
        let Call { id, name, arguments } = &open.call;
        frame::call("RequestPermission", &(&id.0, name, argument_map(arguments)))
    }

    /// That the run under way goes on no more by itself.
    pub fn interrupted(&self) -> Text {
        let seq = self.view.next.saturating_sub(1);
        let (message, hint) = (INTERRUPTED, INTERRUPTED_HINT);
        frame::call("RunInterrupted", &(RunFailed { conversation_id: &self.id, seq, message, hint },))
    }

    pub fn conversation(&self) -> ConversationShape {
        let view = &self.view;
        ConversationShape {
            id: self.id.clone(),
            topic: view.topic.clone(),
            date_created: iso(self.created),
            date_updated: iso(self.updated),
            status: status(view.phase()),
            model: view.model.clone(),
            profile: view.opened.as_ref().map(|opened| opened.profile.clone()).unwrap_or_default(),
            messages: view.messages,
            calls: view.call_count,
            pending: view.pending().count() as u64,
        }
    }

    fn pay(&mut self, usage: &Usage) {
        let price = self.desk.price(&self.asked);
        self.cost = self.cost.zip(price).map(|(cost, price)| cost + price.of(usage));
    }

    /// What comes of a record besides its change, once it is heard.
    fn tell_more(&self, record: &Record, texts: &mut Vec<Text>) {
        let nothing = [0_u8; 0];
        match &record.event {
            Event::Replied(reply) => {
                if !reply.text.is_empty() {
                    texts.push(frame::call("ReceiveAgentResponse", &(&reply.text,)));
                }
                texts.push(self.usage(record.seq));
            }
            Event::Compacted(compacted) if compacted.summary.is_some() => texts.push(self.usage(record.seq)),
            Event::Judged(judged) => texts.extend(self.decided(record.seq, judged)),
            Event::Failed { failure, .. } if self.cannot_go_on() => {
                let (message, hint) = (&failure.message, &failure.hint);
                let failed = RunFailed { conversation_id: &self.id, seq: record.seq, message, hint };
                texts.push(frame::call("RunFailed", &(failed,)));
            }
            Event::Stopped { reason: Stop::Done } => texts.push(frame::call("AgentCompleted", &nothing)),
            Event::Stopped { reason: Stop::Bound } => {
                texts.push(frame::call("MaxIterationsReached", &nothing))
            }
            Event::Stopped { reason: Stop::Cancelled } => {
                texts.push(frame::call("RequestCancelled", &nothing))
            }
            _ => {}
        }
    }

    /// A person's own stop ends in a failed call of the model, which is no failure to tell of.
    fn cannot_go_on(&self) -> bool {
        !self.view.cancelled
    }

    fn usage(&self, seq: u64) -> Text {
        let usage = usage(&self.view.usage);
        let cost = self.cost.filter(|cost| *cost > 0.0);
        frame::call("UsageUpdated", &(UsageUpdated { conversation_id: &self.id, seq, usage, cost },))
    }

    fn asked(&self, judged: &Judged) -> Vec<Text> {
        let open = self.view.calls.iter().find(|open| open.call.id == judged.call);
        match open {
            Some(open) if judged.verdict == Verdict::Ask => vec![self.question(open)],
            _ => Vec::new(),
        }
    }

    fn decided(&self, seq: u64, judged: &Judged) -> Option<Text> {
        let decision = match judged.verdict {
            Verdict::Approve => DecisionShape::Approved,
            Verdict::Decline => DecisionShape::Declined,
            _ => return None,
        };
        let (conversation_id, call_id, by) = (&self.id, &judged.call.0, judged.by.into());
        let decided = ToolCallDecided { conversation_id, seq, call_id, decision, by };
        (judged.by != By::Policy).then(|| frame::call("ToolCallDecided", &(decided,)))
    }

    /// A tool that ran, or the answer that one carried. Asked before the outcome is heard, while the call is still open.
    fn ran(&self, id: &str, outcome: &Outcome) -> Vec<Text> {
        let Some(open) = self.view.calls.iter().find(|open| open.call.id.0 == id) else { return Vec::new() };
        let started = open.state == CallState::Started;
        let tried = matches!(outcome.status, Status::Done | Status::Failed | Status::TimedOut);
        if !started && !tried {
            return Vec::new();
        }
        let Call { name, arguments, .. } = &open.call;
        if name != FINAL {
            return vec![frame::call("ReceiveToolCall", &(name, argument_map(arguments)))];
        }
        match outcome.status {
            Status::Done => vec![frame::call("ReceiveAgentResponse", &(final_words(arguments),))],
            _ => Vec::new(),
        }
    }

    fn body(&self, event: &Event) -> Body {
        match event.clone() {
            Event::Opened(opened) => {
                Body::Opened { model: opened.model, profile: opened.profile, directory: opened.directory }
            }
            Event::Said(said) => Body::Prompt { text: said.text, context: said.context },
            Event::Continued {} => Body::Continued {},
            Event::Shortened {} => Body::Shortened {},
            Event::Noted { .. } => Body::Noted {},
            // To a reader it is a call like any other, of a reply without words.
            Event::Called(call) => self.replied(Reply { calls: vec![call], ..Reply::default() }),
            Event::Asked { model, summary_of } => Body::Asked { model, summary: summary_of.is_some() },
            Event::Replied(reply) => self.replied(reply),
            Event::Judged(Judged { call, verdict, by, reason, digest }) => {
                Body::Judged { call_id: call.0, verdict: verdict.into(), by: by.into(), reason, digest }
            }
            Event::Started { call } => Body::Started { call_id: call.0 },
            Event::Ran { call, outcome } => ran(call.0, outcome),
            Event::Compacted(compacted) => Body::Compacted { summary: compacted.summary },
            Event::Configured(configured) => {
                Body::Configured { model: configured.model, topic: configured.topic }
            }
            Event::Failed { failure, partial } => {
                Body::Failed { message: failure.message, hint: failure.hint, partial }
            }
            Event::Cancelled {} => Body::Cancelled {},
            Event::Stopped { reason } => Body::Stopped { reason: reason.into() },
            Event::Undone { paths, .. } => Body::Undone { paths },
        }
    }

    fn replied(&self, reply: Reply) -> Body {
        let cost = self.desk.price(&self.asked).map(|price| price.of(&reply.usage));
        let shape =
            |call: Call| CallShape { call_id: call.id.0, tool_name: call.name, arguments: call.arguments };
        Body::Replied {
            text: reply.text,
            reasoning: reply.reasoning,
            calls: reply.calls.into_iter().map(shape).collect(),
            finish: reply.finish.into(),
            usage: usage(&reply.usage),
            cost: cost.filter(|cost| *cost > 0.0),
        }
    }
}

fn ran(call_id: String, outcome: Outcome) -> Body {
    let Outcome { status, text, detail } = outcome;
    Body::Ran {
        call_id,
        status: status.into(),
        output: text,
        exit: detail.exit,
        diff: detail.diff,
        whole: detail.whole,
        millis: detail.millis,
        undoable: detail.receipt.is_some(),
    }
}

fn usage(usage: &Usage) -> UsageShape {
    let Usage { input, output, cached, reasoning } = *usage;
    UsageShape { input, output, cached, reasoning }
}

impl From<Summary> for ConversationShape {
    fn from(summary: Summary) -> ConversationShape {
        ConversationShape {
            id: summary.conversation.to_string(),
            topic: summary.topic,
            date_created: iso(summary.created),
            date_updated: iso(summary.updated),
            status: status(summary.status),
            model: summary.model,
            profile: summary.profile,
            messages: summary.messages,
            calls: summary.calls,
            pending: summary.pending,
        }
    }
}

pub fn status(phase: Phase) -> StatusShape {
    match phase {
        Phase::New => StatusShape::Idle,
        Phase::Busy => StatusShape::Running,
        Phase::Waiting => StatusShape::Waiting,
        Phase::Done => StatusShape::Finished,
        Phase::Cancelled => StatusShape::Cancelled,
        Phase::Bound => StatusShape::Bound,
        Phase::Failed => StatusShape::Failed,
        Phase::Interrupted => StatusShape::Interrupted,
    }
}

/// The words of a call of [`FINAL`].
pub fn final_words(arguments: &str) -> String {
    argument_map(arguments).remove("output").unwrap_or_default()
}

/// Arguments by name: strings as they are, anything else as JSON. Arguments that are no object have no names.
fn argument_map(arguments: &str) -> ArgumentMap {
    let Ok(Value::Object(fields)) = serde_json::from_str(arguments) else { return ArgumentMap::new() };
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    fields.into_iter().map(|(name, value)| (name, text(value))).collect()
}

#[cfg(test)]
mod tests;
