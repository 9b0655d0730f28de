//! Words: quotes and escapes, and where a word ends. Part of the parser.

use super::*;

/// A word that is one quoted literal.
pub(super) fn quoted(text: String) -> Word {
    Word { pieces: vec![Piece::Text { text, quoted: true }] }
}

/// Gathers the pieces of a word, joining neighbouring text of one kind.
#[derive(Default)]
pub(super) struct Pieces(pub(super) Vec<Piece>);

impl Pieces {
    pub(super) fn push(&mut self, c: char, is_quoted: bool) {
        if let Some(Piece::Text { text, quoted }) = self.0.last_mut()
            && *quoted == is_quoted
        {
            text.push(c);
            return;
        }
        self.0.push(Piece::Text { text: c.to_string(), quoted: is_quoted });
    }

    /// Quoted text, also when it is empty: `''` is an argument.
    pub(super) fn text(&mut self, text: String) {
        self.0.push(Piece::Text { text, quoted: true });
    }

    pub(super) fn word(self) -> Word {
        Word { pieces: self.0 }
    }
}

impl Parser<'_> {
    pub(super) fn word(&mut self) -> Result<Word> {
        self.count()?;
        let mut pieces = Pieces::default();
        loop {
            if self.at_process() {
                self.process(&mut pieces)?;
                continue;
            }
            match self.peek() {
                Some(c) if !is_meta(c) => self.unquoted(&mut pieces)?,
                _ if pieces.0.is_empty() => return Err(ParseError::Syntax("a word is missing")),
                _ => return Ok(pieces.word()),
            }
        }
    }

    fn process(&mut self, pieces: &mut Pieces) -> Result<()> {
        self.at += 2;
        let script = self.substituted()?;
        pieces.0.push(Piece::Process(script));
        Ok(())
    }

    /// The pieces up to an unquoted `end`, blanks and operators included.
    pub(super) fn until(&mut self, end: char) -> Result<Word> {
        let mut pieces = Pieces::default();
        loop {
            match self.peek() {
                None => return Err(ParseError::Syntax("something is not closed")),
                Some(c) if c == end => {
                    self.at += 1;
                    return Ok(pieces.word());
                }
                // A subscript is arithmetic, in which a single quote does not quote.
                Some('\'') if end == ']' => {
                    return Err(ParseError::Syntax("a quote in a subscript"));
                }
                Some('<' | '>') if self.at_process() => self.process(&mut pieces)?,
                Some(c) if is_meta(c) => {
                    pieces.push(c, false);
                    self.at += 1;
                }
                Some(_) => self.unquoted(&mut pieces)?,
            }
        }
    }

    /// The right side of a match inside `[[ ]]`: parentheses and bars belong to it.
    pub(super) fn pattern(&mut self) -> Result<Word> {
        let mut pieces = Pieces::default();
        let mut open = 0usize;
        loop {
            match self.peek() {
                None => return Err(ParseError::Syntax("`[[` without `]]`")),
                Some(c @ ('(' | ')' | '|')) if open > 0 || !self.looking_at("||") => {
                    if c == '(' {
                        open += 1;
                    } else if c == ')' {
                        let Some(fewer) = open.checked_sub(1) else {
                            return Ok(pieces.word());
                        };
                        open = fewer;
                    }
                    pieces.push(c, false);
                    self.at += 1;
                }
                Some('<' | '>') if self.at_process() => self.process(&mut pieces)?,
                Some(c) if is_meta(c) => return Ok(pieces.word()),
                Some(_) => self.unquoted(&mut pieces)?,
            }
        }
    }

    /// The inside of `((…))`, after the opening; an inner parenthesis must close before the end.
    pub(super) fn arithmetic(&mut self) -> Result<Word> {
        let mut pieces = Pieces::default();
        let mut open = 0usize;
        loop {
            let Some(c) = self.peek() else {
                return Err(ParseError::Syntax("arithmetic without its end"));
            };
            match c {
                '(' => open += 1,
                ')' if open > 0 => open -= 1,
                ')' if self.ahead(1) == Some(')') => {
                    self.at += 2;
                    return Ok(pieces.word());
                }
                ')' => return Err(ParseError::Syntax("arithmetic or nested subshells")),
                // Arithmetic is read as if in double quotes: a single quote hides nothing.
                '\'' => return Err(ParseError::Syntax("a quote inside arithmetic")),
                _ if !is_meta(c) => {
                    self.unquoted(&mut pieces)?;
                    continue;
                }
                _ => {}
            }
            pieces.push(c, false);
            self.at += 1;
        }
    }

    /// One step outside quotes.
    fn unquoted(&mut self, pieces: &mut Pieces) -> Result<()> {
        let Some(c) = self.peek() else {
            return Ok(());
        };
        self.at += 1;
        match c {
            '\\' => match self.peek() {
                Some('\n') => self.at += 1,
                Some(next) => {
                    self.at += 1;
                    pieces.push(next, true);
                }
                None => return Err(ParseError::Syntax("a backslash at the very end")),
            },
            '\'' => {
                let text = self.raw()?;
                pieces.text(text);
            }
            '"' => self.double(pieces)?,
            '$' => self.dollar(pieces, false)?,
            '`' => {
                let script = self.backquoted(false)?;
                pieces.0.push(Piece::Command { script, quoted: false });
            }
            '?' | '*' | '+' | '@' | '!' if self.peek() == Some('(') => {
                return Err(ParseError::Syntax("extended patterns are not judged"));
            }
            _ => pieces.push(c, false),
        }
        Ok(())
    }

    /// The inside of single quotes, after the opening one.
    fn raw(&mut self) -> Result<String> {
        let rest = &self.source[self.at..];
        let Some(length) = rest.iter().position(|c| *c == '\'') else {
            return Err(ParseError::Syntax("a quote is not closed"));
        };
        self.at += length + 1;
        Ok(rest[..length].iter().collect())
    }

    /// The inside of double quotes, after the opening one.
    pub(super) fn double(&mut self, pieces: &mut Pieces) -> Result<()> {
        pieces.text(String::new());
        loop {
            let Some(c) = self.peek() else {
                return Err(ParseError::Syntax("a quote is not closed"));
            };
            self.at += 1;
            match c {
                '"' => return Ok(()),
                _ => self.inside_double(c, pieces, "$`\"\\")?,
            }
        }
    }

    /// The body of a here-document with a plain end: as in double quotes, but `"` is literal.
    pub(super) fn here_text(mut self) -> Result<Word> {
        let mut pieces = Pieces::default();
        while let Some(c) = self.peek() {
            self.at += 1;
            self.inside_double(c, &mut pieces, "$`\\")?;
        }
        Ok(pieces.word())
    }

    /// One step where only `escapable` characters can be escaped; `c` has been taken.
    pub(super) fn inside_double(&mut self, c: char, pieces: &mut Pieces, escapable: &str) -> Result<()> {
        match c {
            '\\' => match self.peek() {
                Some('\n') => self.at += 1,
                Some(next) if escapable.contains(next) => {
                    self.at += 1;
                    pieces.push(next, true);
                }
                _ => pieces.push('\\', true),
            },
            '$' => self.dollar(pieces, true)?,
            '`' => {
                let script = self.backquoted(escapable.contains('"'))?;
                pieces.0.push(Piece::Command { script, quoted: true });
            }
            _ => pieces.push(c, true),
        }
        Ok(())
    }
}
