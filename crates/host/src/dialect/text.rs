//! The `text` dialect: commands as tagged blocks in a chat's reply. Start at [`parse`]; [`print()`] is its inverse.
//!
//! The reader forgives what chats do to a text on its way (fences, smart quotes, CRLF, escaped brackets, words around
//! the blocks) and forgives nothing that would change what runs: a block that cannot be read whole becomes a
//! [`Block::ParseError`], nothing inside it is a command, and one that is never closed swallows the rest.
//!
//! There is no escape for a body's lines. A body ends at the first line that is its own closing tag; every other line
//! is text, also one that looks like the tag of another command. So a body that holds its own closing tag cannot be
//! said, and [`print()`] refuses it.

mod body;
mod command;
mod print;
mod prose;
mod tag;
#[cfg(test)]
mod tests;

pub use command::{call, command, has_commands, is_command};
pub use print::{Unprintable, print};

use body::Lines;
use prose::Prose;
use tag::{Dress, Kind, Tag};

/// What a reader of the outbox is told about these blocks.
pub const PROTOCOL: &str = include_str!("text/protocol.md");

/// One command of a reply, or what is wrong with one.
///
/// The bodies of files are whole lines, each with an LF: so a blank line is not the same as no line. The words of
/// `RunCommand`, `Message` and `Done` are trimmed, paths are as they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    CreateFile {
        path: String,
        body: String,
    },
    /// Line numbers as they were written: from 1, both ends included, not yet compared with any file.
    EditFile {
        path: String,
        start: i64,
        end: i64,
        body: String,
    },
    DeleteFile {
        path: String,
    },
    ReadFile {
        path: String,
    },
    RunCommand(String),
    Message(String),
    Done(String),
    /// Any other tool, with its arguments in JSON as they were written.
    Call {
        tool: String,
        arguments: String,
    },
    /// A command that cannot be run, with the words that tell why.
    ParseError(String),
}

/// A reply taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    pub blocks: Vec<Block>,
    /// The words around the blocks.
    pub prose: String,
}

/// The commands of a reply in their order. Reading ends at `DONE`: nothing after it may run.
pub fn parse(reply: &str) -> Vec<Block> {
    read(reply).blocks
}

/// As [`parse`], with the words around the commands.
pub fn read(reply: &str) -> Reading {
    let reply = reply.trim_start_matches('\u{feff}');
    let mut blocks = Vec::new();
    let mut prose = Prose::default();
    let mut open: Option<Open> = None;
    for (start, end) in Lines::of(reply) {
        let line = &reply[start..end];
        match &open {
            Some(block) if tag::closes(line, block.kind, block.dress) => {
                let block = block.close(&reply[block.start..start]);
                let done = matches!(block, Block::Done(_));
                blocks.push(block);
                open = None;
                if done {
                    break;
                }
            }
            Some(_) => {}
            None => match tag::opening(line) {
                Some(tag) => {
                    prose.block();
                    match begin(tag, end) {
                        Begun::Whole(block) => blocks.push(block),
                        Begun::Open(block) => open = Some(block),
                    }
                }
                None => prose.line(line),
            },
        }
    }
    blocks.extend(open.map(Open::swallow));
    Reading { blocks, prose: prose.finish() }
}

/// A block whose closing tag is looked for.
struct Open {
    kind: Kind,
    dress: Dress,
    /// Where its body starts.
    start: usize,
    /// The block without its body, or what is wrong with it.
    head: Result<Block, String>,
}

enum Begun {
    Whole(Block),
    Open(Open),
}

fn begin(tag: Tag, start: usize) -> Begun {
    let (kind, dress) = (tag.kind, tag.dress);
    let head = head(tag);
    match kind {
        Kind::DeleteFile | Kind::ReadFile => Begun::Whole(head.unwrap_or_else(Block::ParseError)),
        _ => Begun::Open(Open { kind, dress, start, head }),
    }
}

/// What a tag alone says. Which attribute is missing is told before anything else that is wrong with them.
fn head(tag: Tag) -> Result<Block, String> {
    let name = tag.kind.name();
    let path = || tag.value("path").ok_or_else(|| format!("{name} missing path attribute"));
    let block = match tag.kind {
        Kind::CreateFile => Block::CreateFile { path: path()?, body: String::new() },
        Kind::DeleteFile => Block::DeleteFile { path: path()? },
        Kind::ReadFile => Block::ReadFile { path: path()? },
        Kind::EditFile => edit(&tag)?,
        Kind::RunCommand => Block::RunCommand(String::new()),
        Kind::Message => Block::Message(String::new()),
        Kind::Done => Block::Done(String::new()),
        Kind::Call => {
            let tool = tag.value("tool").ok_or("CALL missing tool attribute")?;
            Block::Call { tool, arguments: String::new() }
        }
    };
    match tag.fault {
        Some(fault) => Err(format!("{name} {fault}")),
        None => Ok(block),
    }
}

fn edit(tag: &Tag) -> Result<Block, String> {
    let (Some(path), Some(start), Some(end)) =
        (tag.value("path"), tag.value("start_line"), tag.value("end_line"))
    else {
        return Err("EDIT_FILE missing required attributes (path, start_line, end_line)".to_owned());
    };
    match (start.trim().parse(), end.trim().parse()) {
        (Ok(start), Ok(end)) => Ok(Block::EditFile { path, start, end, body: String::new() }),
        _ => Err("EDIT_FILE start_line/end_line must be integers".to_owned()),
    }
}

impl Open {
    fn close(&self, body: &str) -> Block {
        let body = body::received(body, self.dress);
        match self.head.clone() {
            Err(text) => Block::ParseError(text),
            Ok(Block::CreateFile { path, .. }) => {
                let body = body::unfenced_file(&path, body);
                Block::CreateFile { path, body }
            }
            Ok(Block::EditFile { path, start, end, .. }) => {
                let body = body::unfenced_file(&path, body);
                Block::EditFile { path, start, end, body }
            }
            Ok(Block::RunCommand(_)) => Block::RunCommand(body::unfenced(body.trim()).trim().to_owned()),
            Ok(Block::Message(_)) => Block::Message(body.trim().to_owned()),
            Ok(Block::Done(_)) => Block::Done(body.trim().to_owned()),
            Ok(Block::Call { tool, .. }) => {
                let arguments = body::unfenced(body.trim()).trim().to_owned();
                Block::Call { tool, arguments }
            }
            Ok(whole) => whole,
        }
    }

    /// The end of the reply came before the closing tag.
    fn swallow(self) -> Block {
        let name = self.kind.name();
        Block::ParseError(match self.head {
            Err(text) => text,
            Ok(Block::CreateFile { path: of, .. } | Block::EditFile { path: of, .. })
            | Ok(Block::Call { tool: of, .. }) => format!("{name} for '{of}' missing closing tag"),
            Ok(_) => format!("{name} missing closing tag"),
        })
    }
}
