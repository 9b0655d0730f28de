//! What a `$` or a backquote starts: expansions, substitutions, `$'…'`. Part of the parser.

use super::*;

impl Parser<'_> {
    /// What follows a `$`.
    pub(super) fn dollar(&mut self, pieces: &mut Pieces, quoted: bool) -> Result<()> {
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
        let mut form = match self.peek() {
            Some('!') => Form::Indirect,
            Some('#') if self.ahead(1) != Some('}') => Form::Length,
            _ => Form::Plain,
        };
        self.at += usize::from(form != Form::Plain);
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
            let subscript = self.until(']')?;
            let all = matches!(subscript.bare(), Some("@" | "*"));
            inner.push(subscript);
            form = match form {
                Form::Plain => Form::Changed,
                // The subscripts that an array has.
                Form::Indirect if all && self.peek() == Some('}') => Form::Changed,
                form => form,
            };
        }
        form = match (self.peek(), self.ahead(1)) {
            (Some('}'), _) => form,
            // The names of variables that begin so.
            (Some('@' | '*'), Some('}')) if form == Form::Indirect => Form::Changed,
            _ if form == Form::Indirect => form,
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
    pub(super) fn substituted(&mut self) -> Result<Script> {
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
    pub(super) fn backquoted(&mut self, in_quotes: bool) -> Result<Script> {
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
