//! Wires: how a request of the core travels to a provider and its reply comes back. Start at [`Remote`], the model
//! behind a wire.
//!
//! A wire is a format (`openai.rs`); everything around it is shared: what was already sent (`history.rs`), the reply
//! under way (`draft.rs`), the bytes of the answer (`reading.rs`) and what to say when it fails (`failure.rs`).
//! Nothing here retries, reads the environment, or shows a key.

mod answer;
mod draft;
mod failure;
mod history;
mod openai;
mod provider;
mod reading;
mod reported;

pub use answer::{Answer, End, Step};
pub use provider::{Effort, Provider, Reasoning, Secret, Wire};

use crate::http::{Address, Client, Payload, Settings};
use agent::{Delta, Failure, FailureKind, Info, Model, Request};
use bytes::Bytes;
use futures::stream::{self, BoxStream, StreamExt};
use history::History;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT};
use std::sync::{Arc, Mutex, PoisonError};

/// A model that a provider serves.
#[derive(Debug)]
pub struct Remote {
    provider: Arc<Provider>,
    model: String,
    window: Option<u64>,
    client: Result<Client, Failure>,
    history: Mutex<History>,
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
            history: Mutex::default(),
        }
    }

    /// Says how many tokens fit into one request.
    pub fn window(mut self, tokens: u64) -> Remote {
        self.window = Some(tokens);
        self
    }

    fn question(&self, request: &Request) -> Result<reading::Question, Failure> {
        let client = self.client.clone()?;
        let mut asked = hyper::Request::post(client.address().join(openai::PATH));
        for (name, value) in self.headers()? {
            asked = asked.header(name, value);
        }
        let asked = asked.body(self.body(request)).map_err(|error| {
            Failure::new(FailureKind::Setup, format!("{} cannot be asked: {error}", self.provider.name))
        })?;
        Ok(reading::Question {
            client,
            asked,
            provider: Arc::clone(&self.provider),
            model: self.model.clone(),
        })
    }

    fn headers(&self) -> Result<Vec<(HeaderName, HeaderValue)>, Failure> {
        let mut headers = vec![
            (CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (ACCEPT, HeaderValue::from_static("text/event-stream, application/json")),
            (USER_AGENT, HeaderValue::from_static(concat!("cinque/", env!("CARGO_PKG_VERSION")))),
        ];
        match &self.provider.key {
            Some(key) => {
                let value = key.header("Bearer ").ok_or_else(|| failure::odd_key(&self.provider))?;
                headers.push((AUTHORIZATION, value));
            }
            None if self.provider.key_variables.is_empty() => {}
            None => return Err(failure::no_key(&self.provider)),
        }
        for (name, value) in &self.provider.headers {
            let odd = || failure::odd_header(&self.provider, name);
            let parsed = name.parse::<HeaderName>().map_err(|_| odd())?;
            headers.push((parsed, value.header("").ok_or_else(odd)?));
        }
        Ok(headers)
    }

    fn body(&self, request: &Request) -> Payload {
        let head = Bytes::from(openai::head(&self.provider, &self.model, request));
        let mut history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        let messages = history.extend(request, |messages, out| openai::write(&self.provider, messages, out));
        std::iter::once(head).chain(messages).chain([Bytes::from_static(openai::TAIL)]).collect()
    }
}

impl Model for Remote {
    fn info(&self) -> Info {
        Info { name: format!("{}/{}", self.provider.name, self.model), window: self.window }
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Delta> {
        match self.question(&request) {
            Ok(question) => reading::ask(question).boxed(),
            Err(failure) => stream::iter([Delta::Failed(failure)]).boxed(),
        }
    }
}

#[cfg(test)]
mod tests;
