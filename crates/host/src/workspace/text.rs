//! A file as text that can be edited and written back without damage. Start from [`Text`].
//!
//! The body has plain `\n` whatever the file has, so that what a model writes matches it; encoding gives the file its own line endings, byte
//! order mark and, if wanted, its missing final newline again. A file that is not UTF-8 never becomes a `Text`.

use std::path::Path;

use super::blobs::Hash;
use super::error::Error;

/// How far into a file a NUL makes it binary; git looks as far.
pub(crate) const BINARY: usize = 8000;

const MARK: &str = "\u{feff}";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    body: String,
    ending: Ending,
    marked: bool,
    hash: Hash,
}

/// How the lines of a file end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Lf,
    Crlf,
    /// Both occur; the body shows them as they are and nothing is converted.
    Mixed,
}

/// What to do about the final newline when a body is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    /// As the new body has it.
    AsGiven,
    /// As the file had it.
    AsBefore,
}

/// Why a replacement was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    #[error("the old text is empty: name the text to replace")]
    Empty,
    #[error("the old and the new text are identical: nothing to replace")]
    Identical,
    #[error("the old text does not occur in the file")]
    NotFound,
    #[error("the old text occurs {0} times: add lines around it until it is unique")]
    Several(usize),
}

impl Text {
    pub fn decode(bytes: Vec<u8>, path: &Path) -> Result<Text, Error> {
        if is_binary(&bytes) {
            return Err(Error::Binary { path: path.to_owned() });
        }
        let hash = Hash::of(&bytes);
        let raw = String::from_utf8(bytes).map_err(|_| Error::NotUtf8 { path: path.to_owned() })?;
        let ending = Ending::of(&raw);
        let (marked, unmarked) = match raw.strip_prefix(MARK) {
            Some(rest) => (true, rest),
            None => (false, raw.as_str()),
        };
        let body = match ending {
            Ending::Crlf => unmarked.replace("\r\n", "\n"),
            Ending::Lf | Ending::Mixed => unmarked.to_owned(),
        };
        Ok(Text { body, ending, marked, hash })
    }

    pub fn body(&self) -> &str {
        &self.body
    }

    pub fn ending(&self) -> Ending {
        self.ending
    }

    /// The hash of the file as it was read, to expect when it is replaced.
    pub fn hash(&self) -> Hash {
        self.hash
    }

    /// The body with the one occurrence of `old` replaced.
    pub fn replace(&self, old: &str, new: &str) -> Result<String, Mismatch> {
        let (old, new) = (self.ending.to_body(old), self.ending.to_body(new));
        if old.is_empty() {
            return Err(Mismatch::Empty);
        }
        if old == new {
            return Err(Mismatch::Identical);
        }
        match self.body.matches(old.as_str()).count() {
            0 => Err(Mismatch::NotFound),
            1 => Ok(self.body.replacen(old.as_str(), &new, 1)),
            several => Err(Mismatch::Several(several)),
        }
    }

    /// The bytes of a new body in the manner of this file.
    pub fn encode(&self, body: &str, tail: Tail) -> Vec<u8> {
        let mut body = self.ending.to_body(body);
        if tail == Tail::AsBefore && !self.body.is_empty() && !body.is_empty() {
            match (self.body.ends_with('\n'), body.ends_with('\n')) {
                (true, false) => body.push('\n'),
                (false, true) => drop(body.pop()),
                _ => {}
            }
        }
        if self.ending == Ending::Crlf {
            body = body.replace('\n', "\r\n");
        }
        let mark = if self.marked && !body.starts_with(MARK) { MARK } else { "" };
        [mark.as_bytes(), body.as_bytes()].concat()
    }
}

impl Ending {
    fn of(text: &str) -> Ending {
        let all = text.matches('\n').count();
        match text.matches("\r\n").count() {
            0 => Ending::Lf,
            crlf if crlf == all => Ending::Crlf,
            _ => Ending::Mixed,
        }
    }

    fn to_body(self, text: &str) -> String {
        match self {
            Ending::Crlf => text.replace("\r\n", "\n"),
            Ending::Lf | Ending::Mixed => text.to_owned(),
        }
    }
}

pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(BINARY).any(|byte| *byte == 0)
}

#[cfg(test)]
mod tests;
