//! What came before, in the words that the model reads, within a budget. Start at [`block`].
//!
//! Sizes are those of the text as JSON, for that is what travels: a control character is one byte here and six there.

use super::request::Exchange;

/// Bytes of the request to the model that are there for context and prompt; the rest of its megabyte is for the
/// instructions and the tools.
const REQUEST: usize = 768 << 10;
/// Bytes of context at most, about as much as most models can use.
const CONTEXT: usize = 256 << 10;
/// An entry that would have to be shorter than this says nothing.
const SHORTEST: usize = 120;

/// The context of a prompt. The newest entry may take half of the room, the next one half of what is left, and so on, so
/// that of an endless history the newest entries stay whole.
pub(super) fn block(history: &[Exchange], prompt: &str) -> String {
    if history.is_empty() {
        return "No previous context.".into();
    }
    let mut room = CONTEXT.min(REQUEST.saturating_sub(size(prompt)));
    let mut lines = Vec::new();
    for exchange in history.iter().rev() {
        let Some(line) = entry(exchange, room / 2) else { break };
        room -= size(&line);
        lines.push(line);
    }
    let dropped = history.len() - lines.len();
    if dropped > 0 {
        lines.push(format!("[{dropped} earlier entries left out]"));
    }
    lines.reverse();
    format!("--- Recent Context ---\n{}\n--- End Context ---", lines.join("\n"))
}

/// One entry within so many bytes: whole if it fits, else with a shorter result, and then a shorter prompt.
fn entry(exchange: &Exchange, room: usize) -> Option<String> {
    let Exchange { timestamp, prompt, result } = exchange;
    let line = |prompt: &str, result: &str| format!("[{timestamp}] User: {prompt} | Result: {result}");
    let bare = size(&line("", ""));
    let (prompt_size, result_size) = (size(prompt), size(result));
    if bare + prompt_size + result_size <= room {
        return Some(line(prompt, result));
    }
    let words = room.checked_sub(bare + SHORTEST)?;
    let prompt = cut(prompt, words.saturating_sub(result_size).max(words / 2));
    let result = cut(result, room - bare - size(&prompt));
    Some(line(&prompt, &result))
}

/// The beginning of a text, with a mark that says how much is missing.
fn cut(text: &str, room: usize) -> String {
    if size(text) <= room {
        return text.to_owned();
    }
    const MARK: usize = 40;
    let mut left = room.saturating_sub(MARK);
    let mut end = 0;
    for (at, character) in text.char_indices() {
        let Some(rest) = left.checked_sub(size(&text[at..at + character.len_utf8()])) else { break };
        (left, end) = (rest, at + character.len_utf8());
    }
    let missing = text[end..].chars().count();
    format!("{}... [{missing} characters left out]", &text[..end])
}

/// Bytes of a text in a JSON string, quotes aside.
fn size(text: &str) -> usize {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 2,
        0..=31 => 6,
        _ => 1,
    };
    text.bytes().map(escaped).sum()
}
