//! Patches of folders, applied by git itself to a copy of what was there before.

use super::*;
use kit::Scratch;
use std::os::unix::fs::symlink;
use std::process::Command;

/// Changes a folder, and lets git make a copy of it the same.
#[track_caller]
fn check(name: &str, before: impl Fn(&Scratch), change: impl Fn(&Scratch)) -> String {
    let (work, copy) = (Scratch::new(), Scratch::new());
    before(&work);
    before(&copy);
    let snapshot = Snapshot::take(&Workspace::open(work.path()).unwrap(), Most::USUAL).unwrap();
    change(&work);
    let patch = snapshot.patch().unwrap();
    let secrets: crate::config::Redactor =
        std::sync::Arc::new(std::sync::LazyLock::new(Box::new(Default::default)));
    let changed = snapshot.changed_files(&secrets).unwrap();
    let copies = snapshot.copies.clone();
    drop(snapshot);
    assert!(!copies.exists(), "the copies are gone");
    copy.write("the.patch", &patch);
    if !patch.is_empty() {
        let ran = Command::new("git").args(["apply", "the.patch"]).current_dir(copy.path()).output().unwrap();
        assert!(ran.status.success(), "{name}: {ran:?}\n{patch}");
    }
    std::fs::remove_file(copy.join("the.patch")).unwrap();
    let _ = std::fs::remove_dir_all(work.join(".cinque"));
    assert_eq!(state(&copy), state(&work), "{name}:\n{patch}");
    let texts = |work: &Scratch| {
        let mut state = state(work);
        state.retain(|(_, _, bytes)| std::str::from_utf8(bytes).is_ok());
        state
    };
    restore(work.path(), &changed).unwrap();
    let fresh = Scratch::new();
    before(&fresh);
    assert_eq!(texts(&work), texts(&fresh), "{name}: text is put back");
    patch
}

/// All files with their modes.
fn state(work: &Scratch) -> Vec<(String, u32, Vec<u8>)> {
    let one = |path: String| {
        let found = std::fs::symlink_metadata(work.join(&path)).unwrap();
        let version = after(&work.join(&path), &found).unwrap();
        (path, version.mode, version.bytes)
    };
    work.files().into_iter().map(one).collect()
}

fn executable(work: &Scratch, path: &str) {
    std::fs::set_permissions(work.join(path), std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn every_kind_of_change_can_be_applied() {
    let before = |work: &Scratch| {
        work.write("text", "one\ntwo\nthree\n");
        work.write("open", "no newline");
        work.write("gone", "x\n");
        work.write("image", [0, 159, 146, 150]);
        work.write("latin", [b'a', 0xe9, b'\n']);
        work.write("folder/with space", "a\n");
        work.write("script", "echo\n");
        symlink("text", work.join("link")).unwrap();
    };
    let remove = |work: &Scratch, path: &str| std::fs::remove_file(work.join(path)).unwrap();
    type Changed<'a> = (&'a str, &'a dyn Fn(&Scratch));
    let cases: [Changed<'_>; 14] = [
        ("nothing", &|_| {}),
        ("touched", &|work| drop(work.write("text", "one\ntwo\nthree\n"))),
        ("text", &|work| drop(work.write("text", "one\n2\nthree\n"))),
        ("no newline", &|work| drop(work.write("open", "still none"))),
        ("made", &|work| drop(work.write("new/deep/file", "made\n"))),
        ("empty", &|work| drop(work.write("empty", ""))),
        ("emptied", &|work| drop(work.write("text", ""))),
        ("removed", &|work| remove(work, "gone")),
        ("binary", &|work| drop(work.write("image", (0..200_000u32).map(|n| n as u8).collect::<Vec<_>>()))),
        ("binary made", &|work| drop(work.write("blob", [0u8, 1, 2]))),
        ("not UTF-8", &|work| drop(work.write("latin", [b'b', 0xe9, b'\n']))),
        ("quoted", &|work| drop(work.write("folder/with space", "b\n"))),
        ("mode", &|work| executable(work, "script")),
        ("link", &|work| {
            remove(work, "link");
            symlink("open", work.join("link")).unwrap();
        }),
    ];
    for (name, change) in cases {
        let patch = check(name, before, change);
        assert_eq!(patch.is_empty(), ["nothing", "touched"].contains(&name), "{name}: {patch}");
    }
    let all = |work: &Scratch| cases.iter().for_each(|(_, change)| change(work));
    check("all at once", before, all);
    check("script made", before, |work| {
        work.write("run.sh", "echo\n");
        executable(work, "run.sh");
    });
    check("file becomes a link", before, |work| {
        remove(work, "text");
        symlink("open", work.join("text")).unwrap();
    });
}

#[test]
fn ignored_files_and_our_own_are_left_out() {
    let before = |work: &Scratch| drop(work.write(".gitignore", "target\n"));
    let (work, patch) = (Scratch::new(), |work: &Scratch| {
        before(work);
        let snapshot = Snapshot::take(&Workspace::open(work.path()).unwrap(), Most::USUAL).unwrap();
        work.write("target/out", "built\n");
        work.write(".cinque/x", "ours\n");
        work.write(".git/x", "git's\n");
        work.write(".hidden", "shown\n");
        snapshot.patch().unwrap()
    });
    let patch = patch(&work);
    assert!(patch.contains("b/.hidden") && patch.matches("diff --git").count() == 1, "{patch}");
}

#[test]
fn nothing_outside_is_put_back_whatever_a_log_says() {
    let (outside, work) = (Scratch::new(), Scratch::new());
    outside.write("kept", "theirs");
    symlink(outside.path(), work.join("link")).unwrap();
    let absolute = outside.join("kept").to_string_lossy().into_owned();
    for path in [absolute.as_str(), "../x", "link/kept", "a/../../x", ""] {
        let before = Before { path: path.into(), mode: Some(0o100_644), text: "ours".into() };
        restore(work.path(), &[before]).unwrap();
    }
    assert_eq!((outside.read("kept"), outside.files().len()), ("theirs".into(), 1));
}

#[test]
fn what_a_dead_process_left_behind_is_removed() {
    let work = Scratch::new();
    work.write(".cinque/snapshot-999999999-0/1", "old");
    let snapshot = Snapshot::take(&Workspace::open(work.path()).unwrap(), Most::USUAL).unwrap();
    assert!(!work.exists(".cinque/snapshot-999999999-0") && snapshot.copies.exists());
    let small = Most { files: 1, bytes: 10 };
    work.write("a", "0123456789ab");
    let too_much = Snapshot::take(&Workspace::open(work.path()).unwrap(), small);
    assert!(matches!(too_much, Err(SnapshotError::TooMuch { .. })));
}
