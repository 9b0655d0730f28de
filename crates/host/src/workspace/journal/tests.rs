//! Recovery from journals that are odd: somebody edited since, a repository brought one, a newer version wrote one, the disk damaged one.

use super::*;
use crate::workspace::Hash;
use crate::workspace::disk::faults::{Fault, Faults};
use crate::workspace::tests::tree::{Tree, write};

/// A tree whose change of these files died right before it was marked done: every file is new, and the journal is pending.
fn interrupted(files: &[&str]) -> Tree {
    let attempt = |step| {
        let tree = Tree::new(&["a = old", "b = old"]);
        let dying = tree.open().with_faults(Faults::at(step, Fault::FromHere));
        let _ = dying.change(&files.iter().map(|file| write(file, "new")).collect::<Vec<_>>());
        let pending = tree.root().join(".cinque/journal/pending").exists();
        (pending && files.iter().all(|file| tree.read(file) == "new")).then_some(tree)
    };
    (0..100).find_map(attempt).expect("a step at which all files are new and the journal is pending")
}

#[test]
fn what_others_changed_since_the_crash_is_left_alone() {
    let tree = interrupted(&["a", "b"]);
    tree.add("b = theirs");
    let recovery = tree.open().recover().expect("recovery");
    let names = |paths: &[RelPath]| paths.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        (names(&recovery.put_back), names(&recovery.left)),
        (vec!["a".to_owned()], vec!["b".to_owned()])
    );
    assert_eq!((tree.read("a").as_str(), tree.read("b").as_str()), ("old", "theirs"));
    assert_eq!(tree.snapshot().len(), 2, "temporary files are gone");
}

#[test]
fn the_journal_of_one_file_may_be_old_and_takes_nothing_back() {
    let tree = interrupted(&["a"]);
    assert_eq!(tree.open().recover().expect("recovery"), Recovery::default());
    assert_eq!(tree.read("a"), "new");
    assert_eq!(tree.snapshot().len(), 2, "temporary files are gone");
}

#[test]
fn without_hard_links_the_blob_brings_the_content_back() {
    let tree = interrupted(&["a", "b"]);
    tree.set_mode("a", 0o640);
    for entry in std::fs::read_dir(tree.root()).expect("the workspace") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|end| end == "old") {
            std::fs::remove_file(path).expect("removed");
        }
    }
    tree.open().recover().expect("recovery");
    assert_eq!((tree.read("a").as_str(), tree.read("b").as_str()), ("old", "old"));
    assert_eq!(tree.snapshot().len(), 2, "temporary files are gone");
}

fn plant(tree: &Tree, name: &str, content: &str) {
    tree.add(&format!(".cinque/journal/{name} = {content}"));
}

#[test]
fn a_journal_that_came_with_a_repository_reaches_nothing_protected_or_outside() {
    let tree = Tree::new(&[".git/hooks/x = #!/bin/sh", "dir => $OUT", "alias => real", "real/mine = mine"]);
    let entry = |path: &str, content: &[u8]| Entry {
        path: RelPath::new(path).expect("a path"),
        before: None,
        after: Some(Hash::of(content)),
    };
    let files = vec![
        entry(".git/hooks/x", b"#!/bin/sh"),
        entry("dir/secret", crate::workspace::tests::tree::SECRET.as_bytes()),
    ];
    let files = [files, vec![entry("alias/mine", b"mine")]].concat();
    let journal = Journal::new(files, vec![RelPath::new(".git/hooks").expect("a path")]);
    plant(&tree, PENDING, &serde_json::to_string(&journal).expect("JSON"));
    let before = tree.snapshot();
    tree.open().recover().expect("recovery");
    assert_eq!(tree.snapshot(), before);
    assert!(tree.outside_is_untouched());
}

#[test]
fn a_journal_that_cannot_be_read_is_set_aside_and_work_goes_on() {
    for (name, content) in [
        (PENDING, "{"),
        (DONE, "garbage"),
        (PENDING, r#"{"version":2,"id":1,"files":[],"folders":[]}"#),
        (
            PENDING,
            r#"{"version":1,"id":1,"files":[{"path":"../x","before":null,"after":null}],"folders":[]}"#,
        ),
    ] {
        let tree = Tree::new(&["a = old"]);
        plant(&tree, name, content);
        let recovery = tree.open().recover().expect("recovery");
        let aside = recovery.unreadable.expect("set aside");
        assert_eq!(tree.read(&format!(".cinque/{aside}")), content);
        tree.open().change(&[write("a", "new")]).expect("a change");
    }
}
