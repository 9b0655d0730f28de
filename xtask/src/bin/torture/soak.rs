//! X1: hours of everything at once. Start from [`minute`].
//!
//! All runs share one server, so that what it loses shows; each run is a minute of random use.

use std::fs;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use kit::serde_json::json;
use kit::{Reply, Server};

use crate::fault::Seen;
use crate::site::Site;
use crate::trial::{Bench, Trial, check_history, results, shell};
use kit::Random;

const MINUTE: Duration = Duration::from_secs(60);

static SOAK: Mutex<Option<Soak>> = Mutex::new(None);

struct Soak {
    _model: Server,
    _bench: Bench,
    site: Site,
    /// What the server had after the first minute.
    first: Option<Used>,
    conversations: u64,
}

/// What a process holds.
#[derive(Debug, Clone, Copy)]
struct Used {
    memory: u64,
    files: usize,
    threads: usize,
}

/// One more minute; gives by how many megabytes the server has grown since the first one.
pub fn minute(trial: &Trial) -> Seen {
    let mut soak = SOAK.lock().unwrap_or_else(PoisonError::into_inner);
    let soak = soak.get_or_insert_with(|| Soak::begin(trial));
    let end = Instant::now() + if trial.is_short() { MINUTE / 20 } else { MINUTE };
    let mut random = trial.random();
    while Instant::now() < end {
        soak.converse(&mut random);
    }
    let used = soak.used();
    let first = *soak.first.get_or_insert(used);
    assert!(used.files <= first.files + 16, "open files: {first:?}, now {used:?}");
    assert!(used.threads <= first.threads + 8, "threads: {first:?}, now {used:?}");
    Seen::Value(used.memory.saturating_sub(first.memory) as f64 / f64::from(1 << 20))
}

/// Ends the server that the minutes share.
pub fn end() {
    *SOAK.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

impl Soak {
    fn begin(trial: &Trial) -> Self {
        let model = Server::start(kit::Script::rule(reply(trial.seed)), kit::Recording::Heads, 0);
        let model = model.expect("a loopback port is free");
        let bench = trial.bench(&model);
        let site = Site::start(&bench.cinque);
        Self { _model: model, _bench: bench, site, first: None, conversations: 0 }
    }

    /// Holds a conversation: clients come and go, some calls are approved, some declined, some runs cancelled.
    fn converse(&mut self, random: &mut Random) {
        self.conversations += 1;
        let id = format!("0190c0de-0000-4000-9000-{:012}", self.conversations);
        let mut person = self.site.follow();
        person.begin_in(&id, "SubmitPrompt", &[json!("go")]);
        for _ in 0..random.within(5..60) {
            let Some(message) = person.hear() else { break };
            if message["target"] == "RequestPermission" {
                let call = &message["arguments"][0];
                let target = if random.within(0..4) == 0 { "DeclineToolCall" } else { "ApproveToolCall" };
                person.begin_in(&id, target, std::slice::from_ref(call));
            }
            if message["target"] == "AgentCompleted" || message["target"] == "RunFailed" {
                break;
            }
            if random.within(0..10) == 0 {
                person = self.site.follow();
                person.begin_in(&id, "JoinConversation", &[json!(-1)]);
            }
        }
        person.begin_in(&id, "CancelRequest", &[]);
        let _ = person.ended();
        self.site.ask("DELETE", &format!("/api/conversations/{id}"), "");
    }

    fn used(&self) -> Used {
        let process = format!("/proc/{}", self.site.running.id());
        let count = |name: &str| fs::read_dir(format!("{process}/{name}")).map_or(0, Iterator::count);
        Used { memory: self.site.memory(), files: count("fd"), threads: count("task") }
    }
}

/// A model with moods.
fn reply(seed: u64) -> impl FnMut(&kit::Request) -> Reply + Send {
    let mut random = Random::new(seed);
    move |request| {
        check_history(request);
        let whole = match random.within(0..3) {
            0 if results(request) < 6 => shell("seq 2000; echo word >> marks"),
            1 => Reply::call("final_output", json!({ "output": "done" })),
            _ => Reply::text("some words ".repeat(200)),
        };
        match random.within(0..12) {
            0 => Reply::status(500),
            1 => whole.cut_after(200),
            _ => whole,
        }
    }
}
