//! Paths as callers write them, and paths as the workspace keeps them. Start from [`RelPath`].
//!
//! Nothing here looks at the disk: what a path really leads to is decided by `resolve` when the file is opened, never from its spelling.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::Error;

/// A path beneath the workspace without `.`, `..`, empty parts or links on the way to it; the workspace itself is the empty path.
///
/// Ordered by bytes, as `sort` in the C locale orders the printed names. Serialised as a string, or as bytes where the name is not UTF-8,
/// so that a log can hold every name that a disk can.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RelPath(OsString);

/// Whether a caller's contract accepts absolute paths that lie inside the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Absolute {
    #[default]
    Accept,
    Refuse,
}

impl RelPath {
    /// The path, if `path` is already in canonical form. For names that come back from a log or a journal.
    pub fn new(path: impl Into<OsString>) -> Option<RelPath> {
        let path = path.into();
        let bytes = path.as_bytes();
        let normal = |part: &[u8]| !part.is_empty() && part != b"." && part != b".." && !part.contains(&0);
        (bytes.is_empty() || bytes.split(|byte| *byte == b'/').all(normal)).then_some(RelPath(path))
    }

    pub fn as_path(&self) -> &Path {
        Path::new(&self.0)
    }

    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// This path with one more name. The name comes from the kernel or from a split path, so it has no `/`.
    pub(crate) fn join(&self, name: &OsStr) -> RelPath {
        let mut joined = self.0.clone();
        if !joined.is_empty() {
            joined.push("/");
        }
        joined.push(name);
        RelPath(joined)
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(".");
        }
        quoted(self.as_path()).fmt(f)
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Spelling<'a> {
    Text(std::borrow::Cow<'a, str>),
    Bytes(Vec<u8>),
}

impl Serialize for RelPath {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => Spelling::Text(text.into()),
            None => Spelling::Bytes(self.as_bytes().to_vec()),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RelPath {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<RelPath, D::Error> {
        let path = match Spelling::deserialize(deserializer)? {
            Spelling::Text(text) => OsString::from(text.into_owned()),
            Spelling::Bytes(bytes) => OsString::from_vec(bytes),
        };
        RelPath::new(path).ok_or_else(|| serde::de::Error::custom("not a path beneath a workspace"))
    }
}

/// A path for people and models: as it is, or in double quotes with escapes where it holds control characters or bytes that are not UTF-8.
/// Only the beginning of one that no system would take is shown.
pub fn quoted(path: &Path) -> impl fmt::Display + '_ {
    Quoted(path)
}

/// The longest path that Linux takes.
const LONGEST: usize = 4096;

struct Quoted<'a>(&'a Path);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = self.0.as_os_str().as_bytes();
        let bytes = whole.get(..LONGEST).unwrap_or(whole);
        if bytes.len() < whole.len() {
            return write!(f, "{}…", String::from_utf8_lossy(bytes).escape_debug());
        }
        if let Ok(text) = std::str::from_utf8(bytes)
            && !text.chars().any(char::is_control)
        {
            return f.write_str(text);
        }
        f.write_str("\"")?;
        for chunk in bytes.utf8_chunks() {
            for character in chunk.valid().chars() {
                match character {
                    '"' | '\\' => write!(f, "\\{character}")?,
                    _ if character.is_control() => write!(f, "{}", character.escape_default())?,
                    _ => write!(f, "{character}")?,
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        f.write_str("\"")
    }
}

/// Turns what a caller asked for into a path to resolve beneath the workspace.
///
/// `roots` are the spellings of the workspace's own absolute path. An absolute path counts as inside from the *last* point where its
/// spelling stands at the workspace, so `/ws/../ws/file` is `file`; what follows is resolved link by link like any other path.
pub(crate) fn beneath(roots: &[PathBuf], asked: &Path, absolute: Absolute) -> Result<PathBuf, Error> {
    let bytes = asked.as_os_str().as_bytes();
    if bytes.contains(&0) {
        return Err(Error::Nul { path: asked.to_owned() });
    }
    if String::from_utf8_lossy(bytes).trim().is_empty() {
        return Err(Error::Blank);
    }
    if !asked.is_absolute() {
        return Ok(asked.to_owned());
    }
    let outside = || Error::Outside { path: asked.to_owned() };
    if absolute == Absolute::Refuse {
        return Err(outside());
    }
    let mut rest = roots.iter().find_map(|root| strip(root, asked)).ok_or_else(outside)?;
    if names_folder(asked) {
        rest.as_mut_os_string().push("/");
    }
    Ok(rest)
}

/// Whether the spelling goes above its start at some point, links aside.
pub(crate) fn climbs_out(path: &Path) -> bool {
    let mut depth = 0usize;
    for part in path.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir if depth == 0 => return true,
            Component::ParentDir => depth -= 1,
            _ => {}
        }
    }
    false
}

/// Whether the spelling insists on a folder: `dir/`, `dir/.`.
pub(crate) fn names_folder(path: &Path) -> bool {
    let bytes = path.as_os_str().as_bytes();
    bytes.ends_with(b"/") || bytes.ends_with(b"/.")
}

/// What follows the last entry into `root`; ways that stay inside are left for the walk, which knows the links.
fn strip(root: &Path, asked: &Path) -> Option<PathBuf> {
    let root: Vec<_> = root.components().collect();
    let parts: Vec<_> = asked.components().collect();
    let mut seen: Vec<Component<'_>> = Vec::new();
    let mut entered = None;
    for (index, part) in parts.iter().enumerate() {
        let was_inside = seen.starts_with(&root);
        match part {
            Component::ParentDir => seen.truncate(seen.len().saturating_sub(1).max(1)),
            _ => seen.push(*part),
        }
        if seen == root && !was_inside {
            entered = Some(index + 1);
        }
    }
    let rest: PathBuf = parts.get(entered?..)?.iter().collect();
    Some(if rest.as_os_str().is_empty() { PathBuf::from(".") } else { rest })
}

#[cfg(test)]
mod tests;
