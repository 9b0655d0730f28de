//! An errand: the work that a scripted model wants done while something goes wrong. Start from [`Errand::new`].
//!
//! Commands leave a mark each, files are made and changed, and afterwards it can be told of every call whether it
//! happened once, as the model was told.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use kit::serde_json::{Value, json};
use kit::{Outcome, Reply, Server};

use crate::trace::{self, Plan};
use crate::trial::{Bench, Trial, check_history, results, shell};

/// How many calls the model wants: of each kind the same number.
const CALLS: usize = 9;
const OLD: &str = "the old words\n";
const NEW: &str = "the new words\n";

/// How it begins.
pub const FIRST: &[&str] = &["exec", "--json", "--approve", "auto", "--max-turns", "100", "go"];
const AGAIN: &[&str] = &["exec", "--json", "--approve", "auto", "--max-turns", "100", "--continue"];
const MORE: &[&str] = &["exec", "--json", "--continue", "thank you"];

pub struct Errand {
    pub bench: Bench,
    server: Server,
}

/// What may become of a call besides having happened once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allowed {
    /// It was interrupted, and the model is told so.
    Interrupted,
    /// The same; and what was to be cleared up beside a file may be there again, because that is not waited for.
    Unsynced,
    /// It failed, and the model is told so; or nobody knows, and it is told that.
    Failed,
}

impl Errand {
    pub fn new(trial: &Trial) -> Self {
        let server = model();
        let bench = trial.bench(&server);
        Self::prepared(bench, server)
    }

    /// In a workspace that somebody else has made.
    pub fn prepared(bench: Bench, server: Server) -> Self {
        for number in (2..CALLS).step_by(3) {
            bench.work.write(format!("kept{number}"), OLD);
        }
        Self { bench, server }
    }

    /// How many changes to files a whole run makes.
    pub fn moments(trial: &Trial) -> u64 {
        static COUNT: OnceLock<u64> = OnceLock::new();
        *COUNT.get_or_init(|| {
            let errand = Self::new(trial);
            let (command, report) = errand.bench.traced(Plan::Count, FIRST);
            command.run().assert_code(0);
            trace::report(&report).len() as u64
        })
    }

    /// How the conversation goes on, if it has begun.
    pub fn next(&self) -> &'static [&'static str] {
        match self.bench.newest() {
            // Something that could not be cleared up by the process that made it is cleared up by the next.
            Some(newest) if newest["status"] == "done" => MORE,
            Some(newest) if newest["prompts"] != 0 => AGAIN,
            _ => FIRST,
        }
    }

    /// Every record that was told must stand in the log, as it was told.
    pub fn check_kept(&self, outcome: &Outcome) {
        self.bench.verify();
        let whole = |line: &&str| line.ends_with('}');
        let lines = outcome.stdout.lines().filter(whole);
        let told: Vec<Value> = lines.filter_map(|line| kit::serde_json::from_str(line).ok()).collect();
        let Some(id) = told.iter().find_map(|line| line["conversation"].as_str()) else { return };
        let kept = self.bench.records(id);
        for record in told.iter().filter(|line| line["event"].is_object()) {
            let seq = record["seq"].as_u64().expect("a record has a number");
            let stands = usize::try_from(seq).ok().and_then(|seq| kept.get(seq));
            let same = stands.is_some_and(|stands| stands["event"] == record["event"]);
            assert!(same, "record {seq} was told and is lost: {record}, there stands {stands:?}");
        }
    }

    /// Goes on to the end; gives the time from the start of the program to its first request.
    pub fn finish(&self) -> Duration {
        let before = self.server.requests().len();
        let command = self.bench.cinque.command(self.next()).deadline(Duration::from_secs(60));
        let begun = Instant::now();
        let outcome = command.run();
        outcome.assert_code(0);
        let first = self.server.requests().get(before).map(|request| request.at);
        first.map_or(outcome.elapsed, |at| at.saturating_duration_since(begun))
    }

    /// Each call happened once, or what is `allowed` became of it and it happened at most once.
    pub fn check_calls(&self, allowed: Allowed, when: &str) {
        let Self { bench, server } = self;
        bench.verify();
        let mut marks: HashMap<String, usize> = HashMap::new();
        if bench.work.exists("marks") {
            for mark in bench.work.read("marks").lines() {
                *marks.entry(mark.to_owned()).or_default() += 1;
            }
        }
        let requests = server.requests();
        let shown = requests.last().expect("the model was asked").messages().iter();
        let results = shown.filter(|message| message["role"] == "tool");
        let results: Vec<String> = results.map(|message| message["content"].to_string()).collect();
        assert_eq!(results.len(), CALLS, "the model was shown every result");
        for (number, result) in results.iter().enumerate() {
            let unknown = result.contains("interrupted") && result.contains("outcome unknown");
            let happened = match number % 3 {
                0 => marks.get(&number.to_string()).copied().unwrap_or(0),
                1 => whole(bench, &format!("made/{number}"), None),
                _ => whole(bench, &format!("kept{number}"), Some(OLD)),
            };
            let done = ["exit code 0", "Wrote ", "Changed "].iter().any(|words| result.contains(words));
            let right = match allowed {
                Allowed::Interrupted | Allowed::Unsynced => happened == 1 || unknown && happened == 0,
                Allowed::Failed if done => happened == 1,
                Allowed::Failed => happened == 0 || unknown && happened == 1,
            };
            assert!(right, "{when}: call {number} happened {happened} times: {result}");
        }
        let may_stay = |name: &str| expected(name) || allowed == Allowed::Unsynced && is_second_name(name);
        let stray: Vec<String> = bench.work.files().into_iter().filter(|name| !may_stay(name)).collect();
        assert!(stray.is_empty(), "{when}: files were left behind: {stray:?}");
    }
}

/// A model that wants commands run, files made and files changed, and counts by the results that it is shown.
pub fn model() -> Server {
    Server::answer(|request| {
        check_history(request);
        let done = results(request);
        match done % 3 {
            _ if done >= CALLS => Reply::text("all done"),
            0 => shell(&format!("echo {done} >> marks; cat marks")),
            1 => Reply::call("write", json!({ "path": format!("made/{done}"), "content": NEW })),
            _ => Reply::call("replace", json!({ "path": format!("kept{done}"), "old": "old", "new": "new" })),
        }
    })
}

/// Whether a file has its new content: 1 if it has, 0 if it has its old one, and nothing else is right.
fn whole(bench: &Bench, name: &str, old: Option<&str>) -> usize {
    let found = bench.work.exists(name).then(|| bench.work.read(name));
    match found.as_deref() {
        Some(NEW) => 1,
        other if other == old => 0,
        other => panic!("{name} is torn or lost: {other:?}"),
    }
}

/// Whether a file is the old or the new content of one that was being changed.
fn is_second_name(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.starts_with(".cinque-") && (name.ends_with(".old") || name.ends_with(".new"))
}

fn expected(name: &str) -> bool {
    ["marks", "made/", "kept", ".cinque/"].iter().any(|start| name.starts_with(start))
}
