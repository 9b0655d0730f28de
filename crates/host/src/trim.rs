//! Shortens what a command printed to what a model is shown: the head, a mark that says how much is missing, the tail.
//! Start from [`Excerpt`] and [`trim`]. Pure: it opens nothing, and it needs only the ends of the text, never the whole.

use std::borrow::Cow;

/// How much of a text may be shown. The result of [`trim`] exceeds neither number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    pub lines: usize,
    pub bytes: usize,
}

impl Default for Limit {
    fn default() -> Self {
        Self { lines: 200, bytes: 10_240 }
    }
}

/// How much text there is, or how much is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    pub bytes: u64,
    pub characters: u64,
    /// Line ends, not lines: the last line of a text may lack one.
    pub newlines: u64,
}

impl Size {
    pub fn of(text: &[u8]) -> Self {
        let count = |wanted: fn(&u8) -> bool| text.iter().filter(|byte| wanted(byte)).count() as u64;
        Self {
            bytes: text.len() as u64,
            // Every character has exactly one byte that is not a continuation byte.
            characters: count(|byte| byte & 0xC0 != 0x80),
            newlines: count(|byte| *byte == b'\n'),
        }
    }

    pub fn add(&mut self, more: Size) {
        self.bytes += more.bytes;
        self.characters += more.characters;
        self.newlines += more.newlines;
    }
}

/// The two ends of a text and the size of what lies between them.
#[derive(Clone, Debug)]
pub struct Excerpt<'a> {
    head: Cow<'a, str>,
    missing: Size,
    tail: Cow<'a, str>,
}

impl<'a> Excerpt<'a> {
    pub fn whole(text: &'a str) -> Self {
        Self { head: Cow::Borrowed(text), missing: Size::default(), tail: Cow::Borrowed("") }
    }

    /// `missing` is what lies between `head` and `tail`; when nothing does, the two are one text.
    pub fn ends(head: Cow<'a, str>, missing: Size, tail: Cow<'a, str>) -> Self {
        if missing.bytes == 0 {
            Self { head: Cow::Owned(head.into_owned() + &tail), missing, tail: Cow::Borrowed("") }
        } else {
            Self { head, missing, tail }
        }
    }

    fn is_whole(&self) -> bool {
        self.missing.bytes == 0
    }

    fn size(&self) -> Size {
        let mut size = Size::of(self.head.as_bytes());
        size.add(self.missing);
        size.add(Size::of(self.tail.as_bytes()));
        size
    }

    /// The text that a tail may be taken from: for a whole text that is all of it.
    fn tail_window(&self) -> &str {
        if self.is_whole() { &self.head } else { &self.tail }
    }

    fn ends_with_newline(&self) -> bool {
        self.tail_window().ends_with('\n')
    }

    fn lines(&self) -> u64 {
        let size = self.size();
        size.newlines + u64::from(size.bytes > 0 && !self.ends_with_newline())
    }
}

/// The text itself if it is within the limit, else 40 % of the limit from its head and 40 % from its tail around a mark.
/// Where a limit is so small that the mark has no room beside them, they are shorter.
pub fn trim(text: &Excerpt<'_>, limit: Limit) -> String {
    if text.is_whole() && fits(&text.head, limit) {
        return text.head.clone().into_owned();
    }
    [share(limit), beside_the_mark(text, limit)]
        .into_iter()
        .find_map(|share| by_lines(text, limit, share).or_else(|| by_characters(text, limit, share)))
        .unwrap_or_else(|| prefix(&text.head, limit).to_owned())
}

fn fits(text: &str, limit: Limit) -> bool {
    text.len() <= limit.bytes && text.lines().count() <= limit.lines
}

fn share(limit: Limit) -> Limit {
    Limit { lines: limit.lines * 2 / 5, bytes: limit.bytes * 2 / 5 }
}

/// A share for limits of which the mark takes more than what the two ends leave.
fn beside_the_mark(text: &Excerpt<'_>, limit: Limit) -> Limit {
    let mark = format!("\n... [{} characters trimmed] ...\n", text.size().characters).len();
    Limit { bytes: limit.bytes.saturating_sub(mark) / 2, ..share(limit) }
}

/// Whole lines at both ends, or nothing when an end has no line that fits its share.
fn by_lines(text: &Excerpt<'_>, limit: Limit, share: Limit) -> Option<String> {
    let head = leading_lines(&text.head, share);
    let tail = trailing_lines(text.tail_window(), share);
    if head.is_empty() || tail.is_empty() {
        return None;
    }
    let kept = head.matches('\n').count() as u64 + lines_in(tail);
    let trimmed = text.lines().checked_sub(kept).filter(|n| *n > 0)?;
    let head = head.strip_suffix('\n').unwrap_or(head);
    let shown = format!("{head}\n... [{trimmed} lines trimmed] ...\n{tail}");
    fits(&shown, limit).then_some(shown)
}

/// Characters at both ends: for a line that is longer than its share.
fn by_characters(text: &Excerpt<'_>, limit: Limit, share: Limit) -> Option<String> {
    let head = prefix(&text.head, share);
    let rest = if text.is_whole() { &text.head[head.len()..] } else { &text.tail };
    let tail = suffix(rest, share);
    let kept = Size::of(head.as_bytes()).characters + Size::of(tail.as_bytes()).characters;
    let trimmed = text.size().characters.checked_sub(kept).filter(|n| *n > 0)?;
    let shown = format!("{head}\n... [{trimmed} characters trimmed] ...\n{tail}");
    fits(&shown, limit).then_some(shown)
}

fn lines_in(text: &str) -> u64 {
    text.lines().count() as u64
}

/// The longest run of complete lines at the start that stays within the share.
fn leading_lines(text: &str, share: Limit) -> &str {
    let end = text
        .match_indices('\n')
        .map(|(at, _)| at + 1)
        .take(share.lines)
        .take_while(|end| *end <= share.bytes)
        .last();
    &text[..end.unwrap_or(0)]
}

/// The longest run of complete lines at the end that stays within the share.
/// A line is complete only if the line end before it is in the window, since the window may begin in the middle of one.
fn trailing_lines(text: &str, share: Limit) -> &str {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let start = body
        .rmatch_indices('\n')
        .map(|(at, _)| at + 1)
        .take(share.lines)
        .take_while(|start| text.len() - start <= share.bytes)
        .last();
    &text[start.unwrap_or(text.len())..]
}

/// The longest start of the text within the share, cut between characters.
fn prefix(text: &str, share: Limit) -> &str {
    let end = text.floor_char_boundary(share.bytes);
    let lines = text[..end].match_indices('\n').map(|(at, _)| at + 1).nth(share.lines.wrapping_sub(1));
    match lines {
        _ if share.lines == 0 => "",
        Some(after) => &text[..after],
        None => &text[..end],
    }
}

/// The longest end of the text within the share, cut between characters.
fn suffix(text: &str, share: Limit) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(share.bytes));
    let kept = &text[start..];
    let body = kept.strip_suffix('\n').unwrap_or(kept);
    match body.rmatch_indices('\n').map(|(at, _)| at + 1).nth(share.lines.wrapping_sub(1)) {
        _ if share.lines == 0 => "",
        Some(after) => &kept[after..],
        None => kept,
    }
}

#[cfg(test)]
mod tests;
