//! What a log comes to: the fold of its events. Resume, fork, replay and every door's picture are this one fold.
//! Start at [`View::apply`].
//!
//! The view decides nothing. It holds what is open, never the history itself, so it stays small however long the log.

mod command;
mod context;
mod topic;

pub use command::{Command, Refusal};
pub use context::{Context, Group};
pub use topic::{LONGEST_TOPIC, topic};

use crate::event::*;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::Arc;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct View {
    /// The number that the next record will have.
    pub next: u64,
    pub opened: Option<Arc<Opened>>,
    /// The model in force, which may have been changed since the conversation began.
    pub model: String,
    pub topic: String,
    /// The calls of the last reply that have no outcome yet, in the reply's order.
    pub calls: Vec<OpenCall>,
    /// What the calls of the last reply that have one came to.
    pub settled: Vec<(String, Status)>,
    /// Whether a run is under way: something was said and the run has not stopped.
    pub active: bool,
    /// Whether that run is a call that a person wanted, of which the model is not to be asked.
    pub called: bool,
    pub stop: Option<Stop>,
    /// Whether a person has asked for the run under way to stop.
    pub cancelled: bool,
    /// When words came after that wish; they begin a run of their own once this one has stopped.
    said_since: Option<u64>,
    /// Model calls in this run.
    pub turns: u32,
    pub usage: Usage,
    pub run_usage: Usage,
    pub prompts: u64,
    pub call_count: u64,
    /// What a person would count: prompts, texts of the model, calls.
    pub messages: u64,
    /// When, in seqs, the model last got news that it should answer: words or outcomes.
    pub news: Option<u64>,
    /// When words, or a wish to begin again, last came that no reply from before can have answered.
    pub spoken: Option<u64>,
    pub asked: Option<u64>,
    /// When the model last replied.
    pub answered: Option<u64>,
    /// What the next request would carry.
    pub context: Context,
    /// The model is being asked for a summary of everything before this seq.
    pub summary_of: Option<u64>,
    /// A person wants the conversation made shorter.
    pub shorten: bool,
    /// The model said that the last request was too long for it.
    pub too_long: bool,
    seen: HashSet<CallId>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct OpenCall {
    pub call: Call,
    pub state: CallState,
}

#[derive(Debug, Clone, PartialEq)]
pub enum CallState {
    /// Nobody has ruled on it.
    New,
    /// The policy lets it run, exactly as this digest says.
    Allowed {
        digest: String,
    },
    /// A person must decide.
    Pending {
        reason: String,
        digest: String,
    },
    /// A person said yes, to exactly this digest.
    Approved {
        digest: String,
    },
    Declined {
        words: String,
    },
    Forbidden {
        reason: String,
    },
    Started,
}

/// What a conversation is doing, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nothing was said yet.
    New,
    Busy,
    /// A person must decide before it goes on.
    Waiting,
    Done,
    Cancelled,
    Bound,
    Failed,
    /// Its process died; it can be resumed. No log says this of itself: it is what a list makes of one that says busy
    /// while nobody acts for it.
    Interrupted,
}

impl View {
    /// Takes the next event of the log.
    pub fn apply(&mut self, event: &Event) {
        let seq = self.next;
        self.next += 1;
        match event {
            Event::Opened(opened) => self.open(opened),
            Event::Said(said) => self.hear(seq, said),
            Event::Continued {} => self.go_on(seq),
            Event::Shortened {} => self.shorten = true,
            Event::Called(call) => self.take_call(call),
            Event::Asked { summary_of, .. } => {
                // A summary is not an answer: what the model should answer is still to be answered afterwards.
                if summary_of.is_none() {
                    self.asked = Some(seq);
                    self.turns += 1;
                }
                self.summary_of = *summary_of;
            }
            Event::Replied(reply) => self.take_reply(seq, reply),
            Event::Judged(judged) => self.judge(judged),
            Event::Started { call } => self.set(call, CallState::Started),
            Event::Ran { call, outcome } => self.settle(seq, call, outcome),
            Event::Compacted(compacted) => self.compact(compacted),
            Event::Configured(configured) => self.configure(configured),
            Event::Failed { failure, partial } => {
                if failure.kind == FailureKind::Cancelled && self.summary_of.is_none() {
                    self.context.add(seq, partial.len());
                }
                self.summary_of = None;
                self.too_long = failure.kind == FailureKind::ContextTooLong;
            }
            Event::Cancelled {} => self.cancelled = true,
            Event::Stopped { reason } => self.end(*reason),
            Event::Undone { .. } | Event::Noted { .. } => {}
        }
    }

    pub fn phase(&self) -> Phase {
        match (self.active, self.stop) {
            (true, _) if self.waits_for_person() => Phase::Waiting,
            (true, _) => Phase::Busy,
            (false, None) => Phase::New,
            (false, Some(Stop::Done)) => Phase::Done,
            (false, Some(Stop::Cancelled)) => Phase::Cancelled,
            (false, Some(Stop::Bound)) => Phase::Bound,
            (false, Some(Stop::Failed)) => Phase::Failed,
        }
    }

    pub fn pending(&self) -> impl Iterator<Item = &OpenCall> {
        self.calls.iter().filter(|open| matches!(open.state, CallState::Pending { .. }))
    }

    /// Gives every call an id of its own: providers leave them out or repeat them, and the log must tell calls apart.
    pub fn with_own_ids(&self, mut reply: Reply) -> Reply {
        let mut given = HashSet::new();
        for (index, call) in reply.calls.iter_mut().enumerate() {
            if !is_plain(&call.id) || self.seen.contains(&call.id) || given.contains(&call.id) {
                call.id = self.free_id(index, &given);
            }
            given.insert(call.id.clone());
        }
        reply
    }

    /// An id for a call of the next record that no other call has.
    fn free_id(&self, index: usize, given: &HashSet<CallId>) -> CallId {
        let mut attempt = 0;
        loop {
            let suffix = if attempt == 0 { String::new() } else { format!("_{attempt}") };
            let id = CallId(format!("call_{}_{index}{suffix}", self.next));
            if !self.seen.contains(&id) && !given.contains(&id) {
                return id;
            }
            attempt += 1;
        }
    }

    fn waits_for_person(&self) -> bool {
        let waits = |open: &OpenCall| matches!(open.state, CallState::Pending { .. });
        !self.cancelled && !self.calls.is_empty() && self.calls.iter().all(waits)
    }

    fn open(&mut self, opened: &Opened) {
        self.model = opened.model.clone();
        self.context.open(opened.instructions.len());
        self.opened = Some(Arc::new(opened.clone()));
    }

    fn hear(&mut self, seq: u64, said: &Said) {
        if self.topic.is_empty() {
            self.topic = topic::made_from(&said.text);
        }
        self.prompts += 1;
        self.messages += 1;
        self.context.add(seq, said.text.len() + said.context.as_ref().map_or(0, String::len));
        if self.cancelled {
            self.said_since = Some(seq);
        }
        self.begin(seq);
    }

    /// Words renew the bound on model calls: whoever spoke wants an answer.
    fn begin(&mut self, seq: u64) {
        if !self.active {
            self.run_usage = Usage::default();
        }
        self.news = Some(seq);
        self.spoken = Some(seq);
        self.turns = 0;
        self.called = false;
        self.active = true;
        self.stop = None;
    }

    /// Going on in the middle of a reply's calls says nothing new: that reply may still hold what ends the run.
    fn go_on(&mut self, seq: u64) {
        let midway = self.active && !self.calls.is_empty();
        let spoken = self.spoken;
        self.begin(seq);
        if midway {
            self.spoken = spoken;
        }
    }

    fn end(&mut self, reason: Stop) {
        self.active = false;
        self.called = false;
        self.cancelled = false;
        self.stop = Some(reason);
        if let Some(seq) = self.said_since.take() {
            self.begin(seq);
        }
    }

    fn take_reply(&mut self, seq: u64, reply: &Reply) {
        self.answered = Some(seq);
        self.usage += reply.usage;
        self.run_usage += reply.usage;
        self.call_count += reply.calls.len() as u64;
        self.messages += reply.messages();
        self.too_long = false;
        let calls: usize = reply.calls.iter().map(|call| call.name.len() + call.arguments.len()).sum();
        self.context.add(seq, reply.text.len() + calls);
        self.settled.clear();
        for call in &reply.calls {
            self.seen.insert(call.id.clone());
            self.calls.push(OpenCall { call: call.clone(), state: CallState::New });
        }
    }

    fn take_call(&mut self, call: &Call) {
        (self.active, self.called, self.stop) = (true, true, None);
        self.call_count += 1;
        self.settled.clear();
        self.seen.insert(call.id.clone());
        self.calls.push(OpenCall { call: call.clone(), state: CallState::New });
    }

    fn judge(&mut self, judged: &Judged) {
        let Judged { call, verdict, reason, digest, .. } = judged;
        let state = match verdict {
            Verdict::Allow => CallState::Allowed { digest: digest.clone() },
            Verdict::Ask => CallState::Pending { reason: reason.clone(), digest: digest.clone() },
            Verdict::Forbid => CallState::Forbidden { reason: reason.clone() },
            Verdict::Approve => CallState::Approved { digest: digest.clone() },
            Verdict::Decline => CallState::Declined { words: reason.clone() },
        };
        self.set(call, state);
    }

    fn set(&mut self, id: &CallId, state: CallState) {
        if let Some(open) = self.calls.iter_mut().find(|open| open.call.id == *id) {
            open.state = state;
        }
    }

    fn settle(&mut self, seq: u64, id: &CallId, outcome: &Outcome) {
        let Some(at) = self.calls.iter().position(|open| open.call.id == *id) else { return };
        let open = self.calls.remove(at);
        self.settled.push((open.call.name, outcome.status));
        self.context.add_result(self.answered, outcome.text.len());
        if self.calls.is_empty() {
            self.news = Some(seq);
        }
    }

    fn compact(&mut self, compacted: &Compacted) {
        (self.summary_of, self.shorten, self.too_long) = (None, false, false);
        self.usage += compacted.usage;
        self.run_usage += compacted.usage;
        self.context.compact(compacted);
    }

    fn configure(&mut self, configured: &Configured) {
        if let Some(model) = &configured.model {
            self.model = model.clone();
        }
        if let Some(topic) = &configured.topic {
            self.topic = topic.clone();
        }
    }
}

/// Ids are shown to people in commands to copy, so they must be plain words.
fn is_plain(id: &CallId) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.:".contains(c);
    !id.0.is_empty() && id.0.len() <= 128 && !id.0.starts_with('-') && id.0.chars().all(plain)
}
