//! The headers of a request: what we are, and what lets us in.

use super::anthropic;
use super::failure;
use super::provider::{Carried, Provider, Secret, Wire};
use agent::Failure;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT};

type Header = (HeaderName, HeaderValue);

impl Provider {
    /// All headers but those that the connection adds; a failure where no request can be made.
    pub(super) fn request_headers(&self) -> Result<Vec<Header>, Failure> {
        let mut headers = vec![
            (CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (ACCEPT, HeaderValue::from_static("text/event-stream, application/json")),
            (USER_AGENT, HeaderValue::from_static(concat!("cinque/", env!("CARGO_PKG_VERSION")))),
        ];
        match &self.key {
            Some(key) => headers.push(self.carry(key).ok_or_else(|| failure::odd_key(self))?),
            None if self.key_variables.is_empty() => {}
            None => return Err(failure::no_key(self)),
        }
        if self.wire == Wire::Anthropic {
            headers.push((
                HeaderName::from_static("anthropic-version"),
                HeaderValue::from_static(anthropic::VERSION),
            ));
        }
        for (name, value) in &self.headers {
            let parsed = name.parse().ok().zip(value.header(""));
            let (name, value): Header = parsed.ok_or_else(|| failure::odd_header(self, name))?;
            // A person who names one of ours, such as a version, wants theirs instead of it.
            headers.retain(|(own, _)| *own != name);
            headers.push((name, value));
        }
        Ok(headers)
    }

    fn carry(&self, key: &Secret) -> Option<Header> {
        match &self.carried {
            Carried::Bearer => Some((AUTHORIZATION, key.header("Bearer ")?)),
            Carried::Header(name) => Some((name.parse().ok()?, key.header("")?)),
        }
    }
}
