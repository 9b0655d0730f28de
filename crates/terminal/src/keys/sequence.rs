//! One key or answer at the front of some bytes. Start at [`read`].

use super::{Code, Ending, Focus, Input, Key, With};
use crate::screen::{Place, Size};

pub(super) enum Step {
    /// What is there may be the beginning of something longer.
    Wait,
    /// Bytes that mean nothing here.
    Skip(usize),
    Give(Input, usize),
    PasteBegins(usize),
}

/// A string that the terminal sends in answer, such as a colour, is at most this long; beyond, it is none.
const LONGEST_STRING: usize = 256;

pub(super) fn read(bytes: &[u8], ending: Ending) -> Step {
    match bytes {
        [] => Step::Wait,
        [0x1b] if ending == Ending::Open => Step::Wait,
        [0x1b] => key(Code::Esc, With::NONE, 1),
        [0x1b, b'[', ..] => control(bytes, ending),
        [0x1b, b']' | b'P' | b'_', ..] => string(bytes, ending),
        [0x1b, b'O', b'M', ..] => key(Code::Enter, With::NONE, 3),
        [0x1b, b'O', final_byte, ..] => match arrow(*final_byte) {
            Some(code) => key(code, With::NONE, 3),
            None => Step::Skip(3),
        },
        [0x1b, b'O'] if ending == Ending::Open => Step::Wait,
        [0x1b, 0x1b, ..] => key(Code::Esc, With::NONE, 1),
        [0x1b, rest @ ..] => match single(rest, ending) {
            Step::Give(Input::Key(key), count) => {
                Step::Give(Input::Key(Key { with: With { alt: true, ..key.with }, ..key }), count + 1)
            }
            Step::Skip(count) => Step::Skip(count + 1),
            other => other,
        },
        _ => single(bytes, ending),
    }
}

fn key(code: Code, with: With, count: usize) -> Step {
    Step::Give(Input::Key(Key { code, with }), count)
}

/// A key that is one character.
fn single(bytes: &[u8], ending: Ending) -> Step {
    let Some(first) = bytes.first() else { return Step::Wait };
    match first {
        b'\r' => key(Code::Enter, With::NONE, 1),
        b'\t' => key(Code::Tab, With::NONE, 1),
        0x7f => key(Code::Backspace, With::NONE, 1),
        0 => key(Code::Char(' '), With::CTRL, 1),
        0x01..=0x1a => key(Code::Char((first - 1 + b'a') as char), With::CTRL, 1),
        0x1b => key(Code::Esc, With::NONE, 1),
        0x1c..=0x1f => key(Code::Char((first - 0x1c + b'4') as char), With::CTRL, 1),
        _ => character(bytes, ending),
    }
}

fn character(bytes: &[u8], ending: Ending) -> Step {
    let window = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(window) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() > 0 => {
            std::str::from_utf8(&window[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(error) => {
            return match error.error_len() {
                None if ending == Ending::Open => Step::Wait,
                None => Step::Skip(window.len()),
                Some(count) => Step::Skip(count),
            };
        }
    };
    match valid.chars().next() {
        // What a terminal may not print, a person may not type.
        Some(c) if c.is_control() => Step::Skip(c.len_utf8()),
        Some(c) => key(Code::Char(c), With::NONE, c.len_utf8()),
        None => Step::Skip(1),
    }
}

/// `ESC [`: parameters, intermediates, a final byte.
fn control(bytes: &[u8], ending: Ending) -> Step {
    let body = &bytes[2..];
    let Some(length) = body.iter().position(|byte| (0x40..=0x7e).contains(byte)) else {
        return match ending {
            Ending::Open if body.len() < LONGEST_STRING => Step::Wait,
            // Escape and a bracket, pressed one after the other.
            Ending::Closed if body.is_empty() => key(Code::Char('['), With::ALT, 2),
            _ => Step::Skip(bytes.len()),
        };
    };
    let count = length + 3;
    let parameters = &body[..length];
    let number = |at: usize| number(parameters, at);
    let with = with(number(1));
    match body[length] {
        _ if is_released(parameters) => Step::Skip(count),
        // A mouse that another program left on: a button and a place, one byte each.
        b'M' if parameters.is_empty() => match bytes.len() < count + 3 && ending == Ending::Open {
            true => Step::Wait,
            false => Step::Skip(bytes.len().min(count + 3)),
        },
        b'~' => match number(0) {
            Some(200) => Step::PasteBegins(count),
            Some(27) => other_key(number(2), with, count),
            Some(code) => tilde(code).map_or(Step::Skip(count), |code| key(code, with, count)),
            None => Step::Skip(count),
        },
        b'u' if !parameters.starts_with(b"?") => other_key(number(0), with, count),
        b'I' => Step::Give(Input::Focus(Focus::Gained), count),
        b'O' => Step::Give(Input::Focus(Focus::Lost), count),
        b't' if number(0) == Some(8) => {
            answer(number(1), number(2), count, |rows, columns| Input::Window(Size { columns, rows }))
        }
        b'R' => answer(number(0), number(1), count, |row, column| {
            Input::Cursor(Place { row: row - 1, column: column - 1 })
        }),
        b'Z' => key(Code::BackTab, With::NONE, count),
        last => arrow(last).map_or(Step::Skip(count), |code| key(code, with, count)),
    }
}

/// Two numbers that the terminal counts from one.
fn answer(first: Option<u32>, second: Option<u32>, count: usize, make: fn(usize, usize) -> Input) -> Step {
    match (first, second) {
        (Some(first @ 1..), Some(second @ 1..)) => Step::Give(make(first as usize, second as usize), count),
        _ => Step::Skip(count),
    }
}

fn number(parameters: &[u8], at: usize) -> Option<u32> {
    let part = parameters.split(|byte| *byte == b';').nth(at)?;
    let digits = part.split(|byte| *byte == b':').next()?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Whether a key was let go, which some terminals tell after a second colon.
fn is_released(parameters: &[u8]) -> bool {
    parameters.split(|byte| *byte == b';').nth(1).is_some_and(|part| part.ends_with(b":3"))
}

fn with(parameter: Option<u32>) -> With {
    let bits = parameter.unwrap_or(1).saturating_sub(1);
    With { shift: bits & 1 != 0, alt: bits & 2 != 0, ctrl: bits & 4 != 0 }
}

fn arrow(last: u8) -> Option<Code> {
    Some(match last {
        b'A' => Code::Up,
        b'B' => Code::Down,
        b'C' => Code::Right,
        b'D' => Code::Left,
        b'H' => Code::Home,
        b'F' => Code::End,
        _ => return None,
    })
}

fn tilde(code: u32) -> Option<Code> {
    Some(match code {
        1 | 7 => Code::Home,
        3 => Code::Delete,
        4 | 8 => Code::End,
        5 => Code::PageUp,
        6 => Code::PageDown,
        _ => return None,
    })
}

/// A key told by its number, as newer terminals do where the old bytes are ambiguous.
fn other_key(code: Option<u32>, with: With, count: usize) -> Step {
    let code = match code {
        Some(13 | 57414) => Code::Enter,
        Some(9) if with.shift => Code::BackTab,
        Some(9) => Code::Tab,
        Some(27) => Code::Esc,
        Some(8 | 127) => Code::Backspace,
        Some(number) => match char::from_u32(number).filter(|c| !c.is_control()) {
            // The private use area stands for keys that have no character.
            Some('\u{e000}'..='\u{f8ff}') | None => return Step::Skip(count),
            Some(c) if with.shift => Code::Char(c.to_uppercase().next().unwrap_or(c)),
            Some(c) => Code::Char(c),
        },
        None => return Step::Skip(count),
    };
    key(code, with, count)
}

/// `ESC ]` and its like: an answer that ends in BEL or `ESC \`.
fn string(bytes: &[u8], ending: Ending) -> Step {
    let body = &bytes[2..];
    let end = body.iter().enumerate().find_map(|(at, byte)| match byte {
        0x07 => Some((at, at + 1)),
        0x1b if body.get(at + 1) == Some(&b'\\') => Some((at, at + 2)),
        _ => None,
    });
    match end {
        Some((end, count)) => match background(&body[..end]) {
            Some(colour) => Step::Give(Input::Background(colour), count + 2),
            None => Step::Skip(count + 2),
        },
        None if ending == Ending::Open && body.len() < LONGEST_STRING => Step::Wait,
        // Escape and a letter, pressed one after the other.
        None => key(Code::Char(bytes[1] as char), With::ALT, 2),
    }
}

/// `11;rgb:RRRR/GGGG/BBBB`, with one to four digits a channel.
fn background(answer: &[u8]) -> Option<[u8; 3]> {
    let text = std::str::from_utf8(answer).ok()?.strip_prefix("11;rgb:")?;
    let mut channels = text.split('/').map(|digits| {
        let value = u32::from_str_radix(digits, 16).ok()?;
        let most = 16u32.checked_pow(digits.len() as u32)? - 1;
        (digits.len() <= 4 && most > 0).then(|| (value * 255 / most) as u8)
    });
    Some([channels.next()??, channels.next()??, channels.next()??])
}
