//! One file's part of a patch, in git's form. Start at [`section`].

use super::binary;
use crate::patch::unified;

/// A file at one time.
pub struct Version {
    /// As git counts it.
    pub mode: u32,
    pub bytes: Vec<u8>,
}

/// Text up to this size is shown as text; a diff of more would be cut by its writer.
const TEXT: usize = 1 << 20;

/// What changed between two versions, of which one may be missing. Equal ones give no text.
pub fn section(path: &str, before: Option<Version>, after: Option<Version>) -> String {
    match (before, after) {
        (None, None) => String::new(),
        // A file that became a link, or the other way round, is another file.
        (Some(before), Some(after)) if (before.mode == LINK) != (after.mode == LINK) => {
            section(path, Some(before), None) + &section(path, None, Some(after))
        }
        (before, after) => {
            let old = before.as_ref().map(|version| version.bytes.as_slice());
            let new = after.as_ref().map(|version| version.bytes.as_slice());
            let modes =
                (before.as_ref().map(|version| version.mode), after.as_ref().map(|version| version.mode));
            if old == new && modes.0 == modes.1 {
                return String::new();
            }
            let body = if is_text(old) && is_text(new) { unified(path, old, new) } else { String::new() };
            let names = names(path, &body);
            let head = format!("{names}{}", mode_lines(modes));
            match hunks(&body) {
                _ if old == new
                    || (old.unwrap_or_default().is_empty() && new.unwrap_or_default().is_empty()) =>
                {
                    head
                }
                Some(hunks) => head + hunks,
                None => head + &binary::literal(old, new),
            }
        }
    }
}

const LINK: u32 = 0o120_000;

fn is_text(bytes: Option<&[u8]>) -> bool {
    let bytes = bytes.unwrap_or_default();
    bytes.len() <= TEXT && !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok()
}

/// The first line of the section. The writer of diffs knows how to quote a path.
fn names(path: &str, body: &str) -> String {
    let first = body.lines().next().map(|line| format!("{line}\n"));
    first.unwrap_or_else(|| {
        let shown = unified(path, Some(b"a"), Some(b"b"));
        shown.lines().next().map(|line| format!("{line}\n")).unwrap_or_default()
    })
}

fn mode_lines(modes: (Option<u32>, Option<u32>)) -> String {
    match modes {
        (None, Some(new)) => format!("new file mode {new:o}\n"),
        (Some(old), None) => format!("deleted file mode {old:o}\n"),
        (Some(old), Some(new)) if old != new => format!("old mode {old:o}\nnew mode {new:o}\n"),
        _ => String::new(),
    }
}

/// From `---` on.
fn hunks(body: &str) -> Option<&str> {
    body.find("\n--- ").map(|at| &body[at + 1..])
}
