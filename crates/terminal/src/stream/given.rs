//! What of a text stands in the scrollback before its block is complete, counted in letters and digits: markup has none,
//! so they are the same in the text as it came and in what is made of it. Start at [`skip`].

use crate::style::Line;

/// Longer texts than this are not looked through for each frame.
const LONGEST: usize = 8 * 1024;

/// How many letters and digits are shown of a text.
pub(super) fn letters(text: &str) -> usize {
    let shown = text.split('\n').filter(|line| !is_fence(line));
    shown.map(|line| line.chars().filter(|c| c.is_alphanumeric()).count()).sum()
}

/// Where a text goes on behind so many letters and digits, and behind what belongs to the last of them.
pub(super) fn behind(text: &str, letters: usize) -> usize {
    let Some(last) = letters.checked_sub(1) else { return 0 };
    let mut counted = text.char_indices().filter(|(_, c)| c.is_alphanumeric());
    let Some((at, c)) = counted.nth(last) else { return text.len() };
    let rest = text.get(at + c.len_utf8()..).unwrap_or_default();
    let rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric() && !c.is_whitespace());
    text.len() - rest.trim_start().len()
}

/// The lines without the first so many letters and digits.
pub(super) fn skip(lines: Vec<Line>, letters: usize) -> Vec<Line> {
    let mut left = letters;
    let mut rest = Vec::new();
    for line in lines {
        if left == 0 {
            rest.push(line);
            continue;
        }
        let text = line.text();
        let own = text.chars().filter(|c| c.is_alphanumeric()).count();
        if own > left {
            rest.push(line.slice(behind(&text, left), text.len()));
        }
        left -= own.min(left);
    }
    rest
}

/// Whether a text shows the letters and digits that it has, in their order.
pub(super) fn is_faithful(text: &str) -> bool {
    let odd = |c: char| matches!(c, '[' | '<' | '&' | '\\');
    !text.contains(odd) && !text.lines().any(|line| line.trim_start().starts_with('|'))
}

/// Whether what is made of a text stays as it is, however the text goes on; but for its last row.
pub(super) fn is_stable(text: &str) -> bool {
    let even = |mark: &str| text.matches(mark).count().is_multiple_of(2);
    text.len() <= LONGEST
        && is_faithful(text)
        && !text.lines().any(is_fence)
        && ["*", "**", "_", "__", "`", "~", "~~"].into_iter().all(even)
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}
