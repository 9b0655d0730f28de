//! What a person typed at terminals, across processes. Start at [`History`].
//!
//! The file is `{"messages":[…]}`, oldest first. It is changed under a lock and replaced whole, so that two terminals at
//! once lose nothing; a damaged file is moved aside.

use crate::whole::{Kind, Turn, replace};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::PathBuf;

/// Messages that are kept.
const MOST: usize = 1000;

/// The file, which need not be there.
#[derive(Debug, Clone)]
pub struct History {
    path: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Stored {
    messages: Vec<String>,
}

impl History {
    pub fn new(path: PathBuf) -> History {
        History { path }
    }

    /// Adds a message that is not blank; gives all that are kept.
    pub fn add(&self, message: &str) -> io::Result<Vec<String>> {
        let _turn = Turn::take(&self.path)?;
        let mut messages = self.read()?;
        messages.push(message.to_owned());
        let stored = Stored { messages: kept(messages) };
        replace(&self.path, &serde_json::to_vec(&stored)?, Kind::Settings)?;
        Ok(stored.messages)
    }

    /// The messages in the file; a file that is not one of ours is moved aside.
    pub fn read(&self) -> io::Result<Vec<String>> {
        let bytes = match fs::read(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            read => read?,
        };
        match serde_json::from_slice::<Stored>(&bytes) {
            Ok(stored) => Ok(kept(stored.messages)),
            Err(_) => {
                fs::rename(&self.path, self.free_name())?;
                Ok(Vec::new())
            }
        }
    }

    /// A name beside the file that no damaged file has yet.
    fn free_name(&self) -> PathBuf {
        let extension = |n: usize| if n == 0 { "damaged".into() } else { format!("damaged.{n}") };
        let name = |n: usize| self.path.with_extension(extension(n));
        (0..1000).map(name).find(|name| !name.exists()).unwrap_or_else(|| name(0))
    }
}

/// The newest messages, without blanks and repeats of the one before.
fn kept(mut messages: Vec<String>) -> Vec<String> {
    messages.retain(|message| !message.trim().is_empty());
    messages.dedup();
    messages.drain(..messages.len().saturating_sub(MOST));
    messages
}

#[cfg(test)]
mod tests;
