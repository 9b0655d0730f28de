//! A model whose words were recorded. Start at [`Replay::read`].

use agent::event::Compacted;
use agent::{Delta, Event, Failure, FailureKind, Info, Model, Record, Reply, Request, Retry};
use futures::stream::{self, BoxStream, StreamExt};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

pub struct Replay {
    name: String,
    answers: Mutex<VecDeque<Result<Reply, Failure>>>,
}

#[derive(Debug, thiserror::Error)]
#[error("line {line} of the recording is not a reply: {source}")]
pub struct BadRecording {
    line: usize,
    source: serde_json::Error,
}

impl Replay {
    /// Reads a recording: one [`Reply`] as JSON a line.
    pub fn read(name: &str, text: &str) -> Result<Replay, BadRecording> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let read =
            |(n, line)| serde_json::from_str(line).map_err(|source| BadRecording { line: n + 1, source });
        let replies = lines.map(read).collect::<Result<Vec<Reply>, _>>()?;
        Ok(Replay::of(name, replies.into_iter().map(Ok).collect()))
    }

    /// Reads a file: a recording, or a log as `cinque log export` writes it.
    pub fn open(path: &str) -> Result<Replay, Failure> {
        let unusable = |why: &dyn std::fmt::Display| {
            Failure::new(FailureKind::Setup, format!("{path} cannot be replayed: {why}"))
                .hint("name a file that `cinque log export ID` wrote: -m replay/FILE")
        };
        let text = std::fs::read_to_string(path).map_err(|error| unusable(&error))?;
        let records: Result<Vec<Record>, _> = text.lines().map(serde_json::from_str).collect();
        match records {
            Ok(records) => Ok(Replay::of(path, answers(records.iter().map(|record| &record.event)))),
            Err(_) => Replay::read(path, &text).map_err(|error| unusable(&error)),
        }
    }

    /// Plays these answers, one a request.
    pub fn of(name: &str, answers: Vec<Result<Reply, Failure>>) -> Replay {
        Replay { name: name.to_owned(), answers: Mutex::new(answers.into()) }
    }
}

/// What the model said in a log, in order; a failure that ended a run is said again.
pub fn answers<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<Result<Reply, Failure>> {
    let answer = |event: &Event| match event {
        Event::Replied(reply) => Some(Ok(reply.clone())),
        Event::Compacted(Compacted { summary: Some(text), usage, .. }) => {
            Some(Ok(Reply { text: text.clone(), usage: *usage, ..Reply::default() }))
        }
        Event::Failed { failure, .. } => Some(Err(failure.clone())),
        _ => None,
    };
    events.into_iter().filter_map(answer).collect()
}

impl Model for Replay {
    fn info(&self) -> Info {
        Info { name: format!("replay/{}", self.name), window: None }
    }

    fn stream(&self, _request: Request) -> BoxStream<'static, Delta> {
        let next = self.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let last = match next {
            Some(Ok(reply)) => Delta::Finished(Box::new(reply)),
            // What was tried again then is in the recording already.
            Some(Err(failure)) => Delta::Failed(failure.retry(Retry::Never)),
            None => Delta::Failed(Failure::new(FailureKind::Refused, "the recording has ended")),
        };
        stream::iter([last]).boxed()
    }
}
