//! A model whose words were recorded. Start at [`Replay::read`].

use agent::event::Compacted;
use agent::{Delta, Event, Failure, FailureKind, Info, Message, Model, Record, Reply, Request, Retry};
use futures::stream::{self, BoxStream, StreamExt};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub struct Replay {
    name: String,
    answers: Mutex<VecDeque<Result<Reply, Failure>>>,
    /// Whether what the conversation has heard already is left out.
    resumes: AtomicBool,
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
            Ok(records) => {
                let mut answers = answers(records.iter().map(|record| &record.event));
                // Whoever stopped a reply then is not here now.
                answers.retain(|answer| !is_stopped(answer));
                Ok(Replay::of(path, answers))
            }
            Err(_) => Replay::read(path, &text).map_err(|error| unusable(&error)),
        }
    }

    /// Plays these answers, one a request.
    pub fn of(name: &str, answers: Vec<Result<Reply, Failure>>) -> Replay {
        Replay { name: name.to_owned(), answers: Mutex::new(answers.into()), resumes: AtomicBool::new(false) }
    }

    /// Goes on where a conversation that it began has come to: a session that rests forgets its model.
    pub fn resuming(self) -> Replay {
        Replay { resumes: AtomicBool::new(true), ..self }
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

/// Whether a person stopped the reply before it was finished.
fn is_stopped(answer: &Result<Reply, Failure>) -> bool {
    answer.as_ref().is_err_and(|failure| failure.kind == FailureKind::Cancelled)
}

impl Model for Replay {
    fn info(&self) -> Info {
        Info { name: format!("replay/{}", self.name), window: None }
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Delta> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if self.resumes.swap(false, Ordering::Relaxed) {
            let is_reply = |message: &&Arc<Message>| matches!(***message, Message::Assistant { .. });
            let heard = request.messages.iter().filter(is_reply).count();
            let known = heard.min(answers.len());
            answers.drain(..known);
        }
        let next = answers.pop_front();
        if next.as_ref().is_some_and(is_stopped) {
            // It lasts until it is stopped again.
            return stream::pending().boxed();
        }
        let last = match next {
            Some(Ok(reply)) => Delta::Finished(Box::new(reply)),
            // What was tried again then is in the recording already.
            Some(Err(failure)) => Delta::Failed(failure.retry(Retry::Never)),
            None => Delta::Failed(Failure::new(FailureKind::Refused, "the recording has ended")),
        };
        stream::iter([last]).boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_recording_goes_on_where_the_conversation_is() {
        let reply = Message::Assistant {
            text: "one".into(),
            reasoning: String::new(),
            calls: Vec::new(),
            opaque: None,
            prefix: Default::default(),
        };
        let said = Message::User { parts: vec!["go".into()] };
        for (heard, expected) in [(0, Some("one")), (1, Some("two")), (2, None), (3, None)] {
            let recorded = |text: &str| Ok(Reply { text: text.into(), ..Reply::default() });
            let replay = Replay::of("test", vec![recorded("one"), recorded("two")]).resuming();
            let mut messages = vec![Arc::new(said.clone())];
            messages.extend(std::iter::repeat_n(Arc::new(reply.clone()), heard));
            let request = Request {
                conversation: "c".into(),
                instructions: "".into(),
                tools: [].into(),
                messages,
                generation: 0,
                schema: None,
            };
            let last = replay.stream(request).collect::<Vec<_>>().await.pop();
            let text = match &last {
                Some(Delta::Finished(reply)) => Some(reply.text.as_str()),
                _ => None,
            };
            assert_eq!(text, expected, "{heard} replies heard");
        }
    }
}
