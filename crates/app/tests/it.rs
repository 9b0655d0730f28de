//! The built binary, seen from outside: one binary of integration tests.

#[path = "it/api.rs"]
mod api;
#[path = "it/approvals.rs"]
mod approvals;
#[path = "it/config.rs"]
mod config;
#[path = "it/crashes.rs"]
mod crashes;
#[path = "it/dialects.rs"]
mod dialects;
#[path = "it/exec.rs"]
mod exec;
#[path = "it/faults.rs"]
mod faults;
#[path = "it/laws.rs"]
mod laws;
#[path = "it/logs.rs"]
mod logs;
#[path = "it/mailbox.rs"]
mod mailbox;
#[path = "it/obedient.rs"]
mod obedient;
#[path = "it/output.rs"]
mod output;
#[path = "it/person.rs"]
mod person;
#[path = "it/solve.rs"]
mod solve;
#[path = "it/terminal.rs"]
mod terminal;
#[path = "it/web.rs"]
mod web;
#[path = "it/wires.rs"]
mod wires;
#[path = "it/world.rs"]
mod world;

use kit::serde_json::{Value, json};
use kit::{Cinque, Reply, Scratch, Server};

/// The binary in a workspace of its own, in front of a scripted model.
fn cinque(work: &Scratch, server: &Server) -> Cinque {
    Cinque::new(env!("CARGO_BIN_EXE_cinque"), work).against(server)
}

/// The binary with no model configured at all.
fn alone(work: &Scratch) -> Cinque {
    Cinque::new(env!("CARGO_BIN_EXE_cinque"), work)
}

fn shell(command: &str) -> Reply {
    Reply::call("shell", json!({ "command": command }))
}

fn conversation(lines: &[Value]) -> String {
    lines[0]["conversation"].as_str().expect("the first line names the conversation").to_owned()
}

/// The types of the records among `exec --json`'s lines.
fn kinds(lines: &[Value]) -> Vec<&str> {
    lines.iter().filter_map(|line| line["event"]["type"].as_str()).collect()
}
