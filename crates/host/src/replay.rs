//! A model whose words were recorded. Start at [`Replay::read`].

use agent::{Delta, Failure, FailureKind, Info, Model, Reply, Request};
use futures::stream::{self, BoxStream, StreamExt};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

pub struct Replay {
    name: String,
    replies: Mutex<VecDeque<Reply>>,
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
        let replies = lines.map(read).collect::<Result<_, _>>()?;
        Ok(Replay { name: name.to_owned(), replies: Mutex::new(replies) })
    }
}

impl Model for Replay {
    fn info(&self) -> Info {
        Info { name: format!("replay/{}", self.name), window: None }
    }

    fn stream(&self, _request: Request) -> BoxStream<'static, Delta> {
        let next = self.replies.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let last = match next {
            Some(reply) => Delta::Finished(Box::new(reply)),
            None => Delta::Failed(Failure::new(FailureKind::Refused, "the recording has ended")),
        };
        stream::iter([last]).boxed()
    }
}
