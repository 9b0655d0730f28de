//! The slash commands: what there is, and what a line that begins with a slash means. Start at [`parse`].
//!
//! Nothing is carried out here.

use crate::menu::Item;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    Approvals,
    Clear,
    Compact,
    Diff,
    Export,
    Fork,
    Help,
    Model,
    Profile,
    Quit,
    Resume,
    Undo,
    Usage,
}

/// What may follow a command, and what completes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Argument {
    None,
    Model,
    Profile,
    Conversation,
    /// One of the things said in this conversation.
    Prompt,
    File,
}

impl Command {
    pub fn argument(self) -> Argument {
        ALL.iter().find(|known| known.command == self).map_or(Argument::None, |known| known.argument)
    }
}

impl Argument {
    /// What a person is asked who may choose one.
    pub fn question(self) -> &'static str {
        match self {
            Argument::Conversation => "Go on with which conversation?",
            Argument::Model => "Which model?",
            Argument::Profile => "Which profile?",
            _ => "Which one?",
        }
    }
}

struct Known {
    command: Command,
    name: &'static str,
    argument: Argument,
    about: &'static str,
}

const fn known(command: Command, name: &'static str, argument: Argument, about: &'static str) -> Known {
    Known { command, name, argument, about }
}

/// What each is about takes few columns: a window that gets narrower while the list is open breaks the rows that it has no
/// room for, and moves as many others into the scrollback.
const ALL: [Known; 13] = [
    known(Command::Help, "/help", Argument::None, "keys and commands"),
    known(Command::Model, "/model", Argument::Model, "use another model"),
    known(Command::Resume, "/resume", Argument::Conversation, "an earlier conversation"),
    known(Command::Clear, "/clear", Argument::None, "a new conversation"),
    known(Command::Compact, "/compact", Argument::None, "sum up, to make room"),
    known(Command::Diff, "/diff", Argument::None, "what was changed here"),
    known(Command::Undo, "/undo", Argument::None, "put files back; again, redo"),
    known(Command::Fork, "/fork", Argument::Prompt, "go on in a copy"),
    known(Command::Approvals, "/approvals", Argument::None, "what waits, and your rules"),
    known(Command::Usage, "/usage", Argument::None, "tokens and cost so far"),
    known(Command::Export, "/export", Argument::File, "write it to a Markdown file"),
    known(Command::Profile, "/profile", Argument::Profile, "another set of tools"),
    known(Command::Quit, "/quit", Argument::None, "leave"),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line<'a> {
    Command(Command, &'a str),
    /// No command; the nearest one that there is.
    Unknown {
        name: &'a str,
        nearest: Option<&'static str>,
    },
    /// Words for the model.
    Words,
}

/// What a line means. A path at its beginning is no command.
pub fn parse(line: &str) -> Line<'_> {
    let trimmed = line.trim();
    if !trimmed.starts_with('/') || trimmed.contains('\n') {
        return Line::Words;
    }
    let (name, argument) = trimmed.split_once(char::is_whitespace).unwrap_or((trimmed, ""));
    if let Some(known) = ALL.iter().find(|known| known.name == name) {
        return Line::Command(known.command, argument.trim());
    }
    match name.len() > 1 && name[1..].chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
        true => Line::Unknown { name, nearest: nearest(name) },
        false => Line::Words,
    }
}

/// The commands, to choose from.
pub fn items() -> Vec<Item> {
    ALL.iter().map(|known| Item::new(known.name, known.about)).collect()
}

/// What may follow the command of this name.
pub fn argument(name: &str) -> Argument {
    ALL.iter().find(|known| known.name == name).map_or(Argument::None, |known| known.argument)
}

fn nearest(name: &str) -> Option<&'static str> {
    let near = ALL.iter().map(|known| (distance(name, known.name), known.name)).min()?;
    // Half of it must be right, or it was meant as something else.
    (near.0 * 2 < name.len()).then_some(near.1)
}

/// How many letters must be changed, added or left out.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let changed = corner + usize::from(left != *right);
            corner = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_mean_commands_or_words() {
        for (line, meant) in [
            ("/quit", Line::Command(Command::Quit, "")),
            ("  /model openai/x  ", Line::Command(Command::Model, "openai/x")),
            ("/modle x", Line::Unknown { name: "/modle", nearest: Some("/model") }),
            ("/nope", Line::Unknown { name: "/nope", nearest: None }),
            ("/exit", Line::Unknown { name: "/exit", nearest: Some("/quit") }),
            ("/zzzzzzzz", Line::Unknown { name: "/zzzzzzzz", nearest: None }),
            ("/etc/hosts is odd", Line::Words),
            ("/", Line::Words),
            ("hello /quit", Line::Words),
            ("/help\nme", Line::Words),
        ] {
            assert_eq!(parse(line), meant, "{line}");
        }
    }
}
