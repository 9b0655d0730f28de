//! Words: quotes, escapes and expansions. Part of the parser.

use super::*;

/// A word that is one quoted literal.
pub(super) fn quoted(text: String) -> Word {
    Word { pieces: vec![Piece::Text { text, quoted: true }] }
}

/// Gathers the pieces of a word, joining neighbouring text of one kind.
#[derive(Default)]
struct Pieces(Vec<Piece>);

impl Pieces {
    fn push(&mut self, c: char, is_quoted: bool) {
        if let Some(Piece::Text { text, quoted }) = self.0.last_mut()
            && *quoted == is_quoted
        {
            text.push(c);
            return;
        }
        self.0.push(Piece::Text { text: c.to_string(), quoted: is_quoted });
    }

    /// Quoted text, also when it is empty: `''` is an argument.
    fn text(&mut self, text: String) {
        self.0.push(Piece::Text { text, quoted: true });
    }

    fn word(self) -> Word {
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
    fn until(&mut self, end: char) -> Result<Word> {
        let mut pieces = Pieces::default();
        loop {
            match self.peek() {
                None => return Err(ParseError::Syntax("something is not closed")),
                Some(c) if c == end => {
                    self.at += 1;
                    return Ok(pieces.word());
                }
                // A subscript is arithmetic, in which a single quote does not quote.
                Some('\'') if end == ']' => return Err(ParseError::Syntax("a quote in a subscript")),
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
    fn double(&mut self, pieces: &mut Pieces) -> Result<()> {
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
    fn inside_double(&mut self, c: char, pieces: &mut Pieces, escapable: &str) -> Result<()> {
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

    /// What follows a `$`.
    fn dollar(&mut self, pieces: &mut Pieces, quoted: bool) -> Result<()> {
        match self.peek() {
            Some('(') if self.ahead(1) == Some('(') => {
                self.at += 2;
                let inner = self.deeper(Self::arithmetic)?;
                pieces.0.push(Piece::Arithmetic(inner));
            }
            Some('(') => {
                self.at += 1;
                let script = self.substituted()?;
                pieces.0.push(Piece::Command { script, quoted });
            }
            Some('{') => {
                self.at += 1;
                let piece = self.deeper(|parser| parser.braced(quoted))?;
                pieces.0.push(piece);
            }
            Some('[') => return Err(ParseError::Syntax("old-style arithmetic `$[`")),
            Some('\'') if !quoted => {
                self.at += 1;
                let text = self.ansi()?;
                pieces.text(text);
            }
            Some('"') if !quoted => {
                self.at += 1;
                self.double(pieces)?;
            }
            Some(c) if c == '_' || c.is_ascii_alphabetic() => {
                let name = self.name();
                pieces.0.push(plain(name, quoted));
            }
            Some(c) if is_special(c) => {
                self.at += 1;
                pieces.0.push(plain(c.to_string(), quoted));
            }
            _ => pieces.push('$', quoted),
        }
        Ok(())
    }

    /// The inside of `${…}`, after the brace.
    fn braced(&mut self, quoted: bool) -> Result<Piece> {
        let mut form = Form::Plain;
        if self.looking_at("!") || (self.looking_at("#") && self.ahead(1) != Some('}')) {
            self.at += 1;
            form = Form::Changed;
        }
        let mut name = self.name();
        if name.is_empty() {
            match self.peek() {
                Some(c) if is_special(c) => {
                    name = c.to_string();
                    self.at += 1;
                }
                _ => return Err(ParseError::Syntax("an expansion in braces")),
            }
        }
        let mut inner = Vec::new();
        if self.eat("[") {
            inner.push(self.until(']')?);
            form = Form::Changed;
        }
        form = match (self.peek(), self.ahead(1)) {
            (Some('}'), _) => form,
            (Some('@'), _) => Form::Evaluated,
            (Some('='), _) | (Some(':'), Some('=')) => Form::Assigning,
            _ => Form::Changed,
        };
        inner.push(if quoted { self.until_quoted()? } else { self.until('}')? });
        Ok(Piece::Parameter { name, quoted, form, inner })
    }

    /// The rest of `${…}` inside double quotes, where a single quote does not quote.
    fn until_quoted(&mut self) -> Result<Word> {
        let mut pieces = Pieces::default();
        loop {
            let Some(c) = self.peek() else {
                return Err(ParseError::Syntax("something is not closed"));
            };
            self.at += 1;
            match c {
                '}' => return Ok(pieces.word()),
                '"' => self.double(&mut pieces)?,
                // Whether it quotes depends on the operator before it.
                '\'' => return Err(ParseError::Syntax("a quote inside a quoted expansion")),
                '\\' => match self.peek() {
                    Some(next) => {
                        self.at += 1;
                        pieces.push(next, true);
                    }
                    None => return Err(ParseError::Syntax("something is not closed")),
                },
                _ => self.inside_double(c, &mut pieces, "$`\"\\")?,
            }
        }
    }

    /// `$(…)` or `<(…)`, after the parenthesis.
    fn substituted(&mut self) -> Result<Script> {
        let start = self.at;
        let outer = std::mem::take(&mut self.pending);
        let script = self.deeper(Self::list)?;
        if !self.eat(")") {
            return Err(ParseError::Syntax("a substitution is not closed"));
        }
        let crossed = !outer.is_empty() && self.source[start..self.at].contains(&'\n');
        if !self.pending.is_empty() || crossed {
            return Err(ParseError::Syntax("a here-document across a substitution"));
        }
        self.pending = outer;
        Ok(script)
    }

    /// A substitution in backquotes, after the first: one level of escapes is taken off.
    fn backquoted(&mut self, in_quotes: bool) -> Result<Script> {
        let mut inner = Vec::new();
        loop {
            let Some(c) = self.peek() else {
                return Err(ParseError::Syntax("a backquote is not closed"));
            };
            self.at += 1;
            match (c, self.peek()) {
                ('`', _) => break,
                ('\\', Some(next)) if "$`\\".contains(next) || (in_quotes && next == '"') => {
                    inner.push(next);
                    self.at += 1;
                }
                _ => inner.push(c),
            }
        }
        // Its text is read again, so it is paid for again.
        self.nodes += inner.len() / 4;
        self.count()?;
        self.deeper(|parser| Parser::new(&inner, parser.depth).whole())
    }

    /// The inside of `$'…'`, after the quote.
    fn ansi(&mut self) -> Result<String> {
        let mut text = String::new();
        loop {
            let Some(c) = self.peek() else {
                return Err(ParseError::Syntax("a quote is not closed"));
            };
            self.at += 1;
            match c {
                '\'' => return Ok(text),
                '\\' => text.push(self.escape()?),
                _ => text.push(c),
            }
        }
    }

    /// One escape of `$'…'`, after its backslash. Bytes beyond ASCII and NUL are not worth guessing.
    fn escape(&mut self) -> Result<char> {
        let Some(c) = self.peek() else {
            return Err(ParseError::Syntax("a quote is not closed"));
        };
        self.at += 1;
        let code = match c {
            'n' => 10,
            't' => 9,
            '\\' | '\'' | '"' | '?' => c as u32,
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'r' => 13,
            'v' => 11,
            'x' => self.digits(16, 2),
            'u' => self.digits(16, 4),
            'U' => self.digits(16, 8),
            '0'..='7' => {
                self.at -= 1;
                self.digits(8, 3)
            }
            _ => return Err(ParseError::Syntax("an escape in `$'…'`")),
        };
        match char::from_u32(code) {
            Some(c) if code != 0 && (c.is_ascii() || code > 255) => Ok(c),
            _ => Err(ParseError::Syntax("an escape in `$'…'`")),
        }
    }

    fn digits(&mut self, radix: u32, most: usize) -> u32 {
        let mut value = 0u32;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else {
                break;
            };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.at += 1;
        }
        value
    }
}

fn is_special(c: char) -> bool {
    c.is_ascii_digit() || "@*#?-$!".contains(c)
}

fn plain(name: String, quoted: bool) -> Piece {
    Piece::Parameter { name, quoted, form: Form::Plain, inner: Vec::new() }
}
