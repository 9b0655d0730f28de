//! A run for programs: one JSON object a line on stdout, and nothing else there. The format is described in
//! `docs/json.md`.

use super::{Ending, Show};
use crate::exit::Exit;
use agent::{Event, Session, Update, View};
use serde::Serialize;
use serde_json::json;
use std::io::Write;

#[derive(Default)]
pub struct Json {
    /// Whether the text of the reply in progress, and its reasoning, were seen growing.
    text: bool,
    reasoning: bool,
}

impl Show for Json {
    fn begin(&mut self, session: &Session) {
        print(&json!({ "conversation": session.id() }));
    }

    fn recall(&mut self, _update: &Update) {}

    fn update(&mut self, update: &Update, _view: &View) {
        match update {
            Update::Record(record) => {
                self.make_up_for(&record.event);
                print(&**record);
            }
            Update::Text { offset, text } => {
                self.text = true;
                print(&json!({ "delta": { "text": text, "offset": offset } }));
            }
            Update::Reasoning { offset, text } => {
                self.reasoning = true;
                print(&json!({ "delta": { "reasoning": text, "offset": offset } }));
            }
            Update::Progress { call, offset, text } => {
                print(&json!({ "delta": { "call": call, "output": text, "offset": offset } }));
            }
            Update::Retrying { after_millis, failure } => {
                *self = Json::default();
                print(&json!({ "retrying": { "after_millis": after_millis, "failure": failure } }));
            }
            Update::Rested => {}
            Update::Broken(why) => print(&json!({ "broken": why })),
        }
    }

    fn end(&mut self, ending: &Ending<'_>) {
        let Ending { view, exit, answer, usage, notes, .. } = ending;
        let pending: Vec<_> = view.pending().map(|open| &open.call).collect();
        let status = match exit {
            Exit::Check => json!("check_failed"),
            _ => json!(view.phase()),
        };
        print(&json!({ "result": {
            "status": status, "exit": *exit as u8, "answer": answer, "usage": usage, "pending": pending, "notes": notes,
        } }));
        notes.iter().for_each(|note| eprintln!("{note}"));
    }
}

impl Json {
    /// A reply that was there at once is told as one delta, so that whoever reads deltas misses none.
    fn make_up_for(&mut self, event: &Event) {
        let Event::Replied(reply) = event else { return };
        let seen = std::mem::take(self);
        if !seen.reasoning && !reply.reasoning.is_empty() {
            print(&json!({ "delta": { "reasoning": reply.reasoning, "offset": 0 } }));
        }
        if !seen.text && !reply.text.is_empty() {
            print(&json!({ "delta": { "text": reply.text, "offset": 0 } }));
        }
    }
}

/// A reader that has gone away is no reason to end the run: the log is the truth, this is a view.
fn print(line: &impl Serialize) {
    let Ok(line) = serde_json::to_string(line) else { return };
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
