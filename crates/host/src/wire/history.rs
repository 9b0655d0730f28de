//! The messages already sent, as the bytes they were sent as. Start at [`History`].
//!
//! Each message is serialised once. The messages of one request are a byte prefix of the next request's, so that
//! providers recognise them; and they are shared between requests, never copied whole.

use agent::{Message, Request};
use bytes::Bytes;
use std::sync::Arc;

/// How many conversations are remembered; the one used longest ago is forgotten first.
const CONVERSATIONS: usize = 8;

#[derive(Debug, Default)]
pub(super) struct History {
    /// The one used last stands last.
    sent: Vec<Sent>,
}

#[derive(Debug)]
struct Sent {
    conversation: String,
    generation: u64,
    count: usize,
    /// The last message sent: enough to see that a history was replaced and not continued.
    last: Option<Arc<Message>>,
    segments: Vec<Bytes>,
}

impl History {
    /// All messages of `request` as JSON with commas between them. `write` serialises messages the same way, and is
    /// given those alone that were not sent before.
    pub(super) fn extend(
        &mut self,
        request: &Request,
        write: impl Fn(&[Arc<Message>], &mut Vec<u8>),
    ) -> Vec<Bytes> {
        let mut sent = self.recall(request);
        let new = &request.messages[sent.count..];
        let mut bytes = Vec::new();
        if !new.is_empty() {
            if sent.count > 0 {
                bytes.push(b',');
            }
            write(new, &mut bytes);
        }
        sent.push(Bytes::from(bytes));
        sent.count = request.messages.len();
        sent.last = request.messages.last().cloned();
        let segments = sent.segments.clone();
        if self.sent.len() == CONVERSATIONS {
            self.sent.remove(0);
        }
        self.sent.push(sent);
        segments
    }

    fn recall(&mut self, request: &Request) -> Sent {
        let known = self.sent.iter().position(|sent| sent.conversation == request.conversation);
        match known.map(|place| self.sent.remove(place)) {
            Some(sent) if sent.is_continued_by(request) => sent,
            _ => Sent {
                conversation: request.conversation.clone(),
                generation: request.generation,
                count: 0,
                last: None,
                segments: Vec::new(),
            },
        }
    }
}

impl Sent {
    fn is_continued_by(&self, request: &Request) -> bool {
        let again = self.count.checked_sub(1).and_then(|place| request.messages.get(place));
        self.generation == request.generation
            && self
                .last
                .as_ref()
                .zip(again)
                .is_some_and(|(last, again)| Arc::ptr_eq(last, again) || last == again)
    }

    /// Adds a segment and merges neighbours of like size: there are few segments however many requests there were,
    /// and a byte is copied only as often as their number can double.
    fn push(&mut self, segment: Bytes) {
        if segment.is_empty() {
            return;
        }
        self.segments.push(segment);
        while let [.., before, last] = self.segments.as_slice()
            && before.len() <= 2 * last.len()
        {
            let merged = Bytes::from([before.as_ref(), last.as_ref()].concat());
            self.segments.truncate(self.segments.len() - 2);
            self.segments.push(merged);
        }
    }
}

#[cfg(test)]
mod tests;
