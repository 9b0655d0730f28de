//! Reading lines of a file: bounded output, the whole file only streamed. Start from [`Reading`].
//!
//! The whole file passes through once, because the reader wants to know how many lines there are and an editor wants the hash; no more than the
//! lines that are given back is ever held. Text that is not UTF-8 is shown with replacement characters and flagged.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use memchr::{memchr, memchr_iter};

use super::Limits;
use super::blobs::Hash;
use super::error::{Doing, Error};
use super::text::is_binary;

/// Which lines to read, from 1, both ends included.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lines {
    pub start: Option<u64>,
    pub end: Option<u64>,
    /// At most so many; `None` leaves the bound to the bytes.
    pub most: Option<u64>,
}

/// Some lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The number of the first line given.
    pub first: u64,
    /// The lines, without their endings.
    pub lines: Vec<String>,
    /// How many lines the file has.
    pub total: u64,
    /// How many lines that were asked for do not fit the bounds.
    pub more: u64,
    /// Whether the last line given is only the beginning of a longer one.
    pub cut: bool,
    /// Whether some of the text was not UTF-8 and is shown with replacement characters.
    pub lossy: bool,
    /// The hash of the whole file, to expect when it is replaced.
    pub hash: Hash,
}

pub(crate) fn read(mut file: File, asked: &Path, lines: Lines, limits: &Limits) -> Result<Reading, Error> {
    let mut window = Window::new(lines, limits.window)?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 128 << 10];
    let too_large = |size: u64| Error::TooLarge { path: asked.to_owned(), size, limit: limits.read_file };
    let length = file.metadata().doing("read", asked)?.len();
    if length > limits.read_file {
        return Err(too_large(length));
    }
    let mut size = 0u64;
    loop {
        let count = file.read(&mut buffer).doing("read", asked)?;
        let chunk = buffer.get(..count).unwrap_or_default();
        if chunk.is_empty() {
            break;
        }
        if size == 0 && is_binary(chunk) {
            return Err(Error::Binary { path: asked.to_owned() });
        }
        size += chunk.len() as u64;
        if size > limits.read_file {
            return Err(too_large(size));
        }
        hasher.update(chunk);
        window.take(chunk);
    }
    window.finish(Hash::from_hasher(&hasher))
}

/// The lines being gathered.
struct Window {
    start: u64,
    asked_end: u64,
    /// The last line that may still be taken; shrinks when the bytes are used up.
    end: u64,
    /// The line being read, from 1.
    number: u64,
    /// Whether that line has any bytes yet.
    begun: bool,
    line: Vec<u8>,
    lines: Vec<String>,
    room: usize,
    cut: bool,
    lossy: bool,
}

impl Window {
    fn new(lines: Lines, room: usize) -> Result<Window, Error> {
        let start = lines.start.unwrap_or(1);
        let asked_end = lines.end.unwrap_or(u64::MAX);
        if start == 0 || asked_end == 0 {
            return Err(Error::LineZero);
        }
        if asked_end < start {
            return Err(Error::LinesBackwards { start, end: asked_end });
        }
        let most = lines.most.unwrap_or(u64::MAX);
        Ok(Window {
            start,
            asked_end,
            end: asked_end.min((start - 1).saturating_add(most)),
            number: 1,
            begun: false,
            line: Vec::new(),
            lines: Vec::new(),
            room,
            cut: false,
            lossy: false,
        })
    }

    fn take(&mut self, mut chunk: &[u8]) {
        while !chunk.is_empty() {
            if self.number > self.end {
                self.number += memchr_iter(b'\n', chunk).count() as u64;
                self.begun = !chunk.ends_with(b"\n");
                return;
            }
            let (piece, rest, ended) = match memchr(b'\n', chunk) {
                Some(at) => (&chunk[..at], &chunk[at + 1..], true),
                None => (chunk, &chunk[chunk.len()..], false),
            };
            self.begun = true;
            if self.number >= self.start {
                let fits = piece.len().min(self.room.saturating_sub(self.line.len()));
                self.line.extend_from_slice(&piece[..fits]);
                self.cut |= fits < piece.len();
            }
            if ended {
                self.end_line();
            }
            chunk = rest;
        }
    }

    fn end_line(&mut self) {
        if (self.start..=self.end).contains(&self.number) {
            let mut line = std::mem::take(&mut self.line);
            if self.cut {
                drop_broken_end(&mut line);
            } else if line.ends_with(b"\r") {
                line.pop();
            }
            if self.number == 1 && line.starts_with(b"\xef\xbb\xbf") {
                line.drain(..3);
            }
            self.room = self.room.saturating_sub(line.len() + 1);
            self.lossy |= std::str::from_utf8(&line).is_err();
            self.lines.push(String::from_utf8_lossy(&line).into_owned());
            if self.cut || self.room == 0 {
                self.end = self.number;
            }
        }
        self.number += 1;
        self.begun = false;
    }

    fn finish(mut self, hash: Hash) -> Result<Reading, Error> {
        if self.begun {
            self.end_line();
        }
        let total = self.number - 1;
        if self.start > total && !(total == 0 && self.start == 1) {
            return Err(Error::LinesBeyond { start: self.start, total });
        }
        let shown = self.lines.len() as u64;
        let wanted = (self.asked_end.min(total) + 1).saturating_sub(self.start);
        Ok(Reading {
            first: self.start,
            lines: self.lines,
            total,
            more: wanted - shown,
            cut: self.cut,
            lossy: self.lossy,
            hash,
        })
    }
}

/// A line that was cut inside a character loses the rest of that character, not its neighbours.
fn drop_broken_end(line: &mut Vec<u8>) {
    if let Err(error) = std::str::from_utf8(line)
        && error.error_len().is_none()
    {
        line.truncate(error.valid_up_to());
    }
}

#[cfg(test)]
mod tests;
