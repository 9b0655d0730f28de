//! Paths as patches write them: quoted, prefixed, dated, or `/dev/null`.
//!
//! Start from [`header_path`] and [`candidates`]. It says what a path means, never whether it may be touched.

use super::error::PatchError;

/// The path of a `---` or `+++` line, or nothing for `/dev/null`.
pub fn header_path(text: &str) -> Option<String> {
    let path = match quoted(text) {
        Some((path, _)) => path,
        // What follows a tab is a date.
        None => text.split('\t').next().unwrap_or(text).trim().to_owned(),
    };
    (path != "/dev/null").then_some(path)
}

/// A path that git wrote plainly or in C quotes, as after `rename from`.
pub fn plain_path(text: &str) -> String {
    match quoted(text) {
        Some((path, _)) => path,
        None => text.trim().to_owned(),
    }
}

/// The two paths of a `diff --git` line, if they can be told apart.
pub fn git_paths(text: &str) -> Option<(String, String)> {
    if let Some((old, rest)) = quoted(text) {
        return Some((old, plain_path(rest)));
    }
    if let Some(cut) = text.find(" \"") {
        return Some((text[..cut].to_owned(), plain_path(&text[cut..])));
    }
    // Paths may contain blanks, but without a rename both are equal, or equal but for the prefix.
    text.match_indices(' ').find_map(|(cut, _)| {
        let (old, new) = (&text[..cut], &text[cut + 1..]);
        let same = old == new || (rest(old).is_some() && rest(old) == rest(new));
        same.then(|| (old.to_owned(), new.to_owned()))
    })
}

/// The files that the two paths of a diff may mean, likeliest first.
///
/// `a/x` and `b/x` are git's way to say `x`; `a/x` twice is a file in a real directory `a`.
pub fn candidates(old: Option<&str>, new: Option<&str>) -> Vec<String> {
    let mut names: Vec<&str> = Vec::new();
    match (old, new) {
        (Some(old), Some(new)) if old == new => {
            names.push(new);
            names.extend(unprefixed(new));
        }
        (Some(old), Some(new)) if rest(old).is_some() && rest(old) == rest(new) => {
            names.extend(rest(new));
            if unprefixed(old).is_none() {
                names.extend([new, old]);
            }
        }
        (Some(old), Some(new)) => {
            names.push(unprefixed(new).unwrap_or(new));
            names.push(unprefixed(old).unwrap_or(old));
            names.extend([new, old]);
        }
        (Some(only), None) | (None, Some(only)) => {
            names.extend(unprefixed(only));
            names.push(only);
        }
        (None, None) => {}
    }
    names.dedup();
    names.into_iter().map(str::to_owned).collect()
}

/// A path without `./`, doubled slashes and the like, so that one file has one name in a plan.
pub fn cleaned(path: &str) -> Result<String, PatchError> {
    let refuse = |why: &str| Err(PatchError::Conflict(format!("Invalid path {path:?}: {why}")));
    if path.contains(['\0', '\n', '\r']) {
        return refuse("it contains a control character.");
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.is_empty() {
        return refuse("it names no file.");
    }
    if path.ends_with('/') {
        return refuse("it names a directory.");
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    Ok(format!("{root}{}", parts.join("/")))
}

/// Whether the names of a diff only say before and after, as `original` and `modified` do. One name, or a path, is meant.
pub fn are_placeholders(names: &[String]) -> bool {
    names.len() > 1 && names.iter().all(|name| !name.contains(['/', '.']))
}

/// Whether two paths plausibly name the same file from different directories.
pub fn agree(named: &str, path: &str) -> bool {
    let tail = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|head| head.is_empty() || head.ends_with('/'))
    };
    tail(named, path) || tail(path, named)
}

/// A path after one of the one-letter prefixes that git puts before paths.
fn unprefixed(path: &str) -> Option<&str> {
    let (prefix, rest) = path.split_once('/')?;
    matches!(prefix, "a" | "b" | "c" | "i" | "o" | "w").then_some(rest)
}

/// A path without its first component.
fn rest(path: &str) -> Option<&str> {
    path.split_once('/').map(|(_, rest)| rest)
}

/// A path in C quotes at the start of `text`, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let inner = text.trim_start().strip_prefix('"')?;
    let mut bytes = Vec::new();
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                let path = String::from_utf8(bytes).ok()?;
                return Some((path, &inner[at + 1..]));
            }
            '\\' => {
                let (at, c) = chars.next()?;
                if c.is_digit(8) {
                    let octal = inner.get(at..at + 3)?;
                    bytes.push(u8::from_str_radix(octal, 8).ok()?);
                    chars.nth(1)?;
                } else {
                    bytes.push(escape(c)?);
                }
            }
            c => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    None
}

fn escape(c: char) -> Option<u8> {
    Some(match c {
        'a' => 7,
        'b' => 8,
        't' => b'\t',
        'n' => b'\n',
        'v' => 11,
        'f' => 12,
        'r' => b'\r',
        '"' => b'"',
        '\\' => b'\\',
        _ => return None,
    })
}
