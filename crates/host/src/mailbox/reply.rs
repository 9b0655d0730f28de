//! A letter from the inbox as the model's reply. Start at [`read`].

use super::edits;
use super::inbox::Letter;
use crate::dialect::text::{self, Block};
use crate::dialect::{Dialect, MISREAD, MOST_CALLS, misread, understand};
use crate::workspace::{Text, Workspace};
use agent::{Call, Finish, Reply, Spec};
use serde_json::json;
use std::path::Path;

/// What the first line of every letter of ours is.
pub(super) const HEADER: &str = "=== HEADER ===";

const NO_COMMAND: &str = "No command was found in the reply, so nothing was done. Write commands as the protocol says, \
     each tag alone on its line, and send [DONE] when the task is complete";

/// How the dialect's words for a block that is never closed end.
const UNCLOSED: &str = "missing closing tag";

/// The files that a reply speaks of, as they are now.
pub(super) trait Files {
    /// What tells two spellings of one path to be the same file.
    fn key(&self, path: &str) -> Option<String>;
    fn text(&self, path: &str) -> Option<Text>;
}

impl Files for Workspace {
    fn key(&self, path: &str) -> Option<String> {
        self.resolve(path).ok().map(|found| found.to_string())
    }

    fn text(&self, path: &str) -> Option<Text> {
        Workspace::text(self, path).ok()
    }
}

/// The reply that a letter is. One that cannot be read is told to the model, and nothing of it runs.
pub(super) fn read(letter: &Letter, outbox: Option<&Path>, tools: &[Spec], files: &dyn Files) -> Reply {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let opaque = json!({ "wire": "mailbox", "inbox": letter.name, "outbox": outbox.map(name) });
    let reply = match decode(&letter.bytes) {
        Err(fault) => faulty("", fault),
        Ok(words) if words.trim().is_empty() => faulty("", format!("The reply is empty. {NO_COMMAND}")),
        Ok(words) if words.trim_start().starts_with(HEADER) => faulty(
            "",
            "The file in the inbox was the outbox file itself, not a reply to it; nothing of it was run"
                .to_owned(),
        ),
        Ok(words) if text::has_commands(tools) => commands(words, files),
        Ok(text) => understand(Dialect::Text, Reply { text, ..Reply::default() }, tools),
    };
    Reply { opaque: Some(opaque), ..reply }
}

/// Whether a file reads like all of a reply: it has commands, and the last one is closed.
pub(super) fn seems_whole(bytes: Vec<u8>) -> bool {
    let blocks = decode(&Ok(bytes)).map(|words| text::parse(&words)).unwrap_or_default();
    blocks.last().is_some_and(|last| !matches!(last, Block::ParseError(why) if why.ends_with(UNCLOSED)))
}

fn commands(words: String, files: &dyn Files) -> Reply {
    let reading = text::read(&words);
    let mut calls: Vec<Call> = reading.blocks.iter().map(call).collect();
    match calls.len() {
        0 => return faulty(&words, NO_COMMAND.to_owned()),
        count if count > MOST_CALLS => {
            return faulty(
                &words,
                format!("The reply has {count} commands, at most {MOST_CALLS} are taken: send fewer"),
            );
        }
        _ => edits::annotate(&mut calls, files),
    }
    let whole = calls.iter().any(|call| call.name == MISREAD);
    let text = if whole { words } else { reading.prose };
    Reply { text, calls, finish: Finish::Calls, ..Reply::default() }
}

/// Of the tags that the dialect knows, those of the protocol are commands here and no other.
fn call(block: &Block) -> Call {
    match block {
        Block::Call { .. } => misread("CALL is not a command".to_owned()),
        block => text::call(block),
    }
}

fn faulty(words: &str, fault: String) -> Reply {
    Reply { text: words.to_owned(), calls: vec![misread(fault)], finish: Finish::Calls, ..Reply::default() }
}

/// The text of a file. Editors on Windows also write UTF-16, which they mark.
fn decode(bytes: &Result<Vec<u8>, String>) -> Result<String, String> {
    let bytes = bytes.as_ref().map_err(Clone::clone)?;
    let wide = |pair: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|unit| pair([unit[0], unit[1]]));
        char::decode_utf16(units).collect::<Result<String, _>>().ok()
    };
    let text = match bytes.get(..2) {
        Some([0xFF, 0xFE]) => wide(u16::from_le_bytes),
        Some([0xFE, 0xFF]) => wide(u16::from_be_bytes),
        _ => String::from_utf8(bytes.clone()).ok().filter(|text| !text.contains('\0')),
    };
    text.ok_or_else(|| "The reply file is not text (UTF-8), so nothing of it was run".to_owned())
}
