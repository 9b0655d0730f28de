//! What a session has come to, as `sessions/<id>.json` shows it. Start at [`State`].
//!
//! It is a fold of the log and nothing reads it back: other tools may look at it, and it may be thrown away.

use crate::exit::Fault;
use agent::event::{Call, Event, Stop};
use agent::{Id, Record, Store};
use host::mailbox::{Post, Told, told};
use host::whole::{Kind, replace};
use serde::Serialize;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

#[derive(Default)]
pub struct State {
    pub task: String,
    /// The number of the last outbox.
    pub sequence: u64,
    /// The message of a session that is complete.
    pub done: Option<String>,
    created: u64,
    updated: u64,
    /// The calls of the last reply, and what has come of them so far.
    calls: Vec<Call>,
    results: Vec<Told>,
    message: String,
}

impl State {
    /// Takes the next record of the log, and gives the result of a command if it is one.
    pub fn apply(&mut self, record: &Record) -> Option<&Told> {
        self.updated = record.at;
        match &record.event {
            Event::Opened(_) => self.created = record.at,
            Event::Said(said) if self.task.is_empty() => {
                self.task.clone_from(&said.text);
                self.sequence = 1;
            }
            Event::Said(_) | Event::Continued {} => self.done = None,
            Event::Replied(reply) => {
                self.calls.clone_from(&reply.calls);
                self.results.clear();
            }
            Event::Ran { call, outcome } => {
                let call = self.calls.iter().find(|known| known.id == *call)?;
                let told = told(call, &outcome.text);
                if call.name == "done" {
                    self.message.clone_from(&told.summary);
                }
                self.results.push(told);
                return self.results.last();
            }
            Event::Stopped { reason: Stop::Done } => self.done = Some(self.message.clone()),
            _ => {}
        }
        None
    }

    /// Writes the view of a session that ended, unless that was done: who ended it may not have lived to do so.
    pub async fn save_ended(post: &Post, store: &dyn Store, id: &Id) -> Result<(), Fault> {
        let shown: Value = fs::read(path(post, id))
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default();
        if shown["isComplete"] != false {
            return Ok(());
        }
        let mut state = State::default();
        for line in store.load(id, 0).await? {
            state.apply(&line.record);
        }
        state.sequence = post.last_sequence(id.as_str()).unwrap_or(1);
        state.save(post, id)
    }

    /// Writes the view, whole or not at all.
    pub fn save(&self, post: &Post, id: &Id) -> Result<(), Fault> {
        let path = path(post, id);
        let text = serde_json::to_string_pretty(&self.view(id)).map_err(Fault::error)? + "\n";
        let prepared = post.prepare(&post.sessions);
        prepared.and_then(|()| replace(&path, text.as_bytes(), Kind::Views)).map_err(|error| {
            let message = format!("cannot write {}: {error}", path.display());
            Fault::error(message).hint("nothing is lost; put it right and go on with `cinque mailbox resume`")
        })
    }

    fn view<'a>(&'a self, id: &'a Id) -> View<'a> {
        let result =
            |Told { ok, kind, summary, output }: &'a Told| Line { kind, success: *ok, summary, output };
        View {
            session_id: id.as_str(),
            task: &self.task,
            sequence_number: self.sequence,
            is_complete: self.done.is_some(),
            created_at: time(self.created),
            updated_at: time(self.updated),
            last_results: self.results.iter().map(result).collect(),
            read_file_requests: self.calls.iter().filter_map(requested).collect(),
        }
    }
}

/// The file, field by field.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct View<'a> {
    session_id: &'a str,
    task: &'a str,
    sequence_number: u64,
    is_complete: bool,
    created_at: String,
    updated_at: String,
    last_results: Vec<Line<'a>>,
    read_file_requests: Vec<String>,
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    success: bool,
    summary: &'a str,
    output: &'a Option<String>,
}

fn path(post: &Post, id: &Id) -> PathBuf {
    post.sessions.join(format!("{id}.json"))
}

fn requested(call: &Call) -> Option<String> {
    let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
    let path = arguments.get("path").filter(|_| call.name == "read_file")?;
    path.as_str().map(str::to_owned)
}

fn time(millis: u64) -> String {
    let at = jiff::Timestamp::from_millisecond(i64::try_from(millis).unwrap_or_default());
    at.unwrap_or_default().to_string()
}
