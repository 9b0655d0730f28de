//! A Rust file as far as the rules look at it: code, and comments. Start from [`Source::read`].
//!
//! This is a scan, not a parser: it knows where comments, strings and characters begin and end, which is
//! all that counting braces needs. It never fails: what it does not understand counts as code.

use super::tree::is_for_tests;

pub(super) struct Source<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a str,
    /// The text with every comment and the inside of every literal blanked out, byte for byte.
    pub(super) code: Vec<u8>,
    pub(super) comments: Vec<Comment<'a>>,
    /// Where `#[cfg(test)]` items are.
    tests: Vec<std::ops::Range<usize>>,
    lines: Vec<usize>,
}

/// One line of comment, without its slashes.
pub(super) struct Comment<'a> {
    pub(super) line: usize,
    pub(super) kind: Kind,
    pub(super) text: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Doc,
    Plain,
}

impl<'a> Source<'a> {
    pub(super) fn read(path: &'a str, text: &'a str) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let mut source = Self {
            path,
            text,
            code: text.as_bytes().to_vec(),
            comments: Vec::new(),
            tests: Vec::new(),
            lines: std::iter::once(0).chain(starts).collect(),
        };
        source.blank();
        source.find_tests();
        source
    }

    /// The number, from 1, of the line that holds this byte.
    pub(super) fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at)
    }

    pub(super) fn is_test(&self, at: usize) -> bool {
        is_for_tests(self.path) || self.tests.iter().any(|range| range.contains(&at))
    }

    pub(super) fn is_test_line(&self, line: usize) -> bool {
        self.lines.get(line.saturating_sub(1)).is_some_and(|at| self.is_test(*at))
    }

    /// The byte of the brace that closes the one at `open`.
    pub(super) fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        for (at, byte) in self.code.iter().enumerate().skip(open) {
            match byte {
                b'{' => depth += 1,
                b'}' if depth <= 1 => return Some(at),
                b'}' => depth -= 1,
                _ => {}
            }
        }
        None
    }

    fn blank(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let end = literal_end(bytes, at);
            match (end, &bytes[at..]) {
                (Some(end), _) => {
                    self.erase(at..end);
                    at = end;
                }
                (None, [b'/', b'/', ..]) => at = self.line_comment(at),
                (None, [b'/', b'*', ..]) => at = self.block_comment(at),
                (None, _) => at += 1,
            }
        }
    }

    fn line_comment(&mut self, from: usize) -> usize {
        let rest = &self.text[from..];
        let text = rest.split('\n').next().unwrap_or(rest);
        let doc = text.starts_with("//!") || text.starts_with("///") && !text.starts_with("////");
        let kind = if doc { Kind::Doc } else { Kind::Plain };
        let said = text.trim_start_matches('/').trim_start_matches('!').trim();
        self.comments.push(Comment { line: self.line(from), kind, text: said });
        self.erase(from..from + text.len());
        from + text.len()
    }

    fn block_comment(&mut self, from: usize) -> usize {
        let end = block_end(self.text.as_bytes(), from);
        let text = &self.text[from..end];
        let doc = text.starts_with("/**") || text.starts_with("/*!");
        let kind = if doc { Kind::Doc } else { Kind::Plain };
        let first = self.line(from);
        for (offset, said) in text.lines().enumerate() {
            let said = said.trim().trim_start_matches(['/', '*', '!']).trim_end_matches(['/', '*']).trim();
            self.comments.push(Comment { line: first + offset, kind, text: said });
        }
        self.erase(from..end);
        end
    }

    fn erase(&mut self, range: std::ops::Range<usize>) {
        for byte in &mut self.code[range] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }

    fn find_tests(&mut self) {
        let code = String::from_utf8_lossy(&self.code).into_owned();
        for (at, mark) in code.match_indices("#[cfg(test)]") {
            let after = at + mark.len();
            let item = self.code[after..].iter().position(|byte| matches!(byte, b'{' | b';'));
            let open = item.map(|offset| after + offset).filter(|open| self.code[*open] == b'{');
            if let Some(end) = open.and_then(|open| self.closing(open)) {
                self.tests.push(at..end + 1);
            }
        }
    }
}

/// The end of the string, byte string or character that begins at `at`, if one does.
fn literal_end(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes[at] {
        b'"' => Some(quoted_end(bytes, at + 1, b'"')),
        b'\'' => character_end(bytes, at),
        b'r' | b'b' | b'c' if at == 0 || !is_word(bytes[at - 1]) => raw_end(bytes, at),
        _ => None,
    }
}

fn quoted_end(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// A character ends soon; otherwise the quote begins a lifetime.
fn character_end(bytes: &[u8], at: usize) -> Option<usize> {
    let first = *bytes.get(at + 1)?;
    if first == b'\\' {
        return Some(quoted_end(bytes, at + 1, b'\''));
    }
    let width = match first {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    };
    let close = at + 1 + width;
    (bytes.get(close) == Some(&b'\'')).then_some(close + 1)
}

fn raw_end(bytes: &[u8], at: usize) -> Option<usize> {
    let prefix = bytes[at..].iter().take(2).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let raw = bytes[at..at + prefix].ends_with(b"r");
    let hashes = bytes[at + prefix..].iter().take_while(|byte| **byte == b'#').count();
    let open = at + prefix + hashes;
    if !raw || bytes.get(open) != Some(&b'"') {
        return None;
    }
    let close = [&b"\""[..], &b"#".repeat(hashes)].concat();
    let inside = &bytes[open + 1..];
    let length = inside.windows(close.len()).position(|window| window == close);
    Some(length.map_or(bytes.len(), |length| open + 1 + length + close.len()))
}

/// Comments in blocks nest.
fn block_end(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0usize;
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => {
                depth += 1;
                at += 2;
            }
            [b'*', b'/', ..] => {
                depth = depth.saturating_sub(1);
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
