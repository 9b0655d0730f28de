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

fn several() -> Vec<Change> {
    vec![
        write("a.txt", "two\n"),
        write("run.sh", "#!/bin/bash\n"),
        remove("gone.txt"),
        rename("old.txt", "sub/new/moved.txt"),
        write("sub/made.txt", "made\n"),
        remove("link"),
    ]
}

/// One file goes another way than several: replaced, made in a new folder, removed.
fn scenarios() -> [Vec<Change>; 4] {
    [
        several(),
        vec![write("a.txt", "two\n")],
        vec![write("sub/new/made.txt", "made\n")],
        vec![remove("run.sh")],
    ]
}

fn wanted(changes: &[Change]) -> Snapshot {
    let tree = tree();
    tree.open().change(changes).expect("a change");
    tree.snapshot()
}

/// How many steps the whole change takes on a disk that works.
fn count(changes: &[Change]) -> u64 {
    let tree = tree();
    let workspace = tree.open().with_faults(Faults::at(u64::MAX, Fault::Once));
    workspace.change(changes).expect("a change");
    workspace.steps()
}

#[test]
fn several_files_change_together() {
    let tree = tree();
    let receipt = tree.open().change(&several()).expect("a change");
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
    for changes in scenarios() {
        let (before, after) = (tree().snapshot(), wanted(&changes));
        for step in 0..count(&changes) {
            let tree = tree();
            let done = tree.open().with_faults(Faults::at(step, Fault::Once)).change(&changes);
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
}

#[test]
fn a_disk_that_dies_at_any_step_and_again_in_recovery_is_mended() {
    for changes in scenarios() {
        let (before, after) = (tree().snapshot(), wanted(&changes));
        let survives = |step: u64, again: u64| {
            let tree = tree();
            let done = tree.open().with_faults(Faults::at(step, Fault::FromHere)).change(&changes);
            let survived = tree.open().with_faults(Faults::at(again, Fault::FromHere)).recover().is_ok();
            tree.open().recover().expect("recovery");
            let now = tree.snapshot();
            assert!(now == before || now == after, "step {step}, then {again}: {done:?}\n{now:#?}");
            assert!(done.is_err() || now == after, "step {step}: reported as done");
            survived
        };
        for step in 0..count(&changes) {
            let recovered = (0..).step_by(2).find(|again| survives(step, *again));
            assert!(recovered.is_some(), "step {step}");
        }
    }
}

#[test]
fn kill_at_any_step_is_mended_at_the_next_start() {
    for (index, changes) in scenarios().iter().enumerate() {
        let (before, after) = (tree().snapshot(), wanted(changes));
        let (mut undone, mut done) = (0, 0);
        for step in 0..count(changes) {
            let tree = tree();
            assert_eq!(kill_child(index, step, &tree), Some(9), "step {step}");
            let recovery = tree.open().recover().expect("recovery");
            assert!(recovery.left.is_empty(), "step {step}: {recovery:?}");
            let now = tree.snapshot();
            assert!(now == before || now == after, "step {step}: {now:#?}");
            *(if now == after { &mut done } else { &mut undone }) += 1;
            assert_eq!(tree.open().recover().expect("a second recovery"), Recovery::default());
        }
        assert!(undone > 5 && done > 1, "{undone} undone, {done} done");
    }
}

/// Runs a scenario in a process of its own that dies at a step, and says by which signal.
fn kill_child(scenario: usize, step: u64, tree: &Tree) -> Option<i32> {
    let status = Command::new(std::env::current_exe().expect("the test binary"))
        .args(["--exact", "workspace::commit::tests::child_to_be_killed", "--ignored", "--quiet"])
        .env(PLAN, format!("{scenario}:{step}:{}", tree.root().display()))
        .stdout(std::process::Stdio::null())
        .status();
    std::os::unix::process::ExitStatusExt::signal(&status.expect("a child"))
}

const PLAN: &str = "CINQUE_TEST_KILL";

/// Not a test of its own: the process that the test above kills.
#[test]
#[ignore = "run as a child by kill_at_any_step_is_mended_at_the_next_start"]
fn child_to_be_killed() {
    let plan = std::env::var(PLAN).expect("a plan");
    let mut parts = plan.splitn(3, ':');
    let mut next = || parts.next().expect("scenario, step and folder");
    let (scenario, step, root) = (next(), next(), next());
    let changes = &scenarios()[scenario.parse::<usize>().expect("a number")];
    let faults = Faults::at(step.parse().expect("a number"), Fault::Kill);
    let _ = Workspace::open(root).expect("the workspace").with_faults(faults).change(changes);
}

/// Runs a change to `a.txt` while somebody else does something to it right before each step, and counts how often their work is lost.
fn count_lost(changes: &[Change], meddle: fn(&Path)) -> usize {
    let lost = |step: &u64| {
        let tree = tree();
        let meddled = tree.root().join("a.txt");
        let meddling = Faults::meddling(*step, move || meddle(&meddled));
        let done = tree.open().with_faults(meddling).change(changes);
        let shown = tree.snapshot();
        assert!(!shown.keys().any(|path| path.display().to_string().starts_with(".cinque-")), "step {step}");
        assert_eq!(
            tree.read("run.sh") == "new\n",
            done.is_ok() && changes.len() > 1,
            "step {step}: {done:?}"
        );
        shown.get(Path::new("a.txt")).and_then(|(_, content)| content.as_deref())
            != Some(b"somebody else's\n")
    };
    (0..count(changes)).filter(lost).count()
}

#[test]
fn what_somebody_else_does_at_any_step_is_not_lost() {
    let expect = Expect::Hash(Hash::of(b"one\n"));
    let one = Change::Write { path: "a.txt".into(), bytes: b"two\n".to_vec(), expect };
    let removal = Change::Remove { path: "a.txt".into(), expect };
    for changes in [vec![one.clone()], vec![write("run.sh", "new\n"), one, remove("gone.txt")], vec![removal]]
    {
        let write_into = |path: &Path| std::fs::write(path, "somebody else's\n").expect("written");
        assert_eq!(count_lost(&changes, write_into), 0, "{changes:?}");
        let replace = |path: &Path| {
            let beside = path.with_file_name("beside");
            std::fs::write(&beside, "somebody else's\n").expect("written");
            std::fs::rename(beside, path).expect("renamed");
        };
        // Only right between the last look and the rename: the one moment that cannot be closed.
        assert!(count_lost(&changes, replace) <= 1, "{changes:?}");
    }
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
    assert_eq!(tree.read(".cinque/.gitignore"), "*\n!config.toml\n");
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

#[test]
fn root_keeps_the_owner() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let tree = Tree::new(&["file"]);
    std::os::unix::fs::chown(tree.root().join("file"), Some(1234), Some(4321)).expect("chown");
    tree.set_mode("file", 0o6755);
    tree.open().change(&[write("file", "new")]).expect("a change");
    let meta = std::fs::metadata(tree.root().join("file")).expect("metadata");
    use std::os::unix::fs::MetadataExt;
    assert_eq!((meta.uid(), meta.gid(), meta.mode()), (1234, 4321, 0o106_755));
}

#[test]
fn a_file_that_may_not_be_written_is_not_replaced() {
    if rustix::process::geteuid().is_root() {
        return;
    }
    let tree = Tree::new(&["file"]);
    tree.set_mode("file", 0o444);
    assert!(matches!(tree.open().change(&[write("file", "new")]), Err(Error::Io { .. })));
}
