//! Blocks as calls of tools, and back. Start at [`call`].
//!
//! A command's tool has the command's name in lower case; its arguments have the names that stand in [`call`].

use super::Block;
use crate::dialect::misread::MISREAD;
use agent::{Call, CallId, Spec};
use serde_json::{Value, json};

const COMMANDS: [&str; 7] =
    ["create_file", "edit_file", "delete_file", "read_file", "run_command", "message", "done"];

pub fn is_command(name: &str) -> bool {
    COMMANDS.contains(&name)
}

/// Whether a profile's tools are the commands of the mailbox, so that they are spoken as such.
pub fn has_commands(tools: &[Spec]) -> bool {
    COMMANDS.iter().all(|name| tools.iter().any(|spec| spec.name == *name))
}

/// The call that a block stands for, without an id.
pub fn call(block: &Block) -> Call {
    let (name, arguments) = match block {
        Block::CreateFile { path, body } => ("create_file", json!({ "path": path, "content": body })),
        Block::EditFile { path, start, end, body } => {
            ("edit_file", json!({ "path": path, "start_line": start, "end_line": end, "content": body }))
        }
        Block::DeleteFile { path } => ("delete_file", json!({ "path": path })),
        Block::ReadFile { path } => ("read_file", json!({ "path": path })),
        Block::RunCommand(command) => ("run_command", json!({ "command": command })),
        Block::Message(text) => ("message", json!({ "text": text })),
        Block::Done(text) => ("done", json!({ "text": text })),
        Block::ParseError(text) => (MISREAD, json!({ "text": text })),
        Block::Call { tool, arguments } => return made(tool, arguments.clone()),
    };
    made(name, arguments.to_string())
}

/// The command that a call stands for, if it is one.
pub fn command(call: &Call) -> Option<Block> {
    let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
    let text = |name: &str| arguments.get(name)?.as_str().map(str::to_owned);
    let lines = |name: &str| text(name).map(whole_lines);
    let line = |name: &str| arguments.get(name)?.as_i64();
    Some(match call.name.as_str() {
        "create_file" => Block::CreateFile { path: text("path")?, body: lines("content")? },
        "edit_file" => Block::EditFile {
            path: text("path")?,
            start: line("start_line")?,
            end: line("end_line")?,
            body: lines("content")?,
        },
        "delete_file" => Block::DeleteFile { path: text("path")? },
        "read_file" => Block::ReadFile { path: text("path")? },
        "run_command" => Block::RunCommand(text("command")?),
        "message" => Block::Message(text("text")?),
        "done" => Block::Done(text("text")?),
        MISREAD => Block::ParseError(text("text")?),
        _ => return None,
    })
}

/// A content as it stands between tags. Other dialects may leave out the end of its last line.
fn whole_lines(content: String) -> String {
    if content.is_empty() || content.ends_with('\n') { content } else { content + "\n" }
}

fn made(name: &str, arguments: String) -> Call {
    Call { id: CallId(String::new()), name: name.to_owned(), arguments }
}
