//! Which workspace paths are protected, and which home paths are masked.

use super::*;

#[test]
fn protected_paths_are_known_by_name() {
    let guard = Guard::new(Path::new("/w"), Some(Path::new("/home/ada")));
    let cases = [
        (".git", Protected::Repository),
        (".git/hooks", Protected::Yes),
        (".git/hooks/pre-commit", Protected::Yes),
        (".GIT/Config", Protected::Yes),
        (".g\u{200c}it/config", Protected::Yes),
        (".git/worktrees/x/commondir", Protected::Yes),
        (".git/modules/deep/er/config", Protected::Yes),
        (".git/index", Protected::No),
        (".git/configs", Protected::No),
        (".cinque", Protected::Yes),
        ("./.mcp.json", Protected::Yes),
        (".husky/pre-push", Protected::Yes),
        (".github", Protected::Ancestor),
        (".github/hooks/x", Protected::Yes),
        (".github/workflows", Protected::No),
        ("src/.git/hooks", Protected::No),
        ("src", Protected::No),
        (".gitignore", Protected::No),
        (".bashrc", Protected::No),
    ];
    for (path, expected) in cases {
        assert_eq!(guard.judge(Path::new(path)), expected, "{path}");
    }
}

#[test]
fn a_home_in_the_workspace_is_protected() {
    let cases = [
        ("/home/ada", ".bashrc", Protected::Yes),
        ("/home/ada", ".config", Protected::Ancestor),
        ("/home/ada", ".config/autostart/x", Protected::Yes),
        ("/home/ada", ".config/mine", Protected::No),
        ("/home/ada", ".netrc", Protected::Yes),
        ("/home", "ada/.profile", Protected::Yes),
        ("/home", ".profile", Protected::No),
        ("/home", "ada", Protected::Ancestor),
        ("/home/ada/project", ".profile", Protected::No),
    ];
    for (workspace, path, expected) in cases {
        let guard = Guard::new(Path::new(workspace), Some(Path::new("/home/ada")));
        assert_eq!(guard.judge(Path::new(path)), expected, "{workspace} {path}");
    }
}

/// Names are compared folded, so one that is not would never be met.
#[test]
fn the_table_is_folded() {
    for name in PROTECTED {
        assert_eq!(fold_parts(Path::new(name)).join("/"), *name);
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
