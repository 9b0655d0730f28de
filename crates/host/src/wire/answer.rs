//! The bytes of an answer as they become deltas. Start at [`Answer`].
//!
//! It needs no connection, so that whatever a server may send can be tried. It is the one place that decides whether
//! a reply is finished: only if the provider marked its end.

use super::draft::{Draft, TooMuch};
use super::failure::{self, Begun};
use super::format::Reader;
use super::provider::Provider;
use super::reported::Reported;
use crate::http;
use crate::sse::{LIMIT, Parser, TooLong};
use agent::event::Retry;
use agent::{Delta, Failure, Finish};
use std::collections::VecDeque;
use std::sync::Arc;

/// One answer, from its first byte to its last.
#[derive(Debug)]
pub struct Answer {
    provider: Arc<Provider>,
    model: String,
    form: Form,
    parser: Parser,
    reader: Reader,
    draft: Draft,
    /// How much has been said, in events that were more than a sign of life.
    said: usize,
    fault: Option<Failure>,
}

/// Whether more of an answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    More,
    /// The provider said that nothing follows, or what it said cannot be taken.
    Done,
}

/// How the bytes stopped.
#[derive(Debug, Clone, Copy)]
pub enum End<'a> {
    /// The server ended its answer.
    Closed,
    /// The connection failed.
    Broken(&'a http::Error),
}

/// Why an answer cannot be taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("sent something that is not its protocol")]
    NotJson(String),
    #[error("reported an error")]
    Reported(Reported),
    #[error("ended its answer without saying anything")]
    Empty,
    #[error("sent too much: {0}")]
    TooMuch(#[from] TooMuch),
    #[error("sent too much: {0}")]
    TooLong(#[from] TooLong),
}

impl Fault {
    /// An event that says it is an error.
    pub(super) fn reported(data: &str) -> Fault {
        Fault::Reported(Reported::read(data).unwrap_or_else(|| Reported::plain(data)))
    }

    /// An answer of another protocol, or an error in the words of a gateway.
    pub(super) fn foreign(data: &str) -> Fault {
        Reported::read(data).map_or_else(|| Fault::NotJson(data.to_owned()), Fault::Reported)
    }
}

/// What the answer looks like; servers often say it wrongly in their headers, so it is seen from the first byte.
#[derive(Debug)]
enum Form {
    /// So far there were only blanks and parts of a byte order mark. They are kept: where the bytes are cut must not
    /// decide what they mean.
    Unknown(Vec<u8>),
    Events,
    /// JSON in one piece, or a web page.
    Whole(Vec<u8>),
}

impl Answer {
    pub fn new(provider: Arc<Provider>, model: impl Into<String>) -> Answer {
        Answer {
            reader: Reader::new(provider.wire),
            provider,
            model: model.into(),
            form: Form::Unknown(Vec::new()),
            parser: Parser::new(),
            draft: Draft::default(),
            said: 0,
            fault: None,
        }
    }

    /// Takes the next bytes. After [`Step::Done`] there is nothing more to take.
    pub fn take(&mut self, bytes: &[u8]) -> Step {
        match self.absorb(bytes) {
            Ok(step) => step,
            Err(fault) => {
                self.fault = Some(self.failure(&fault));
                Step::Done
            }
        }
    }

    /// The next piece of text or reasoning that was heard and not passed on yet.
    pub fn delta(&mut self) -> Option<Delta> {
        self.draft.delta()
    }

    /// What is left to pass on. Its last delta is the reply if the end of that was marked, else why there is none.
    pub fn end(mut self, end: End<'_>) -> VecDeque<Delta> {
        let concluded = self.conclude(end);
        let mut rest: VecDeque<Delta> = std::iter::from_fn(|| self.draft.delta()).collect();
        let silent = self.draft.is_empty();
        rest.push_back(match concluded.map(|()| self.draft.into_reply()) {
            // A reply that was filtered before its first word is no reply.
            Ok(reply) if silent && reply.finish == Finish::Filtered => {
                Delta::Failed(failure::declined(&self.provider, &self.model))
            }
            Ok(reply) => Delta::Finished(Box::new(reply)),
            Err(failure) => Delta::Failed(failure),
        });
        rest
    }

    /// Whether the provider has marked the end of the reply. Usage and the end of the stream may still follow.
    pub fn is_finished(&self) -> bool {
        self.draft.is_finished()
    }

    /// Grows with everything that is more than a sign of life, such as a comment or a ping.
    pub fn said(&self) -> usize {
        self.said
    }

    fn absorb(&mut self, bytes: &[u8]) -> Result<Step, Fault> {
        self.form.take(bytes);
        match &self.form {
            Form::Unknown(kept) | Form::Whole(kept) if kept.len() > LIMIT => return Err(TooLong.into()),
            Form::Whole(body) => {
                self.said = body.len();
                return Ok(Step::More);
            }
            Form::Unknown(_) | Form::Events => {}
        }
        let mut rest = bytes;
        while let Some(event) = self.parser.next(&mut rest)? {
            self.said += usize::from(event.name != "ping" && !event.data.is_empty());
            if self.reader.event(&event.name, &event.data, &mut self.draft)? == Step::Done {
                return Ok(Step::Done);
            }
        }
        Ok(Step::More)
    }

    fn conclude(&mut self, end: End<'_>) -> Result<(), Failure> {
        if let Some(failure) = self.fault.take() {
            return Err(failure);
        }
        if self.draft.is_finished() {
            return Ok(());
        }
        match (end, &self.form) {
            (End::Broken(error), Form::Unknown(_)) => {
                Err(failure::transport(&self.provider, error, Begun::No))
            }
            (End::Broken(error), _) => Err(failure::transport(&self.provider, error, Begun::Yes)),
            (End::Closed, Form::Unknown(_)) => {
                Err(failure::protocol(&self.provider, "answered with nothing", ""))
            }
            (End::Closed, Form::Events) => {
                Err(failure::protocol(&self.provider, "broke off its answer before the end", ""))
            }
            (End::Closed, Form::Whole(body)) => {
                let text = String::from_utf8_lossy(body).into_owned();
                let text = text.trim_start_matches('\u{feff}').trim();
                self.reader.whole(text, &mut self.draft).map_err(|fault| self.failure(&fault))
            }
        }
    }

    fn failure(&self, fault: &Fault) -> Failure {
        match fault {
            Fault::Reported(reported) => failure::reported(&self.provider, &self.model, reported),
            Fault::NotJson(said) => failure::protocol(&self.provider, &fault.to_string(), said),
            Fault::Empty => failure::protocol(&self.provider, &fault.to_string(), ""),
            // Whoever does not stop would not stop the next time, and every time costs as much.
            Fault::TooMuch(_) | Fault::TooLong(_) => {
                failure::protocol(&self.provider, &fault.to_string(), "").retry(Retry::Never)
            }
        }
    }
}

impl Form {
    /// Looks at the next bytes, and keeps those that are not for the parser alone.
    fn take(&mut self, bytes: &[u8]) {
        match self {
            Form::Events => {}
            Form::Whole(body) => body.extend_from_slice(bytes),
            Form::Unknown(kept) => {
                kept.extend_from_slice(bytes);
                let mut telling = bytes
                    .iter()
                    .filter(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | 0xef | 0xbb | 0xbf));
                match telling.next() {
                    None => {}
                    Some(b'{' | b'[' | b'<') => *self = Form::Whole(std::mem::take(kept)),
                    Some(_) => *self = Form::Events,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
