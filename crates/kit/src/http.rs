//! The reading half of HTTP/1.1: requests from a byte stream.
//!
//! Start from [`Reader`]. It is generic over `Read`, so that it is tested without sockets, and it
//! refuses what is too large instead of filling the memory. Writing is `plan`'s business.

#[cfg(test)]
mod tests;

use std::io::{self, Read, Write};
use std::time::Instant;

/// Larger heads are refused.
const HEAD_LIMIT: usize = 64 << 10;
/// Larger bodies are refused.
const BODY_LIMIT: usize = 256 << 20;

/// Reads one request after the other from a connection.
#[derive(Debug)]
pub(crate) struct Reader<S> {
    stream: S,
    /// Bytes that were read and not used yet.
    buffer: Vec<u8>,
}

/// A request as read, before it has a number.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub at: Instant,
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The client wants the connection closed after the reply.
    pub last: bool,
}

impl<S: Read + Write> Reader<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, buffer: Vec::new() }
    }

    /// The next request, or `None` when the client closed the connection between two of them.
    pub(crate) fn next(&mut self) -> io::Result<Option<Incoming>> {
        if self.buffer.is_empty() && !self.fill()? {
            return Ok(None);
        }
        let at = Instant::now();
        // A client that speaks TLS waits for an answer and would never send the end of a head.
        if !self.buffer.first().is_some_and(u8::is_ascii_alphabetic) {
            return Err(bad("this is not HTTP"));
        }
        let head = self.take_until(b"\r\n\r\n", HEAD_LIMIT)?;
        let head = String::from_utf8(head).map_err(|_| bad("the head is not UTF-8"))?;
        let (mut incoming, version) = parse_head(&head, at)?;
        let value = |name: &str| {
            let found = incoming.headers.iter().find(|(have, _)| have == name);
            found.map(|(_, value)| value.to_ascii_lowercase())
        };
        let connection = value("connection").unwrap_or_default();
        let last = connection == "close" || (version == "HTTP/1.0" && connection != "keep-alive");
        let chunked = value("transfer-encoding").is_some_and(|value| value == "chunked");
        let length = value("content-length").map(|value| value.trim().parse());
        if value("expect").is_some_and(|value| value == "100-continue") {
            self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        incoming.last = last;
        incoming.body = match length {
            _ if chunked => self.take_chunks()?,
            Some(length) => self.take(length.map_err(|_| bad("the content-length is no number"))?)?,
            None => Vec::new(),
        };
        Ok(Some(incoming))
    }

    fn take_chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.take_until(b"\r\n", HEAD_LIMIT)?;
            let line = String::from_utf8_lossy(&line);
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(size, 16).map_err(|_| bad("a chunk has no size"))?;
            if size == 0 {
                while !self.take_until(b"\r\n", HEAD_LIMIT)?.is_empty() {}
                return Ok(body);
            }
            if body.len().saturating_add(size) > BODY_LIMIT {
                return Err(bad("the body is too large"));
            }
            body.append(&mut self.take(size)?);
            self.take(2)?;
        }
    }

    /// The bytes before `mark`; the mark itself is dropped.
    fn take_until(&mut self, mark: &[u8], limit: usize) -> io::Result<Vec<u8>> {
        let mut seen = 0;
        loop {
            let tail = self.buffer.get(seen..).unwrap_or_default();
            if let Some(found) = tail.windows(mark.len()).position(|window| window == mark) {
                let rest = self.buffer.split_off(seen + found + mark.len());
                let mut taken = std::mem::replace(&mut self.buffer, rest);
                taken.truncate(seen + found);
                return Ok(taken);
            }
            // The mark may have begun in the last bytes that are here.
            seen = (self.buffer.len() + 1).saturating_sub(mark.len());
            if self.buffer.len() > limit {
                return Err(bad("the head is too large"));
            }
            self.fill_or_fail()?;
        }
    }

    fn take(&mut self, count: usize) -> io::Result<Vec<u8>> {
        if count > BODY_LIMIT {
            return Err(bad("the body is too large"));
        }
        while self.buffer.len() < count {
            self.fill_or_fail()?;
        }
        let rest = self.buffer.split_off(count);
        Ok(std::mem::replace(&mut self.buffer, rest))
    }

    fn fill_or_fail(&mut self) -> io::Result<()> {
        match self.fill()? {
            true => Ok(()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Reads what there is; false at the end of the stream.
    fn fill(&mut self) -> io::Result<bool> {
        let mut block = [0; 64 << 10];
        let count = loop {
            match self.stream.read(&mut block) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                result => break result?,
            }
        };
        self.buffer.extend_from_slice(block.get(..count).unwrap_or_default());
        Ok(count > 0)
    }
}

/// The head as a request without a body, and its version.
fn parse_head(head: &str, at: Instant) -> io::Result<(Incoming, &str)> {
    let mut lines = head.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(path), Some(version)) = (words.next(), words.next(), words.next()) else {
        return Err(bad("the request line is not one"));
    };
    let headers = lines.map(|line| {
        let (name, value) = line.split_once(':').ok_or(bad("a header has no colon"))?;
        Ok((name.to_ascii_lowercase(), value.trim().to_owned()))
    });
    let incoming = Incoming {
        at,
        method: method.to_owned(),
        path: path.to_owned(),
        headers: headers.collect::<io::Result<_>>()?,
        body: Vec::new(),
        last: false,
    };
    Ok((incoming, version))
}

fn bad(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}
