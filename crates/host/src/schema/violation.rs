//! What is wrong with a value, in words that help to mend it. Start from [`Violation`].
//! Every text here is bounded: a value of megabytes is shown by its first few characters.

use std::fmt;
use std::io;

use serde_json::Value;

/// How much of a value a message shows, in bytes.
const EXCERPT: usize = 80;

/// How many names or values a message lists.
const LISTED: usize = 12;

/// One way in which a value is not what its schema asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where in the value, as a JSON pointer; empty for the value itself. Only an absurdly long one is cut.
    pub path: String,
    /// What belongs there, as a noun phrase.
    pub expected: String,
    /// What is there instead, cut to a short excerpt.
    pub found: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(f, "at the top level")?,
            path => write!(f, "at {path}")?,
        }
        write!(f, ": expected {}, found {}", self.expected, self.found)
    }
}

/// The beginning of a value as compact JSON. A long value is not written out to be cut afterwards.
pub(super) fn excerpt(value: &Value) -> String {
    let mut start = Start(Vec::new());
    let whole = serde_json::to_writer(&mut start, value).is_ok();
    let mut text = lossless_prefix(start.0);
    if !whole {
        text.push('…');
    }
    text
}

/// Names as a list for reading: `"a", "b"`, cut after a dozen.
pub(super) fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    listed(names.into_iter().map(|name| excerpt(&Value::from(name))))
}

/// Values as a list for reading, cut after a dozen.
pub(super) fn shown<'a>(values: impl IntoIterator<Item = &'a Value>) -> String {
    listed(values.into_iter().map(excerpt))
}

/// The first `limit` characters of a text, with a mark if that is not all.
pub(super) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// `1 item`, `2 items`, `3 properties`.
pub(super) fn counted(count: u64, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {noun}s"),
    }
}

/// One step of a JSON pointer, escaped.
pub(super) fn pointer_step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn listed(mut texts: impl Iterator<Item = String>) -> String {
    let mut list = texts.by_ref().take(LISTED).collect::<Vec<_>>().join(", ");
    match texts.count() {
        0 => {}
        more => list.push_str(&format!(" and {more} more")),
    }
    list
}

fn lossless_prefix(mut bytes: Vec<u8>) -> String {
    if let Err(error) = std::str::from_utf8(&bytes) {
        bytes.truncate(error.valid_up_to());
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// Takes the first bytes and then refuses more, which ends the writing of a long value at once.
struct Start(Vec<u8>);

impl io::Write for Start {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = EXCERPT - self.0.len();
        self.0.extend_from_slice(&bytes[..bytes.len().min(room)]);
        // A partial write would only be tried again; refusing it ends the serialiser.
        if bytes.len() > room { Err(io::ErrorKind::WriteZero.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
