//! What does not belong in finished code: notes to self, debugging, code in comments. Start from [`check`].

use super::Problem;
use super::source::{Comment, Kind, Source, is_word};

const NOTES: &[&str] = &["TODO", "FIXME", "XXX", "HACK"];
const MACROS: &[&str] = &["dbg!", "todo!", "unimplemented!"];

pub(super) fn check(source: &Source<'_>) -> Vec<Problem> {
    let notes = source.comments.iter().filter_map(|comment| {
        let word = NOTES.iter().find(|word| has_word(comment.text, word))?;
        let text = format!("`{word}` in a comment: do it now, or put it where work is planned");
        Some(Problem::new(source.path, comment.line, text))
    });
    let code = source.comments.iter().filter(|comment| holds_code(comment)).map(|comment| {
        let text = "code in a comment: delete it, the history keeps it";
        Problem::new(source.path, comment.line, text)
    });
    let text = String::from_utf8_lossy(&source.code);
    let macros = text.lines().enumerate().filter_map(|(index, line)| {
        let word = MACROS.iter().find(|word| has_word(line, word))?;
        Some(Problem::new(source.path, index + 1, format!("`{word}` in finished code: remove it")))
    });
    notes.chain(code).chain(macros).collect()
}

/// Whether `word` stands in `text` and is not a part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].bytes().next_back();
        let after = text[at + word.len()..].bytes().next();
        let inside = |byte: Option<u8>| byte.is_some_and(is_word);
        !inside(before) && (word.ends_with('!') || !inside(after))
    })
}

/// Whether a comment is code that was switched off. Documentation may show code.
///
/// Prose ends with a full stop, and if it is wrapped at a semicolon it has no brackets or assignments; so
/// only what ends as a statement ends and also reads like one is taken for code.
fn holds_code(comment: &Comment<'_>) -> bool {
    const OPENINGS: &[&str] =
        &["let ", "use ", "return ", "pub ", "mod ", "fn ", "const ", "static ", "impl ", "struct ", "enum "];
    let text = comment.text;
    if comment.kind == Kind::Doc || text.is_empty() {
        return false;
    }
    let opens = OPENINGS.iter().any(|opening| text.starts_with(opening));
    let calls = text.contains("()") || text.contains('(') && text.ends_with(");");
    let assigns = text.contains(" = ") || text.contains(" += ");
    match text.chars().next_back() {
        _ if text.chars().all(|c| "(){}[];,".contains(c)) => true,
        _ if text.starts_with("#[") && text.ends_with(']') => true,
        Some(';') => opens || calls || assigns || text == "break;" || text == "continue;",
        Some('{') => true,
        _ => false,
    }
}
