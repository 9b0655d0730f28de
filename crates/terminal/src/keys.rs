//! What a person does at the keyboard, from the bytes that a terminal sends. Start at [`Decoder`].
//!
//! The decoder is pure and keeps what is incomplete, so that no byte is lost however the bytes are cut. Answers of the
//! terminal to questions of ours come on the same way and are told apart here: they never become typed text.

mod sequence;

use crate::screen::{Place, Size};
use sequence::{Step, read};
use std::time::Duration;

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

/// How long an Escape may be the beginning of a sequence: longer than a terminal needs, shorter than is felt.
const AFTER_ESCAPE: Duration = Duration::from_millis(50);
/// How long a sequence or character that has begun may take, as over a slow line: nobody types one by hand.
const INSIDE: Duration = Duration::from_millis(500);
/// How long a paste may be silent before what came of it is given.
const INSIDE_PASTE: Duration = Duration::from_secs(1);
const CTRL_C: &[u8] = b"\x03";

#[derive(Debug, Default)]
pub struct Decoder {
    bytes: Vec<u8>,
    /// What was pasted so far, while a paste is under way.
    paste: Option<Vec<u8>>,
    /// Whether a paste was silent for so long that its end may never come.
    stalled: bool,
}

impl Decoder {
    /// Takes bytes and gives what they come to so far.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Input> {
        let mut inputs = Vec::new();
        // Whose terminal lost the end of a paste gets out of it.
        if self.stalled && bytes == CTRL_C {
            inputs = self.settle();
            (self.paste, self.bytes) = (None, Vec::new());
        }
        self.stalled = false;
        self.bytes.extend_from_slice(bytes);
        inputs.extend(self.drain(Ending::Open));
        inputs
    }

    /// How long to wait for more, where bytes may be the beginning of something longer, such as a lone Escape.
    pub fn patience(&self) -> Option<Duration> {
        match (&self.paste, self.bytes.as_slice()) {
            (Some(_), _) => Some(INSIDE_PASTE),
            (None, []) => None,
            (None, [0x1b]) => Some(AFTER_ESCAPE),
            (None, _) => Some(INSIDE),
        }
    }

    /// Nothing followed for a while: what waits is all there is. A paste goes on, since its lines are not typed ones.
    pub fn settle(&mut self) -> Vec<Input> {
        let Some(paste) = &mut self.paste else { return self.drain(Ending::Closed) };
        self.stalled = true;
        let end = paste.len() - incomplete(paste);
        let text = pasted(&paste[..end]);
        paste.drain(..end);
        if text.is_empty() { Vec::new() } else { vec![Input::Paste(text)] }
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
        let certain = end.unwrap_or_else(|| rest.len() - cut_mark(rest));
        let room = LONGEST_PASTE.saturating_sub(paste.len());
        paste.extend_from_slice(&rest[..certain.min(room)]);
        if end.is_none() {
            self.bytes.drain(..at + certain);
            return None;
        }
        let bytes = self.paste.take().unwrap_or_default();
        Some((at + certain + PASTE_END.len(), pasted(&bytes)))
    }
}

fn pasted(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n")
}

/// How many bytes at the end may be the beginning of the mark.
fn cut_mark(bytes: &[u8]) -> usize {
    (1..PASTE_END.len()).rev().find(|count| bytes.ends_with(&PASTE_END[..*count])).unwrap_or(0)
}

/// How many bytes at the end belong to what has not come yet: a part of a character, half a line end.
fn incomplete(bytes: &[u8]) -> usize {
    if bytes.ends_with(b"\r") {
        return 1;
    }
    let tail = &bytes[bytes.len().saturating_sub(4)..];
    let last = tail.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    if std::str::from_utf8(last).is_err_and(|error| error.error_len().is_none()) { last.len() } else { 0 }
}

/// Whether more bytes may come that belong to the ones that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Open,
    Closed,
}

#[cfg(test)]
mod tests;
