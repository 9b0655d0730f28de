//! What is under way in a conversation: the reply in progress and the output of running calls. Start at
//! [`Partial::take`].
//!
//! Offsets are counted in UTF-16 code units, which is how browsers count.

use crate::frame::{self, Text};
use crate::shape::{TextDelta, ToolOutput};
use agent::Update;
use agent::event::{CallId, Event};
use std::collections::BTreeMap;

/// Output kept of one running call, for whoever comes late.
const TAIL: usize = 64 << 10;

#[derive(Default)]
pub(super) struct Partial {
    text: Stretch,
    reasoning: Stretch,
    running: BTreeMap<CallId, Stretch>,
}

/// A text as far as it has come, of which the beginning may have been dropped.
#[derive(Default)]
struct Stretch {
    text: String,
    /// Where `text` begins and where it ends, in UTF-16 code units.
    from: u64,
    to: u64,
    /// The end in bytes, as the core counts.
    bytes: usize,
}

impl Partial {
    /// Takes what is new and gives the callback that tells of it.
    pub(super) fn take(&mut self, id: &str, update: &Update) -> Option<Text> {
        Some(match update {
            Update::Text { offset, text } => {
                let offset = self.text.add(*offset, text);
                frame::call("ReceiveTextDelta", &(TextDelta { conversation_id: id, offset, text },))
            }
            Update::Reasoning { offset, text } => {
                let offset = self.reasoning.add(*offset, text);
                frame::call("ReceiveReasoningDelta", &(TextDelta { conversation_id: id, offset, text },))
            }
            Update::Progress { call, offset, text } => {
                let stretch = self.running.entry(call.clone()).or_default();
                let offset = stretch.add(*offset, text);
                stretch.trim();
                frame::call(
                    "ReceiveToolOutput",
                    &(ToolOutput { conversation_id: id, call_id: &call.0, offset, text },),
                )
            }
            _ => return None,
        })
    }

    /// Forgets what a record says in full.
    pub(super) fn settle(&mut self, event: &Event) {
        match event {
            Event::Replied(_) | Event::Failed { .. } | Event::Asked { .. } => self.restart(),
            Event::Ran { call, .. } => drop(self.running.remove(call)),
            _ => {}
        }
    }

    /// Forgets the reply in progress, which is asked for again.
    pub(super) fn restart(&mut self) {
        (self.text, self.reasoning) = Default::default();
    }

    /// Everything that is under way, for whoever comes late.
    pub(super) fn texts(&self, id: &str) -> Vec<Text> {
        let delta = |target: &str, stretch: &Stretch| {
            let delta = TextDelta { conversation_id: id, offset: stretch.from, text: &stretch.text };
            (!stretch.text.is_empty()).then(|| frame::call(target, &(delta,)))
        };
        let output = |(call, stretch): (&CallId, &Stretch)| {
            let Stretch { from, text, .. } = stretch;
            let output = ToolOutput { conversation_id: id, call_id: &call.0, offset: *from, text };
            frame::call("ReceiveToolOutput", &(output,))
        };
        let reply = [delta("ReceiveReasoningDelta", &self.reasoning), delta("ReceiveTextDelta", &self.text)];
        reply.into_iter().flatten().chain(self.running.iter().map(output)).collect()
    }
}

impl Stretch {
    /// Adds what follows at an offset in bytes and gives the offset in UTF-16 code units. At 0 the text begins anew.
    fn add(&mut self, offset: usize, text: &str) -> u64 {
        if offset == 0 {
            *self = Stretch::default();
        }
        // What was dropped before it could be read is counted as if every byte were a character.
        let missed = offset.saturating_sub(self.bytes) as u64;
        if missed > 0 {
            self.text.clear();
            self.from = self.to + missed;
            self.to = self.from;
        }
        let at = self.to;
        self.text.push_str(text);
        self.to += units(text);
        self.bytes = offset + text.len();
        at
    }

    fn trim(&mut self) {
        if self.text.len() <= 2 * TAIL {
            return;
        }
        let mut cut = self.text.len() - TAIL;
        while !self.text.is_char_boundary(cut) {
            cut += 1;
        }
        self.from += units(&self.text[..cut]);
        self.text.drain(..cut);
    }
}

fn units(text: &str) -> u64 {
    text.encode_utf16().count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_as_browsers_do() {
        let mut partial = Partial::default();
        let mut told = Vec::new();
        for (offset, text) in [(0, "a"), (1, "é🙂"), (7, "b"), (0, "again"), (5, "!")] {
            let update = Update::Text { offset, text: text.to_owned() };
            told.push(partial.take("c", &update).unwrap().to_string());
        }
        let offsets: Vec<bool> = [0, 1, 4, 0, 5]
            .iter()
            .zip(&told)
            .map(|(offset, text)| text.contains(&format!("\"offset\":{offset},")))
            .collect();
        assert_eq!(offsets, [true; 5], "{told:?}");
        assert!(partial.texts("c")[0].contains("again!"));
        partial.settle(&Event::Replied(agent::Reply::default()));
        assert!(partial.texts("c").is_empty());
    }

    #[test]
    fn late_guests_get_the_end_of_long_output() {
        let mut partial = Partial::default();
        let line = "x".repeat(1000);
        for n in 0..1000 {
            let update = Update::Progress { call: CallId("1".into()), offset: n * 1000, text: line.clone() };
            partial.take("c", &update);
        }
        let texts = partial.texts("c");
        assert!(texts[0].len() < 3 * TAIL && texts[0].len() > TAIL);
    }
}
