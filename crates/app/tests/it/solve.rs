//! The solve door, seen from outside.

#[path = "solve/bounds.rs"]
mod bounds;
#[path = "solve/ci.rs"]
mod ci;

use super::*;
use kit::Outcome;

fn plan(actions: Value) -> Reply {
    Reply::text(json!({ "thought": "t", "plan": ["p"], "actions": actions }).to_string())
}

fn run(command: &str) -> Value {
    json!({ "tool": "run", "command": command })
}

fn diff(path: &str, diff: &str) -> Value {
    json!({ "tool": "apply_diff", "path": path, "diff": diff })
}

fn result(outcome: &Outcome) -> Value {
    let lines = outcome.json_lines();
    assert_eq!(lines.len(), 1, "{}", outcome.stdout);
    lines[0].clone()
}

/// The user prompts, in order.
fn prompts(server: &Server) -> Vec<String> {
    let prompt = |request: &std::sync::Arc<kit::Request>| {
        let messages = request.messages();
        assert_eq!(messages.len(), 2, "the system prompt and one prompt");
        messages[1]["content"].as_str().expect("text").to_owned()
    };
    server.requests().iter().map(prompt).collect()
}

const ADD: &str = "add() {\n  echo $(($1 - $2))\n}\n";
const TEST: &str = ". ./add.sh\n[ \"$(add 2 3)\" = 5 ] || { echo \"got $(add 2 3)\"; exit 1; }\n";
const MEND: &str =
    "--- a/add.sh\n+++ b/add.sh\n@@ -1,3 +1,3 @@\n add() {\n-  echo $(($1 - $2))\n+  echo $(($1 + $2))\n }\n";

fn project() -> Scratch {
    let work = Scratch::new();
    work.write("add.sh", ADD);
    work.write("test.sh", TEST);
    work
}

#[test]
fn a_failing_test_is_mended_in_three_iterations_and_the_run_can_be_replayed() {
    let work = project();
    let server = Server::play([
        plan(json!([{ "tool": "read_file", "path": "add.sh" }])),
        plan(json!([diff("add.sh", &MEND.replace("echo $(($1 -", "print $(($1 -")), run("touch never")])),
        plan(json!([diff("add.sh", MEND), run("echo done > note")])),
    ]);
    let cinque = cinque(&work, &server);
    let outcome = cinque.command(["solve", "--json", "--test", "sh test.sh", "Mend add"]).run();
    let solved = result(outcome.assert_code(0));
    assert_eq!(solved["success"], true);
    assert_eq!(solved["iterations"], 3);
    assert_eq!(solved["summary"], "Task completed - tests passed");
    assert_eq!(solved["error"], Value::Null);
    assert!(work.read("add.sh").contains("$1 + $2") && work.exists("note") && !work.exists("never"));
    let prompts = prompts(&server);
    let parts: [&[&str]; 3] = [
        &["TASK: Mend add", "WORKING DIRECTORY: ", "ITERATION: 1"],
        &[
            "ITERATION: 2",
            "MEMORY SUMMARY:\nIteration 1:\n- ",
            "Tool: read_file\n",
            "Success: true",
            "Output: add() {",
            "got -1",
        ],
        &[
            "ITERATION: 3",
            "Error: Failed to apply diff - patch did not match",
            "not run, because",
            "Command exited with code 1",
        ],
    ];
    for (prompt, parts) in prompts.iter().zip(parts) {
        assert!(prompt.ends_with("\nGenerate your plan as JSON:"), "{prompt}");
        parts.iter().for_each(|part| assert!(prompt.contains(part), "{part:?} in {prompt}"));
    }
    assert!(!prompts[0].contains("MEMORY SUMMARY:") && !prompts[0].contains("PREVIOUS RESULTS:"));
    for request in server.requests() {
        assert_eq!(request.json().get("tools"), None, "no native tools");
        assert_eq!(request.json()["response_format"]["json_schema"]["strict"], true);
    }
    cinque.command(["log", "verify"]).run().assert_code(0);
    let id = cinque.command(["log", "list", "--json"]).run().json_lines()[0]["conversation"].clone();
    let replayed = cinque.command(["log", "replay", id.as_str().unwrap()]).run();
    assert!(replayed.assert_code(0).stdout.contains("no divergence"), "{replayed:?}");
    cinque.command(["undo"]).run().assert_code(0);
    assert_eq!(work.read("add.sh"), ADD);
}

#[test]
fn no_actions_end_the_run() {
    const DONE: &str = "Task completed - no further actions needed\n";
    let work = Scratch::new();
    for test in [&[][..], &["--test", "touch tested; exit 1"]] {
        let server = Server::play([plan(json!([]))]);
        let outcome = cinque(&work, &server).command(["solve", "Nothing"].iter().chain(test)).run();
        assert_eq!(outcome.assert_code(0).stdout, DONE, "{test:?}");
    }
    assert!(!work.exists("tested"), "a test is run after an iteration that acted");
    // The planner may not declare what its own test denies.
    let server = Server::play([plan(json!([run("true")])), plan(json!([]))]);
    let outcome = cinque(&work, &server).command(["solve", "x", "--json", "--test", "exit 4"]).run();
    let solved = result(outcome.assert_code(7));
    assert_eq!(solved["summary"], "Task completed - no further actions needed");
    assert_eq!(solved["error"], "Tests failed: Command exited with code 4");
}

#[test]
fn a_planner_that_goes_in_circles_is_stopped_at_the_bound() {
    for (flags, most) in [(&[][..], 5), (&["--max-iterations", "2"], 2)] {
        let (work, server) = (Scratch::new(), Server::answer(|_| plan(json!([run("echo again >> log")]))));
        let arguments = ["solve", "--json", "Go round"].iter().chain(flags);
        let outcome = cinque(&work, &server).command(arguments).run();
        let solved = result(outcome.assert_code(5));
        assert_eq!(solved["summary"], format!("Max iterations ({most}) reached"));
        assert_eq!(solved["error"], "Max iterations exceeded");
        assert_eq!((&solved["iterations"], server.requests().len()), (&json!(most), most));
        assert_eq!(work.read("log"), "again\n".repeat(most));
    }
}

#[test]
fn memory_is_found_again_unless_it_is_not_wanted() {
    let work = Scratch::new();
    let solve = |flags: &[&str], task: &str| {
        let server = Server::play([plan(json!([run("echo hi")])), plan(json!([]))]);
        cinque(&work, &server).command(["solve", task].iter().chain(flags)).run().assert_code(0);
        prompts(&server)[0].clone()
    };
    let first = solve(&[], "Remember this");
    let files: Vec<String> = work.files().into_iter().filter(|path| path.contains("agent-memory")).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(work.read(&files[0]).starts_with("Iteration 1:\n- Thought: t\n- Ran `echo hi`: succeeded\n"));
    let again = solve(&[], " Remember this ");
    let (other, fresh) = (solve(&[], "Another task"), solve(&["--fresh"], "Remember this"));
    assert!(
        again.contains("MEMORY SUMMARY:\nIteration 1:\n- Thought: t\n- Ran `echo hi`: succeeded\n"),
        "{again}"
    );
    assert!([first, other, fresh].iter().all(|prompt| !prompt.contains("MEMORY SUMMARY:")));
    assert!(!work.read(&files[0]).contains("Iteration 3:"), "a fresh start begins a new memory");
}

#[test]
fn a_run_replayed_twenty_times_is_the_same_and_a_changed_file_is_seen() {
    let work = project();
    work.write("long", "a line that is repeated\n".repeat(3_000));
    let server = Server::play([
        Reply::text("no plan"),
        plan(
            json!([{ "tool": "read_file", "path": "long" }, { "tool": "read_file", "path": "add.sh" }, run("pwd; seq 20000")]),
        ),
        plan(json!([diff("add.sh", "nonsense")])),
        plan(
            json!([run("mkdir made && echo x >> made/log && sed -i s/-/+/ add.sh"), { "tool": "git_status" }]),
        ),
    ]);
    let cinque = cinque(&work, &server);
    let git = |arguments: &[&str]| {
        let ran =
            std::process::Command::new("git").args(arguments).current_dir(work.path()).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
    };
    git(&["init", "-q"]);
    cinque.command(["solve", "--test", "sh test.sh", "Mend add"]).run().assert_code(0);
    let id = cinque.command(["log", "list", "--json"]).run().json_lines()[0]["conversation"].clone();
    for _ in 0..20 {
        let outcome = cinque.command(["log", "replay", id.as_str().unwrap()]).run();
        assert!(outcome.assert_code(0).stdout.contains("no divergence"), "{}", outcome.stdout);
    }
    work.write("test.sh", TEST.replace("got", "found"));
    let outcome = cinque.command(["log", "replay", id.as_str().unwrap()]).run();
    assert!(outcome.assert_code(7).stdout.contains("differs from byte"), "{}", outcome.stdout);
}
