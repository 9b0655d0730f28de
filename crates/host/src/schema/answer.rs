//! The JSON in a model's answer. Start from [`read_json_answer`].
//!
//! Models wrap what they were asked for: in a code fence, or between two sentences. The last candidate decides. If it is
//! broken or cut off, there is no answer: an earlier example or a piece of the inside is never given out in its place.

#[cfg(test)]
mod tests;

use serde_json::Value;

/// Bytes looked at in search of closing brackets, over all attempts. Prose full of `[1` ends there.
const MAX_SCAN: usize = 8 << 20;

/// How far into a bracket is looked to tell JSON from words; deeper nesting is not read in any case.
const PEEK: usize = 256;

/// What a model is told that must be asked for a schema in words.
pub fn demand(schema: &Value) -> String {
    format!("# The final answer\n\nIt must be a JSON value that satisfies this JSON Schema: {schema}")
}

/// Finds the JSON value in an answer: the whole text, else the last code fence that holds JSON, else the last object or
/// array between other words.
pub fn read_json_answer(text: &str) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    match last_fence(text) {
        Some(fenced) => fenced,
        None => last_region(text),
    }
}

/// The content of the last fence that claims to be JSON, parsed; nothing if there is no such fence.
fn last_fence(text: &str) -> Option<Option<Value>> {
    fences(text).into_iter().rev().find_map(|fence| {
        let parsed = serde_json::from_str::<Value>(fence.content).ok();
        match fence.label.to_ascii_lowercase().as_str() {
            "json" => Some(parsed),
            // A fence without a label may hold anything; only a container in it is taken for the answer.
            "" => parsed.filter(|value| value.is_object() || value.is_array()).map(Some),
            _ => None,
        }
    })
}

struct Fence<'a> {
    label: &'a str,
    content: &'a str,
}

/// All fenced blocks of a Markdown text. One that is never closed goes to the end.
fn fences(text: &str) -> Vec<Fence<'_>> {
    let mut fences = Vec::new();
    let mut open: Option<(&str, &str, usize)> = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let after = offset + line.len();
        let (marker, label) = fence_marker(line);
        open = match open {
            None if !marker.is_empty() => Some((marker, label, after)),
            Some((opening, kept, start)) if marker.starts_with(opening) && label.is_empty() => {
                fences.push(Fence { label: kept, content: &text[start..offset] });
                None
            }
            unchanged => unchanged,
        };
        offset = after;
    }
    fences.extend(open.map(|(_, label, start)| Fence { label, content: &text[start..] }));
    fences
}

/// The fence marker at the start of a line and what follows it; an empty marker if the line is none.
fn fence_marker(line: &str) -> (&str, &str) {
    let line = line.trim();
    let mark = if line.starts_with('~') { '~' } else { '`' };
    let rest = line.trim_start_matches(mark);
    match line.len() - rest.len() {
        0..3 => ("", ""),
        length => (&line[..length], rest.trim()),
    }
}

/// The last object or array that stands in the text by itself, if it can be read.
fn last_region(text: &str) -> Option<Value> {
    let mut last = None;
    let mut budget = MAX_SCAN + 4 * text.len();
    let mut from = 0;
    while let Some(start) = text[from..].find(['{', '[']).map(|found| from + found) {
        let rest = &text[start..];
        let likeness = likeness(rest);
        from = start + 1;
        if likeness == Likeness::Words {
            continue;
        }
        let region = region_length(rest).map(|length| &rest[..length]);
        budget = budget.checked_sub(region.unwrap_or(rest).len())?;
        let parsed = region.and_then(|region| serde_json::from_str(region).ok());
        match (region, likeness) {
            // Something like `[1 of 3]`: words after all, but there may be JSON within them.
            (_, Likeness::Unsure) if parsed.is_none() => {}
            (Some(region), _) => {
                last = parsed;
                from = start + region.len();
            }
            (None, _) => return None,
        }
    }
    last
}

/// The length of the bracketed region at the start, by counting brackets outside of strings.
fn region_length(text: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(index + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// What a bracket seems to open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Likeness {
    Words,
    Unsure,
    /// A fault further on is a fault in JSON.
    Json,
}

/// Judges a bracket by what follows it.
fn likeness(text: &str) -> Likeness {
    let is_opening = |letter: &char| *letter == '[' || letter.is_whitespace();
    let mut after = text.chars().take(PEEK).skip_while(is_opening);
    match after.next() {
        Some('{') => match after.find(|letter| !letter.is_whitespace()) {
            Some('"' | '}') | None => Likeness::Json,
            Some(_) => Likeness::Words,
        },
        Some('"' | ']') | None => Likeness::Json,
        Some('-' | '0'..='9' | 't' | 'f' | 'n') => Likeness::Unsure,
        Some(_) => Likeness::Words,
    }
}
