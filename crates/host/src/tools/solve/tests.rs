//! The texts of the planner's tools, as data.

use super::super::{World, WorldSettings, of};
use crate::profiles;
use agent::event::Status;
use agent::{Job, Ruling};
use kit::Scratch;
use serde_json::{Value, json};

fn world(work: &Scratch) -> World {
    World::open(work.path(), WorldSettings::plain(std::env::vars_os().collect())).unwrap()
}

/// What a call came to: its status and its text.
fn call(world: &World, name: &str, arguments: Value) -> (Status, String) {
    let profile = profiles::find(profiles::SOLVE).unwrap();
    let tool = of(&profile, world).into_iter().find(|tool| tool.spec().name == name).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let outcome = runtime.block_on(tool.run(Job::unwatched(arguments)));
    (outcome.status, outcome.text)
}

#[test]
fn a_file_is_read_as_it_is() {
    let work = Scratch::new();
    work.write("a.txt", "one\n\ttwo\n");
    let world = world(&work);
    let read = |path: &str| call(&world, "read_file", json!({ "path": path }));
    assert_eq!(read("a.txt"), (Status::Done, "one\n\ttwo".into()));
    assert_eq!(read("no/such"), (Status::Failed, "File not found: no/such".into()));
    assert!(read("../x").1.contains("outside the workspace"));
}

#[test]
fn a_diff_is_applied_whole_or_not_at_all() {
    let ten: String = (1..=10).map(|n| format!("{n}\n")).collect();
    let hunk = |old: &str, new: &str| format!("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n 1\n-{old}\n+{new}\n");
    let two = "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n 1\n+1.5\n 2\n@@ -9,2 +10,2 @@\n 9\n-10\n+ten\n";
    let cases: [(&str, &str, String, &str, Option<String>); 10] = [
        ("one hunk", "f", hunk("2", "two"), "Applied diff to f", Some(ten.replace("2\n", "two\n"))),
        (
            "many hunks",
            "f",
            two.into(),
            "Applied diff to f",
            Some(ten.replace("1\n2", "1\n1.5\n2").replace("10\n", "ten\n")),
        ),
        ("half fits", "f", two.replace(" 9", " nine"), "Failed to apply diff - patch did not match", None),
        ("removed line differs", "f", hunk("zwei", "2"), "Failed to apply diff - patch did not match", None),
        (
            "made",
            "new",
            "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n".into(),
            "Applied diff to new",
            Some("x\n".into()),
        ),
        (
            "over an existing one",
            "f",
            "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n".into(),
            "Cannot create existing file",
            None,
        ),
        ("missing", "g", hunk("2", "two").replace("/f", "/g"), "File not found: g", None),
        ("no diff", "f", "hello".into(), "Failed to apply diff - patch did not match", None),
        (
            "another file",
            "f",
            hunk("2", "two").replace("/f", "/src/other.rs"),
            "Failed to apply diff - patch did not match",
            None,
        ),
        (
            "another file as well",
            "f",
            hunk("2", "two") + "--- /dev/null\n+++ b/g\n@@ -0,0 +1 @@\n+x\n",
            "Failed to apply diff - patch did not match: it changes more files",
            None,
        ),
    ];
    for (name, path, diff, text, after) in cases {
        let work = Scratch::new();
        work.write("f", &ten);
        let (status, told) = call(&world(&work), "apply_diff", json!({ "path": path, "diff": diff }));
        assert!(told.contains(text), "{name}: {told}");
        assert_eq!(status == Status::Done, after.is_some(), "{name}");
        match after {
            Some(after) => assert_eq!(work.read(path), after, "{name}"),
            None => assert_eq!(work.read("f"), ten, "{name}"),
        }
    }
    let work = Scratch::new();
    work.write("f", "1\n");
    let gone = json!({ "path": "f", "diff": "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n" });
    assert_eq!(call(&world(&work), "apply_diff", gone).1, "Applied diff to f");
    assert!(!work.exists("f"));
}

#[test]
fn what_is_rejected_is_forbidden_and_nothing_is_asked() {
    let work = Scratch::new();
    let world = world(&work);
    let profile = profiles::find(profiles::SOLVE).unwrap();
    let tools = of(&profile, &world);
    let names: Vec<&str> = tools.iter().map(|tool| tool.spec().name.as_str()).collect();
    assert_eq!(names, ["read_file", "apply_diff", "run", "git_status", "git_diff"]);
    let finding = |command: &str| tools[2].access(&json!({ "command": command })).unwrap().finding;
    for command in ["rm -rf x", "curl x", "env", "$X y", "'open"] {
        let expected = Ruling::Forbid(format!("Destructive command not allowed: {command}"));
        assert_eq!(finding(command), expected);
    }
    for path in ["../x", "/etc/passwd", ".git/config", ".cinque/app.db"] {
        let access = tools[1].access(&json!({ "path": path, "diff": "" })).unwrap();
        assert!(matches!(access.finding, Ruling::Forbid(_)), "{path}");
    }
}
