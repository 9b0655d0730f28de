//! Whether a path with patterns in it may be a name from the tables. Start from [`fits`].

use super::{NAME, UNKNOWN};

/// [`UNKNOWN`] as a byte.
const MARK: u8 = UNKNOWN as u8;
/// [`NAME`] as a byte.
const NAMED: u8 = NAME as u8;

/// Whether the path may begin with `entry`.
pub(super) fn begins(parts: &[impl AsRef<str>], entry: &str) -> bool {
    let mut parts = parts.iter();
    // `/etc/*` meets `/etc/shadow`, but a pattern of nothing but stars says too little by itself.
    let mut certain = false;
    for name in entry.split('/') {
        let Some(part) = parts.next().map(AsRef::as_ref) else {
            return false;
        };
        let fit = fits(part, name);
        if !fit && (part != "*" || name.starts_with('.')) {
            return false;
        }
        certain |= fit;
    }
    certain
}

/// Whether `entry` may lie anywhere in the path.
pub(super) fn contains(parts: &[impl AsRef<str>], entry: &str) -> bool {
    (0..parts.len()).any(|from| begins(&parts[from..], entry))
}

/// Whether a part holds more than letters that mean themselves.
pub(super) fn is_pattern(part: &str) -> bool {
    part.contains(['*', '?', '[', UNKNOWN, NAME])
}

/// Whether a part of a path, which may be a pattern, can be `name`, which may hold `*` itself.
pub(super) fn fits(part: &str, name: &str) -> bool {
    if part == name {
        return true;
    }
    if begin_apart(part, name) {
        return false;
    }
    if !is_pattern(part) {
        return name.contains('*') && matches(name.as_bytes(), part.as_bytes());
    }
    // A leading `*` or `?` does not match a leading dot, and a part of nothing but marks says nothing.
    if (name.starts_with('.') && !part.starts_with('.'))
        || part.chars().all(|c| matches!(c, '*' | UNKNOWN | NAME))
    {
        return false;
    }
    matches(part.as_bytes(), name.as_bytes())
}

/// Whether both begin with a letter that means itself, and not with the same one. That settles almost every question: a
/// search asks some fifty for each file of a tree.
fn begin_apart(part: &str, name: &str) -> bool {
    let means_itself = |first: u8| !matches!(first, b'*' | b'?' | b'[' | MARK | NAMED);
    match (part.as_bytes().first(), name.as_bytes().first()) {
        (Some(&part), Some(&name)) => part != name && means_itself(part) && name != b'*',
        _ => false,
    }
}

/// Wildcard matching without recursion: a bracket counts as any one character. One side is always a
/// name from the tables, which are ASCII, so bytes are characters enough.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut on) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while on < name.len() {
        match pattern.get(at) {
            Some(&(b'*' | MARK | NAMED)) => {
                retry = Some((at + 1, on));
                at += 1;
                continue;
            }
            Some(b'[') => {
                let length = pattern[at..].iter().position(|c| *c == b']').unwrap_or(0);
                at += length + 1;
                on += 1;
                continue;
            }
            Some(c) if *c == b'?' || *c == name[on] => {
                at += 1;
                on += 1;
                continue;
            }
            _ => {}
        }
        let Some((back, from)) = retry else {
            return false;
        };
        retry = Some((back, from + 1));
        at = back;
        on = from + 1;
    }
    pattern[at..].iter().all(|c| matches!(*c, b'*' | MARK | NAMED))
}
