//! Which format goes with which wire: the one place where wires are told apart.

use super::answer::{Fault, Step};
use super::draft::Draft;
use super::provider::{Provider, Wire};
use super::{anthropic, gemini, openai, responses};
use crate::http::Address;
use agent::{Message, Request};
use bytes::Bytes;
use std::sync::Arc;

/// What is asked for, and of whom.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) provider: &'a Provider,
    pub(super) model: &'a str,
    pub(super) share: Share,
}

/// How much of a conversation is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Share {
    /// What the provider does not have yet.
    New,
    /// All of it, because the provider has lost what it had.
    All,
}

impl Asked<'_> {
    /// The path of a request, with the base URL's own.
    pub(super) fn path(&self, address: &Address) -> String {
        match self.provider.wire {
            Wire::Openai => address.join("/chat/completions"),
            Wire::Azure => openai::azure_path(self, address),
            Wire::Responses => address.join("/responses"),
            Wire::Anthropic => anthropic::path(address),
            Wire::Gemini => gemini::path(self, address),
        }
    }

    /// Everything before the messages.
    pub(super) fn head(&self, request: &Request) -> Bytes {
        Bytes::from(match self.provider.wire {
            Wire::Openai | Wire::Azure => openai::head(self, request),
            Wire::Responses => responses::head(self, request),
            Wire::Anthropic => anthropic::head(self, request),
            Wire::Gemini => gemini::head(self, request),
        })
    }

    /// The messages with commas between them.
    pub(super) fn write(&self, messages: &[Arc<Message>], out: &mut Vec<u8>) {
        match self.provider.wire {
            Wire::Openai | Wire::Azure => openai::write(self, messages, out),
            Wire::Responses => responses::write(messages, out),
            Wire::Anthropic => anthropic::write(self, messages, out),
            Wire::Gemini => gemini::write(self, messages, out),
        }
    }

    /// What closes a request after its messages, in every format.
    pub(super) fn tail(&self) -> Bytes {
        Bytes::from_static(b"]}")
    }

    /// The messages that need not be sent because the provider has them.
    pub(super) fn remembered(&self, messages: &[Arc<Message>]) -> usize {
        match self.provider.wire {
            Wire::Responses if self.share == Share::New => responses::remembered(self, messages),
            _ => 0,
        }
    }
}

/// Reads one reply, in the format of its wire.
#[derive(Debug)]
pub(super) enum Reader {
    Openai(openai::Reader),
    Responses(responses::Reader),
    Anthropic(anthropic::Reader),
    Gemini(gemini::Reader),
}

impl Reader {
    pub(super) fn new(wire: Wire) -> Reader {
        match wire {
            Wire::Openai | Wire::Azure => Reader::Openai(openai::Reader::default()),
            Wire::Responses => Reader::Responses(responses::Reader::default()),
            Wire::Anthropic => Reader::Anthropic(anthropic::Reader::default()),
            Wire::Gemini => Reader::Gemini(gemini::Reader::default()),
        }
    }

    /// Takes one event of the stream.
    pub(super) fn event(&mut self, name: &str, data: &str, draft: &mut Draft) -> Result<Step, Fault> {
        match self {
            Reader::Openai(reader) => reader.event(name, data, draft),
            Reader::Responses(reader) => reader.event(name, data, draft),
            Reader::Anthropic(reader) => reader.event(name, data, draft),
            Reader::Gemini(reader) => reader.event(name, data, draft),
        }
    }

    /// Takes an answer that came in one piece, from a server that does not stream.
    pub(super) fn whole(&mut self, body: &str, draft: &mut Draft) -> Result<(), Fault> {
        match self {
            Reader::Openai(reader) => reader.whole(body, draft),
            Reader::Responses(reader) => reader.whole(body, draft),
            Reader::Anthropic(reader) => reader.whole(body, draft),
            Reader::Gemini(reader) => reader.whole(body, draft),
        }
    }
}
