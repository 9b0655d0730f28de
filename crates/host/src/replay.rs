//! A model whose words were recorded. Start at [`Replay::read`].

use agent::{Delta, Failure, FailureKind, Info, Model, Reply, Request, Retry};
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

    /// Plays these answers, one a request.
    pub fn of(name: &str, answers: Vec<Result<Reply, Failure>>) -> Replay {
        Replay { name: name.to_owned(), answers: Mutex::new(answers.into()) }
    }
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
