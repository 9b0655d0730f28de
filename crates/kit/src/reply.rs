//! One scripted answer: what is sent, and how it travels.
//!
//! Start from [`Reply::text`], [`Reply::call`] or [`Message::reply`]; the methods add faults and
//! can be combined. Nothing is rendered here: the format depends on the request (`plan`).

use std::time::Duration;

use serde_json::{Value, json};

use crate::delivery::{Delivery, Gate, Length, Point, Split, Stop};
use crate::message::{Call, Message};
use crate::plan;
use crate::request::Request;

/// One answer of the server.
#[derive(Debug, Clone)]
pub struct Reply {
    pub(crate) content: Content,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) delivery: Delivery,
}

/// What a reply carries.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// Put into the format of the wire that the request speaks.
    Message(Message),
    /// The data of each server-sent event.
    Events(Vec<String>),
    /// Bytes sent as they are, with a `content-length`.
    Raw(Vec<u8>),
}

/// What is said.
impl Reply {
    pub fn text(text: impl Into<String>) -> Self {
        Message::text(text).reply()
    }

    pub fn call(name: impl Into<String>, arguments: Value) -> Self {
        Message::calls([Call::new(name, arguments)]).reply()
    }

    /// A stream of events with the given data; `[DONE]` is not added.
    pub fn events<T: Into<String>>(data: impl IntoIterator<Item = T>) -> Self {
        Self::with(Content::Events(data.into_iter().map(Into::into).collect()))
    }

    /// Bytes as they are. Without a `content-type` among `headers`, none is sent.
    pub fn raw<'a>(
        status: u16,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
        body: impl Into<Vec<u8>>,
    ) -> Self {
        let reply = Self::with(Content::Raw(body.into())).with_status(status);
        headers.into_iter().fold(reply, |reply, (name, value)| reply.header(name, value))
    }

    /// A JSON value with status 200.
    pub fn json(value: &Value) -> Self {
        Self::raw(200, [("content-type", "application/json")], value.to_string())
    }

    /// A failure with the error body that providers send for this status.
    pub fn status(status: u16) -> Self {
        let (kind, code) = match status {
            401 => ("invalid_request_error", "invalid_api_key"),
            403 => ("permission_error", "forbidden"),
            404 => ("invalid_request_error", "model_not_found"),
            429 => ("requests", "rate_limit_exceeded"),
            503 | 529 => ("overloaded_error", "overloaded"),
            500.. => ("server_error", "server_error"),
            _ => ("invalid_request_error", "invalid_request"),
        };
        let message = format!("The scripted server answers {status}: {code}.");
        Self::error(status, kind, code, &message)
    }

    /// A failure with an error body of one's own words; status 200 is a failure in disguise.
    pub fn error(status: u16, kind: &str, code: &str, message: &str) -> Self {
        let error = json!({"message": message, "type": kind, "param": null, "code": code});
        Self::json(&json!({ "error": error })).with_status(status)
    }

    /// An HTML page, as a proxy in between sends it.
    pub fn html(status: u16) -> Self {
        let page = "<!DOCTYPE html>\n<html><body><h1>Not what you asked for</h1></body></html>\n";
        Self::raw(status, [("content-type", "text/html")], page)
    }

    /// Status 200, claims to be JSON, and is not even text.
    pub fn garbage() -> Self {
        let body = b"\x00\xff{\"choices\": [\xc3\x28 nonsense";
        Self::raw(200, [("content-type", "application/json")], &body[..])
    }

    pub(crate) fn unknown_path(path: &str) -> Self {
        let text = format!("no wire is known at {path}");
        Self::error(404, "kit", "unknown_path", &text)
    }

    fn with(content: Content) -> Self {
        Self { content, status: 200, headers: Vec::new(), delivery: Delivery::default() }
    }
}

/// The head.
impl Reply {
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// `Retry-After` in seconds; other forms are set with [`Reply::header`].
    pub fn retry_after(self, seconds: u64) -> Self {
        self.header("retry-after", &seconds.to_string())
    }

    /// Chunks in place of a length, also for bytes as they are: what is split then arrives as it was split.
    pub fn chunked(mut self) -> Self {
        self.delivery.length = Length::Chunked;
        self
    }

    /// Neither length nor chunks: the body ends where the connection ends.
    pub fn until_close(mut self) -> Self {
        self.delivery.length = Length::UntilClose;
        self
    }
}

/// A look ahead.
impl Reply {
    /// The whole body that answers `request`, stops left aside: what a test needs to know the
    /// offsets at which a stream can be cut.
    pub fn body(&self, request: &Request) -> Vec<u8> {
        plan::body(self, request)
    }
}

/// Breaks, silences and delays.
impl Reply {
    /// Breaks off at `point`, in the manner of `stop`.
    pub fn stop(mut self, point: Point, stop: Stop) -> Self {
        self.delivery.stop = Some((point, stop));
        self
    }

    /// Waits at `point` until `gate` is opened, then goes on.
    pub fn hold(mut self, point: Point, gate: &Gate) -> Self {
        self.delivery.hold = Some((point, gate.clone()));
        self
    }

    /// Pauses before each chunk.
    pub fn slow(mut self, pause: Duration) -> Self {
        self.delivery.pause = Some(pause);
        self
    }

    /// Closes the connection after this many bytes of the body.
    pub fn cut_after(self, bytes: usize) -> Self {
        self.stop(Point::Body(bytes), Stop::Close)
    }

    /// Resets the connection after this many bytes of the body.
    pub fn reset_after(self, bytes: usize) -> Self {
        self.stop(Point::Body(bytes), Stop::Reset)
    }

    /// Closes the connection before the event that carries the finish reason.
    pub fn cut_before_finish(self) -> Self {
        self.stop(Point::Finish, Stop::Close)
    }

    /// Falls silent after this many bytes of the body; 0 sends the head and nothing else.
    pub fn stall_after(self, bytes: usize) -> Self {
        self.stop(Point::Body(bytes), Stop::Stall)
    }

    /// Reads the request and never sends a byte.
    pub fn silent(self) -> Self {
        self.stop(Point::Start, Stop::Stall)
    }

    /// Reads the request and closes the connection without a byte.
    pub fn hang_up(self) -> Self {
        self.stop(Point::Start, Stop::Close)
    }

    /// Sends the whole body, then closes without the mark that ends it.
    pub fn without_terminator(self) -> Self {
        self.stop(Point::Terminator, Stop::Close)
    }

    /// Closes the idle connection after a complete reply, without having announced it.
    pub fn close_quietly(self) -> Self {
        self.stop(Point::End, Stop::Close)
    }
}

/// Splits and the style of the stream.
impl Reply {
    pub fn split(mut self, split: Split) -> Self {
        self.delivery.split = split;
        self
    }

    /// A write for every byte.
    pub fn every_byte(self) -> Self {
        self.split(Split::Every(1))
    }

    /// Splits every character that has more than one byte.
    pub fn split_inside_characters(self) -> Self {
        self.split(Split::InsideCharacters)
    }

    /// A keep-alive comment before each event.
    pub fn pings(mut self) -> Self {
        self.delivery.style.pings = true;
        self
    }

    /// CRLF at the end of every line of the stream.
    pub fn crlf(mut self) -> Self {
        self.delivery.style.crlf = true;
        self
    }

    /// A byte order mark before the stream.
    pub fn bom(mut self) -> Self {
        self.delivery.style.bom = true;
        self
    }

    /// `data:` without the space after it.
    pub fn tight(mut self) -> Self {
        self.delivery.style.tight = true;
        self
    }

    /// Ends the stream in order, but without `[DONE]`.
    pub fn without_done(mut self) -> Self {
        self.delivery.style.without_done = true;
        self
    }
}

impl From<Message> for Reply {
    fn from(message: Message) -> Self {
        Self::with(Content::Message(message))
    }
}
