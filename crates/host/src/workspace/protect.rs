//! Which names tools may not write. Start from [`rule`]; the table is [`PROTECTED`].
//!
//! The names are those whose content makes another program act: git's internals, our own state, and the settings of editors and agents. The
//! check runs on the resolved path, so a link inside the workspace does not get around it. Reading is not its business.

use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use super::path::RelPath;
use crate::sandbox::names::{PROTECTED, fold};

const GIT: &str = "git's own files";
const STATE: &str = "Cinque's own state";
const SETTINGS: &str = "settings of editors and agents";
const VERSIONS: &str = "version control's own files";

/// Why tools may not write this path, or `None` where they may. The names are those of the wall, but at any depth, and all
/// of git instead of the parts that a command must not touch.
pub fn rule(path: &RelPath) -> Option<&'static str> {
    let folded: Vec<String> = path.as_path().components().map(|part| fold(part.as_os_str())).collect();
    if folded.iter().any(|part| is_git(part)) {
        return Some(GIT);
    }
    (0..folded.len()).find_map(|from| PROTECTED.iter().find(|name| begins(&folded[from..], name))).map(reason)
}

fn is_git(folded: &str) -> bool {
    // The second is the short name that FAT and NTFS give the first.
    matches!(folded, ".git" | "git~1")
}

fn begins(parts: &[String], name: &str) -> bool {
    let wanted: Vec<&str> = name.split('/').collect();
    parts.len() >= wanted.len() && parts.iter().zip(wanted).all(|(part, wanted)| part == wanted)
}

fn reason(name: &&str) -> &'static str {
    match *name {
        ".cinque" => STATE,
        ".hg" | ".jj" | ".svn" => VERSIONS,
        _ => SETTINGS,
    }
}

/// Whether a whole workspace lies inside a git folder, where every write would be a write to git's own files.
pub(crate) fn inside_git(root: &Path) -> Option<&'static str> {
    let git = |part: Component<'_>| fold(part.as_os_str()) == ".git";
    root.components().any(git).then_some(GIT)
}

/// Whether walks leave this entry out: git's and our own files are never of interest to a search, can be very large, or are temporary.
pub(crate) fn unlisted(name: &std::ffi::OsStr) -> bool {
    let name = name.as_bytes();
    let temporary = || {
        name.starts_with(b".cinque-")
            && [&b".new"[..], b".old", b".back"].iter().any(|end| name.ends_with(end))
    };
    name == b".git" || name == b".cinque" || temporary()
}

#[cfg(test)]
mod tests;
