//! Which workspace paths are protected, and which home paths are masked.

use super::*;

#[test]
fn protected_paths_are_known_by_name() {
    let cases = [
        (".git", Protected::Ancestor),
        (".git/hooks", Protected::Yes),
        (".git/hooks/pre-commit", Protected::Yes),
        (".GIT/Config", Protected::Yes),
        (".git/index", Protected::No),
        (".git/configs", Protected::No),
        (".cinque", Protected::Yes),
        ("./.mcp.json", Protected::Yes),
        ("src/.git/hooks", Protected::No),
        ("src", Protected::No),
        (".gitignore", Protected::No),
    ];
    for (path, expected) in cases {
        assert_eq!(Protected::of(Path::new(path)), expected, "{path}");
    }
}

#[test]
fn a_grant_lifts_a_mask_and_no_other() {
    let home = Path::new("/home/ada");
    let granted = [home.join(".config")];
    let masked = secrets(Some(home), &granted);
    assert!(masked.contains(&home.join(".ssh")));
    assert!(!masked.contains(&home.join(".config/gh")));
}
