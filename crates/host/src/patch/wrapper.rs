//! Taking a patch out of what it came wrapped in: code fences and shell here-documents.
//!
//! Start from [`unwrapped`]. It only removes whole lines around a patch and never touches the patch itself.

use std::ops::Range;

/// How deep wrappers may be nested, fence in here-document in fence.
const DEPTH: usize = 4;

/// The patch inside `text`, and how many lines of `text` come before it.
pub fn unwrapped(text: &str) -> (&str, usize) {
    let mut inner = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut skipped = 0;
    for _ in 0..DEPTH {
        let Some(range) = heredoc(inner).or_else(|| fence(inner)) else {
            break;
        };
        skipped += inner[..range.start].matches('\n').count();
        inner = &inner[range];
    }
    (inner, skipped)
}

/// The first and the last line that is not blank, each with the bytes it takes.
fn ends(text: &str) -> Option<[(Range<usize>, &str); 2]> {
    let mut at = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        at += line.len();
        (at - line.len()..at, line.trim())
    });
    let mut filled = lines.filter(|(_, line)| !line.is_empty());
    let first = filled.next()?;
    Some([first, filled.last()?])
}

/// The inside of a fence that opens on the first filled line and closes on the last.
fn fence(text: &str) -> Option<Range<usize>> {
    let [(open, ticks), (close, last)] = ends(text)?;
    let mark = ["```", "~~~"].into_iter().find(|mark| ticks.starts_with(mark))?;
    let width = ticks.len() - ticks.trim_start_matches(&mark[..1]).len();
    let closes = last.len() >= width && last.trim_start_matches(&mark[..1]).is_empty();
    closes.then_some(open.end..close.start)
}

/// The inside of a here-document fed to a command that applies patches.
fn heredoc(text: &str) -> Option<Range<usize>> {
    let [(open, first), (close, last)] = ends(text)?;
    let (command, word) = first.split_once("<<")?;
    if !applies_patches(command.trim()) {
        return None;
    }
    let word = word.trim_start_matches('-').trim();
    let word = ["'", "\""]
        .into_iter()
        .find_map(|quote| word.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(word);
    let plain = |c: char| c.is_alphanumeric() || c == '_';
    if word.is_empty() || !word.chars().all(plain) {
        return None;
    }
    (last == word).then_some(open.end..close.start)
}

fn applies_patches(command: &str) -> bool {
    let mut words = command.split_whitespace();
    match (words.next(), words.next()) {
        (None, _) => true,
        (Some("apply_patch" | "applypatch" | "patch" | "cinque"), _) => true,
        (Some("git"), Some(verb)) => matches!(verb, "apply" | "am"),
        _ => false,
    }
}
