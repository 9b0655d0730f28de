//! Scripts as JSON files, for tests by hand.
//!
//! Start from [`FORMAT`], which is the documentation that `kit-server --help` prints; a test plays
//! the example in it. Unknown members are errors, because a misspelt fault would otherwise be a
//! reply without one.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::Script;
use crate::delivery::{Point, Split, Stop, Style};
use crate::message::{Call, Message, Usage};
use crate::reply::Reply;

pub(super) const FORMAT: &str = r#"A script is a JSON object:

  {
    "repeat": false,
    "replies": [
      {"status": 429, "retry_after": 1},
      {"reasoning": "Look first.", "calls": [{"name": "shell", "arguments": {"command": "ls"}}]},
      {"text": "Done.", "usage": {"input": 12, "output": 3}, "slow_ms": 20, "pings": true}
    ]
  }

With "repeat" the replies are played again and again. A reply is one of

  text, reasoning, calls       what the model says, all optional; a call has "name", "arguments"
                               (an object, or a string sent as it is) and "id" (left out: invented;
                               null: not sent)
  events                       the data of each server-sent event, as strings
  body                         raw text, with "status" and "headers"
  status                       alone: a failure with the error body of a provider

and may have

  finish                       the finish reason; null: not sent
  error                        text of an error event in place of the finish
  usage                        {"input": TOKENS, "output": TOKENS}
  text_every                   characters in a chunk of text
  arguments_every              characters in a fragment of arguments
  empty_choices                true: a chunk without choices comes first
  status, headers              of the head: a number, {"name": "value"}
  retry_after                  seconds
  slow_ms                      the pause before each chunk
  split                        "writes" (one an event), "bytes" or "characters" (inside each)
  pings, crlf, bom, tight, without_done, until_close
                               true: the style of the stream; tight is `data:` without a space
  stop                         {"at": "start" | "finish" | "terminator" | "end" | BYTES OF THE BODY,
                                "by": "close" | "reset" | "stall"}
"#;

/// Why a script file could not be used.
#[derive(Debug)]
pub struct ScriptError {
    path: PathBuf,
    reason: String,
}

pub(super) fn read(path: &Path) -> Result<Script, ScriptError> {
    let fail = |reason: String| ScriptError { path: path.to_owned(), reason };
    let bytes = std::fs::read(path).map_err(|error| fail(error.to_string()))?;
    parse(&bytes).map_err(fail)
}

pub(super) fn parse(bytes: &[u8]) -> Result<Script, String> {
    let file: File = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let replies = file.replies.into_iter().enumerate().map(|(at, entry)| {
        let reply = entry.reply();
        reply.map_err(|reason| format!("reply {}: {reason}", at + 1))
    });
    let replies: Vec<Reply> = replies.collect::<Result<_, _>>()?;
    Ok(if file.repeat { Script::circle(replies) } else { Script::list(replies) })
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        write!(f, "cannot use the script {path}: {}", self.reason)
    }
}

impl Error for ScriptError {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    repeat: bool,
    replies: Vec<Entry>,
}

/// One reply as written.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Entry {
    text: Option<String>,
    reasoning: Option<String>,
    calls: Vec<CallEntry>,
    #[serde(deserialize_with = "present")]
    finish: Option<Option<String>>,
    error: Option<String>,
    usage: Option<UsageEntry>,
    text_every: Option<usize>,
    arguments_every: Option<usize>,
    empty_choices: bool,
    events: Option<Vec<String>>,
    body: Option<String>,
    status: Option<u16>,
    headers: BTreeMap<String, String>,
    retry_after: Option<u64>,
    until_close: bool,
    slow_ms: Option<u64>,
    split: Option<SplitEntry>,
    pings: bool,
    crlf: bool,
    bom: bool,
    tight: bool,
    without_done: bool,
    stop: Option<StopEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallEntry {
    name: String,
    arguments: Value,
    #[serde(default, deserialize_with = "present")]
    id: Option<Option<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UsageEntry {
    input: u64,
    output: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum SplitEntry {
    Writes,
    Bytes,
    Characters,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StopEntry {
    at: At,
    by: By,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum At {
    Body(usize),
    Named(Name),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Name {
    Start,
    Finish,
    Terminator,
    End,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum By {
    Close,
    Reset,
    Stall,
}

/// Tells a member that is null from one that is not there.
fn present<'de, D>(deserializer: D) -> Result<Option<Option<String>>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Some)
}

impl Entry {
    fn reply(self) -> Result<Reply, String> {
        let says = self.text.is_some() || self.reasoning.is_some() || !self.calls.is_empty();
        let mut reply = match (&self.events, &self.body, self.status) {
            (Some(_), Some(_), _) => return Err("has both `events` and `body`".to_owned()),
            (Some(_), None, _) | (None, Some(_), _) if says => {
                return Err("has both words of the model and `events` or `body`".to_owned());
            }
            (Some(events), None, _) => Reply::events(events.clone()),
            (None, Some(body), _) => Reply::raw(200, [], body.clone()),
            (None, None, Some(status)) if !says => Reply::status(status),
            (None, None, _) => self.message().reply(),
        };
        if let Some(status) = self.status {
            reply = reply.with_status(status);
        }
        for (name, value) in &self.headers {
            reply = reply.header(name, value);
        }
        Ok(self.deliver(reply))
    }

    fn message(&self) -> Message {
        let mut message = Message::calls(self.calls.iter().map(CallEntry::call));
        message.empty_choices = self.empty_choices;
        if let Some(text) = &self.text {
            message = message.and_text(text);
        }
        if let Some(text) = &self.reasoning {
            message = message.reasoning(text);
        }
        message = match &self.finish {
            Some(Some(word)) => message.finish(word),
            Some(None) => message.without_finish(),
            None => message,
        };
        if let Some(text) = &self.error {
            message = message.error(text);
        }
        if let Some(usage) = &self.usage {
            message = message.usage(Usage::new(usage.input, usage.output));
        }
        if let Some(count) = self.text_every {
            message = message.text_every(count);
        }
        if let Some(count) = self.arguments_every {
            message = message.arguments_every(count);
        }
        message
    }

    fn deliver(&self, mut reply: Reply) -> Reply {
        if let Some(seconds) = self.retry_after {
            reply = reply.retry_after(seconds);
        }
        if let Some(pause) = self.slow_ms {
            reply = reply.slow(Duration::from_millis(pause));
        }
        if let Some(split) = &self.split {
            reply = reply.split(match split {
                SplitEntry::Writes => Split::Writes,
                SplitEntry::Bytes => Split::Every(1),
                SplitEntry::Characters => Split::InsideCharacters,
            });
        }
        if let Some(stop) = &self.stop {
            reply = reply.stop(stop.at.point(), stop.by.stop());
        }
        if self.until_close {
            reply = reply.until_close();
        }
        reply.delivery.style = Style {
            bom: self.bom,
            crlf: self.crlf,
            tight: self.tight,
            pings: self.pings,
            without_done: self.without_done,
        };
        reply
    }
}

impl CallEntry {
    fn call(&self) -> Call {
        let call = match &self.arguments {
            Value::String(text) => Call::raw(&self.name, text),
            value => Call::new(&self.name, value.clone()),
        };
        match &self.id {
            Some(Some(id)) => call.id(id),
            Some(None) => call.without_id(),
            None => call,
        }
    }
}

impl At {
    fn point(&self) -> Point {
        match self {
            Self::Body(bytes) => Point::Body(*bytes),
            Self::Named(Name::Start) => Point::Start,
            Self::Named(Name::Finish) => Point::Finish,
            Self::Named(Name::Terminator) => Point::Terminator,
            Self::Named(Name::End) => Point::End,
        }
    }
}

impl By {
    fn stop(&self) -> Stop {
        match self {
            Self::Close => Stop::Close,
            Self::Reset => Stop::Reset,
            Self::Stall => Stop::Stall,
        }
    }
}
