//! A file as lines of bytes with their own endings, and how edited lines become a file again.
//!
//! Start from [`Text`]. Bytes are never decoded here: a line nobody touches comes out exactly
//! as it went in, whatever its encoding or ending.

use std::borrow::Cow;

/// The UTF-8 byte order mark.
pub const BOM: &str = "\u{feff}";

/// What counts as the end of a line in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// `\n`, with a `\r` before it as part of the ending.
    Newlines,
    /// Also a `\r` of its own, as classic Mac files and damaged CRLF files have it.
    Returns,
}

/// Whether a leading byte order mark belongs to the first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The patch does not speak of it: set it aside and put it back.
    Aside,
    /// The patch spells it out, so it is text like any other.
    Within,
}

/// One line without its ending, and the ending: `\n`, `\r\n`, `\r`, or nothing on an open last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Line<'a> {
    pub text: &'a [u8],
    pub end: &'a [u8],
}

/// A file cut into lines.
#[derive(Debug)]
pub struct Text<'a> {
    mark: &'a [u8],
    pub lines: Vec<Line<'a>>,
}

/// Replace `remove` lines from `at` on by `insert`.
#[derive(Debug, PartialEq, Eq)]
pub struct Edit<'a> {
    pub at: usize,
    pub remove: usize,
    pub insert: Vec<Line<'a>>,
}

/// Whether the edited file ends with a newline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    /// As the file did before; an empty file counts as closed.
    AsBefore,
    Newline,
    Open,
}

impl<'a> Text<'a> {
    /// Cuts `bytes` into lines.
    pub fn new(bytes: &'a [u8], split: Split, mark: Mark) -> Text<'a> {
        let (mark, mut rest) = match (mark, bytes.strip_prefix(BOM.as_bytes())) {
            (Mark::Aside, Some(rest)) => (&bytes[..BOM.len()], rest),
            _ => (&bytes[..0], bytes),
        };
        let mut lines = Vec::new();
        while !rest.is_empty() {
            let (line, after) = cut(rest, split);
            lines.push(line);
            rest = after;
        }
        Text { mark, lines }
    }

    /// The ending that added lines take: the one the file uses first, as formatters decide it too.
    pub fn first_end(&self) -> Option<&'a [u8]> {
        let first = self.lines.first().map(|line| line.end)?;
        (!first.is_empty()).then_some(first)
    }

    /// The ending that all lines of a range share, if they do.
    pub fn common_end(&self, from: usize, count: usize) -> Option<&'a [u8]> {
        let range = self.lines.get(from..from.checked_add(count)?)?;
        let mut ends = range.iter().map(|line| line.end).filter(|end| !end.is_empty());
        let first = ends.next()?;
        ends.all(|end| end == first).then_some(first)
    }

    /// The file with the edits made. They must be in order and must not overlap.
    ///
    /// `fallback` ends lines where neither the file nor the patch says how.
    pub fn edited(&self, edits: &[Edit<'a>], close: Close, fallback: &'a [u8]) -> Vec<u8> {
        let mut out: Vec<Line<'a>> = Vec::with_capacity(self.lines.len());
        let mut next = 0;
        for edit in edits {
            out.extend(self.lines.iter().take(edit.at).skip(next));
            out.extend(&edit.insert);
            next = edit.at + edit.remove;
        }
        out.extend(self.lines.iter().skip(next));
        let end = self.first_end().unwrap_or(fallback);
        let newline = match close {
            Close::Newline => true,
            Close::Open => false,
            Close::AsBefore => self.lines.last().is_none_or(|line| !line.end.is_empty()),
        };
        join(self.mark, &out, newline, end)
    }
}

/// Whether a lone `\r` occurs, which is when [`Split::Returns`] makes a difference.
pub fn has_lone_return(bytes: &[u8]) -> bool {
    bytes.iter().enumerate().any(|(i, byte)| *byte == b'\r' && bytes.get(i + 1) != Some(&b'\n'))
}

/// Bytes for people: undecodable ones shown as replacement characters.
pub fn shown(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

fn cut(bytes: &[u8], split: Split) -> (Line<'_>, &[u8]) {
    let stop = bytes.iter().position(|byte| match split {
        Split::Newlines => *byte == b'\n',
        Split::Returns => matches!(byte, b'\n' | b'\r'),
    });
    let Some(stop) = stop else {
        return (Line { text: bytes, end: b"" }, b"");
    };
    let (start, end) = match (bytes[stop], split) {
        (b'\n', Split::Newlines) if stop > 0 && bytes[stop - 1] == b'\r' => (stop - 1, stop + 1),
        (b'\r', _) if bytes.get(stop + 1) == Some(&b'\n') => (stop, stop + 2),
        _ => (stop, stop + 1),
    };
    let line = Line { text: &bytes[..start], end: &bytes[start..end] };
    (line, &bytes[end..])
}

fn join(mark: &[u8], lines: &[Line<'_>], newline: bool, end: &[u8]) -> Vec<u8> {
    let size: usize = lines.iter().map(|line| line.text.len() + 2).sum();
    let mut out = Vec::with_capacity(mark.len() + size);
    out.extend_from_slice(mark);
    for (i, line) in lines.iter().enumerate() {
        out.extend_from_slice(line.text);
        let last = i + 1 == lines.len();
        if last && !newline {
            break;
        }
        out.extend_from_slice(if line.end.is_empty() { end } else { line.end });
    }
    out
}
