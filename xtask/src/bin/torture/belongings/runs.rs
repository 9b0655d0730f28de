//! What runs keep for later ones: the memory of `solve`, and what was typed at a terminal. Three functions each, in the
//! order of their use.

use std::fs;

use kit::serde_json::{self, Value, json};
use kit::{Reply, Server};

use super::{Earlier, Owner, Written};
use crate::trace::{self, Plan};
use crate::trial::Trial;

/// Iterations of one run.
const ITERATIONS: usize = 2;
const SOLVE: &[&str] = &["solve", "--json", "--max-iterations", "2", "--test", "false", "Mend it"];

/// A planner that never gets there.
pub(super) fn planned(trial: &Trial, earlier: Earlier) -> Owner {
    let plan =
        json!({ "thought": "t", "plan": ["p"], "actions": [{ "tool": "run", "command": "echo word" }] });
    let server = Server::answer(move |_| Reply::text(plan.to_string()));
    let owner = Owner::new(trial, server, earlier);
    if owner.had_something() {
        let outcome = owner.bench.cinque.command(SOLVE).run();
        assert!(has_result(&outcome.stdout), "{outcome:?}");
    }
    owner
}

pub(super) fn solve(owner: &Owner, plan: Plan) -> Written {
    let mut written = owner.write(plan, SOLVE, "");
    written.told = has_result(&written.outcome.stdout);
    written
}

/// A result without an error of our own: that the test fails is what is wanted here.
fn has_result(printed: &str) -> bool {
    let result: Option<Value> = printed.lines().next().and_then(|line| serde_json::from_str(line).ok());
    result.is_some_and(|result| result["iterations"] == ITERATIONS)
}

/// An iteration is remembered before the planner is asked for the next one.
pub(super) fn check_memory(owner: &Owner, written: &Written) {
    let earlier = if owner.had_something() { ITERATIONS } else { 0 };
    let asked = owner.server.requests().len().saturating_sub(earlier + 1);
    let least = if written.told { ITERATIONS } else { asked.min(ITERATIONS) } + earlier;
    let found = iterations(owner);
    assert!((least..=earlier + ITERATIONS).contains(&found), "{found} iterations, at least {least}");
    let next = owner.bench.cinque.command(SOLVE).run();
    assert!(has_result(&next.stdout), "{next:?}");
    assert_eq!(iterations(owner), found + ITERATIONS, "the numbers go on");
}

/// How many iterations the memory has; it is whole.
fn iterations(owner: &Owner) -> usize {
    let folder = owner.bench.work.join(".cinque/agent-memory");
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files = files.filter(|path| path.extension().is_some_and(|extension| extension == "txt"));
    let Some(path) = files.next() else { return 0 };
    let text = fs::read_to_string(path).expect("a memory is text");
    let mut count = 0;
    for line in text.lines() {
        let is_next = line == format!("Iteration {}:", count + 1);
        assert!(is_next || count > 0 && line.starts_with("- "), "a torn memory: {text:?}");
        count += usize::from(is_next);
    }
    assert!(text.ends_with("- word\n") || text.ends_with('\n') && count > 0, "a torn memory: {text:?}");
    count
}

const HISTORY: &str = ".local/state/cinque/history.json";

pub(super) fn typed(trial: &Trial, earlier: Earlier) -> Owner {
    let owner = Owner::new(trial, Server::answer(|_| Reply::text("The answer.")), earlier);
    if owner.had_something() {
        owner.bench.cinque.home().write(HISTORY, r#"{"messages":["before"]}"#);
    }
    owner
}

/// The terminal is that of `script`, whose output has all that was said.
pub(super) fn talk(owner: &Owner, plan: Plan) -> Written {
    let (command, report) = owner.bench.traced(plan, &["--plain"]);
    let command = command.through("sh", ["-c", "exec script -qec \"$*\" /dev/null", "sh"]);
    let outcome = command.stdin("now\n").run();
    // It is kept before it is sent; that it could not be kept disturbs nobody.
    let fails = matches!(plan, Plan::Fail(..) | Plan::FailFrom(..));
    let told = !fails && !owner.server.requests().is_empty();
    Written { outcome, changes: trace::report(&report), told }
}

pub(super) fn check_history(owner: &Owner, written: &Written) {
    let home = owner.bench.cinque.home();
    let list = home.exists(HISTORY).then(|| home.read(HISTORY));
    let list: Value = list.map_or(Value::Null, |list| serde_json::from_str(&list).expect("a whole list"));
    let messages: Vec<&str> =
        list["messages"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let before: &[&str] = if owner.had_something() { &["before"] } else { &[] };
    let rest = messages.strip_prefix(before).expect("what was typed before is there");
    assert!(rest.first() == Some(&"now") || !written.told && rest.is_empty(), "{messages:?}");
}
