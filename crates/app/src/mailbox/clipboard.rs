//! The clipboard, for people who would rather not touch files. Start at [`Clipboard`].
//!
//! The programs that the system has for it are used, whichever answers first; where there is none, a terminal is asked to
//! copy. Nothing is taken from the clipboard unless it holds commands and was copied there after the letter went out.

use crate::arguments::Letters;
use crate::exit::Fault;
use host::dialect::text;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Programs that put their input on the clipboard.
const COPY: &[&[&str]] = &[
    &["wl-copy"],
    &["xclip", "-selection", "clipboard"],
    &["xsel", "--clipboard", "--input"],
    &["pbcopy"],
    &["clip.exe"],
];
/// Programs that print what is on it.
const PASTE: &[&[&str]] = &[
    &["wl-paste", "--no-newline"],
    &["xclip", "-selection", "clipboard", "-out"],
    &["xsel", "--clipboard", "--output"],
    &["pbpaste"],
    &["powershell.exe", "-NoProfile", "-Command", "Get-Clipboard -Raw"],
];
/// How often to look whether something was copied; nobody tells.
const PAUSE: Duration = Duration::from_millis(500);

pub struct Clipboard {
    copies: bool,
    pastes: bool,
    /// What lay there when the letter went out, which is no answer to it.
    before: Option<String>,
}

impl Clipboard {
    pub fn new(letters: &Letters) -> Clipboard {
        Clipboard { copies: letters.copy, pastes: letters.paste, before: None }
    }

    /// Takes note of a letter, copies it if that is wanted, and says what came of it.
    pub fn copy(&mut self, parts: &[String]) -> Option<String> {
        let first = parts.first().filter(|_| self.copies);
        let copied = first.filter(|first| put(first));
        if self.pastes {
            // Who is quick may have copied the answer by now, so what was just put there is not looked at again.
            self.before = copied.cloned().or_else(get);
        }
        let more = parts.len().saturating_sub(1);
        first?;
        Some(match (copied, more) {
            (Some(_), 0) => "The outbox is on the clipboard.".to_owned(),
            (Some(_), more) => {
                format!("The first part is on the clipboard; copy the other {more} from their files.")
            }
            (None, _) => "There is no clipboard here: copy the outbox file yourself.".to_owned(),
        })
    }

    /// Waits until a reply is copied; for ever if none is to be taken from here.
    pub async fn reply(&mut self) -> String {
        if !self.pastes {
            return std::future::pending().await;
        }
        loop {
            tokio::time::sleep(PAUSE).await;
            // Reading it may take a moment, and the program has nothing else to do meanwhile that could not wait.
            let Ok(Some(found)) = tokio::task::spawn_blocking(get).await else { continue };
            if self.before.as_ref() == Some(&found) {
                continue;
            }
            self.before = Some(found.clone());
            if is_reply(&found) {
                return found;
            }
        }
    }
}

pub fn not_delivered(inbox: &Path, error: &std::io::Error) -> Fault {
    Fault::error(format!("cannot put the reply into {}: {error}", inbox.display()))
}

/// Commands, and not our own letter, which has some as examples.
fn is_reply(text: &str) -> bool {
    !text.trim_start().starts_with("=== ") && !text::parse(text).is_empty()
}

fn put(text: &str) -> bool {
    COPY.iter().any(|program| feed(program, text)) || ask_terminal(text)
}

/// Runs a program with this input. It may stay behind to serve the clipboard, so nothing of its output is waited for.
fn feed(program: &[&str], text: &str) -> bool {
    let Some(mut command) = command(program) else { return false };
    let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else { return false };
    let fed = child.stdin.take().is_some_and(|mut pipe| pipe.write_all(text.as_bytes()).is_ok());
    child.wait().is_ok_and(|status| status.success()) && fed
}

fn get() -> Option<String> {
    PASTE.iter().find_map(|program| {
        let output = command(program)?.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    })
}

fn command(program: &[&str]) -> Option<Command> {
    let (name, arguments) = program.split_first()?;
    let mut command = Command::new(name);
    command.args(arguments);
    Some(command)
}

/// Asks the terminal to copy (OSC 52), which also works from a machine that is far away. It gives no answer.
fn ask_terminal(text: &str) -> bool {
    let mut out = std::io::stdout();
    out.is_terminal()
        && write!(out, "\x1b]52;c;{}\x07", base64(text.as_bytes())).and_then(|()| out.flush()).is_ok()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let at = |index: usize| u32::from(group.get(index).copied().unwrap_or_default());
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4 {
            let index = (bits >> (18 - 6 * digit)) & 63;
            text.push(if digit <= group.len() { char::from(DIGITS[index as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_as_everywhere() {
        for (plain, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn only_commands_are_a_reply() {
        let commands = "Sure!\n[READ_FILE path=\"a\"]\n";
        for (text, expected) in
            [(commands, true), ("hello", false), ("=== HEADER ===\n[DONE]\n[/DONE]", false)]
        {
            assert_eq!(is_reply(text), expected, "{text}");
        }
    }
}
