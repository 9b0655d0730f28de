//! The file tools of the terminal. Its commands are tested where there is a wall to run them behind.

use super::{call, ruled, world};
use kit::Scratch;
use serde_json::{Value, json};

fn told(scratch: &Scratch, arguments: Value) -> Value {
    let text = call("terminal", &world(scratch), "apply_patch", arguments).text;
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn apply_patch() {
    let scratch = Scratch::new();
    scratch.write("a", "one\ntwo\n");
    scratch.write("gone", "x\n");
    let done = |operation: &str, path: &str, message: &str| json!({"success":true,"operation":operation,"path":path,"message":message});
    let failed = |why: &str| json!({"success":false,"error":why});
    let cases = [
        (
            json!({"type":"create_file","path":"d/new","diff":"+hello\n+world"}),
            done("create_file", "d/new", "Created d/new"),
        ),
        (
            json!({"type":"update_file","path":"a","diff":" one\n-two\n+2"}),
            done("update_file", "a", "Updated a"),
        ),
        (json!({"type":"delete_file","path":"gone","diff":""}), done("delete_file", "gone", "Deleted gone")),
        (json!({"type":"delete_file","path":"d/new"}), done("delete_file", "d/new", "Deleted d/new")),
        (json!({"type":"update_file","path":"no","diff":"-a\n+b"}), failed("Cannot update missing file: no")),
        (
            json!({"type":"update_file","path":"../x","diff":"-a\n+b"}),
            failed("Operation outside workspace: ../x"),
        ),
        (
            json!({"type":"create_file","path":"/etc/x","diff":"+b"}),
            failed("Operation outside workspace: /etc/x"),
        ),
        (json!({"type":"rename_file","path":"a","diff":""}), failed("Unknown operation type: rename_file")),
        (json!({"type":"create_file","path":"z","diff":"+ok\nbad"}), failed("Invalid Add File Line: bad")),
        (json!({"type":"create_file","path":"z"}), failed("`diff` is missing")),
        (
            json!({"type":"update_file","path":"a","diff":"*** Begin Patch\n*** Update File: a\n one\n-2\n+two\n*** Add File: b\n+b\n*** End Patch"}),
            done("update_file", "a", "Updated a, Created b"),
        ),
        (
            json!({"type":"update_file","path":"b","diff":"*** Begin Patch\n*** Update File: b\n*** Move to: d/c\n-b\n+c\n*** End Patch"}),
            done("update_file", "b", "Updated b"),
        ),
    ];
    for (arguments, expected) in cases {
        assert_eq!(told(&scratch, arguments.clone()), expected, "{arguments}");
    }
    assert_eq!((scratch.read("a").as_str(), scratch.read("d/c").as_str()), ("one\ntwo\n", "c\n"));
    assert!(!scratch.exists("b"));
    let error = told(&scratch, json!({"type":"update_file","path":"a","diff":" nothing\n-like this\n+x"}));
    assert_eq!(error["error"], "Invalid Context 0:\nnothing\nlike this");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("not in the file")), "{error}");
}

#[test]
fn every_patch_asks() {
    let scratch = Scratch::new();
    scratch.write("a", "one\n");
    let world = world(&scratch);
    let fits = json!({"type":"update_file","path":"a","diff":"-one\n+1"});
    assert_eq!(ruled("terminal", &world, "apply_patch", fits.clone()), "ask: changing files needs approval");
    for (misfit, why) in [
        (
            json!({"type":"update_file","path":"a","diff":"-two\n+1"}),
            "a, hunk 1: these lines are not in the file",
        ),
        (json!({"type":"update_file","path":"b","diff":"-two\n+1"}), "Cannot update missing file: b"),
    ] {
        assert_eq!(
            ruled("terminal", &world, "apply_patch", misfit),
            format!("ask: it does not fit the files as they are now: {why}")
        );
    }
    let protected =
        ruled("terminal", &world, "apply_patch", json!({"type":"create_file","path":".git/x","diff":"+x"}));
    assert!(protected.starts_with("misused: {\"error\":\".git/x is protected"), "{protected}");
    world.agree_to_edits();
    assert_eq!(ruled("terminal", &world, "apply_patch", fits), "allow");
}

#[test]
fn search() {
    let scratch = Scratch::new();
    scratch.write("a.rs", "fn Main() {}\n");
    scratch.write("b.txt", "main\nmain\n");
    let world = world(&scratch);
    let found = |arguments: Value| call("terminal", &world, "search", arguments).text;
    let base = json!({"pattern":"main","path":".","case_sensitive":false});
    let with = |name: &str, value: Value| {
        let mut arguments = base.clone();
        arguments[name] = value;
        arguments
    };
    assert_eq!(found(base.clone()), "a.rs:1: fn Main() {}\nb.txt:1: main\nb.txt:2: main\n");
    assert_eq!(found(with("case_sensitive", json!(true))), "b.txt:1: main\nb.txt:2: main\n");
    assert_eq!(found(with("file_pattern", json!("*.rs"))), "a.rs:1: fn Main() {}\n");
    assert_eq!(found(with("exclude_pattern", json!("*.txt"))), "a.rs:1: fn Main() {}\n");
    let cut = found(with("max_results", json!(1)));
    assert_eq!(cut, "a.rs:1: fn Main() {}\n[there are more than 1 matches: narrow the search down]\n");
    assert_eq!(found(with("pattern", json!("none such"))), "no matches");
}
