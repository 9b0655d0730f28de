//! A run for programs: one JSON object a line on stdout, and nothing else there. The format is described in
//! `docs/json.md`.

use super::{Ending, Show};
use crate::exit::{Exit, Fault, print_if_read};
use agent::{Event, Session, Update, View};
use serde::Serialize;
use serde_json::json;

#[derive(Default)]
pub struct Json {
    seen: Seen,
    /// Why a line could not be written. The run does not end with it: the log is the truth, this is a view.
    lost: Option<Fault>,
}

/// Whether the text of the reply in progress, and its reasoning, were seen growing.
#[derive(Default)]
struct Seen {
    text: bool,
    reasoning: bool,
}

impl Show for Json {
    fn begin(&mut self, session: &Session) {
        self.print(&json!({ "conversation": session.id() }));
    }

    fn recall(&mut self, _update: &Update) {}

    fn update(&mut self, update: &Update, _view: &View) {
        match update {
            Update::Record(record) => {
                self.make_up_for(&record.event);
                self.print(&**record);
            }
            Update::Text { offset, text } => {
                self.seen.text = true;
                self.print(&json!({ "delta": { "text": text, "offset": offset } }));
            }
            Update::Reasoning { offset, text } => {
                self.seen.reasoning = true;
                self.print(&json!({ "delta": { "reasoning": text, "offset": offset } }));
            }
            Update::Progress { call, offset, text } => {
                self.print(&json!({ "delta": { "call": call, "output": text, "offset": offset } }));
            }
            Update::Retrying { after_millis, failure } => {
                self.seen = Seen::default();
                self.print(&json!({ "retrying": { "after_millis": after_millis, "failure": failure } }));
            }
            Update::Rested => {}
            Update::Broken(why) => self.print(&json!({ "broken": why })),
        }
    }

    fn end(&mut self, ending: &Ending<'_>) -> Result<(), Fault> {
        let Ending { view, exit, answer, usage, notes, .. } = ending;
        let pending: Vec<_> = view.pending().map(|open| &open.call).collect();
        let status = match exit {
            Exit::Check => json!("check_failed"),
            _ => json!(view.phase()),
        };
        self.print(&json!({ "result": {
            "status": status, "exit": *exit as u8, "answer": answer, "usage": usage, "pending": pending, "notes": notes,
        } }));
        notes.iter().for_each(|note| aside!("{note}"));
        self.lost.take().map_or(Ok(()), Err)
    }
}

impl Json {
    /// A reply that was there at once is told as one delta, so that whoever reads deltas misses none.
    fn make_up_for(&mut self, event: &Event) {
        let Event::Replied(reply) = event else { return };
        let seen = std::mem::take(&mut self.seen);
        if !seen.reasoning && !reply.reasoning.is_empty() {
            self.print(&json!({ "delta": { "reasoning": reply.reasoning, "offset": 0 } }));
        }
        if !seen.text && !reply.text.is_empty() {
            self.print(&json!({ "delta": { "text": reply.text, "offset": 0 } }));
        }
    }

    /// Nothing is written after a line that could not be: a reader would take what is left for all there was.
    fn print(&mut self, line: &impl Serialize) {
        if let (None, Ok(line)) = (&self.lost, serde_json::to_string(line)) {
            self.lost = print_if_read(&line).err();
        }
    }
}
