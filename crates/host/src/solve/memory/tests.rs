//! What is remembered, and how it is found again.

use super::super::Role;
use super::*;
use agent::event::{Call, CallId, Outcome, Status};
use kit::Scratch;
use serde_json::json;

fn remembered(name: &str, arguments: serde_json::Value, outcome: Outcome, role: Role) -> String {
    let call = Call { id: CallId("c".into()), name: name.into(), arguments: arguments.to_string() };
    Entry::new(&call, &outcome, role).remembered()
}

#[test]
fn every_outcome_is_one_line() {
    let failed = |text: &str| Outcome::failed(text);
    let run = || json!({ "command": "make\n  all" });
    let path = || json!({ "path": "a/b.rs", "diff": "…" });
    let cases = [
        ("apply_diff", path(), Outcome::done("Applied diff to a/b.rs"), Role::Action, "Changed a/b.rs"),
        (
            "apply_diff",
            path(),
            failed("File not found: a/b.rs"),
            Role::Action,
            "Change of a/b.rs failed: File not found: a/b.rs",
        ),
        ("read_file", path(), Outcome::done("text"), Role::Action, "read_file a/b.rs: succeeded"),
        ("run", run(), Outcome::done(""), Role::Action, "Ran `make all`: succeeded"),
        (
            "run",
            run(),
            failed("Command exited with code 2\nboom"),
            Role::Action,
            "Ran `make all`: failed: Command exited with code 2",
        ),
        (
            "run",
            run(),
            Outcome::of(Status::TimedOut, "Command timed out after 120 s"),
            Role::Test,
            "Test `make all`: failed: Command timed out after 120 s",
        ),
        ("run", run(), Outcome::done("ok"), Role::Test, "Test `make all`: passed"),
        (
            "git_diff",
            json!({}),
            failed("Error: not run, because a call before it failed."),
            Role::Action,
            "git_diff: not run, because a call before it failed.",
        ),
        (
            "run",
            run(),
            Outcome::of(Status::Cancelled, "Error: not run, because a call before it failed."),
            Role::Action,
            "run make all: not run, because a call before it failed.",
        ),
        (
            "run",
            run(),
            Outcome::of(Status::Cancelled, "Error: cancelled before it ran."),
            Role::Action,
            "run make all: cancelled before it ran.",
        ),
    ];
    for (name, arguments, outcome, role, expected) in cases {
        assert_eq!(remembered(name, arguments, outcome, role), expected);
    }
}

#[test]
fn sections_are_bounded_numbered_and_read_again() {
    let mut memory = Memory::default();
    memory.add(["one\ntwo".to_owned(), "x".repeat(5000)]);
    memory.add((0..500).map(|n| format!("line {n}")));
    let shown = memory.shown();
    assert!(shown.starts_with("Iteration 1:\n- one two\n- xxx"), "{shown}");
    assert!(shown.contains("\nIteration 2:\n- line 0\n") && shown.ends_with("\n- …"), "{shown}");
    assert!(memory.sections.iter().all(|section| section.chars().count() <= 2000));
    assert_eq!(Memory::read(&shown), memory);
    for _ in 0..100 {
        memory.add(["y".repeat(290)].into_iter().cycle().take(4));
    }
    let shown = memory.shown();
    assert!(
        shown.len() <= SHOWN && shown.starts_with("Iteration ") && shown.contains("Iteration 102:"),
        "{shown}"
    );
}

#[test]
fn a_task_has_one_name() {
    let id = task_id("  Fix the *failing* test in src/lib.rs, please, now and for all time\n");
    assert_eq!(id, task_id("Fix the *failing* test in src/lib.rs, please, now and for all time"));
    assert!(id.starts_with("fix-the-failing-test-in-src-lib-rs-pleas-"), "{id}");
    assert_ne!(id, task_id("Fix the failing test in src/lib.rs, please, now and for all time"));
    for odd in ["修复", "../../etc/passwd", "a/b", "."] {
        let id = task_id(odd);
        assert!(!id.contains(['/', '.']) && !id.starts_with('-') && id.len() >= 12, "{id}");
    }
}

#[test]
fn it_is_kept_in_its_place_and_no_link_leads_elsewhere() {
    let work = Scratch::new();
    assert_eq!(load(work.path(), "task"), Memory::default());
    let mut memory = Memory::default();
    memory.add(["Changed x".to_owned()]);
    store(work.path(), "task", &memory).unwrap();
    let path = place(work.path(), "task");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "Iteration 1:\n- Changed x\n");
    assert_eq!(load(work.path(), "task"), memory);
    work.write("theirs", "Iteration 9:\n- theirs\n");
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(work.join("theirs"), &path).unwrap();
    assert_eq!(load(work.path(), "task"), Memory::default());
    store(work.path(), "task", &memory).unwrap();
    assert_eq!(work.read("theirs"), "Iteration 9:\n- theirs\n");
    assert_eq!(load(work.path(), "task"), memory);
}
