//! What a person does at the keyboard, from the bytes that a terminal sends. Start at [`Decoder`].
//!
//! The decoder is pure and keeps what is incomplete, so that no byte is lost however the bytes are cut. Answers of the
//! terminal to questions of ours come on the same way and are told apart here: they never become typed text.

mod sequence;

use crate::screen::{Place, Size};
use sequence::{Step, read};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    Key(Key),
    /// Text from the clipboard, with its line ends as `\n`.
    Paste(String),
    Focus(Focus),
    /// The terminal's background, in 8 bits a channel.
    Background([u8; 3]),
    /// The size of its window.
    Window(Size),
    /// Where its cursor stands.
    Cursor(Place),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    Gained,
    Lost,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    pub code: Code,
    pub with: With,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    Char(char),
    Enter,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Esc,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
}

/// The keys held down beside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct With {
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
}

impl With {
    pub const NONE: With = With { ctrl: false, alt: false, shift: false };
    pub const CTRL: With = With { ctrl: true, alt: false, shift: false };
    pub const ALT: With = With { ctrl: false, alt: true, shift: false };
}

impl Key {
    pub fn plain(code: Code) -> Key {
        Key { code, with: With::NONE }
    }

    pub fn ctrl(c: char) -> Key {
        Key { code: Code::Char(c), with: With::CTRL }
    }
}

/// A paste longer than this is cut; nothing that long is meant for a model.
const LONGEST_PASTE: usize = 16 * 1024 * 1024;
const PASTE_END: &[u8] = b"\x1b[201~";

#[derive(Debug, Default)]
pub struct Decoder {
    bytes: Vec<u8>,
    /// What was pasted so far, while a paste is under way.
    paste: Option<Vec<u8>>,
}

impl Decoder {
    /// Takes bytes and gives what they come to so far.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Input> {
        self.bytes.extend_from_slice(bytes);
        self.drain(Ending::Open)
    }

    /// Whether bytes wait that may be the beginning of something longer, such as a lone Escape.
    pub fn is_waiting(&self) -> bool {
        !self.bytes.is_empty() && self.paste.is_none()
    }

    /// Nothing followed for a while: what waits is all there is.
    pub fn settle(&mut self) -> Vec<Input> {
        self.drain(Ending::Closed)
    }

    fn drain(&mut self, ending: Ending) -> Vec<Input> {
        let mut inputs = Vec::new();
        let mut at = 0;
        while at < self.bytes.len() {
            if self.paste.is_some() {
                match self.take_paste(at) {
                    Some((next, text)) => {
                        inputs.push(Input::Paste(text));
                        at = next;
                        continue;
                    }
                    None => return inputs,
                }
            }
            match read(&self.bytes[at..], ending) {
                Step::Wait => break,
                Step::Skip(count) => at += count,
                Step::Give(input, count) => {
                    inputs.push(input);
                    at += count;
                }
                Step::PasteBegins(count) => {
                    self.paste = Some(Vec::new());
                    at += count;
                }
            }
        }
        self.bytes.drain(..at);
        inputs
    }

    /// Moves bytes of a paste over; at its end gives where the bytes go on and the whole text.
    fn take_paste(&mut self, at: usize) -> Option<(usize, String)> {
        let paste = self.paste.as_mut()?;
        let rest = &self.bytes[at..];
        let end = rest.windows(PASTE_END.len()).position(|window| window == PASTE_END);
        // The mark of the end may be cut in two.
        let certain = end.unwrap_or(rest.len().saturating_sub(PASTE_END.len() - 1));
        let room = LONGEST_PASTE.saturating_sub(paste.len());
        paste.extend_from_slice(&rest[..certain.min(room)]);
        if end.is_none() {
            self.bytes.drain(..at + certain);
            return None;
        }
        let bytes = self.paste.take().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n").replace('\r', "\n");
        Some((at + certain + PASTE_END.len(), text))
    }
}

/// Whether more bytes may come that belong to the ones that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Open,
    Closed,
}

#[cfg(test)]
mod tests;
