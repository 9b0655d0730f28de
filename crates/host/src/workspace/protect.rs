//! Which names tools may not write, as one table. Start from [`rule`].
//!
//! The names are those whose content makes another program act: git's internals, our own state, and the settings of editors and agents. The
//! check runs on the resolved path, so a link inside the workspace does not get around it. Reading is not its business.

use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use super::path::RelPath;

const GIT: &str = "git's own files";
const STATE: &str = "Cinque's own state";
const SETTINGS: &str = "settings of editors and agents";
const VERSIONS: &str = "version control's own files";

/// Names protected as a file or as a folder with all that is in it, at any depth. Lower case.
const NAMES: &[(&str, &str)] = &[
    (".git", GIT),
    ("git~1", GIT),
    (".hg", VERSIONS),
    (".jj", VERSIONS),
    (".svn", VERSIONS),
    (".cinque", STATE),
    (".mcp.json", SETTINGS),
    (".agents", SETTINGS),
    (".aider.conf.yml", SETTINGS),
    (".amazonq", SETTINGS),
    (".augment", SETTINGS),
    (".claude", SETTINGS),
    (".claude.json", SETTINGS),
    (".cline", SETTINGS),
    (".codex", SETTINGS),
    (".continue", SETTINGS),
    (".crush", SETTINGS),
    (".crush.json", SETTINGS),
    (".cursor", SETTINGS),
    (".devcontainer", SETTINGS),
    (".devcontainer.json", SETTINGS),
    (".dir-locals.el", SETTINGS),
    (".exrc", SETTINGS),
    (".fleet", SETTINGS),
    (".gemini", SETTINGS),
    (".goose", SETTINGS),
    (".helix", SETTINGS),
    (".idea", SETTINGS),
    (".junie", SETTINGS),
    (".kilocode", SETTINGS),
    (".kiro", SETTINGS),
    (".nova", SETTINGS),
    (".nvim.lua", SETTINGS),
    (".nvimrc", SETTINGS),
    (".opencode", SETTINGS),
    (".qwen", SETTINGS),
    (".roo", SETTINGS),
    (".trae", SETTINGS),
    (".vimrc", SETTINGS),
    (".vs", SETTINGS),
    (".vscode", SETTINGS),
    (".windsurf", SETTINGS),
    (".zed", SETTINGS),
];

/// Names that protect only below a certain folder, both lower case.
const BELOW: &[(&str, &str, &str)] =
    &[(".github", "copilot", SETTINGS), (".github", "hooks", SETTINGS), (".github", "agents", SETTINGS)];

/// Why tools may not write this path, or `None` where they may.
pub fn rule(path: &RelPath) -> Option<&'static str> {
    let folded: Vec<String> =
        path.as_path().components().map(|part| fold(part.as_os_str().as_bytes())).collect();
    let by_name = folded.iter().find_map(|part| {
        let found = NAMES.iter().find(|(name, _)| name == part)?;
        Some(found.1)
    });
    by_name.or_else(|| {
        folded.windows(2).find_map(|pair| {
            let found = BELOW.iter().find(|(folder, name, _)| *folder == pair[0] && *name == pair[1])?;
            Some(found.2)
        })
    })
}

/// Whether a whole workspace lies inside a git folder, where every write would be a write to git's own files.
pub(crate) fn inside_git(root: &Path) -> Option<&'static str> {
    let git = |part: Component<'_>| fold(part.as_os_str().as_bytes()) == ".git";
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

/// The name as a forgiving file system sees it: case folded, without the characters that HFS+ ignores, without the trailing dots, blanks
/// and stream names that NTFS and SMB drop. Such file systems are mounted on Linux too, so the folding is the same everywhere.
fn fold(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    let kept: String = text
        .chars()
        .filter(|character| !ignorable(*character))
        .flat_map(char::to_lowercase)
        .filter_map(plain)
        .collect();
    let stem = kept.split(':').next().unwrap_or_default();
    stem.trim_end_matches(['.', ' ']).to_owned()
}

/// Characters that HFS+ leaves out when it compares names, and their newer relatives.
fn ignorable(character: char) -> bool {
    matches!(character,
        '\u{00ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
}

/// Letters that some case-insensitive file systems hold equal to a plain one: dotless i, dotted I (lowered to i and a combining dot), long s.
fn plain(character: char) -> Option<char> {
    match character {
        'ı' => Some('i'),
        'ſ' => Some('s'),
        '\u{0307}' => None,
        other => Some(other),
    }
}

#[cfg(test)]
mod tests;
