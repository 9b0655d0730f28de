//! Text cut into what is printed and what a terminal would obey. Start from [`tokens`].
//!
//! The grammar is ECMA-48's, seven bits and eight. A control string (OSC, DCS and the like) needs its end; without one
//! only its beginning is taken away, so that no text is lost to a stray byte.

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// At least one character, none of them a control.
    Text(&'a str),
    Line,
    /// A carriage return that no line feed follows.
    Return,
    Tab,
    /// The parameters of a Select Graphic Rendition.
    Sgr(&'a str),
    Dropped,
    /// The text ends inside of this sequence, which more text may complete.
    Open(&'a str),
}

pub(super) fn tokens(text: &str) -> Tokens<'_> {
    Tokens { rest: text }
}

pub(super) struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let rest = self.rest;
        let first = rest.chars().next()?;
        let (length, token) = match first {
            '\n' => (1, Token::Line),
            '\r' if rest == "\r" => (1, Token::Open(rest)),
            '\r' if rest.starts_with("\r\n") => (2, Token::Line),
            '\r' => (1, Token::Return),
            '\t' => (1, Token::Tab),
            '\x1b' => escape(rest),
            '\u{9b}' => sequence(rest, 2),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => string(rest, 2),
            c if c.is_control() => (c.len_utf8(), Token::Dropped),
            _ => {
                let length = rest.find(char::is_control).unwrap_or(rest.len());
                (length, Token::Text(rest.get(..length)?))
            }
        };
        self.rest = rest.get(length..)?;
        Some(token)
    }
}

fn escape(rest: &str) -> (usize, Token<'_>) {
    match rest.as_bytes().get(1) {
        None => (1, Token::Open(rest)),
        Some(b'[') => sequence(rest, 2),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => string(rest, 2),
        Some(b' '..=b'~') => {
            let between = run(rest, 1, |byte| (b' '..=b'/').contains(&byte));
            match rest.as_bytes().get(between) {
                None => (rest.len(), Token::Open(rest)),
                Some(b'0'..=b'~') => (between + 1, Token::Dropped),
                Some(_) => (between, Token::Dropped),
            }
        }
        Some(_) => (1, Token::Dropped),
    }
}

/// A control sequence whose introducer takes the first `start` bytes.
fn sequence(rest: &str, start: usize) -> (usize, Token<'_>) {
    let parameters = run(rest, start, |byte| (b'0'..=b'?').contains(&byte));
    let between = run(rest, parameters, |byte| (b' '..=b'/').contains(&byte));
    match rest.as_bytes().get(between) {
        None => (rest.len(), Token::Open(rest)),
        Some(b'm') if between == parameters => {
            (between + 1, Token::Sgr(rest.get(start..parameters).unwrap_or_default()))
        }
        Some(b'@'..=b'~') => (between + 1, Token::Dropped),
        Some(_) => (between, Token::Dropped),
    }
}

fn string(rest: &str, start: usize) -> (usize, Token<'_>) {
    let body = rest.get(start..).unwrap_or_default();
    let Some(end) = body.find(char::is_control) else { return (rest.len(), Token::Open(rest)) };
    match body.get(end..).unwrap_or_default() {
        "\x1b" => (rest.len(), Token::Open(rest)),
        tail if tail.starts_with("\x1b\\") => (start + end + 2, Token::Dropped),
        tail if tail.starts_with('\x07') => (start + end + 1, Token::Dropped),
        tail if tail.starts_with('\u{9c}') => (start + end + 2, Token::Dropped),
        _ => (start, Token::Dropped),
    }
}

fn run(rest: &str, start: usize, within: fn(u8) -> bool) -> usize {
    let tail = rest.as_bytes().get(start..).unwrap_or_default();
    start + tail.iter().position(|&byte| !within(byte)).unwrap_or(tail.len())
}
