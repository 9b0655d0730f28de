//! All or nothing: whatever step fails, and wherever the process dies.

use std::path::Path;
use std::process::Command;

use crate::workspace::disk::faults::{Fault, Faults};
use crate::workspace::tests::tree::{Snapshot, Tree, remove, rename, write};
use crate::workspace::{Change, Error, Expect, Hash, Recovery, Workspace};

fn tree() -> Tree {
    let tree = Tree::new(&[
        "a.txt = one\n",
        "run.sh = #!/bin/sh\n",
        "gone.txt",
        "old.txt",
        "link => a.txt",
        "keep/me",
    ]);
    tree.set_mode("run.sh", 0o755);
    tree.set_mode("gone.txt", 0o600);
    tree
}

fn changes() -> Vec<Change> {
    vec![
        write("a.txt", "two\n"),
        write("run.sh", "#!/bin/bash\n"),
        remove("gone.txt"),
        rename("old.txt", "sub/new/moved.txt"),
        write("sub/made.txt", "made\n"),
        remove("link"),
    ]
}

fn wanted() -> Snapshot {
    let tree = tree();
    tree.open().change(&changes()).expect("a change");
    tree.snapshot()
}

/// How many steps the whole change takes on a disk that works.
fn count() -> u64 {
    let tree = tree();
    let workspace = tree.open().with_faults(Faults::at(u64::MAX, Fault::Once));
    workspace.change(&changes()).expect("a change");
    workspace.steps()
}

#[test]
fn several_files_change_together() {
    let tree = tree();
    let receipt = tree.open().change(&changes()).expect("a change");
    let paths: Vec<String> = receipt.files.iter().map(|file| file.path.to_string()).collect();
    assert_eq!(
        paths,
        ["a.txt", "run.sh", "gone.txt", "old.txt", "sub/new/moved.txt", "sub/made.txt", "link"]
    );
    assert_eq!(receipt.folders.iter().map(ToString::to_string).collect::<Vec<_>>(), ["sub", "sub/new"]);
    let shown: Vec<String> = tree.snapshot().keys().map(|path| path.display().to_string()).collect();
    assert_eq!(
        shown,
        ["a.txt", "keep", "keep/me", "run.sh", "sub", "sub/made.txt", "sub/new", "sub/new/moved.txt"]
    );
    assert_eq!(tree.read("sub/new/moved.txt"), "old.txt\n");
    let json = serde_json::to_string(&receipt).expect("JSON");
    assert_eq!(serde_json::from_str::<super::Receipt>(&json).expect("a receipt"), receipt);
}

#[test]
fn one_failing_step_changes_nothing_or_everything() {
    let (before, after) = (tree().snapshot(), wanted());
    let steps = count();
    assert!(steps > 40, "{steps} steps");
    for step in 0..steps {
        let tree = tree();
        let done = tree.open().with_faults(Faults::at(step, Fault::Once)).change(&changes());
        let expected = if done.is_ok() { &after } else { &before };
        // Clearing up is the only thing that may be left to the next start.
        if done.is_ok() {
            tree.open().recover().expect("recovery");
        }
        assert_eq!(&tree.snapshot(), expected, "step {step}: {done:?}");
        assert!(!matches!(done, Err(Error::Unfinished { .. })), "step {step}: {done:?}");
        tree.open().change(&[write("a.txt", "again")]).expect("a change after the failure");
    }
}

#[test]
fn a_disk_that_dies_at_any_step_and_again_in_recovery_is_mended() {
    let (before, after) = (tree().snapshot(), wanted());
    for step in 0..count() {
        let mut again = 0;
        loop {
            let tree = tree();
            let done = tree.open().with_faults(Faults::at(step, Fault::FromHere)).change(&changes());
            let dying = tree.open().with_faults(Faults::at(again, Fault::FromHere));
            let survived = dying.recover().is_ok();
            tree.open().recover().expect("recovery");
            let now = tree.snapshot();
            assert!(now == before || now == after, "step {step}, then {again}: {done:?}\n{now:#?}");
            assert!(done.is_err() || now == after, "step {step}: reported as done");
            if survived {
                break;
            }
            again += 2;
        }
    }
}

#[test]
fn kill_at_any_step_is_mended_at_the_next_start() {
    let (before, after) = (tree().snapshot(), wanted());
    let (mut undone, mut done) = (0, 0);
    for step in 0..count() {
        let tree = tree();
        let status = Command::new(std::env::current_exe().expect("the test binary"))
            .args(["--exact", "workspace::commit::tests::child_to_be_killed", "--ignored", "--quiet"])
            .env(PLAN, format!("{step}:{}", tree.root().display()))
            .stdout(std::process::Stdio::null())
            .status()
            .expect("a child");
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        assert_eq!(signal, Some(9), "step {step}");
        tree.open().recover().expect("recovery");
        let now = tree.snapshot();
        assert!(now == before || now == after, "step {step}: {now:#?}");
        if now == after {
            done += 1
        } else {
            undone += 1
        }
        assert_eq!(tree.open().recover().expect("a second recovery"), Recovery::default());
    }
    assert!(undone > 30 && done > 3, "{undone} undone, {done} done");
}

const PLAN: &str = "CINQUE_TEST_KILL";

/// Not a test of its own: the process that the test above kills.
#[test]
#[ignore = "run as a child by kill_at_any_step_is_mended_at_the_next_start"]
fn child_to_be_killed() {
    let plan = std::env::var(PLAN).expect("a plan");
    let (step, root) = plan.split_once(':').expect("a step and a folder");
    let faults = Faults::at(step.parse().expect("a number"), Fault::Kill);
    let _ = Workspace::open(root).expect("the workspace").with_faults(faults).change(&changes());
}

#[test]
fn processes_and_threads_take_turns() {
    let tree = Tree::new(&["one = 0", "two = 0"]);
    let root = tree.root();
    let add = |rounds: u32| {
        let workspace = Workspace::open(&root).expect("the workspace");
        for _ in 0..rounds {
            while !add_one(&workspace) {}
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| add(15));
        }
    });
    assert_eq!((tree.read("one"), tree.read("two")), ("60".to_owned(), "60".to_owned()));
}

/// Reads both counters and writes both, if neither changed in between.
fn add_one(workspace: &Workspace) -> bool {
    let next = |path: &str| {
        let loaded = workspace.load(path).expect("a counter");
        let number: u32 = String::from_utf8(loaded.bytes).expect("UTF-8").parse().expect("a number");
        Change::Write {
            path: path.into(),
            bytes: (number + 1).to_string().into(),
            expect: Expect::Hash(loaded.hash),
        }
    };
    match workspace.change(&[next("one"), next("two")]) {
        Ok(_) => true,
        Err(Error::Changed { .. }) => false,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_held_lock_is_waited_for_and_then_reported() {
    let tree = Tree::new(&["file"]);
    let workspace = tree.open();
    workspace.change(&[write("file", "1")]).expect("a change");
    let lock = std::fs::File::open(tree.root().join(".cinque/lock")).expect("the lock");
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).expect("locked");
    let hasty = super::super::Limits { patience: std::time::Duration::ZERO, ..Default::default() };
    let refused = workspace.with_limits(hasty).change(&[write("file", "2")]);
    assert!(matches!(refused, Err(Error::Busy)), "{refused:?}");
    assert_eq!(tree.read("file"), "1");
}

#[test]
fn the_state_folder_is_private_and_ignored() {
    let tree = Tree::new(&["file"]);
    tree.open().change(&[write("file", "new")]).expect("a change");
    assert_eq!(tree.read(".cinque/.gitignore"), "*\n");
    let mode = std::os::unix::fs::MetadataExt::mode(
        &std::fs::metadata(tree.root().join(".cinque")).expect("metadata"),
    );
    assert_eq!(mode & 0o777, 0o700);
    let journal: Vec<_> =
        std::fs::read_dir(tree.root().join(".cinque/journal")).expect("the journal").collect();
    assert!(journal.is_empty(), "{journal:?}");
}

#[test]
fn a_state_folder_that_is_a_link_is_refused() {
    let tree = Tree::new(&["file", ".cinque => $OUT"]);
    assert!(tree.open().change(&[write("file", "new")]).is_err());
    assert!(tree.outside_is_untouched());
    assert_eq!(tree.read("file"), "file\n");
}

#[test]
fn a_new_file_gets_the_mode_the_umask_leaves_and_an_old_one_keeps_its_own() {
    let tree = Tree::new(&["plain", "run.sh"]);
    tree.set_mode("run.sh", 0o751);
    let receipt = tree.open().change(&[write("made", "x"), write("run.sh", "x")]).expect("a change");
    let plain = tree.snapshot().get(Path::new("plain")).expect("plain").0;
    let modes: Vec<u32> =
        receipt.files.iter().filter_map(|file| file.after.map(|after| after.mode)).collect();
    assert_eq!(modes, [plain, 0o100_751]);
    assert_eq!(tree.snapshot().get(Path::new("run.sh")).expect("run.sh").0, 0o100_751);
    assert_eq!(receipt.files[0].after.map(|after| after.hash), Some(Hash::of(b"x")));
}
