//! The providers' formats: a [`Message`] as the events or the body of one wire.
//!
//! Start from [`Wire`]. Each wire is one file in `shape/` with two functions, `frames` for a
//! stream and `whole` for a reply in one piece; a new wire adds its file and its arms here. Nothing
//! in here knows about HTTP or about faults.

mod openai;

use serde::Deserialize;

use crate::message::Message;

/// A format in which model and client speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Chat Completions.
    OpenAi,
}

/// What the format of a reply takes from the request.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Asked {
    pub model: String,
    pub stream: bool,
    pub stream_options: Option<StreamOptions>,
    /// The number of the request, from which ids are made.
    #[serde(skip)]
    pub number: usize,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct StreamOptions {
    pub include_usage: bool,
}

/// One event of a stream.
#[derive(Debug)]
pub(crate) struct Frame {
    pub data: String,
    pub mark: Mark,
}

/// What a frame is for, as far as faults aim at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Content,
    Finish,
    Done,
}

impl Wire {
    /// The wire that a request to `path` speaks.
    pub fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or(path);
        path.ends_with("/chat/completions").then_some(Self::OpenAi)
    }

    /// The member of the request's body that holds the conversation.
    pub(crate) fn history(self) -> &'static str {
        match self {
            Self::OpenAi => "messages",
        }
    }

    pub(crate) fn frames(self, message: &Message, asked: &Asked) -> Vec<Frame> {
        match self {
            Self::OpenAi => openai::frames(message, asked),
        }
    }

    pub(crate) fn whole(self, message: &Message, asked: &Asked) -> String {
        match self {
            Self::OpenAi => openai::whole(message, asked),
        }
    }
}

impl Asked {
    /// Reads what it can: a request that makes no sense still gets its scripted reply.
    pub(crate) fn read(body: &[u8], number: usize) -> Self {
        let asked: Self = serde_json::from_slice(body).unwrap_or_default();
        Self { number, ..asked }
    }

    pub(crate) fn wants_usage(&self) -> bool {
        !self.stream || self.stream_options.as_ref().is_some_and(|o| o.include_usage)
    }
}

impl Frame {
    pub(crate) fn content(data: String) -> Self {
        Self { data, mark: Mark::Content }
    }
}
