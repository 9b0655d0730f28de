//! Which name was probably meant by one that does not exist. Start from [`of`].

use super::key::Name;

/// The candidate that is spelled most alike; else a neighbour of which one name contains the other; else one that is
/// called the same in another section.
pub fn of(name: &Name, candidates: impl Iterator<Item = Name>) -> Option<Name> {
    let candidates: Vec<Name> = candidates.filter(|candidate| candidate != name).collect();
    let written = name.segments().join("_");
    let last = name.segments().last()?.as_str();
    let close = candidates
        .iter()
        .map(|candidate| (distance(&written, &candidate.segments().join("_")), candidate))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= tolerance(last))
        .map(|(_, candidate)| candidate);
    let neighbour = || candidates.iter().find(|other| siblings(name, other) && overlap(last, other));
    let namesake = || candidates.iter().find(|other| other.segments().last().is_some_and(|own| own == last));
    close.or_else(neighbour).or_else(namesake).cloned()
}

fn siblings(name: &Name, other: &Name) -> bool {
    let parent = |name: &Name| name.segments().split_last().map(|(_, parent)| parent.to_vec());
    parent(name) == parent(other)
}

/// Whether one name is a part of the other. Short names are part of too much.
fn overlap(last: &str, other: &Name) -> bool {
    let own = other.segments().last().map_or("", String::as_str);
    last.len() >= 3 && own.len() >= 3 && (last.contains(own) || own.contains(last))
}

fn tolerance(name: &str) -> usize {
    match name.chars().count() {
        0..=3 => 1,
        4..=7 => 2,
        _ => 3,
    }
}

/// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other.
pub fn distance(from: &str, to: &str) -> usize {
    // Names in a file can be of any length; the ones that exist are short.
    let letters = |text: &str| text.chars().take(100).collect::<Vec<char>>();
    let (from, to) = (letters(from), letters(to));
    let mut before = vec![0; to.len() + 1];
    let mut above: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1; to.len() + 1];
        for (j, b) in to.iter().enumerate() {
            let replaced = above[j] + usize::from(a != b);
            row[j + 1] = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[to.len()]
}
