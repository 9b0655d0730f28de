//! Folders and globs: what is listed, in which order, and what is left out.

use super::*;
use crate::workspace::tests::kind;
use crate::workspace::tests::tree::Tree;

fn tree() -> Tree {
    Tree::new(&[
        "README.md",
        "a-b",
        "a/b.md",
        "a/deep/er/c.md",
        "a/x.rs",
        ".hidden/d.md",
        ".git/e.md",
        ".cinque/f.md",
        "target/g.md",
        "a/skipped.md",
        "a/loop => ..",
        "out => ../outside",
        "alias => a",
        ".gitignore = target/\nskipped.md\n/b.md\n",
        "[id]/page.md",
    ])
}

fn shown(listing: Result<Listing, Error>) -> String {
    match listing {
        Ok(listing) => {
            listing.entries.iter().map(|entry| entry.path.to_string()).collect::<Vec<_>>().join(" ")
        }
        error => kind(&error),
    }
}

#[test]
fn folders_and_globs() {
    let tree = tree();
    let workspace = tree.open();
    for (path, expected) in [
        (".", ".gitignore .hidden README.md [id] a a-b alias out"),
        ("a", "a/b.md a/deep a/loop a/x.rs"),
        ("a/", "a/b.md a/deep a/loop a/x.rs"),
        ("alias", "a/b.md a/deep a/loop a/x.rs"),
        ("[id]", "[id]/page.md"),
        ("*.md", "README.md"),
        ("**/*.md", ".hidden/d.md README.md [id]/page.md a/b.md a/deep/er/c.md"),
        ("a/**/*.md", "a/b.md a/deep/er/c.md"),
        ("a/*", "a/b.md a/deep a/loop a/x.rs"),
        ("a/*/", "a/deep"),
        ("?/*.md", "a/b.md"),
        ("alias/*.rs", "a/x.rs"),
        ("a/../*.md", "README.md"),
        ("*.{md,rs}", "README.md"),
        ("*.none", ""),
        ("target", "target/g.md"),
        ("target/*.md", "target/g.md"),
        (".git", ".git/e.md"),
        ("nothing", "Missing"),
        ("nothing/*.md", "Missing"),
        ("README.md", "NotAFolder"),
        ("out", "Outside"),
        ("..", "Outside"),
        ("../*", "Outside"),
        ("*/../../*", "Outside"),
        ("*/../x", "Pattern"),
        ("/etc/*", "Outside"),
        ("", "Blank"),
        ("*[", "Pattern"),
    ] {
        assert_eq!(shown(workspace.list(path, Ignored::Skip, 100)), expected, "{path:?}");
    }
    assert_eq!(shown(workspace.list("**/skipped.md", Ignored::Show, 100)), "a/skipped.md");
}

#[test]
fn a_limit_cuts_and_the_total_is_known() {
    let tree = tree();
    let listing = tree.open().list(".", Ignored::Skip, 2).expect("a listing");
    assert_eq!((listing.entries.len(), listing.total), (2, 8));
    assert_eq!(listing.entries[1].kind, EntryKind::Folder);
}

#[test]
fn ignore_files_above_count_only_inside_a_repository() {
    for (repository, expected) in [(None, "ws/x.log ws/x.md"), (Some(".git/"), "ws/x.md")] {
        let tree = Tree::new(&[".gitignore = *.log\n", "ws/x.log", "ws/x.md"]);
        repository.iter().for_each(|item| tree.add(item));
        let inner = Workspace::open(tree.root().join("ws")).expect("the workspace");
        let found = shown(inner.list("*", Ignored::Skip, 100))
            .split(' ')
            .map(|name| format!("ws/{name}"))
            .collect::<Vec<_>>()
            .join(" ");
        assert_eq!(found, expected);
    }
}

#[test]
fn names_that_are_not_text_are_listed() {
    use std::os::unix::ffi::OsStringExt;
    let tree = Tree::new(&["two\nlines"]);
    std::fs::write(tree.root().join(std::ffi::OsString::from_vec(b"bad\xff".to_vec())), "x").expect("a file");
    assert_eq!(shown(tree.open().list(".", Ignored::Skip, 100)), "\"bad\\xff\" \"two\\nlines\"");
}

#[test]
fn an_ignore_file_that_is_a_pipe_or_a_device_does_not_hold_up_the_walk() {
    for (trap, from, expected) in
        [("sub", "**/*.md", "a.md"), (".", "**/*.md", "a.md sub/b.md"), ("sub", "sub/*.md", "sub/b.md")]
    {
        let tree = Tree::new(&["a.md", "sub/b.md", "sub/.ignore => /dev/zero"]);
        let made =
            std::process::Command::new("mkfifo").arg(tree.root().join(trap).join(".gitignore")).status();
        assert!(made.expect("mkfifo").success());
        assert_eq!(shown(tree.open().list(from, Ignored::Skip, 100)), expected, "{trap} {from}");
    }
}
