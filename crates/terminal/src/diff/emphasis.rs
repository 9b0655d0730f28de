//! Which part of a changed line really changed. Start from [`run`].

use std::ops::Range;

use super::parse::{Row, Side};

/// How many removed lines `rows` begins with, and how many added ones follow them.
pub(super) fn run(rows: &[Row<'_>]) -> (usize, usize) {
    let count = |rows: &[Row<'_>], wanted: Side| {
        rows.iter().take_while(|row| matches!(row, Row::Text { side, .. } if *side == wanted)).count()
    };
    let old = count(rows, Side::Old);
    let new = if old > 0 { count(rows.get(old..).unwrap_or_default(), Side::New) } else { 0 };
    (old, new)
}

/// The parts of two lines that the other does not have; nothing if they have too little in common to compare.
pub(super) fn parts(old: &Row<'_>, new: &Row<'_>) -> Option<(Range<usize>, Range<usize>)> {
    let (Row::Text { text: old, .. }, Row::Text { text: new, .. }) = (old, new) else { return None };
    let front: usize =
        old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let (old_rest, new_rest) = (old.get(front..)?, new.get(front..)?);
    let both = old_rest.chars().rev().zip(new_rest.chars().rev());
    let back: usize = both.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let blank = old.len() - old.trim_start().len();
    let shared = (front + back).saturating_sub(blank);
    let longest = old.len().max(new.len()).saturating_sub(blank);
    (shared * 3 >= longest && old != new).then(|| (front..old.len() - back, front..new.len() - back))
}
