//! The chain of records. Each record names the hash of the one before it, so that a changed, removed or inserted
//! record is found. Start at [`Record`]; [`Line`] is a record together with the exact bytes that were hashed.
//!
//! The hash covers the stored bytes as they are, not what they parse to: verifying never depends on how this version
//! of the program would write the same record today.

use crate::event::Event;
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{fmt, sync::Arc};

/// One entry of a log: `seq` is dense from 0, `at` is in milliseconds since 1970, `prev` is the hash of the entry before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub seq: u64,
    pub at: u64,
    pub prev: Hash,
    pub event: Event,
}

/// A blake3 hash, written as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hash([u8; 32]);

/// A record with its canonical bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub record: Arc<Record>,
    pub text: String,
}

/// Where the next record of a log must fit: its number and the hash that it must name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain {
    pub next: u64,
    pub head: Hash,
}

/// The first place where a log is not what was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("record {seq} is damaged: {what}")]
pub struct Damage {
    pub seq: u64,
    pub what: String,
}

impl Line {
    /// Writes a record down.
    pub fn seal(record: Record) -> Line {
        let text = serde_json::to_string(&record).expect("an event has only string keys and finite numbers");
        Line { record: Arc::new(record), text }
    }

    /// Reads a record that should be number `seq`.
    pub fn read(seq: u64, text: String) -> Result<Line, Damage> {
        let record: Record = serde_json::from_str(&text)
            .map_err(|error| Damage { seq, what: format!("cannot be read: {error}") })?;
        Ok(Line { record: Arc::new(record), text })
    }

    /// What the next record must name. Whoever only reads need not know it.
    pub fn hash(&self) -> Hash {
        Hash::of(self.text.as_bytes())
    }
}

impl Chain {
    pub const START: Chain = Chain { next: 0, head: Hash::ZERO };

    /// Makes the next record of this chain and moves on to it.
    pub fn seal(&mut self, at: u64, event: Event) -> Line {
        let line = Line::seal(Record { seq: self.next, at, prev: self.head, event });
        self.next += 1;
        self.head = line.hash();
        line
    }

    /// Takes a record that was read, if it fits.
    pub fn follow(&mut self, line: &Line) -> Result<(), Damage> {
        let damage = |what: &str| Err(Damage { seq: self.next, what: what.to_owned() });
        if line.record.seq != self.next {
            return damage("its number is not the one that belongs here");
        }
        if line.record.prev != self.head {
            return damage("it does not name the hash of the record before it");
        }
        self.next += 1;
        self.head = line.hash();
        Ok(())
    }
}

/// Checks a whole log as it is stored against the head that is kept apart from it.
pub fn verify(lines: impl IntoIterator<Item = Vec<u8>>, head: Hash) -> Result<Chain, Damage> {
    let mut chain = Chain::START;
    let mut lines = lines.into_iter().peekable();
    while let Some(bytes) = lines.next() {
        let line = read_bytes(chain.next, bytes)?;
        let numbered = line.record.seq == chain.next;
        if let Err(damage) = chain.follow(&line) {
            let next = lines.peek().map(|bytes| read_bytes(damage.seq + 1, bytes.clone()));
            let vouched = match next {
                Some(next) => next.is_ok_and(|next| next.record.prev == line.hash()),
                None => line.hash() == head,
            };
            // A record that its successor vouches for is as it was written: then the one before it is not.
            return Err(if vouched && numbered && damage.seq > 0 { changed(damage.seq - 1) } else { damage });
        }
    }
    match (chain.head == head, chain.next) {
        (true, _) => Ok(chain),
        (false, next) => Err(Damage {
            seq: next.saturating_sub(1),
            what: "the log does not end in the head that was kept for it: its last record was changed or removed".into(),
        }),
    }
}

fn read_bytes(seq: u64, bytes: Vec<u8>) -> Result<Line, Damage> {
    let text = String::from_utf8(bytes).map_err(|_| Damage { seq, what: "it is not text".into() })?;
    Line::read(seq, text)
}

fn changed(seq: u64) -> Damage {
    Damage { seq, what: "the record after it names another hash: it was changed".into() }
}

impl Hash {
    pub const ZERO: Hash = Hash([0; 32]);

    pub fn of(bytes: &[u8]) -> Hash {
        Hash(*blake3::hash(bytes).as_bytes())
    }

    pub(crate) fn first_byte(&self) -> u8 {
        self.0[0]
    }

    pub fn from_hex(text: &str) -> Option<Hash> {
        blake3::Hash::from_hex(text).ok().map(|hash| Hash(*hash.as_bytes()))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hash, D::Error> {
        deserializer.deserialize_str(Digits)
    }
}

/// Reads a hash where it stands: every record has one, and a copy of each would be a quarter of reading a log.
struct Digits;

impl Visitor<'_> for Digits {
    type Value = Hash;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("64 hexadecimal digits")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Hash, E> {
        Hash::from_hex(text).ok_or_else(|| E::custom("a hash is 64 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests;
