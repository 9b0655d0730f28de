//! What changes mean: their order, what they expect, links, and what is refused.

use super::*;
use crate::workspace::tests::kind;
use crate::workspace::tests::tree::{Tree, remove, rename, write};

#[test]
fn changes_fold_in_order() {
    for (changes, expected) in [
        (vec![write("a", "1"), write("a", "2")], vec![("a", "2"), ("b", "b\n")]),
        (vec![remove("a"), write("a", "1")], vec![("a", "1"), ("b", "b\n")]),
        (vec![rename("a", "c"), write("a", "new")], vec![("a", "new"), ("b", "b\n"), ("c", "a\n")]),
        (vec![rename("a", "c"), rename("b", "a"), rename("c", "b")], vec![("a", "b\n"), ("b", "a\n")]),
        (vec![write("n", "1"), rename("n", "m"), remove("m")], vec![("a", "a\n"), ("b", "b\n")]),
        (vec![remove("a"), remove("b")], vec![]),
    ] {
        let tree = Tree::new(&["a", "b"]);
        tree.open().change(&changes).expect("a change");
        let shown: Vec<(String, String)> = tree
            .snapshot()
            .into_keys()
            .map(|path| path.display().to_string())
            .map(|name| (name.clone(), tree.read(&name)))
            .collect();
        let expected: Vec<(String, String)> =
            expected.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect();
        assert_eq!(shown, expected, "{changes:?}");
    }
}

#[test]
fn what_is_not_as_expected_refuses_the_whole() {
    let expecting =
        |path: &str, expect: Expect| Change::Write { path: path.into(), bytes: b"x".to_vec(), expect };
    for (change, expected) in [
        (expecting("a", Expect::Hash(Hash::of(b"a\n"))), "ok"),
        (expecting("a", Expect::Hash(Hash::of(b"other"))), "Changed"),
        (expecting("n", Expect::Hash(Hash::of(b"a\n"))), "Missing"),
        (expecting("n", Expect::Absent), "ok"),
        (expecting("a", Expect::Absent), "Exists"),
        (remove("n"), "Missing"),
        (rename("n", "m"), "Missing"),
        (rename("a", "b"), "Exists"),
        (write("dir", "x"), "NotAFile Folder"),
        (write("n/", "x"), "NotAFile Folder"),
        (remove("dir"), "NotAFile Folder"),
        (write("a/below", "x"), "Missing"),
        (write("out/secret", "x"), "Outside"),
        (write("dangling-out", "x"), "Outside"),
        (write(".", "x"), "NotAFile Folder"),
    ] {
        let tree = Tree::new(&["a", "b", "dir/", "out => ../outside", "dangling-out => ../outside/new"]);
        let before = tree.snapshot();
        let done = tree.open().change(&[write("b", "changed"), change.clone()]);
        assert_eq!(kind(&done), expected, "{change:?}");
        assert!(done.is_ok() || tree.snapshot() == before, "{change:?}");
        assert!(tree.outside_is_untouched(), "{change:?}");
    }
}

#[test]
fn links_are_written_through_and_removed_themselves() {
    let tree = Tree::new(&["target", "link => target", "dangling => sub/made", "out => $OUT/secret"]);
    let changes = [write("link", "1"), write("dangling", "2"), remove("out")];
    let receipt = tree.open().change(&changes).expect("a change");
    let paths: Vec<String> = receipt.files.iter().map(|file| file.path.to_string()).collect();
    assert_eq!(paths, ["target", "sub/made", "out"]);
    assert_eq!((tree.read("target").as_str(), tree.read("sub/made").as_str()), ("1", "2"));
    assert!(tree.root().join("link").is_symlink() && tree.outside_is_untouched());
}

#[test]
fn a_moved_file_takes_its_mode_and_its_new_bytes() {
    let tree = Tree::new(&["run.sh = old"]);
    tree.set_mode("run.sh", 0o755);
    let change = Change::Move {
        from: "run.sh".into(),
        to: "bin/run".into(),
        bytes: Some(b"new".to_vec()),
        expect: Expect::Hash(Hash::of(b"old")),
        onto: Expect::Absent,
    };
    let preview = tree.open().preview(std::slice::from_ref(&change)).expect("a preview");
    assert_eq!(preview.len(), 2);
    assert_eq!((preview[1].before.as_deref(), preview[1].after.as_deref()), (None, Some(&b"new"[..])));
    tree.open().change(&[change]).expect("a change");
    assert_eq!(
        tree.snapshot().get(Path::new("bin/run")).expect("moved"),
        &(0o100_755, Some(b"new".to_vec()))
    );
}

#[test]
fn writing_what_is_there_touches_nothing() {
    let tree = Tree::new(&["a"]);
    assert_eq!(tree.open().change(&[write("a", "a\n")]).expect("a change"), Receipt::default());
    assert!(!tree.root().join(".cinque").exists());
}

#[test]
fn too_large_to_keep_is_too_large_to_replace() {
    let tree = Tree::new(&["big = 12345"]);
    let limits = super::super::Limits { keep_file: 4, ..Default::default() };
    let workspace = tree.open().with_limits(limits);
    assert_eq!(kind(&workspace.change(&[write("big", "x")])), "TooLarge");
    assert_eq!(kind(&workspace.load("big")), "TooLarge");
}
