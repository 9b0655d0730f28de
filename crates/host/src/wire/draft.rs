//! A reply while it is being heard: pieces go in, deltas come out, and at the end the whole reply. Start at [`Draft`].
//!
//! All wires write into it, so that odd servers are understood in one place. It knows nothing of any format.

use agent::{Call, CallId, Delta, Finish, Reply, Usage};
use serde_json::Value;
use std::collections::VecDeque;

/// The most calls that one reply may hold.
const CALLS: usize = 1024;

/// The most bytes of text, reasoning and arguments in one reply, whether it comes in one event or in many.
const BYTES: usize = crate::sse::LIMIT;

#[derive(Debug, Default)]
pub(super) struct Draft {
    text: String,
    reasoning: String,
    calls: Vec<Part>,
    /// The place of the call that was written to last.
    current: usize,
    pub(super) usage: Usage,
    finish: Option<Finish>,
    /// What was heard and not yet passed on; neighbours of one kind are one piece.
    fresh: VecDeque<Delta>,
    bytes: usize,
    pub(super) opaque: Option<Value>,
}

/// A piece of a tool call as a server sends it. Servers leave out, repeat and split each of these.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Piece<'a> {
    pub(super) id: &'a str,
    pub(super) index: Option<u64>,
    pub(super) name: &'a str,
    pub(super) arguments: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum TooMuch {
    #[error("the reply has more than {CALLS} tool calls")]
    Calls,
    #[error("the reply is larger than {} MiB", BYTES / (1024 * 1024))]
    Bytes,
}

#[derive(Debug, Default)]
struct Part {
    id: String,
    index: Option<u64>,
    name: String,
    arguments: String,
}

impl Draft {
    pub(super) fn text(&mut self, piece: &str) -> Result<(), TooMuch> {
        self.grow(piece)?;
        self.text.push_str(piece);
        match self.fresh.back_mut() {
            Some(Delta::Text(text)) => text.push_str(piece),
            _ if piece.is_empty() => {}
            _ => self.fresh.push_back(Delta::Text(piece.to_owned())),
        }
        Ok(())
    }

    pub(super) fn reasoning(&mut self, piece: &str) -> Result<(), TooMuch> {
        self.grow(piece)?;
        self.reasoning.push_str(piece);
        match self.fresh.back_mut() {
            Some(Delta::Reasoning(text)) => text.push_str(piece),
            _ if piece.is_empty() => {}
            _ => self.fresh.push_back(Delta::Reasoning(piece.to_owned())),
        }
        Ok(())
    }

    /// Adds a piece to the call it belongs to and returns that call's place.
    pub(super) fn call(&mut self, piece: Piece<'_>) -> Result<usize, TooMuch> {
        self.grow(piece.name)?;
        self.grow(piece.arguments)?;
        let place = match self.place(&piece) {
            Some(place) => place,
            None if self.calls.len() == CALLS => return Err(TooMuch::Calls),
            None => {
                self.calls.push(Part { index: piece.index, ..Part::default() });
                self.calls.len() - 1
            }
        };
        self.current = place;
        self.calls[place].add(&piece);
        Ok(place)
    }

    /// The provider said that the reply is whole.
    pub(super) fn finish(&mut self, finish: Finish) {
        self.finish = Some(finish);
    }

    pub(super) fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.reasoning.is_empty() && self.calls.is_empty()
    }

    /// The next delta that was not passed on yet.
    pub(super) fn delta(&mut self) -> Option<Delta> {
        self.fresh.pop_front()
    }

    pub(super) fn into_reply(self) -> Reply {
        let finish = match (self.finish.unwrap_or_default(), self.calls.is_empty()) {
            // Many servers say `stop` after calls; a few announce calls that they never make.
            (Finish::Stop | Finish::Other, false) => Finish::Calls,
            (Finish::Calls, true) => Finish::Stop,
            (finish, _) => finish,
        };
        Reply {
            text: self.text,
            reasoning: self.reasoning,
            calls: self.calls.into_iter().map(Part::into_call).collect(),
            finish,
            usage: self.usage,
            opaque: self.opaque,
        }
    }

    /// Where a piece belongs: a known id to its call; a new id whose index is taken, or without an index, to a new
    /// call; otherwise to the call with the index; with neither, to the call being streamed. `None` is a new call.
    fn place(&self, piece: &Piece<'_>) -> Option<usize> {
        if !piece.id.is_empty() {
            if let Some(known) = self.calls.iter().rposition(|part| part.id == piece.id) {
                return Some(known);
            }
            // A call that has no id yet has not taken its index for good: this may be its id, come late.
            let here = self.at(piece.index?)?;
            return self.calls[here].id.is_empty().then_some(here);
        }
        match piece.index {
            Some(index) => self.at(index),
            None => self.calls.get(self.current).filter(|part| !part.is_over(piece)).map(|_| self.current),
        }
    }

    fn at(&self, index: u64) -> Option<usize> {
        match self.calls.get(self.current) {
            Some(part) if part.index == Some(index) => Some(self.current),
            _ => self.calls.iter().rposition(|part| part.index == Some(index)),
        }
    }

    /// Counts what is kept of a reply.
    pub(super) fn grow(&mut self, piece: &str) -> Result<(), TooMuch> {
        self.bytes += piece.len();
        if self.bytes > BYTES { Err(TooMuch::Bytes) } else { Ok(()) }
    }
}

impl Part {
    fn add(&mut self, piece: &Piece<'_>) {
        if self.id.is_empty() {
            self.id.push_str(piece.id);
        }
        // A name comes whole, in fragments, again with every fragment of the arguments, or grows.
        if piece.name.starts_with(&self.name) {
            piece.name.clone_into(&mut self.name);
        } else if self.arguments.is_empty() {
            self.name.push_str(piece.name);
        }
        self.arguments.push_str(piece.arguments);
    }

    /// Whether a piece without id and index must begin another call: it has a name, and this call is complete or has
    /// another one.
    fn is_over(&self, piece: &Piece<'_>) -> bool {
        !piece.name.is_empty()
            && !self.arguments.is_empty()
            && (self.name != piece.name || is_whole(&self.arguments))
    }

    fn into_call(self) -> Call {
        Call { id: CallId(self.id), name: self.name, arguments: self.arguments }
    }
}

/// Whether the text is one whole JSON object. Its end is looked at first, as most fragments do not end in a brace.
fn is_whole(arguments: &str) -> bool {
    arguments.trim_end().ends_with('}') && serde_json::from_str::<serde::de::IgnoredAny>(arguments).is_ok()
}

#[cfg(test)]
mod tests;
