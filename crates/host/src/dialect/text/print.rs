//! Blocks as text. Start at [`print()`].

use super::Block;
use super::body::{unfenced, unfenced_file};
use super::tag::{Dress, Kind, closes};

/// Why a block cannot be said in this dialect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unprintable {
    #[error("a body with the line [/{0}] would end there; send it another way")]
    ClosingTag(&'static str),
    #[error("a body that is one fenced block would lose its fence; send it another way")]
    Fence,
    #[error("a body with CRLF line ends would lose them; send it another way")]
    CarriageReturn,
    #[error("the {0} attribute is blank, has a line break or both kinds of quotation marks")]
    Attribute(&'static str),
    #[error("a parse error is no command")]
    ParseError,
}

/// A block as a reply would write it, without a line end after it.
///
/// For every block that [`parse`](super::parse) can give and `print` does not refuse, `parse(print(b)) == [b]`.
pub fn print(block: &Block) -> Result<String, Unprintable> {
    match block {
        Block::CreateFile { path, body } => {
            keeps_fence(body, &unfenced_file(path, body.clone()))?;
            closed(Kind::CreateFile, &attribute("path", path)?, body)
        }
        Block::EditFile { path, start, end, body } => {
            keeps_fence(body, &unfenced_file(path, body.clone()))?;
            let path = attribute("path", path)?;
            closed(Kind::EditFile, &format!("{path} start_line=\"{start}\" end_line=\"{end}\""), body)
        }
        Block::DeleteFile { path } => Ok(alone(Kind::DeleteFile, &attribute("path", path)?)),
        Block::ReadFile { path } => Ok(alone(Kind::ReadFile, &attribute("path", path)?)),
        Block::RunCommand(command) => {
            keeps_fence(command, unfenced(command))?;
            closed(Kind::RunCommand, "", command)
        }
        Block::Message(text) => closed(Kind::Message, "", text),
        Block::Done(text) => closed(Kind::Done, "", text),
        Block::Call { tool, arguments } => {
            keeps_fence(arguments, unfenced(arguments))?;
            closed(Kind::Call, &attribute("tool", tool)?, arguments)
        }
        Block::ParseError(_) => Err(Unprintable::ParseError),
    }
}

fn keeps_fence(body: &str, read: &str) -> Result<(), Unprintable> {
    if body == read { Ok(()) } else { Err(Unprintable::Fence) }
}

fn alone(kind: Kind, attributes: &str) -> String {
    match attributes {
        "" => format!("[{}]", kind.name()),
        _ => format!("[{} {attributes}]", kind.name()),
    }
}

fn closed(kind: Kind, attributes: &str, body: &str) -> Result<String, Unprintable> {
    if body.split('\n').any(|line| closes(line, kind, Dress::Plain)) {
        return Err(Unprintable::ClosingTag(kind.name()));
    }
    if body.contains("\r\n") || body.ends_with('\r') {
        return Err(Unprintable::CarriageReturn);
    }
    let (tag, name) = (alone(kind, attributes), kind.name());
    let line_end = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{tag}\n{body}{line_end}[/{name}]"))
}

fn attribute(name: &'static str, value: &str) -> Result<String, Unprintable> {
    let quote = ['"', '\''].into_iter().find(|quote| !value.contains(*quote));
    match quote {
        Some(quote) if !value.trim().is_empty() && !value.contains(['\n', '\r']) => {
            Ok(format!("{name}={quote}{value}{quote}"))
        }
        _ => Err(Unprintable::Attribute(name)),
    }
}
