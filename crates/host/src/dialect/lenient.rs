//! JSON as models write it. Start at [`object`], which finds the one object in a reply.
//!
//! Forgiven: words around the object (a code fence and thoughts are such words) and trailing commas. Not forgiven, because it can be
//! read in two ways or is no JSON: a name given twice, `NaN`, comments, single quotes, a line break in a string, a second
//! object. Depth is bounded, and a text is read once from its start to its end.

use serde_json::{Map, Number, Value};

/// The largest reply that is read.
pub const LARGEST: usize = 10 * 1024 * 1024;
/// How deep arrays and objects may be nested.
pub const DEEPEST: usize = 128;

/// Why a text is not the JSON that was expected. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("the reply has {size} bytes, and at most {LARGEST} are read: send a shorter one")]
    TooLarge { size: usize },
    #[error("expected one JSON object, found {found}")]
    NoObject { found: &'static str },
    #[error("line {line}, column {column}: expected {expected}, found {found}")]
    Syntax { line: usize, column: usize, expected: String, found: String },
    #[error("line {line}, column {column}: a second JSON object begins here: send exactly one")]
    Second { line: usize, column: usize },
}

/// The one JSON object of a reply.
pub fn object(reply: &str) -> Result<Value, Fault> {
    if reply.len() > LARGEST {
        return Err(Fault::TooLarge { size: reply.len() });
    }
    let start = find(reply)?;
    let (value, end) = value(reply, start)?;
    match opener(reply, end) {
        Some(second) => {
            let (line, column) = position(reply, second);
            Err(Fault::Second { line, column })
        }
        None => Ok(value),
    }
}

/// Reads one value at an offset; says where it ends.
pub fn value(text: &str, start: usize) -> Result<(Value, usize), Fault> {
    let mut reader = Reader { text, at: start, depth: 0 };
    reader.skip_blanks();
    let value = reader.value()?;
    Ok((value, reader.at))
}

/// Where the object begins. Braces in prose are passed over as long as there is one that JSON could follow.
fn find(reply: &str) -> Result<usize, Fault> {
    let trimmed = without_thoughts(reply.trim_start_matches('\u{feff}').trim_start());
    let start = reply.len() - trimmed.len();
    let after_bracket = trimmed.strip_prefix('[').map(str::trim_start);
    match trimmed.chars().next() {
        None => Err(Fault::NoObject { found: "nothing" }),
        Some('{') => Ok(start),
        Some('[') if after_bracket.is_some_and(|rest| rest.starts_with(['{', ']'])) => {
            Err(Fault::NoObject { found: "an array" })
        }
        Some(_) => opener(reply, start)
            .or_else(|| reply[start..].find('{').map(|found| start + found))
            .ok_or(Fault::NoObject { found: "words" }),
    }
}

/// Some servers leave a model's thinking before its words, and drafts of the object are often in it.
fn without_thoughts(reply: &str) -> &str {
    let thoughts = reply.strip_prefix("<think>").and_then(|inner| inner.split_once("</think>"));
    thoughts.map_or(reply, |(_, words)| words.trim_start())
}

/// The first brace from an offset on that has a quotation mark after it.
fn opener(text: &str, from: usize) -> Option<usize> {
    let mut from = from;
    loop {
        let brace = from + text.get(from..)?.find('{')?;
        let rest = &text[brace + 1..];
        let inner = rest.trim_start();
        if inner.starts_with('"') {
            return Some(brace);
        }
        from = text.len() - inner.len();
    }
}

fn position(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |found| found + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    (line, before[line_start..].chars().count() + 1)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Takes a byte of punctuation if it is next.
    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn value(&mut self) -> Result<Value, Fault> {
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Fault>) -> Result<Value, Fault> {
        if self.depth == DEEPEST {
            return Err(self.fault(&format!("at most {DEEPEST} levels of nesting"), Some("one more")));
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn object(&mut self) -> Result<Value, Fault> {
        let mut map = Map::new();
        loop {
            self.skip_blanks();
            if self.take(b'}') {
                return Ok(Value::Object(map));
            }
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.fault("a property name in double quotes or '}'", None));
            }
            let name = self.string()?;
            if map.contains_key(&name) {
                self.at = start;
                let found = format!("{} a second time", shown(&name));
                return Err(self.fault("each property once", Some(&found)));
            }
            self.skip_blanks();
            if !self.take(b':') {
                return Err(self.fault("':' after the property name", None));
            }
            self.skip_blanks();
            let value = self.value()?;
            map.insert(name, value);
            self.skip_blanks();
            if !self.take(b',') && self.peek() != Some(b'}') {
                return Err(self.fault("',' or '}' after the property", None));
            }
        }
    }

    fn array(&mut self) -> Result<Value, Fault> {
        let mut items = Vec::new();
        loop {
            self.skip_blanks();
            if self.take(b']') {
                return Ok(Value::Array(items));
            }
            items.push(self.value()?);
            self.skip_blanks();
            if !self.take(b',') && self.peek() != Some(b']') {
                return Err(self.fault("',' or ']' after the item", None));
            }
        }
    }

    fn word(&mut self) -> Result<Value, Fault> {
        let length = self.rest().find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(self.rest().len());
        let value = match &self.rest()[..length] {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            _ => return Err(self.fault("a JSON value", None)),
        };
        self.at += length;
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.');
        let length = self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
        let number = serde_json::from_str::<Number>(&self.rest()[..length]);
        let number = number.map_err(|_| self.fault("a number as JSON writes it", None))?;
        self.at += length;
        Ok(Value::Number(number))
    }

    fn string(&mut self) -> Result<String, Fault> {
        self.at += 1;
        let mut string = String::new();
        loop {
            let rest = self.rest();
            let length = rest.find(|c: char| c == '"' || c == '\\' || c < ' ').unwrap_or(rest.len());
            string.push_str(&rest[..length]);
            self.at += length;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(string);
                }
                Some(b'\\') => string.push(self.escape()?),
                Some(b'\n') => return Err(self.fault("\\n inside a string", Some("a line break"))),
                Some(_) => {
                    return Err(self.fault("control characters escaped in a string", Some("a raw one")));
                }
                None => return Err(self.fault("'\"' at the end of a string", None)),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        let escaped = match self.text.as_bytes().get(self.at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            _ => return Err(self.fault("an escape that JSON knows (a backslash itself is \\\\)", None)),
        };
        self.at += 2;
        Ok(escaped)
    }

    /// `\uXXXX`, or two of them for a character beyond the first plane.
    fn unicode(&mut self) -> Result<char, Fault> {
        let unit = |at: usize| {
            let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
            let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            u32::from_str_radix(digits, 16).ok().filter(|_| hex)
        };
        let decoded = match unit(self.at) {
            Some(high @ 0xd800..=0xdbff) => unit(self.at + 6)
                .filter(|low| (0xdc00..=0xdfff).contains(low))
                .and_then(|low| char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)))
                .map(|decoded| (decoded, 12)),
            Some(unit) => char::from_u32(unit).map(|decoded| (decoded, 6)),
            None => None,
        };
        let (decoded, length) =
            decoded.ok_or_else(|| self.fault("\\u and four hexadecimal digits of a character", None))?;
        self.at += length;
        Ok(decoded)
    }

    fn fault(&self, expected: &str, found: Option<&str>) -> Fault {
        let (line, column) = position(self.text, self.at);
        let found = found.map_or_else(|| next(self.rest()), str::to_owned);
        Fault::Syntax { line, column, expected: expected.to_owned(), found }
    }
}

/// What stands at the start of a text, in a few characters.
fn next(rest: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    match rest.chars().next() {
        None => "the end of the reply".to_owned(),
        Some(first) if is_word(first) => shown(rest.split(|c| !is_word(c)).next().unwrap_or_default()),
        Some('/') if rest.starts_with("//") || rest.starts_with("/*") => "a comment".to_owned(),
        Some('\\') => shown(&rest.chars().take(2).collect::<String>()),
        Some('\n' | '\r') => "a line break".to_owned(),
        Some(first) => shown(first.encode_utf8(&mut [0; 4])),
    }
}

fn shown(word: &str) -> String {
    const LONGEST: usize = 40;
    match word.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("'{}…'", &word[..end]),
        None => format!("'{word}'"),
    }
}

#[cfg(test)]
mod tests;
