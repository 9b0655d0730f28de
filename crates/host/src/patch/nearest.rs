//! Finding the text that a failed hunk probably meant, to show it in the error.
//!
//! Start from [`nearest`]. It is advice for the reader of a message and never decides where a hunk goes.

use std::collections::HashMap;

use super::error::{Nearest, excerpt, short};
use super::seek::{Index, Level, levelled};
use super::text::shown;

/// Wanted lines that take part in the comparison.
const WANTED: usize = 200;
/// Occurrences of one wanted line that are looked at.
const OCCURRENCES: usize = 200;
/// Lines of the file, and bytes of one line, that are compared letter by letter.
const LINES: usize = 20_000;
const LETTERS: usize = 200;
/// The share of letter pairs, in per cent, below which two lines are not alike.
const ALIKE: usize = 50;

/// The place of the file that agrees with most of the wanted lines, nearest to `expected` among equals,
/// or the text there if nothing in the file is like them.
pub fn nearest(index: &Index<'_>, wanted: &[&str], expected: usize) -> Option<Nearest> {
    let last = index.len().checked_sub(1)?;
    let start = by_lines(index, wanted, expected)
        .or_else(|| by_letters(index, wanted, expected))
        .unwrap_or(expected.min(last));
    let found = index.texts(start, wanted.len());
    let same = |(wanted, found): &(&&str, &&[u8])| {
        levelled(wanted.as_bytes(), Level::Typography) == levelled(found, Level::Typography)
    };
    let pairs = || wanted.iter().zip(&found);
    let differs = pairs()
        .position(|pair| !same(&pair))
        .map(|i| (start + i + 1, short(wanted[i]), short(&shown(found[i]))));
    let text: Vec<_> = found.iter().map(|line| shown(line)).collect();
    Some(Nearest {
        line: start + 1,
        agreeing: pairs().filter(same).count(),
        wanted: wanted.len(),
        differs,
        text: excerpt(&text),
    })
}

/// Lets every line that agrees vote for where the whole would begin.
fn by_lines(index: &Index<'_>, wanted: &[&str], expected: usize) -> Option<usize> {
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (i, line) in wanted.iter().take(WANTED).enumerate() {
        // Blank lines and closing brackets agree everywhere and would outvote what matters.
        if line.trim().len() < 2 {
            continue;
        }
        let places = index.places(line, Level::Typography).iter();
        for start in places.take(OCCURRENCES).filter_map(|place| place.checked_sub(i)) {
            *votes.entry(start).or_default() += 1;
        }
    }
    votes
        .into_iter()
        .max_by_key(|(start, count)| (*count, usize::MAX - start.abs_diff(expected), *start))
        .map(|(start, _)| start)
}

/// Compares the longest wanted line with every line of the file by its pairs of letters.
fn by_letters(index: &Index<'_>, wanted: &[&str], expected: usize) -> Option<usize> {
    let longest = (0..wanted.len()).take(WANTED).max_by_key(|i| wanted[*i].trim().len())?;
    let model = pairs(wanted[longest].as_bytes());
    let size: usize = model.iter().map(|count| usize::from(*count)).sum();
    if size == 0 {
        return None;
    }
    let likeness = |line: &[u8]| {
        let line = pairs(line);
        let both = model.iter().zip(&line);
        let shared: usize = both.map(|(a, b)| usize::from(*a.min(b))).sum();
        let own: usize = line.iter().map(|count| usize::from(*count)).sum();
        200 * shared / (size + own)
    };
    let lines = index.texts(0, LINES);
    let (at, _) = lines
        .iter()
        .enumerate()
        .map(|(at, line)| (at, likeness(line)))
        .filter(|(_, likeness)| *likeness >= ALIKE)
        .max_by_key(|(at, likeness)| (*likeness, usize::MAX - at.abs_diff(expected)))?;
    Some(at.saturating_sub(longest))
}

/// How often each pair of neighbouring letters occurs, with rare collisions.
fn pairs(line: &[u8]) -> [u8; 256] {
    let line = line.trim_ascii();
    let mut counts = [0_u8; 256];
    for pair in line[..line.len().min(LETTERS)].windows(2) {
        let count = &mut counts[usize::from(pair[0].wrapping_mul(31).wrapping_add(pair[1]))];
        *count = count.saturating_add(1);
    }
    counts
}
