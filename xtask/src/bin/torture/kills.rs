//! kill -9: K1 anywhere in a run, K2 around an approval. Start from [`anywhere`] and [`at_approval`].

use std::collections::HashMap;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use kit::serde_json::{Value, json};
use kit::{Outcome, Reply, Server};

use crate::fault::Seen;
use crate::random::Random;
use crate::trace::{self, Plan};
use crate::trial::{Bench, Trial, check_history, results, shell};

/// How many calls the model wants: of each kind the same number.
const CALLS: usize = 9;
/// Any thousand runs in a row have each moment once.
const ROUND: u64 = 1000;
/// A step through them that has no divisor in common with their number, so that few runs are spread over all.
const STRIDE: u64 = 97;
const OLD: &str = "the old words\n";
const NEW: &str = "the new words\n";

const FIRST: &[&str] = &["exec", "--json", "--approve", "auto", "--max-turns", "100", "go"];
const AGAIN: &[&str] = &["exec", "--json", "--approve", "auto", "--max-turns", "100", "--continue"];

pub fn anywhere(trial: &Trial) -> Seen {
    if let Some(why) = trace::impossible() {
        return Seen::Skipped(why);
    }
    let server = model();
    let bench = prepared(trial, &server);
    let moments = moments(trial);
    let mut random = trial.random();
    let chosen = trial.seed.wrapping_mul(STRIDE) % ROUND;
    let outcome = match chosen / 2 < moments {
        true => bench.traced(plan(chosen), FIRST).0.run(),
        false => killed_later(&bench, FIRST, &mut random),
    };
    check_kept(&bench, &outcome);
    // The one that mends may be killed as well, and the next one finds both wounds.
    if random.within(0..3) == 0 {
        let outcome = killed_later(&bench, next(&bench), &mut random);
        check_kept(&bench, &outcome);
    }
    let restart = finish(&bench, &server);
    check_calls(&bench, &server);
    Seen::Value(restart.as_secs_f64() * 1e3)
}

/// The approval of a call is given, and the program is killed before, while or after it acts on it.
pub fn at_approval(trial: &Trial) -> Seen {
    if let Some(why) = trace::impossible() {
        return Seen::Skipped(why);
    }
    let (bench, server, id, call) = waiting(trial);
    let approve: &[&str] = &["exec", "--resume", &id, "--approve-call", &call];
    // The whole run has about so many changes; beyond the last one it is not killed, which must be right, too.
    let chosen = trial.seed.wrapping_mul(STRIDE) % ROUND % 160;
    bench.traced(plan(chosen), approve).0.run();
    bench.verify();
    let ran = || if bench.work.exists("marks") { bench.work.read("marks").lines().count() } else { 0 };
    let before = ran();
    if bench.newest().is_some_and(|newest| newest["status"] == "done") {
        assert_eq!(before, 1, "the run came to its end");
        return Seen::Held;
    }
    let resumed = bench.cinque.command(["exec", "--json", "--resume", &id]).run();
    assert_eq!(ran(), before, "nobody approved it in this process, and it ran: {resumed:?}");
    match resumed.code() {
        // It had not begun: it waits for a person again, whose approval is good for one run.
        Some(4) => {
            assert_eq!(before, 0, "it ran and is asked for again");
            bench.cinque.command(approve).run().assert_code(0);
            assert_eq!(ran(), 1);
        }
        Some(0) => {
            let told = server.last_messages().iter().any(|message| {
                let content = message["content"].to_string();
                content.contains("outcome unknown") || content.contains("exit code 0") && before == 1
            });
            assert!(told, "the model was told what became of the call: {resumed:?}");
        }
        _ => panic!("going on failed: {resumed:?}"),
    }
    Seen::Held
}

/// Before or after each change, in turn.
fn plan(chosen: u64) -> Plan {
    let at = chosen / 2;
    if chosen.is_multiple_of(2) { Plan::KillBefore(at) } else { Plan::KillAfter(at) }
}

/// A conversation in which a call waits for a person.
fn waiting(trial: &Trial) -> (Bench, Server, String, String) {
    let server = Server::answer(|request| {
        check_history(request);
        if results(request) == 0 { shell("echo ran >> marks") } else { Reply::text("done") }
    });
    let bench = trial.bench(&server);
    let lines = bench.cinque.command(["exec", "--json", "go"]).run().assert_code(4).json_lines();
    let word = |value: &Value| value.as_str().expect("a name").to_owned();
    let id = word(&lines[0]["conversation"]);
    let call = word(&lines.last().expect("a result")["result"]["pending"][0]["id"]);
    (bench, server, id, call)
}

/// A model that wants commands run, files made and files changed, and counts by the results that it is shown.
fn model() -> Server {
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

fn prepared(trial: &Trial, server: &Server) -> Bench {
    let bench = trial.bench(server);
    for number in (2..CALLS).step_by(3) {
        bench.work.write(format!("kept{number}"), OLD);
    }
    bench
}

/// How many changes to files a whole run makes.
fn moments(trial: &Trial) -> u64 {
    static COUNT: OnceLock<u64> = OnceLock::new();
    *COUNT.get_or_init(|| {
        let server = model();
        let bench = prepared(trial, &server);
        let (command, report) = bench.traced(Plan::Count, FIRST);
        command.run().assert_code(0);
        trace::report(&report).len() as u64
    })
}

#[expect(clippy::disallowed_methods, reason = "a kill at a moment needs a moment to pass")]
fn killed_later(bench: &Bench, arguments: &[&str], random: &mut Random) -> Outcome {
    let running = bench.cinque.command(arguments).spawn();
    thread::sleep(Duration::from_micros(random.within(1_000..400_000)));
    running.kill()
}

/// How the conversation goes on, if it has begun.
fn next(bench: &Bench) -> &'static [&'static str] {
    let begun = bench.newest().is_some_and(|newest| newest["prompts"] != 0);
    if begun { AGAIN } else { FIRST }
}

/// Every record that was told must stand in the log, as it was told.
fn check_kept(bench: &Bench, outcome: &Outcome) {
    bench.verify();
    let whole = |line: &&str| line.ends_with('}');
    let lines = outcome.stdout.lines().filter(whole);
    let told: Vec<Value> = lines.filter_map(|line| kit::serde_json::from_str(line).ok()).collect();
    let Some(id) = told.iter().find_map(|line| line["conversation"].as_str()) else { return };
    let kept = bench.records(id);
    for record in told.iter().filter(|line| line["event"].is_object()) {
        let seq = record["seq"].as_u64().expect("a record has a number");
        let stands = usize::try_from(seq).ok().and_then(|seq| kept.get(seq));
        let same = stands.is_some_and(|stands| stands["event"] == record["event"]);
        assert!(same, "record {seq} was told and is lost: {record}, there stands {stands:?}");
    }
}

/// Goes on to the end; gives the time from the start of the program to its first request.
fn finish(bench: &Bench, server: &Server) -> Duration {
    let before = server.requests().len();
    if bench.newest().is_some_and(|newest| newest["status"] == "done") {
        return Duration::ZERO;
    }
    let begun = Instant::now();
    let outcome = bench.cinque.command(next(bench)).deadline(Duration::from_secs(60)).run();
    outcome.assert_code(0);
    let first = server.requests().get(before).map(|request| request.at);
    first.map_or(outcome.elapsed, |at| at.saturating_duration_since(begun))
}

/// Each call ran once, or is told as interrupted and ran at most once.
fn check_calls(bench: &Bench, server: &Server) {
    bench.verify();
    let mut marks: HashMap<String, usize> = HashMap::new();
    if bench.work.exists("marks") {
        for mark in bench.work.read("marks").lines() {
            *marks.entry(mark.to_owned()).or_default() += 1;
        }
    }
    let requests = server.requests();
    let shown = requests.last().expect("the model was asked").messages();
    let results: Vec<String> = shown
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].to_string())
        .collect();
    assert_eq!(results.len(), CALLS, "the model was shown every result");
    for (number, result) in results.iter().enumerate() {
        let unknown = result.contains("interrupted") && result.contains("outcome unknown");
        let happened = match number % 3 {
            0 => marks.get(&number.to_string()).copied().unwrap_or(0),
            1 => whole(bench, &format!("made/{number}"), None),
            _ => whole(bench, &format!("kept{number}"), Some(OLD)),
        };
        assert!(
            happened == 1 || unknown && happened == 0,
            "call {number} happened {happened} times: {result}"
        );
    }
    let stray: Vec<String> = bench.work.files().into_iter().filter(|name| !expected(name)).collect();
    assert!(stray.is_empty(), "files were left behind: {stray:?}");
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

fn expected(name: &str) -> bool {
    ["marks", "made/", "kept", ".cinque/"].iter().any(|start| name.starts_with(start))
}
