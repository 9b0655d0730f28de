//! Letters that are longer than a chat's window takes. Start at [`split`].

/// Less than this is not worth a letter; a smaller limit means more parts.
const LEAST: usize = 100_000;
/// What the lines around a part take.
const AROUND: usize = 400;

/// How long a letter may be in all, if one file of it may have `limit` bytes.
pub(super) fn room(limit: usize) -> usize {
    if limit >= LEAST { limit.saturating_sub(1) } else { LEAST }
}

/// The letter as one text, or as parts that each say which they are. They are cut between lines where that can be.
pub(super) fn split(letter: &str, limit: usize, about: &str) -> Vec<String> {
    if letter.len() < limit {
        return vec![letter.to_owned()];
    }
    let pieces = pieces(letter, limit.saturating_sub(AROUND + about.len()).max(1000));
    let count = pieces.len();
    let dress = |(number, piece): (usize, &str)| {
        let number = number + 1;
        let head = match number {
            1 => String::new(),
            _ => format!("=== {about}, part {number} of {count} ===\n"),
        };
        let end = if piece.ends_with('\n') { "" } else { "\n" };
        let then = match number == count {
            true => "that was all: answer now",
            false => "the next message goes on; answer nothing but OK until the last part has come",
        };
        format!("{head}{piece}{end}=== end of part {number} of {count}: {then} ===\n")
    };
    pieces.into_iter().enumerate().map(dress).collect()
}

fn pieces(mut text: &str, size: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    while text.len() > size {
        let most = text.floor_char_boundary(size);
        let at = text[..most].rfind('\n').map_or(most, |line| line + 1);
        let (piece, rest) = text.split_at(at);
        pieces.push(piece);
        text = rest;
    }
    if !text.is_empty() {
        pieces.push(text);
    }
    pieces
}
