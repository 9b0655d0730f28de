//! The letter that a person carries to a chat. Start at [`write`].

use super::part;
use super::reply::HEADER;
use super::told::told;
use super::{Post, files};
use crate::dialect::{Dialect, Enforcement, rewrite};
use crate::whole::{Kind, replace};
use crate::workspace::Workspace;
use agent::event::Outcome;
use agent::{Call, Message, Request};
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

const CONTINUE: &str = "Continue working on the task based on the results above.\n\
     If the task is complete, send [DONE] with a summary.";
/// How far into a file a NUL makes it binary.
const BINARY: usize = 8000;

/// The file of a letter, or of a later part of it.
pub(super) fn file(post: &Post, conversation: &str, sequence: u64, part: usize) -> PathBuf {
    let part = if part == 1 { String::new() } else { format!("_part{part}") };
    post.outbox.join(format!("{conversation}_seq{sequence:04}{part}.txt"))
}

/// All files of a letter that was written.
pub(super) fn parts(post: &Post, conversation: &str, sequence: u64) -> Vec<PathBuf> {
    let file = |part| file(post, conversation, sequence, part);
    (1..).map(file).take_while(|file| file.exists()).collect()
}

/// The number of the last letter of a conversation.
pub(super) fn newest(post: &Post, conversation: &str) -> Option<u64> {
    let entries = fs::read_dir(&post.outbox).into_iter().flatten().flatten();
    let sequence = |entry: fs::DirEntry| {
        let name = entry.file_name();
        let rest = name.to_str()?.strip_prefix(conversation)?.strip_prefix("_seq")?;
        rest.strip_suffix(".txt")?.parse::<u64>().ok()
    };
    entries.filter_map(sequence).max()
}

/// Writes a letter, unless it stands there already: what a person may have carried off must stay what it was.
pub(super) fn write(post: &Post, request: &Request, sequence: u64) -> io::Result<Vec<PathBuf>> {
    post.prepare(&post.outbox)?;
    post.prepare(&post.inbox)?;
    let id = &request.conversation;
    let written = parts(post, id, sequence);
    if !written.is_empty() {
        return Ok(written);
    }
    let letter = compose(post, request, sequence)?;
    let parts = part::split(&letter, post.limit, &format!("session {id}, sequence {sequence}"));
    // The first part is the sign that the letter is whole, so it comes last.
    for (number, part) in parts.iter().enumerate().rev() {
        replace(&file(post, id, sequence, number + 1), part.as_bytes(), Kind::Letters)?;
    }
    Ok((1..=parts.len()).map(|number| file(post, id, sequence, number)).collect())
}

fn compose(post: &Post, request: &Request, sequence: u64) -> io::Result<String> {
    let workspace = Workspace::open(&post.workspace).map_err(io::Error::other)?;
    let protocol = rewrite(request.clone(), Dialect::Text, Enforcement::No).instructions;
    let task = task(&request.messages);
    let title = task.split_whitespace().collect::<Vec<_>>().join(" ");
    let head = format!(
        "{HEADER}\nProtocol: 1.0\nSession: {}\nSequence: {sequence}\nTask: {title}\n\n\
         === PROTOCOL ===\n{}\n\n=== CONTEXT ===\n",
        request.conversation,
        protocol.trim_end()
    );
    let prompt = format!("\n=== PROMPT ===\n{}\n", prompt(&request.messages, sequence, &task));
    let room = part::room(post.limit).saturating_sub(head.len() + prompt.len() + 200);
    let history = history(post, request, room / 3);
    let room = room.saturating_sub(history.len());
    let (calls, texts) = last_round(&request.messages);
    let results = results(&calls, &texts, room * 2 / 5);
    let asked = requested(&calls, &texts);
    let contents = contents(post, &workspace, &asked, room.saturating_sub(results.len()) * 2 / 3);
    let apart = [post.inbox.as_path(), post.outbox.as_path(), post.sessions.as_path()];
    let listed = files::list(&workspace, &apart, room.saturating_sub(results.len() + contents.len()));
    Ok([head, history, "## Workspace Files\n".to_owned(), listed, results, contents, prompt].concat())
}

/// What was said before the first letter, by another model: the chat knows nothing of it. The end of it counts most.
fn history(post: &Post, request: &Request, room: usize) -> String {
    let spoken = rewrite(request.clone(), Dialect::Text, Enforcement::No).messages;
    let known = newest(post, &request.conversation).is_some();
    let Some(last) = spoken.iter().rposition(|message| matches!(**message, Message::Assistant { .. })) else {
        return String::new();
    };
    if known {
        return String::new();
    }
    let line = |message: &Arc<Message>| match &**message {
        Message::User { parts } => format!("[person]\n{}\n", parts.join("\n\n")),
        Message::Assistant { text, .. } => format!("[you]\n{text}\n"),
        Message::Result { text, .. } => format!("[result]\n{text}\n"),
    };
    let all: String = spoken[..=last].iter().map(line).collect();
    let kept = &all[all.ceil_char_boundary(all.len().saturating_sub(room))..];
    let cut = if kept.len() < all.len() { "... (the beginning is left out)\n" } else { "" };
    format!("## Conversation Before This Message\n{cut}{kept}")
}

/// The first words of the person: the task of the conversation.
fn task(messages: &[Arc<Message>]) -> String {
    let first = messages.iter().find_map(|message| match &**message {
        Message::User { parts } => Some(parts.join("\n\n")),
        _ => None,
    });
    first.unwrap_or_default().trim().to_owned()
}

/// What to answer now: the task, words that came since the last reply, or just what to go on with.
fn prompt(messages: &[Arc<Message>], sequence: u64, task: &str) -> String {
    if sequence == 1 {
        return task.to_owned();
    }
    let since = messages.iter().rev().take_while(|message| !matches!(***message, Message::Assistant { .. }));
    let mut words: Vec<String> = since
        .filter_map(|message| match &**message {
            Message::User { parts } => Some(parts.join("\n\n")),
            _ => None,
        })
        .collect();
    words.reverse();
    words.push(CONTINUE.to_owned());
    words.join("\n\n")
}

/// The calls of the last reply and what each came to.
fn last_round(messages: &[Arc<Message>]) -> (Vec<Call>, HashMap<String, String>) {
    let Some(at) = messages.iter().rposition(|message| matches!(**message, Message::Assistant { .. })) else {
        return Default::default();
    };
    let calls = match &*messages[at] {
        Message::Assistant { calls, .. } => calls.clone(),
        _ => Vec::new(),
    };
    let text = |message: &Arc<Message>| match &**message {
        Message::Result { call, text, .. } => Some((call.0.clone(), text.clone())),
        _ => None,
    };
    (calls, messages[at..].iter().filter_map(text).collect())
}

fn results(calls: &[Call], texts: &HashMap<String, String>, room: usize) -> String {
    let lines: Vec<String> =
        calls.iter().filter_map(|call| texts.get(&call.id.0).map(|text| told(call, text).render())).collect();
    if lines.is_empty() {
        return String::new();
    }
    // What is long gives way first, so that each command is still accounted for.
    let fair = fair_share(lines.iter().map(String::len), room);
    let mut section = "## Previous Command Results\n".to_owned();
    for line in &lines {
        section.push_str(&cut(line, fair, "result"));
        section.push('\n');
    }
    section
}

/// The files that the last reply asked for, and whether each may be shown: what was declined or refused may not. One
/// whose call was cut short was let through before.
fn requested(calls: &[Call], texts: &HashMap<String, String>) -> Vec<(String, bool)> {
    let mut paths: Vec<(String, bool)> = Vec::new();
    for call in calls.iter().filter(|call| call.name == "read_file") {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
        let text = texts.get(&call.id.0);
        let granted = text.is_some_and(|text| told(call, text).ok || text.starts_with(Outcome::INTERRUPTED));
        match paths.iter_mut().find(|(known, _)| known == path) {
            Some((_, shown)) => *shown |= granted,
            None => paths.push((path.to_owned(), granted)),
        }
    }
    paths
}

/// The files that were asked for, as they are now.
fn contents(post: &Post, workspace: &Workspace, paths: &[(String, bool)], room: usize) -> String {
    if paths.is_empty() {
        return String::new();
    }
    let sizes = paths.iter().map(|(path, shown)| if *shown { size(workspace, path) } else { 0 });
    let fair = fair_share(sizes, room);
    let mut section = "\n## Requested File Contents\n".to_owned();
    for (path, shown) in paths {
        section.push_str(&if *shown { content(post, workspace, path, fair) } else { denied(path) });
    }
    section
}

fn denied(path: &str) -> String {
    format!("--- {path} --- (file not found or access denied)\n")
}

fn size(workspace: &Workspace, path: &str) -> usize {
    let found = workspace.open_file(path).ok().and_then(|file| file.metadata().ok());
    found.map_or(0, |found| usize::try_from(found.len()).unwrap_or(usize::MAX))
}

fn content(post: &Post, workspace: &Workspace, path: &str, room: usize) -> String {
    let opened = workspace.readable(path).and_then(|_| workspace.open_file(path)).ok();
    let mut bytes = Vec::new();
    let most = room as u64 + 1024;
    let Some(size) = opened.and_then(|file| {
        let size = file.metadata().ok()?.len();
        file.take(most).read_to_end(&mut bytes).ok().map(|_| size)
    }) else {
        return denied(path);
    };
    if bytes.iter().take(BINARY).any(|byte| *byte == 0) {
        return format!("--- {path} --- (binary file of {size} bytes, not shown)\n");
    }
    let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
    let text = post.secrets.redact(&text);
    let whole = size < most;
    let shown = if whole && text.len() <= room { text.into_owned() } else { cut_lines(&text, room, size) };
    let end = if shown.is_empty() || shown.ends_with('\n') { "" } else { "\n" };
    format!("--- {path} ---\n{shown}{end}--- end {path} ---\n")
}

/// The largest size that each may have so that all fit, where small ones leave their share to the others.
fn fair_share(sizes: impl Iterator<Item = usize>, room: usize) -> usize {
    let mut sizes: Vec<usize> = sizes.collect();
    sizes.sort_unstable();
    let (mut left, mut count) = (room, sizes.len());
    for size in sizes {
        let share = left / count.max(1);
        if size.saturating_add(200) > share {
            return share.saturating_sub(200).max(100);
        }
        left -= size + 200;
        count -= 1;
    }
    usize::MAX / 2
}

fn cut(text: &str, room: usize, what: &str) -> String {
    if text.len() <= room {
        return text.to_owned();
    }
    let kept = &text[..text.floor_char_boundary(room)];
    format!("{kept}\n... ({what} cut: {} of {} bytes are shown)", kept.len(), text.len())
}

fn cut_lines(text: &str, room: usize, size: u64) -> String {
    let kept = &text[..text.floor_char_boundary(room.min(text.len()))];
    let kept = kept.rfind('\n').map_or(kept, |line| &kept[..=line]);
    let end = if kept.ends_with('\n') { "" } else { "\n" };
    let lines = kept.lines().count();
    format!(
        "{kept}{end}... (file cut: the first {lines} lines are shown, {} of {size} bytes; use RUN_COMMAND to see more)\n",
        kept.len()
    )
}
