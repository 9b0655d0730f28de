//! Which names tools may not write, however they are spelled.

use super::*;
use crate::workspace::tests::kind;
use crate::workspace::tests::tree::{Tree, remove, rename, write};

#[test]
fn names_are_protected_in_every_spelling() {
    for path in [
        ".git/config",
        ".git/hooks/pre-commit",
        ".git",
        "sub/module/.git",
        "sub/.git/HEAD",
        ".GIT/config",
        ".Git/hooks/x",
        ".g\u{200c}it/config",
        "\u{feff}.git/config",
        ".gİt/config",
        ".gıt/config",
        ".git./config",
        ".git . /config",
        ".git::$INDEX_ALLOCATION/config",
        "GIT~1/config",
        ".cinque/token",
        ".mcp.json",
        "packages/x/.mcp.json",
        ".MCP.json",
        ".vscode/tasks.json",
        ".vſcode/tasks.json",
        ".idea/workspace.xml",
        ".claude/settings.json",
        ".codex/config.toml",
        ".gemini/settings.json",
        ".cursor/mcp.json",
        ".github/hooks/x.json",
        ".envrc",
        "deep/.Envrc",
        ".cursorrules",
        "opencode.json",
        ".clinerules/x",
        ".husky/pre-commit",
        ".jj/repo/config.toml",
    ] {
        assert!(rule(&RelPath::new(path).expect("a path")).is_some(), "{path:?}");
    }
}

#[test]
fn ordinary_names_are_not() {
    for path in [
        "src/main.rs",
        ".gitignore",
        ".gitattributes",
        ".gitmodules",
        ".github/workflows/ci.yml",
        ".github",
        "hooks/.github",
        "hooks/pre-commit",
        "git/config",
        "x.git/config",
        ".git2/x",
        "AGENTS.md",
        "mcp.json",
        ".env",
        "vscode/x",
        "agents/x",
        "cinque/.x",
    ] {
        assert_eq!(rule(&RelPath::new(path).expect("a path")), None, "{path:?}");
    }
}

#[test]
fn neither_links_nor_second_names_get_around_it() {
    let tree = Tree::new(&[
        ".git/config",
        ".git/hooks/",
        "link => .git",
        "deep/config => ../.git/config",
        "hook => .git/hooks/pre-commit",
        "mine",
    ]);
    std::fs::hard_link(tree.root().join(".git/config"), tree.root().join("second")).expect("a hard link");
    let workspace = tree.open();
    for change in [
        write("link/config", "x"),
        write("deep/config", "x"),
        write("hook", "x"),
        write("nothing/../.git/config", "x"),
        write(".git/new", "x"),
        remove("link/config"),
        rename(".git/config", "taken"),
        rename("mine", ".git/hooks/pre-commit"),
        rename("mine", "link/hooks/pre-commit"),
    ] {
        let refused = workspace.change(std::slice::from_ref(&change));
        assert!(matches!(kind(&refused).as_str(), "Protected" | "Missing"), "{change:?}: {refused:?}");
    }
    assert_eq!(kind(&workspace.change(&[write("second", "x")])), "ok");
    assert_eq!((tree.read("second").as_str(), tree.read(".git/config").as_str()), ("x", ".git/config\n"));
}
