//! Asking and hearing: a question is sent, and what comes back is passed on as it arrives. Start at [`ask`].

use super::answer::{Answer, End, Step};
use super::failure::{self, Begun};
use super::provider::Provider;
use crate::http::{Client, Payload, Response};
use agent::{Delta, Failure};
use futures::stream::{self, Stream};
use hyper::header::CONTENT_ENCODING;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::timeout;

/// How much of an error's body is read, and how long that may take.
const ERROR_BODY: usize = 64 * 1024;
const ERROR_LIMIT: Duration = Duration::from_secs(10);

/// Once the end of a reply is marked, what may follow (usage, the end of the stream) is waited for no longer.
const AFTERWORD: Duration = Duration::from_secs(3);

/// The most bytes that are taken in before their deltas are passed on.
const GULP: usize = 256 * 1024;

/// The most bytes after a finished reply that are read so that the connection can be used again.
const REST: usize = 16 * 1024;

/// A request that is ready to be sent.
pub(super) struct Question {
    pub(super) client: Client,
    pub(super) asked: hyper::Request<Payload>,
    pub(super) provider: Arc<Provider>,
    pub(super) model: String,
    /// The same with all of the conversation, where the provider is to remember a part.
    pub(super) whole: Option<Whole>,
}

pub(super) type Whole = Box<dyn FnOnce() -> Result<Question, Failure> + Send>;

/// The deltas of the answer to `question`.
pub(super) fn ask(question: Question) -> impl Stream<Item = Delta> + Send + 'static {
    stream::unfold(State::Asking(Box::new(question)), next)
}

enum State {
    Asking(Box<Question>),
    Hearing(Box<(Answer, Response)>),
    Ending(VecDeque<Delta>),
}

async fn next(mut state: State) -> Option<(Delta, State)> {
    loop {
        state = match state {
            State::Asking(question) => match question.send().await {
                Ok(answer) => State::Hearing(Box::new(answer)),
                Err(failure) => State::Ending([Delta::Failed(failure)].into()),
            },
            State::Hearing(mut both) => match both.0.delta() {
                Some(delta) => return Some((delta, State::Hearing(both))),
                None => hear(both).await,
            },
            State::Ending(mut rest) => return rest.pop_front().map(|delta| (delta, State::Ending(rest))),
        }
    }
}

/// Waits for bytes and takes in all that have arrived: many small pieces then become one delta.
async fn hear(mut both: Box<(Answer, Response)>) -> State {
    let (answer, response) = &mut *both;
    let mut taken = 0;
    let mut chunk = response.chunk().await;
    let error = loop {
        match chunk {
            Err(error) => break Some(error),
            // Nothing more for now, or nothing more at all.
            Ok(None) if response.is_over() => break None,
            Ok(None) => return State::Hearing(both),
            Ok(Some(bytes)) => {
                taken += bytes.len();
                let (finished, said) = (answer.is_finished(), answer.said());
                if answer.take(&bytes) == Step::Done {
                    break None;
                }
                if answer.said() > said {
                    response.said_something();
                }
                if answer.is_finished() && !finished {
                    response.hurry(AFTERWORD);
                }
                if taken > GULP {
                    return State::Hearing(both);
                }
                chunk = response.ready_chunk();
            }
        }
    };
    let (answer, response) = *both;
    release(response);
    State::Ending(answer.end(error.as_ref().map_or(End::Closed, End::Broken)))
}

/// Frees the connection for the next request. The last bytes of a stream often come just after its end mark; nobody
/// has to wait for them.
fn release(mut response: Response) {
    let _ = response.ready_chunk();
    if response.is_over() {
        return;
    }
    if let Ok(runtime) = Handle::try_current() {
        runtime.spawn(async move { timeout(AFTERWORD, response.text(REST)).await });
    }
}

impl Question {
    async fn send(self) -> Result<(Answer, Response), Failure> {
        let Question { client, asked, provider, model, whole } = self;
        let sent = client.send(asked).await;
        let mut response = sent.map_err(|error| failure::transport(&provider, &error, Begun::No))?;
        if !response.status.is_success() {
            let body = timeout(ERROR_LIMIT, response.text(ERROR_BODY)).await;
            let body = body.ok().and_then(Result::ok).unwrap_or_default();
            return match whole.filter(|_| failure::is_forgotten(&body)) {
                Some(whole) => Box::pin(whole()?.send()).await,
                None => Err(failure::status(&provider, &model, response.status, &response.headers, &body)),
            };
        }
        let encoding = response.headers.get(CONTENT_ENCODING).filter(|encoding| *encoding != "identity");
        if encoding.is_some() {
            return Err(failure::protocol(&provider, "compressed its answer though nobody asked for it", ""));
        }
        Ok((Answer::new(provider, model), response))
    }
}
