//! Regular expressions of ECMAScript, which is what `pattern` means, on Rust's engine. Start from [`Pattern::new`].
//!
//! The two languages look alike and differ in detail (`\d` is ASCII, `[[]` is a class of one bracket, `.` stops at four
//! characters), so the source is translated piece by piece. What the engine cannot do, look-around and back-references,
//! is refused. The engine runs in linear time, so no pattern can hang a check.

mod class;
#[cfg(test)]
mod tests;

use std::iter::Peekable;
use std::str::Chars;

use regex::{Regex, RegexBuilder};

/// The largest compiled pattern, in bytes; `(.{999}){999}` stays outside.
const SIZE_LIMIT: usize = 4 << 20;

/// What `\s`, `\d` and `\w` stand for, ready to stand between brackets.
const SPACE: &str =
    r"\t\n\x0B\x0C\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";
const DIGIT: &str = "0-9";
const WORD: &str = "A-Za-z0-9_";

/// A pattern and the text it came from.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) source: String,
    regex: Regex,
}

impl Pattern {
    /// Translates and compiles; the error is a phrase that goes on "the pattern …".
    pub(super) fn new(source: &str) -> Result<Pattern, String> {
        let translated = Translation::of(source)?;
        let regex = RegexBuilder::new(&translated).size_limit(SIZE_LIMIT).build().map_err(|error| {
            format!("is not a usable regular expression: {}", last_line(&error.to_string()))
        })?;
        Ok(Pattern { source: source.to_owned(), regex })
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// One escape, read.
enum Escape {
    /// A single character.
    One(char),
    /// A set of characters, as source that is valid alone and inside a class.
    Set(String),
}

/// A translation under way.
struct Translation<'a> {
    rest: Peekable<Chars<'a>>,
    out: String,
}

impl<'a> Translation<'a> {
    fn of(source: &'a str) -> Result<String, String> {
        let mut translation = Translation { rest: source.chars().peekable(), out: String::new() };
        while let Some(next) = translation.rest.next() {
            translation.piece(next)?;
        }
        Ok(translation.out)
    }

    fn piece(&mut self, next: char) -> Result<(), String> {
        match next {
            '\\' => self.escape_outside(),
            '[' => self.class(),
            '(' => self.group(),
            '.' => {
                self.out.push_str(r"[^\n\r\x{2028}\x{2029}]");
                Ok(())
            }
            // A brace that opens no count is an ordinary character in ECMAScript.
            '{' if !opens_count(self.rest.clone()) => {
                self.out.push_str(r"\{");
                Ok(())
            }
            other => {
                self.out.push(other);
                Ok(())
            }
        }
    }

    fn group(&mut self) -> Result<(), String> {
        self.out.push('(');
        if self.rest.next_if_eq(&'?').is_none() {
            return Ok(());
        }
        match self.rest.next() {
            Some(':') => self.out.push_str("?:"),
            Some('<') if !matches!(self.rest.peek(), Some('=' | '!')) => self.out.push_str("?<"),
            Some('=' | '!' | '<') => {
                return Err(
                    "uses look-around, which is not supported; say it with allOf, not or several patterns"
                        .into(),
                );
            }
            _ => {
                return Err(
                    "has a group that ECMAScript does not know; inline flags are not part of it".into()
                );
            }
        }
        Ok(())
    }

    fn escape_outside(&mut self) -> Result<(), String> {
        match self.rest.peek() {
            Some('b') => self.out.push_str(r"(?-u:\b)"),
            Some('B') => self.out.push_str(r"(?-u:\B)"),
            Some('1'..='9' | 'k') => return Err("uses a back-reference, which is not supported".into()),
            _ => {
                match self.escape()? {
                    Escape::One(letter) => self.push_literal(letter),
                    Escape::Set(set) => self.out.push_str(&set),
                }
                return Ok(());
            }
        }
        self.rest.next();
        Ok(())
    }

    /// Reads what follows a backslash, the same inside and outside of a class.
    fn escape(&mut self) -> Result<Escape, String> {
        let Some(next) = self.rest.next() else {
            return Err("ends in a single backslash".into());
        };
        Ok(match next {
            'd' => Escape::Set(format!("[{DIGIT}]")),
            'D' => Escape::Set(format!("[^{DIGIT}]")),
            'w' => Escape::Set(format!("[{WORD}]")),
            'W' => Escape::Set(format!("[^{WORD}]")),
            's' => Escape::Set(format!("[{SPACE}]")),
            'S' => Escape::Set(format!("[^{SPACE}]")),
            'p' | 'P' => Escape::Set(self.property(next)?),
            't' => Escape::One('\t'),
            'n' => Escape::One('\n'),
            'r' => Escape::One('\r'),
            'v' => Escape::One('\u{b}'),
            'f' => Escape::One('\u{c}'),
            '0' => Escape::One('\0'),
            'c' => Escape::One(self.control()?),
            'x' => Escape::One(char::from_u32(self.hex(2)?).unwrap_or_default()),
            'u' => Escape::One(self.unicode()?),
            letter if letter.is_ascii_alphanumeric() => {
                return Err(format!(r"has the escape \{letter}, which ECMAScript does not know"));
            }
            other => Escape::One(other),
        })
    }

    /// `{Letter}` after `\p`; a single letter without braces is not ECMAScript.
    fn property(&mut self, kind: char) -> Result<String, String> {
        let mut name = String::new();
        if self.rest.next_if_eq(&'{').is_some() {
            while let Some(letter) = self.rest.next_if(|&letter| letter != '}') {
                name.push(letter);
            }
        }
        match self.rest.next_if_eq(&'}') {
            Some(_) if !name.is_empty() => Ok(format!(r"\{kind}{{{name}}}")),
            _ => Err(format!(r"has a \{kind} without a property in braces")),
        }
    }

    fn control(&mut self) -> Result<char, String> {
        match self.rest.next_if(char::is_ascii_alphabetic) {
            Some(letter) => Ok(char::from(letter as u8 % 32)),
            None => Err(r"has a \c without a letter".into()),
        }
    }

    fn hex(&mut self, digits: usize) -> Result<u32, String> {
        (0..digits).try_fold(0, |code, _| {
            let digit = self.rest.next().and_then(|letter| letter.to_digit(16));
            digit
                .map(|digit| code * 16 + digit)
                .ok_or_else(|| "has an escape with too few hexadecimal digits".into())
        })
    }

    /// After `\u`: four digits, two halves of a surrogate pair, or digits in braces.
    fn unicode(&mut self) -> Result<char, String> {
        let code =
            if self.rest.next_if_eq(&'{').is_some() { self.braced_code()? } else { self.paired_code()? };
        char::from_u32(code).ok_or_else(|| format!("names U+{code:04X}, which is not a character"))
    }

    fn braced_code(&mut self) -> Result<u32, String> {
        let mut code = 0u32;
        while let Some(digit) = self.rest.peek().and_then(|letter| letter.to_digit(16)) {
            code = code.saturating_mul(16).saturating_add(digit);
            self.rest.next();
        }
        self.rest.next_if_eq(&'}').map(|_| code).ok_or_else(|| r"has a \u{ that is not closed".into())
    }

    fn paired_code(&mut self) -> Result<u32, String> {
        let high = self.hex(4)?;
        if !(0xD800..0xDC00).contains(&high) {
            return Ok(high);
        }
        if self.rest.next_if_eq(&'\\').is_none() || self.rest.next_if_eq(&'u').is_none() {
            return Ok(high);
        }
        let low = self.hex(4)?;
        Ok(if (0xDC00..0xE000).contains(&low) {
            0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
        } else {
            high
        })
    }

    fn push_literal(&mut self, letter: char) {
        self.out.push_str(&code_of(letter));
    }
}

/// A character by its code, which has no special meaning anywhere in a pattern.
fn code_of(letter: char) -> String {
    format!(r"\x{{{:X}}}", u32::from(letter))
}

/// Whether what follows `{` is a count such as `3}`, `3,}` or `3,5}`.
fn opens_count(rest: Peekable<Chars<'_>>) -> bool {
    let inner: String = rest.take_while(|&letter| letter != '}').take(24).collect();
    let (least, most) = inner.split_once(',').unwrap_or((&inner, ""));
    let number = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    !least.is_empty() && number(least) && number(most)
}

/// The engine's errors draw the pattern over several lines; the last one says what is wrong.
fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or(text).trim_start_matches("error: ")
}
