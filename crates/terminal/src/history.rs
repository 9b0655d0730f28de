//! What was typed before, across processes. Start at [`History`].
//!
//! The file is `{"messages":[…]}`, oldest first. It is changed under a lock and replaced whole, so that two terminals at
//! once lose nothing; a damaged file is moved aside. That it cannot be written is never a reason to disturb a person.

use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Messages that are kept.
const MOST: usize = 1000;

#[derive(Debug, Default)]
pub struct History {
    path: Option<PathBuf>,
    messages: Vec<String>,
    /// Where the person stands, and what they had typed before they went there.
    walk: Option<Walk>,
}

#[derive(Debug)]
struct Walk {
    at: usize,
    draft: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Stored {
    messages: Vec<String>,
}

impl History {
    /// Reads the file when it is first needed; without a path nothing is kept.
    pub fn new(path: Option<PathBuf>) -> History {
        History { path, ..History::default() }
    }

    /// Adds a message, here and in the file.
    pub fn add(&mut self, message: &str) {
        self.walk = None;
        if message.trim().is_empty() {
            return;
        }
        let kept = self.path.as_deref().map(|path| append(path, message));
        match kept {
            Some(Ok(messages)) => self.messages = messages,
            _ => push(&mut self.messages, message),
        }
    }

    /// The message before; `draft` is what stands in the editor now.
    pub fn older(&mut self, draft: &str) -> Option<String> {
        let at = match &self.walk {
            Some(walk) => walk.at.checked_sub(1)?,
            None => {
                // Other terminals may have added something since.
                if let Some(path) = &self.path {
                    self.messages = read(path).unwrap_or_else(|_| std::mem::take(&mut self.messages));
                }
                let at = self.messages.len().checked_sub(1)?;
                self.walk = Some(Walk { at, draft: draft.to_owned() });
                at
            }
        };
        let walk = self.walk.as_mut()?;
        walk.at = at;
        self.messages.get(at).cloned()
    }

    /// The message after, and at last the draft.
    pub fn newer(&mut self) -> Option<String> {
        let walk = self.walk.as_mut()?;
        if walk.at + 1 < self.messages.len() {
            walk.at += 1;
            return self.messages.get(walk.at).cloned();
        }
        self.walk.take().map(|walk| walk.draft)
    }

    /// What was recalled has been changed: it is a draft of its own now.
    pub fn leave(&mut self) {
        self.walk = None;
    }
}

fn push(messages: &mut Vec<String>, message: &str) {
    if messages.last().is_none_or(|last| last != message) {
        messages.push(message.to_owned());
    }
    let surplus = messages.len().saturating_sub(MOST);
    messages.drain(..surplus);
}

fn append(path: &Path, message: &str) -> io::Result<Vec<String>> {
    if let Some(folder) = path.parent() {
        make_private(folder)?;
    }
    let lock = File::create(path.with_extension("lock"))?;
    lock.lock()?;
    let mut messages = read(path)?;
    push(&mut messages, message);
    replace(path, &serde_json::to_vec(&Stored { messages: messages.clone() })?)?;
    Ok(messages)
}

/// The messages in the file; a file that is not one of ours is moved aside.
fn read(path: &Path) -> io::Result<Vec<String>> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read?,
    };
    match serde_json::from_slice::<Stored>(&bytes) {
        Ok(stored) => {
            let mut messages = stored.messages;
            messages.retain(|message| !message.trim().is_empty());
            messages.dedup();
            let surplus = messages.len().saturating_sub(MOST);
            messages.drain(..surplus);
            Ok(messages)
        }
        Err(_) => {
            fs::rename(path, free_name(path))?;
            Ok(Vec::new())
        }
    }
}

/// A name beside the file that no damaged file has yet.
fn free_name(path: &Path) -> PathBuf {
    let name = |n: usize| path.with_extension(if n == 0 { "damaged".into() } else { format!("damaged.{n}") });
    (0..1000).map(name).find(|name| !name.exists()).unwrap_or_else(|| name(0))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension("new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&beside)?;
    file.write_all(bytes)?;
    fs::rename(&beside, path)
}

fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

#[cfg(test)]
mod tests;
