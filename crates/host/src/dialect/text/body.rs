//! What stands between two tags. Start at [`received`].
//!
//! Bodies are kept as they are but for what happened to them on the way: line ends, the escapes of a chat that escaped
//! the tag too, and a fence around all of it.

use super::tag::Dress;

/// The lines of a text as offsets: where each starts, and where the next one does.
pub(super) struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Lines<'a> {
        Lines { text, at: 0 }
    }
}

impl Iterator for Lines<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let start = self.at;
        let rest = &self.text[start..];
        if rest.is_empty() {
            return None;
        }
        self.at = rest.find('\n').map_or(self.text.len(), |found| start + found + 1);
        Some((start, self.at))
    }
}

/// A body as it was meant, from what stood between the tags: whole lines, each with its end.
pub(super) fn received(between: &str, dress: Dress) -> String {
    let body = between.replace("\r\n", "\n");
    // Only a text that an escaping would have produced is taken for escaped: a raw `<` or a lone `&` is proof that
    // the body was spared.
    if dress == Dress::Escaped && is_escaped(&body) { unescaped(&body) } else { body }
}

/// As [`unfenced`], for what is to become a file: in a text for people a fence may be what was meant.
pub(super) fn unfenced_file(path: &str, body: String) -> String {
    let extension = path.rsplit(['/', '\\']).next().and_then(|name| name.rsplit_once('.'));
    let extension = extension.map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "md" | "markdown" | "mdx" | "mdown" | "rmd" | "qmd" | "rst" | "adoc" | "txt" => body,
        _ => unfenced(&body).to_owned(),
    }
}

/// What a fence holds, if the body is one fenced block and nothing else. Chats fence what they take for code, also
/// where a tag does so already. The marks must stand at the margin: an indented fence is part of the text.
pub(super) fn unfenced(body: &str) -> &str {
    let inner = || {
        let (first, rest) = body.split_once('\n')?;
        let marks = fence(first.trim_end())?;
        let rest = rest.trim_end_matches(['\n', '\r', ' ', '\t']);
        let (content, last) = rest.split_at(rest.rfind('\n').map_or(0, |end| end + 1));
        let closes = |line: &str| is_bare(line.trim_end()) && line.starts_with(marks);
        (closes(last) && !content.lines().any(closes)).then_some(content)
    };
    inner().unwrap_or(body)
}

/// The marks of the fence that a line opens, if it does.
pub(super) fn fence(line: &str) -> Option<&str> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let label = line.trim_start_matches(mark);
    let marks = &line[..line.len() - label.len()];
    (marks.len() >= 3 && !label.contains(mark)).then_some(marks)
}

/// Whether a line is a fence without a label.
pub(super) fn is_bare(line: &str) -> bool {
    fence(line).is_some_and(|marks| marks.len() == line.len())
}

/// The character that an HTML escape at the start of the text stands for, and the escape's length.
pub(super) fn entity(text: &str) -> Option<(char, usize)> {
    const LONGEST: usize = 10;
    let name = text.strip_prefix('&')?;
    let length = name.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let name = &name[..length];
    let decoded = match name {
        "quot" => '"',
        "apos" => '\'',
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "nbsp" => ' ',
        "lsqb" | "lbrack" => '[',
        "rsqb" | "rbrack" => ']',
        "ldquo" => '“',
        "rdquo" => '”',
        "lsquo" => '‘',
        "rsquo" => '’',
        "lowbar" => '_',
        "sol" => '/',
        "equals" => '=',
        _ => numbered(name.strip_prefix('#')?)?,
    };
    Some((decoded, length + 2))
}

fn numbered(digits: &str) -> Option<char> {
    let number = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    char::from_u32(number.ok()?).filter(|c| *c != '\0')
}

fn is_escaped(body: &str) -> bool {
    let ampersands = || body.match_indices('&');
    !body.contains(['<', '>'])
        && ampersands().next().is_some()
        && ampersands().all(|(at, _)| entity(&body[at..]).is_some())
}

fn unescaped(body: &str) -> String {
    let mut plain = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let (decoded, length) = entity(rest).unwrap_or(('&', 1));
        plain.push(decoded);
        rest = &rest[length..];
    }
    plain.push_str(rest);
    plain
}
