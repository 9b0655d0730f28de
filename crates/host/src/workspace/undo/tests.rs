//! Putting back: the bytes as they were, nobody else's work lost, and undo of undo.

use std::os::unix::fs::symlink;

use proptest::prelude::*;

use super::*;
use crate::workspace::tests::kind;
use crate::workspace::tests::tree::{Tree, remove, rename, write};
use crate::workspace::{Change, Keep};

fn undo(workspace: &Workspace, receipts: &[Receipt], theirs: Theirs) -> Result<Receipt, Error> {
    workspace.undo(&workspace.plan_undo(receipts)?, theirs)
}

#[test]
fn undo_shows_what_it_would_do() {
    let tree = Tree::new(&["a = old", "b = gone"]);
    let workspace = tree.open();
    let receipt = workspace.change(&[write("a", "new"), remove("b"), write("c", "made")]).expect("a change");
    let plan = workspace.plan_undo(&[receipt]).expect("a plan");
    let shown: Vec<_> =
        plan.files.iter().map(|file| (file.path.to_string(), file.now.clone(), file.then.clone())).collect();
    let bytes = |text: &str| Some(text.as_bytes().to_vec());
    assert_eq!(
        shown,
        [
            ("a".to_owned(), bytes("new"), bytes("old")),
            ("b".to_owned(), None, bytes("gone")),
            ("c".to_owned(), bytes("made"), None),
        ]
    );
    assert_eq!(tree.read("a"), "new");
}

/// A file as others left it since: the conflict, and what each answer to it makes of the two files.
#[test]
fn what_others_did_is_not_overwritten_unless_told() {
    for (theirs, result, file, other) in [
        (Theirs::Refuse, "Changed", "theirs", "new"),
        (Theirs::Keep, "ok", "theirs", "old"),
        (Theirs::Overwrite, "ok", "old", "old"),
    ] {
        let tree = Tree::new(&["file = old", "other = old"]);
        let workspace = tree.open();
        let receipt = workspace.change(&[write("file", "new"), write("other", "new")]).expect("a change");
        tree.add("file = theirs");
        let plan = workspace.plan_undo(&[receipt]).expect("a plan");
        let conflicts: Vec<_> = plan.files.iter().map(|file| file.conflict).collect();
        assert_eq!(conflicts, [Some(Conflict::Since), None]);
        assert_eq!(kind(&workspace.undo(&plan, theirs)), result, "{theirs:?}");
        assert_eq!((tree.read("file").as_str(), tree.read("other").as_str()), (file, other), "{theirs:?}");
    }
}

#[test]
fn a_change_between_two_receipts_is_seen() {
    let tree = Tree::new(&["file = 0"]);
    let workspace = tree.open();
    let first = workspace.change(&[write("file", "1")]).expect("a change");
    tree.add("file = theirs");
    let second = workspace.change(&[write("file", "2")]).expect("a change");
    let receipts = [second, first];
    assert_eq!(workspace.plan_undo(&receipts).expect("a plan").files[0].conflict, Some(Conflict::Between));
    assert_eq!(kind(&undo(&workspace, &receipts[..1], Theirs::Refuse)), "ok");
    assert_eq!(tree.read("file"), "theirs");
}

#[test]
fn a_file_changed_after_it_was_shown_is_not_touched() {
    let tree = Tree::new(&["file = old"]);
    let workspace = tree.open();
    let receipt = workspace.change(&[write("file", "new")]).expect("a change");
    let plan = workspace.plan_undo(&[receipt]).expect("a plan");
    tree.add("file = theirs");
    assert_eq!(kind(&workspace.undo(&plan, Theirs::Overwrite)), "Changed");
    assert_eq!(tree.read("file"), "theirs");
}

#[test]
fn a_link_is_put_back_as_a_link() {
    let tree = Tree::new(&["target", "link => target", "out => $OUT/secret"]);
    let before = tree.snapshot();
    let workspace = tree.open();
    let receipt = workspace.change(&[remove("link"), rename("out", "moved/out")]).expect("a change");
    let undone = undo(&workspace, &[receipt], Theirs::Refuse).expect("an undo");
    assert_eq!(tree.snapshot(), before);
    undo(&workspace, &[undone], Theirs::Refuse).expect("an undo of the undo");
    assert!(tree.root().join("moved/out").is_symlink() && !tree.root().join("link").exists());
}

#[test]
fn a_forgotten_content_is_said_to_be_forgotten() {
    let tree = Tree::new(&["file = old"]);
    let workspace = tree.open();
    let receipt = workspace.change(&[write("file", "new")]).expect("a change");
    let nothing = Keep { bytes: 0, ..Keep::default() };
    let pruned = workspace.prune(&nothing, std::time::SystemTime::now()).expect("pruned");
    assert_eq!((pruned.dropped.len(), pruned.young), (1, 1));
    assert_eq!(kind(&workspace.plan_undo(&[receipt])), "Forgotten");
    assert_eq!(tree.read("file"), "new");
}

#[test]
fn a_damaged_content_is_not_put_into_a_file() {
    let tree = Tree::new(&["file = old"]);
    let workspace = tree.open();
    let receipt = workspace.change(&[write("file", "new")]).expect("a change");
    let hash = receipt.files[0].before.expect("a version").hash.to_string();
    let blob = tree.root().join(".cinque/objects").join(&hash[..2]).join(&hash[2..]);
    std::fs::write(blob, zstd::bulk::compress(b"planted", 3).expect("zstd")).expect("damage");
    assert_eq!(kind(&workspace.plan_undo(&[receipt])), "Forgotten");
}

#[test]
fn receipts_cannot_reach_protected_or_outside_files() {
    let tree = Tree::new(&["dir/secret = mine", ".git/config"]);
    let workspace = tree.open();
    let receipt = workspace.change(&[remove("dir/secret")]).expect("a change");
    std::fs::remove_dir(tree.root().join("dir")).expect("removed");
    symlink(tree.outside(), tree.root().join("dir")).expect("a link");
    assert_eq!(kind(&undo(&workspace, std::slice::from_ref(&receipt), Theirs::Overwrite)), "Outside");
    let mut forged = receipt;
    forged.files[0].path = RelPath::new(".git/config").expect("a path");
    assert_eq!(kind(&undo(&workspace, &[forged], Theirs::Overwrite)), "Protected");
    assert!(tree.outside_is_untouched());
}

fn some_change() -> impl Strategy<Value = Change> {
    let path = || prop::sample::select(vec!["a", "b", "d/c", "d/e/f", "link", "new/g"]);
    prop_oneof![
        (path(), "[a-c\r\n]{0,8}").prop_map(|(path, text)| write(path, &text)),
        path().prop_map(remove),
        (path(), path()).prop_map(|(from, to)| rename(from, to)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn undo_gives_the_original_bytes_and_can_be_undone(calls in prop::collection::vec(prop::collection::vec(some_change(), 1..4), 1..5)) {
        let tree = Tree::new(&["a", "b = \r\n", "d/c", "link => b"]);
        tree.set_mode("a", 0o755);
        let workspace = tree.open();
        let before = tree.snapshot();
        let mut receipts = Vec::new();
        for changes in &calls {
            let now = tree.snapshot();
            match workspace.change(changes) {
                Ok(receipt) => receipts.insert(0, receipt),
                Err(_) => prop_assert_eq!(tree.snapshot(), now),
            }
        }
        let after = tree.snapshot();
        let undone = undo(&workspace, &receipts, Theirs::Refuse)?;
        prop_assert_eq!(tree.snapshot(), before);
        undo(&workspace, &[undone], Theirs::Refuse)?;
        let files = |snapshot: crate::workspace::tests::tree::Snapshot| snapshot.into_iter().filter(|(_, (_, content))| content.is_some()).collect::<Vec<_>>();
        prop_assert_eq!(files(tree.snapshot()), files(after));
    }
}
