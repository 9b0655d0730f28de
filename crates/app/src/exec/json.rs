//! A run for programs: one JSON object a line on stdout, and nothing else there. The format is described in
//! `docs/json.md`.

use super::Show;
use agent::{Session, Update, View};
use serde_json::{Value, json};
use std::io::Write;

pub struct Json;

impl Show for Json {
    fn begin(&mut self, session: &Session) {
        print(&json!({ "conversation": session.id() }));
    }

    fn update(&mut self, update: &Update, _view: &View) {
        match update {
            Update::Record(record) => print(&json!(record)),
            Update::Text { offset, text } => print(&json!({ "delta": { "text": text, "offset": offset } })),
            Update::Reasoning { offset, text } => {
                print(&json!({ "delta": { "reasoning": text, "offset": offset } }))
            }
            Update::Progress { call, offset, text } => {
                print(&json!({ "delta": { "call": call, "output": text, "offset": offset } }));
            }
            Update::Retrying { after_millis, failure } => {
                print(&json!({ "retrying": { "after_millis": after_millis, "failure": failure } }));
            }
            Update::Broken(why) => print(&json!({ "broken": why })),
        }
    }

    fn end(&mut self, view: &View, answer: &str) {
        let pending: Vec<_> = view.pending().map(|open| &open.call).collect();
        print(&json!({
            "result": { "status": view.phase(), "answer": answer, "usage": view.run_usage, "pending": pending }
        }));
    }
}

/// A reader that has gone away is no reason to end the run: the log is the truth, this is a view.
fn print(line: &Value) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
