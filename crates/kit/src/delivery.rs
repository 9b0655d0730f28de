//! How a reply travels: where it is split, delayed, held or broken.
//!
//! Start from [`Point`] and [`Stop`], the two words of every fault. This file holds data only;
//! `plan` turns it into steps, and nothing here may touch a socket.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A place in a reply.
///
/// Offsets count bytes of the body as the client decodes it: the head and the sizes of the
/// chunked encoding are not counted, so a stream can be cut at each of its own bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// Before any byte, the status line included.
    Start,
    /// After the head and this many bytes of the body; beyond its end, as `Terminator`.
    Body(usize),
    /// Before the event with the finish reason; where there is none, before the last byte.
    Finish,
    /// After the body, before what tells the client that it is complete.
    Terminator,
    /// After the complete reply.
    End,
}

/// What happens at the point where a reply breaks off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The connection is closed in order (FIN).
    Close,
    /// The connection is reset (RST). The client may lose bytes that it had not read yet.
    Reset,
    /// Silence on an open connection, until the client leaves or the server is dropped.
    Stall,
}

/// Where the body is split into chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Split {
    /// One chunk an event; all of them in one write when nothing else is asked.
    #[default]
    Events,
    /// One chunk and one write an event.
    Writes,
    /// Pieces of this many bytes, a write each.
    Every(usize),
    /// After each event and inside every character of more than one byte, a write each.
    InsideCharacters,
}

/// Holds a reply until the test lets it go on. Clones are the same gate.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<AtomicBool>);

/// Everything about the way of one reply.
#[derive(Debug, Clone, Default)]
pub(crate) struct Delivery {
    pub split: Split,
    /// The pause before each chunk.
    pub pause: Option<Duration>,
    pub hold: Option<(Point, Gate)>,
    pub stop: Option<(Point, Stop)>,
    pub length: Length,
    pub style: Style,
}

/// How the client learns where the body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Length {
    /// Chunked for streams, `content-length` for the rest.
    #[default]
    Natural,
    /// Chunked in any case.
    Chunked,
    /// Neither: the body ends with the connection.
    UntilClose,
}

/// How the events of a stream are written.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Style {
    pub bom: bool,
    pub crlf: bool,
    /// `data:` without the space.
    pub tight: bool,
    /// A comment before each event.
    pub pings: bool,
    pub without_done: bool,
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self::default()
    }

    pub fn open(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub fn is_open(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
