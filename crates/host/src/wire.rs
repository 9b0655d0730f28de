//! Wires: how a request of the core travels to a provider and its reply comes back. Start at [`Remote`], the model
//! behind a wire.
//!
//! A wire is a format (`openai.rs`, `responses.rs`, `anthropic.rs`, `gemini.rs`; `format.rs` tells them apart).
//! Everything around it is shared: who is asked (`provider.rs`), what was already sent (`history.rs`), the bytes of
//! the answer (`reading.rs`, `answer.rs`), the reply under way (`draft.rs`) and what to say when it fails
//! (`failure.rs`).
//! Nothing here retries, reads the environment, or shows a key; only a provider that has lost a conversation is told
//! all of it at once.

mod answer;
mod anthropic;
mod catalog;
mod draft;
mod failure;
mod format;
mod gemini;
mod gpt;
mod headers;
mod history;
mod known;
mod layout;
mod lenient;
mod openai;
mod provider;
mod reading;
mod reported;
mod responses;
#[cfg(test)]
mod testing;
mod write;

pub use answer::{Answer, End, Step};
pub use catalog::models;
pub use known::{KNOWN, Known};
pub use provider::{Carried, Counting, Effort, Limit, Memory, Provider, Quirks, Reasoning, Secret, Wire};

use crate::http::{Address, Client, Payload, Settings};
use agent::{Delta, Failure, FailureKind, Info, Model, Request};
use format::{Asked, Share};
use futures::stream::{self, BoxStream, StreamExt};
use history::History;
use std::sync::{Arc, Mutex, PoisonError};

/// A model that a provider serves.
#[derive(Debug, Clone)]
pub struct Remote {
    provider: Arc<Provider>,
    model: String,
    window: Option<u64>,
    client: Result<Client, Failure>,
    history: Arc<Mutex<History>>,
}

impl Remote {
    /// Connects to nothing yet. A provider that cannot be asked (no key, a bad address) is told by `stream`.
    pub fn new(provider: Provider, model: impl Into<String>, settings: Settings) -> Remote {
        let client = match Address::parse(&provider.base_url) {
            Ok(address) => Ok(Client::new(address, settings)),
            Err(error) => Err(failure::address(&provider, &error)),
        };
        Remote {
            provider: Arc::new(provider),
            model: model.into(),
            window: None,
            client,
            history: Arc::default(),
        }
    }

    /// Says how many tokens fit into one request.
    pub fn window(mut self, tokens: u64) -> Remote {
        self.window = Some(tokens);
        self
    }

    /// What keeps it from being asked, as far as that can be known without asking: an address or a key.
    pub fn unready(&self) -> Option<Failure> {
        self.client.as_ref().err().cloned().or_else(|| self.provider.request_headers().err())
    }

    fn question(&self, request: &Request, share: Share) -> Result<reading::Question, Failure> {
        let client = self.client.clone()?;
        let asked = Asked { provider: &self.provider, model: &self.model, share };
        let known = asked.remembered(&request.messages);
        let body = self.body(request, &asked, known);
        let mut asked = hyper::Request::post(asked.path(client.address()));
        for (name, value) in self.provider.request_headers()? {
            asked = asked.header(name, value);
        }
        let asked = asked.body(body).map_err(|error| {
            Failure::new(FailureKind::Setup, format!("{} cannot be asked: {error}", self.provider.name))
        })?;
        Ok(reading::Question {
            client,
            asked,
            provider: Arc::clone(&self.provider),
            model: self.model.clone(),
            whole: (known > 0).then(|| {
                let (remote, request) = (self.clone(), request.clone());
                Box::new(move || remote.question(&request, Share::All)) as reading::Whole
            }),
        })
    }

    /// A request without the first messages, which the provider has.
    fn body(&self, request: &Request, asked: &Asked<'_>, known: usize) -> Payload {
        let head = asked.head(request);
        let messages = if known > 0 {
            let mut new = Vec::new();
            asked.write(&request.messages[known..], &mut new);
            vec![new.into()]
        } else {
            let mut history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
            history.extend(request, |messages, out| asked.write(messages, out))
        };
        std::iter::once(head).chain(messages).chain([asked.tail()]).collect()
    }
}

impl Model for Remote {
    fn info(&self) -> Info {
        Info { name: format!("{}/{}", self.provider.name, self.model), window: self.window }
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Delta> {
        match self.question(&request, Share::New) {
            Ok(question) => reading::ask(question).boxed(),
            Err(failure) => stream::iter([Delta::Failed(failure)]).boxed(),
        }
    }
}

#[cfg(test)]
mod tests;
