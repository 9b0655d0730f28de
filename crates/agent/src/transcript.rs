//! The request as a pure function of the log: what the model is shown of a conversation. Start at
//! [`Transcript::apply`].
//!
//! Messages only grow at the end, so that request n is a byte prefix of request n+1 and the provider's cache hits.
//! The one exception is a [`Compacted`](crate::event::Compacted) event, which starts a new generation.

use crate::event::{Call, CallId, Compacted, Event, FailureKind, Opened, Outcome, Reply, Said, Spec};
use crate::model::{Message, Prefix, Request};
use crate::profile::Recall;
use std::sync::Arc;

/// Asks for a summary; the person's own words are kept beside it, so it need not repeat them.
const SUM_UP: &str = include_str!("transcript/sum_up.md");
/// What is said to a model that spoke and called nothing, in a profile where words alone end nothing.
const GO_ON: &str = "[Go on. When the work is done, end it with the tool that does so.]";
/// What is said of a reply that the person stopped.
const STOPPED: &str = "[I stopped your reply there.]";
const LEFT_OUT: &str = "[output left out to save room; run the call again if you need it]";

#[derive(Debug, Clone, Default)]
pub struct Transcript {
    conversation: String,
    instructions: Arc<str>,
    tools: Arc<[Spec]>,
    schema: Option<Arc<serde_json::Value>>,
    recall: Recall,
    next: u64,
    generation: u64,
    /// What a request would carry, each with the seq of the event it came from.
    messages: Vec<(u64, Arc<Message>)>,
    /// The calls of the last reply, in its order, with their results as they come.
    open: Vec<Open>,
    /// The call that a person wanted last.
    called: Option<Call>,
    /// How many messages the last request had; none, if it was for a summary, or its messages are no more.
    asked: Option<usize>,
    /// The person's words that the run is about.
    task: String,
    /// Words said while calls were open: they must follow all results.
    waiting: Vec<(u64, Arc<Message>)>,
}

/// A call of the last reply, with its result once there is one and where that stands.
#[derive(Debug, Clone)]
struct Open {
    call: CallId,
    name: String,
    result: Option<(u64, String)>,
}

impl Transcript {
    pub fn new(conversation: &str, schema: Option<Arc<serde_json::Value>>) -> Transcript {
        Transcript { conversation: conversation.to_owned(), schema, ..Transcript::default() }
    }

    pub fn recalling(self, recall: Recall) -> Transcript {
        Transcript { recall, ..self }
    }

    /// Takes the next event of the log.
    pub fn apply(&mut self, event: &Event) {
        let seq = self.next;
        self.next += 1;
        match event {
            Event::Opened(opened) => self.open(opened),
            Event::Said(said) => self.hear(seq, said),
            Event::Asked { summary_of: None, .. } => self.prompt(seq),
            Event::Asked { .. } => self.asked = None,
            Event::Called(call) => self.called = Some(call.clone()),
            Event::Replied(reply) => self.take_reply(seq, reply),
            Event::Failed { failure, partial } if failure.kind == FailureKind::Cancelled => {
                self.take_partial(seq, partial);
            }
            Event::Ran { call, outcome } => self.settle(seq, call, outcome),
            Event::Compacted(compacted) => self.compact(compacted),
            Event::Undone { paths, .. } => {
                self.add(
                    seq,
                    vec![format!("[I have put these files back to an earlier state: {}]", paths.join(", "))],
                );
            }
            _ => {}
        }
    }

    /// What to send now. Only meaningful when no call is open.
    pub fn request(&self) -> Request {
        Request {
            conversation: self.conversation.clone(),
            instructions: self.instructions.clone(),
            tools: self.tools.clone(),
            messages: self.messages.iter().map(|(_, message)| message.clone()).collect(),
            generation: self.generation,
            schema: self.schema.clone(),
        }
    }

    /// What to send for a summary of everything before `seq`.
    pub fn summary_request(&self, seq: u64) -> Request {
        let mut request = self.request();
        let before = self.messages.iter().filter(|(from, _)| *from < seq);
        request.messages = before.map(|(_, message)| message.clone()).collect();
        request.messages.push(Arc::new(Message::User { parts: vec![SUM_UP.trim_end().to_owned()] }));
        request.schema = None;
        // What a wire keeps of the conversation must not end in this question.
        request.generation = u64::MAX - self.generation;
        request
    }

    fn open(&mut self, opened: &Opened) {
        self.instructions = opened.instructions.as_str().into();
        self.tools = opened.tools.as_slice().into();
    }

    /// Where the model spoke last and is asked again, somebody must speak in between: providers refuse a request that
    /// ends with the model's own words, or take them for the beginning of its reply.
    fn prompt(&mut self, seq: u64) {
        let spoke = self.messages.last().is_some_and(|(_, last)| matches!(**last, Message::Assistant { .. }));
        if spoke && self.open.is_empty() {
            self.add(seq, vec![GO_ON.to_owned()]);
        }
        self.asked = Some(self.messages.len());
    }

    fn hear(&mut self, seq: u64, said: &Said) {
        self.task.clone_from(&said.text);
        if self.recall == Recall::LastPrompt {
            self.generation += 1;
            (self.messages, self.open, self.waiting, self.asked) = Default::default();
        }
        self.add(seq, said.context.iter().chain([&said.text]).cloned().collect());
    }

    /// A person's part of the conversation; results of open calls must come before it.
    fn add(&mut self, seq: u64, parts: Vec<String>) {
        let message = (seq, Arc::new(Message::User { parts }));
        if self.open.is_empty() { self.messages.push(message) } else { self.waiting.push(message) }
    }

    fn take_reply(&mut self, seq: u64, reply: &Reply) {
        if reply.calls.is_empty() && reply.text.is_empty() && reply.opaque.is_none() {
            // Providers refuse an assistant message with nothing in it.
            return;
        }
        let Reply { text, reasoning, calls, opaque, .. } = reply.clone();
        let open = |call: &Call| Open { call: call.id.clone(), name: call.name.clone(), result: None };
        self.open = calls.iter().map(open).collect();
        let prefix = Prefix::Same;
        self.messages.push((seq, Arc::new(Message::Assistant { text, reasoning, calls, opaque, prefix })));
    }

    /// What the model had said when the person stopped it: they have read it, and may speak of it. Where something was
    /// said meanwhile there is no place for it: a second try may have sent that already.
    fn take_partial(&mut self, seq: u64, partial: &str) {
        let text = partial.trim_end();
        if !text.is_empty() && self.asked.take() == Some(self.messages.len()) {
            self.take_reply(seq, &Reply { text: text.to_owned(), ..Reply::default() });
            self.add(seq, vec![STOPPED.to_owned()]);
        }
    }

    fn settle(&mut self, seq: u64, id: &CallId, outcome: &Outcome) {
        if let Some(Call { name, arguments, .. }) = self.called.take_if(|call| call.id == *id) {
            let told = format!("[I made this call myself: {name} {arguments}]\n{}", outcome.text);
            return self.add(seq, vec![told]);
        }
        let Some(slot) = self.open.iter_mut().find(|open| open.call == *id) else { return };
        slot.result = Some((seq, outcome.text.clone()));
        if self.open.iter().any(|open| open.result.is_none()) {
            return;
        }
        for Open { call, name, result } in std::mem::take(&mut self.open) {
            let Some((seq, text)) = result else { continue };
            self.messages.push((seq, Arc::new(Message::Result { call, name, text })));
        }
        self.messages.append(&mut self.waiting);
    }

    fn compact(&mut self, compacted: &Compacted) {
        self.generation += 1;
        self.asked = None;
        if let Some(summary) = &compacted.summary {
            self.messages.retain(|(seq, _)| *seq >= compacted.before);
            let said_later =
                self.messages.iter().any(|(_, message)| matches!(**message, Message::User { .. }));
            let task = (!said_later).then(|| format!("The task, in my words:\n{}", self.task));
            let summary = format!("Summary of our conversation so far:\n{summary}");
            let parts = std::iter::once(summary).chain(task).collect();
            self.messages.insert(0, (compacted.before, Arc::new(Message::User { parts })));
            return self.rewritten_from(0);
        }
        let left_out = |message: &Message| match message {
            Message::Result { call, name, text } if text.len() > LEFT_OUT.len() => {
                let (call, name) = (call.clone(), name.clone());
                Some(Message::Result { call, name, text: LEFT_OUT.to_owned() })
            }
            _ => None,
        };
        let mut first = None;
        for (place, (seq, message)) in self.messages.iter_mut().enumerate() {
            if let Some(shorter) = left_out(message).filter(|_| *seq < compacted.before) {
                *message = Arc::new(shorter);
                first.get_or_insert(place);
            }
        }
        self.rewritten_from(first.unwrap_or(self.messages.len()));
    }

    /// The message at `place` is another than it was: no later reply was said after what stands before it now.
    fn rewritten_from(&mut self, place: usize) {
        for (_, message) in self.messages.iter_mut().skip(place) {
            if matches!(**message, Message::Assistant { prefix: Prefix::Same, .. })
                && let Message::Assistant { prefix, .. } = Arc::make_mut(message)
            {
                *prefix = Prefix::Rewritten;
            }
        }
    }
}

#[cfg(test)]
mod tests;
