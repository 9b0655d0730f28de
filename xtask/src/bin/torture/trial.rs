//! One run of a fault: the program, its seed, and the model it talks to. Start from [`Trial`].

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use kit::serde_json::{Value, json};
use kit::{Cinque, Reply, Request, Scratch, Server};

use crate::fault::Effort;
use crate::trace::{self, Plan};
use kit::Random;

/// What a run of a fault is given.
pub struct Trial<'a> {
    pub program: &'a Path,
    pub seed: u64,
    pub effort: Effort,
}

/// A program with a workspace of its own.
pub struct Bench {
    pub work: Scratch,
    pub cinque: Cinque,
}

impl Trial<'_> {
    pub fn random(&self) -> Random {
        Random::new(self.seed)
    }

    pub fn is_short(&self) -> bool {
        self.effort == Effort::Short
    }

    /// The program in an empty folder, in front of a model.
    pub fn bench(&self, server: &Server) -> Bench {
        let work = Scratch::new();
        let cinque = Cinque::new(self.program, &work).against(server);
        Bench { work, cinque }
    }
}

impl Bench {
    /// A run under the eyes of a tracer that does what `plan` says; gives the file of its report, too.
    pub fn traced(&self, plan: Plan, arguments: &[&str]) -> (kit::Command, PathBuf) {
        let report = self.cinque.home().join("trace");
        let own = std::env::current_exe().expect("this program has a path");
        let command = self.cinque.command(arguments).through(own, trace::arguments(plan, &report));
        (command, report)
    }

    /// Fails unless every log is whole.
    pub fn verify(&self) {
        self.cinque.command(["log", "verify"]).run().assert_code(0);
    }

    /// The newest conversation as `log list` tells it.
    pub fn newest(&self) -> Option<Value> {
        let listed = self.cinque.command(["log", "list", "--json"]).run();
        listed.assert_code(0).json_lines().into_iter().next()
    }

    /// The records of a conversation.
    pub fn records(&self, id: &str) -> Vec<Value> {
        self.cinque.command(["log", "export", id]).run().assert_code(0).json_lines()
    }
}

pub fn shell(command: &str) -> Reply {
    Reply::call("shell", json!({ "command": command }))
}

/// How many results of calls the model has been shown.
pub fn results(request: &Request) -> usize {
    request.messages().iter().filter(|message| message["role"] == "tool").count()
}

/// Fails unless every call in a request has exactly one result, right behind it: what providers insist on.
pub fn check_history(request: &Request) {
    let mut open: Vec<&str> = Vec::new();
    for message in request.messages() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let at = open.iter().position(|known| *known == id);
            open.remove(at.unwrap_or_else(|| panic!("a result for no call, or a second one: {message}")));
            continue;
        }
        assert!(open.is_empty(), "calls without a result: {open:?}, before {message}");
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        open.extend(calls.filter_map(|call| call["id"].as_str()));
    }
    assert!(open.is_empty(), "calls without a result: {open:?}");
}

/// The most memory that a process has had, in bytes; none once it has ended.
pub fn peak(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// Whether a process has ended. Whoever inherits it may take its time to bury it.
pub fn has_ended(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z'))
}

/// Waits for something that nobody tells of; says whether it came.
#[expect(
    clippy::disallowed_methods,
    reason = "what the kernel does to other processes can only be looked at"
)]
pub fn wait_until(patience: Duration, seen: impl Fn() -> bool) -> bool {
    let end = Instant::now() + patience;
    while !seen() {
        if Instant::now() >= end {
            return false;
        }
        thread::sleep(Duration::from_millis(2));
    }
    true
}
