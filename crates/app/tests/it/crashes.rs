//! kill -9 at any moment: the log verifies, the conversation resumes, and nothing runs twice.

#![expect(clippy::disallowed_methods, reason = "a kill at a moment needs a moment to pass")]

use super::*;
use std::collections::HashSet;
use std::time::Duration;

const CALLS: usize = 30;

/// A model that wants thirty commands run, each with a mark of its own, and counts by the results it is shown.
fn thirty_calls() -> Server {
    Server::answer(|request| {
        let done = request.messages().iter().filter(|message| message["role"] == "tool").count();
        if done < CALLS { shell(&format!("echo {done} >> marks")) } else { Reply::text("all done") }
    })
}

/// Resumes until the run ends; each try is killed after `pause`.
fn run_with_kills(pauses: &[u64]) {
    let (work, server) = (Scratch::new(), thirty_calls());
    let cinque = cinque(&work, &server);
    let first = ["exec", "--approve", "auto", "--max-turns", "100", "go"];
    let again = ["exec", "--approve", "auto", "--max-turns", "100", "--continue"];
    let (mut begun, mut done) = (false, false);
    for pause in pauses {
        if done {
            break;
        }
        let running = cinque.command(if begun { again } else { first }).spawn();
        std::thread::sleep(Duration::from_millis(*pause));
        running.kill();
        cinque.command(["log", "verify"]).run().assert_code(0);
        let listed = cinque.command(["log", "list", "--json"]).run().json_lines();
        begun = listed.first().is_some_and(|line| line["prompts"] != 0);
        done = listed.first().is_some_and(|line| line["status"] == "done");
    }
    if !done {
        let outcome = cinque.command(if begun { again } else { first }).run();
        assert_eq!(outcome.assert_code(0).stdout, "all done\n");
    }
    let marks = work.read("marks");
    let unique: HashSet<&str> = marks.lines().collect();
    assert_eq!(unique.len(), marks.lines().count(), "nothing ran twice: {marks}");
    assert!(marks.lines().count() + pauses.len() >= CALLS, "every call ran or is told as interrupted");
}

#[test]
fn killed_at_any_moment_it_resumes_and_runs_nothing_twice() {
    // Not random, so that a failure can be repeated: moments spread over what a run of this length takes.
    run_with_kills(&[3, 9, 14, 22, 31, 47, 58, 66, 83, 95, 110]);
    run_with_kills(&[120, 5, 80, 17, 40]);
}

#[test]
fn an_interrupted_call_is_told_to_the_model_and_its_processes_are_dead() {
    let (work, server) = (
        Scratch::new(),
        Server::play([shell("echo begun > begun; sleep 1; echo survived > survived"), Reply::text("ok")]),
    );
    let cinque = cinque(&work, &server);
    let running = cinque.command(["exec", "--approve", "auto", "go"]).spawn();
    while !work.exists("begun") {
        std::thread::yield_now();
    }
    running.kill();
    let id = cinque.command(["log", "list", "--json"]).run().json_lines()[0]["conversation"]
        .as_str()
        .unwrap()
        .to_owned();
    let shows = || {
        let shown = cinque.command(["log", "show", &id]).run().stdout;
        assert_eq!(shown.matches("interrupted, outcome unknown:").count(), 1, "{shown}");
    };
    shows();
    cinque.command(["exec", "--continue"]).run().assert_code(0);
    let told = server.last_messages()[3]["content"].to_string();
    assert!(told.contains("interrupted") && told.contains("outcome unknown"), "{told}");
    shows();
    std::thread::sleep(Duration::from_millis(1100));
    assert!(!work.exists("survived"));
}
