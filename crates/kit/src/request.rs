//! One request as it arrived, kept for assertions.
//!
//! Start from [`Request`]. The body is the bytes of the wire; JSON is read from it only when a
//! test asks, so that recording costs a benchmark nothing.

use std::sync::OnceLock;
use std::time::Instant;

use serde_json::Value;

use crate::shape::Wire;

/// A recorded request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The position among all requests of the server, from 0.
    pub number: usize,
    /// The connection it came on, from 0: two requests with one number shared a connection.
    pub connection: usize,
    /// When its first byte was seen.
    pub at: Instant,
    pub method: String,
    /// Path and query, as sent.
    pub path: String,
    /// Names in lower case, in the order of arrival.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub(crate) json: OnceLock<Value>,
}

impl Request {
    /// A first request as if it had arrived now, to see what [`Reply::body`] gives for it.
    ///
    /// [`Reply::body`]: crate::Reply::body
    pub fn post(path: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            number: 0,
            connection: 0,
            at: Instant::now(),
            method: "POST".to_owned(),
            path: path.to_owned(),
            headers: Vec::new(),
            body: body.into(),
            json: OnceLock::new(),
        }
    }

    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(have, _)| have.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// If it is not JSON.
    pub fn json(&self) -> &Value {
        self.json.get_or_init(|| {
            serde_json::from_slice(&self.body).unwrap_or_else(|error| {
                let body = String::from_utf8_lossy(&self.body);
                panic!("request {} ({}) is not JSON: {error}\n{body}", self.number, self.path)
            })
        })
    }

    /// The messages of the conversation, whatever the wire calls them.
    ///
    /// # Panics
    /// If the path is no wire's, or the body has no such array.
    pub fn messages(&self) -> &[Value] {
        let wire =
            Wire::of(&self.path).unwrap_or_else(|| panic!("request {} went to {}", self.number, self.path));
        let history = self.json().get(wire.history()).and_then(Value::as_array);
        history.unwrap_or_else(|| panic!("request {} has no `{}`", self.number, wire.history()))
    }

    #[cfg(test)]
    pub(crate) fn sample(number: usize, body: &str) -> Self {
        let request = Self::post("/v1/chat/completions", body);
        Self { number, ..request }
    }

    pub(crate) fn without_body(&self) -> Self {
        Self {
            number: self.number,
            connection: self.connection,
            at: self.at,
            method: self.method.clone(),
            path: self.path.clone(),
            headers: self.headers.clone(),
            body: Vec::new(),
            json: OnceLock::new(),
        }
    }
}
