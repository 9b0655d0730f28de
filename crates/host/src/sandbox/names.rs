//! The names whose content makes another program act later, as one table, and how names are compared with it. Start from
//! [`PROTECTED`] and [`fold`]. The wall goes by it in the root of the workspace, and file tools at any depth.

use std::ffi::OsStr;

/// The folder in which a workspace keeps the agent's own state.
pub const STATE_FOLDER: &str = ".cinque";
/// What commands and tools may read of it: what earlier commands printed.
pub const STATE_READABLE: &str = "output";

/// The one table of names that act later: settings of this and other agents and of editors, and the parts of a
/// repository that make programs run. Relative to the workspace, lower case. Whoever can write one of them runs code
/// outside the wall the next time a person works here.
pub const PROTECTED: &[&str] = &[
    ".git/hooks",
    ".git/config",
    ".git/config.worktree",
    ".git/commondir",
    ".git/worktrees",
    ".git/modules",
    ".hg",
    ".jj",
    ".svn",
    STATE_FOLDER,
    ".mcp.json",
    ".vscode",
    ".idea",
    ".zed",
    ".fleet",
    ".vs",
    ".nova",
    ".nvim.lua",
    ".nvimrc",
    ".exrc",
    ".vimrc",
    ".dir-locals.el",
    ".helix",
    ".agents",
    ".aider.conf.yml",
    ".amazonq",
    ".augment",
    ".claude",
    ".claude.json",
    ".cline",
    ".clinerules",
    ".codex",
    ".continue",
    ".crush",
    ".crush.json",
    ".cursor",
    ".cursorrules",
    ".gemini",
    ".goose",
    ".junie",
    ".kilocode",
    ".kiro",
    ".opencode",
    "opencode.json",
    ".qwen",
    ".roo",
    ".trae",
    ".windsurf",
    ".github/agents",
    ".github/copilot",
    ".github/hooks",
    ".devcontainer",
    ".devcontainer.json",
    ".husky",
    ".envrc",
];

/// The name as a forgiving file system sees it: case folded, without the characters that HFS+ ignores, without the trailing dots, blanks
/// and stream names that NTFS and SMB drop. Such file systems are mounted on Linux too, so the folding is the same everywhere.
pub fn fold(name: &OsStr) -> String {
    let text = name.to_string_lossy();
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
