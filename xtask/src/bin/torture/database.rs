//! The database: S1 many processes write, S2 other versions, S3 damage. Start from the public functions.

use std::collections::HashMap;
use std::fs;
use std::sync::OnceLock;
use std::thread;

use kit::serde_json::{Value, json};
use kit::{Reply, Scratch, Server};

use crate::fault::Seen;
use crate::site::{ID, Site};
use crate::trace::{self, Plan};
use crate::trial::{Bench, Trial, results, shell};

const PROCESSES: usize = 8;
const DATABASE: &str = ".cinque/app.db";
/// Where SQLite keeps the version that the program gave the database, four bytes with the highest first.
const VERSION: usize = 60;

/// Eight servers of one folder write into their own conversation and into one that they share, in turns.
pub fn shared(trial: &Trial) -> Seen {
    let each = if trial.is_short() { 50 } else { 1_000 };
    let server = Server::answer(|_| Reply::call("final_output", json!({ "output": "done" })));
    let bench = trial.bench(&server);
    let sites: Vec<Site> = (0..PROCESSES).map(|_| Site::start(&bench.cinque)).collect();
    let own = |number: usize| format!("0190c0de-0000-4000-8000-{:012}", number + 2);
    begin(&sites[0], ID);
    thread::scope(|scope| {
        for (number, site) in sites.iter().enumerate() {
            let own = own(number);
            scope.spawn(move || {
                begin(site, &own);
                write(site, number, each, &own);
            });
        }
    });
    drop(sites);
    bench.verify();
    let mut found = topics(&bench, ID);
    (0..PROCESSES).for_each(|number| found.extend(topics(&bench, &own(number))));
    let written = (0..PROCESSES).flat_map(|number| (0..each).map(move |count| topic(number, count)));
    let lost: Vec<String> = written.filter(|topic| found.remove(topic) != Some(1)).collect();
    assert!(lost.is_empty(), "{} writes are lost or there twice, such as {:?}", lost.len(), lost.first());
    Seen::Held
}

/// Begins a conversation and waits for its end.
fn begin(site: &Site, id: &str) {
    let mut client = site.follow();
    client.begin_in(id, "SubmitPrompt", &[json!("go")]);
    client.ended().expect("a conversation can begin");
}

fn write(site: &Site, number: usize, each: usize, own: &str) {
    // Somebody in the room keeps it open; opening it for each write would read the whole of it each time.
    let mut reader = site.follow();
    for id in [own, ID] {
        reader.begin_in(id, "JoinConversation", &[json!(-1)]);
    }
    thread::spawn(move || while reader.hear().is_some() {});
    let mut line = site.line();
    for count in 0..each {
        let id = if count % 2 == 0 { own } else { ID };
        let body = json!({ "topic": topic(number, count) }).to_string();
        let (status, body) = line.ask("PATCH", &format!("/api/conversations/{id}"), &body);
        assert_eq!(status, 200, "write {count} of {number}: {body}");
    }
}

fn topic(number: usize, count: usize) -> String {
    format!("{number}-{count}")
}

/// How often each topic stands in a conversation.
fn topics(bench: &Bench, id: &str) -> HashMap<String, usize> {
    let mut found = HashMap::new();
    for record in bench.records(id) {
        if let Some(topic) = record["event"]["topic"].as_str() {
            *found.entry(topic.to_owned()).or_default() += 1;
        }
    }
    found
}

/// A database that is being made when the program is killed, one of nothing, and one of a later version.
pub fn versions(trial: &Trial) -> Seen {
    if let Some(why) = trace::impossible() {
        return Seen::Skipped(why);
    }
    let server = Server::answer(|_| Reply::text("done"));
    let bench = trial.bench(&server);
    let exec = ["exec", "go"];
    match trial.seed % 8 {
        0 => drop(bench.work.write(DATABASE, "")),
        1 => {
            bench.cinque.command(exec).run().assert_code(0);
            refuse_later(&bench, trial.random().within(2..1_000_000) as u32);
        }
        _ => {
            // The database is made within the first of them.
            let at = trial.seed / 8 % 40;
            let plan = if trial.seed.is_multiple_of(2) { Plan::KillBefore(at) } else { Plan::KillAfter(at) };
            bench.traced(plan, &exec).0.run();
        }
    }
    bench.cinque.command(exec).run().assert_code(0);
    bench.verify();
    Seen::Held
}

/// What a later version has made is left alone, byte for byte, and good again for that version.
fn refuse_later(bench: &Bench, version: u32) {
    // What was in SQLite's log would hide what is changed in the file; who ended in peace has left none.
    assert!(!bench.work.exists(format!("{DATABASE}-wal")), "the log was not folded into the database");
    let path = bench.work.join(DATABASE);
    let good = fs::read(&path).expect("a database");
    let mut later = good.clone();
    later[VERSION..VERSION + 4].copy_from_slice(&version.to_be_bytes());
    fs::write(&path, &later).expect("a database can be changed");
    let refused = bench.cinque.command(["exec", "again"]).run();
    assert!(refused.assert_code(1).stderr.contains("newer Cinque"), "{refused:?}");
    assert!(fs::read(&path).is_ok_and(|now| now == later), "the database of a later version was changed");
    fs::write(&path, good).expect("a database can be changed");
}

/// A database with one conversation, as a killed process left it.
struct Sample {
    files: Vec<(&'static str, Vec<u8>)>,
    id: String,
    records: Vec<Value>,
}

/// Bits of the database or of its log change. What is damaged is told; what is not told is not damaged.
pub fn damaged(trial: &Trial) -> Seen {
    let sample = sample(trial);
    let server = Server::answer(|_| Reply::text("done"));
    let bench = trial.bench(&server);
    let in_log = damage(trial, sample, &bench.work);
    let run = |arguments: &[&str]| {
        let outcome = bench.cinque.command(arguments).run();
        let calm = !outcome.stderr.contains("panicked") && !outcome.stdout.contains("panicked");
        assert!(outcome.code().is_some() && calm, "{arguments:?}: {outcome:?}");
        outcome
    };
    let verified = run(&["log", "verify"]);
    run(&["log", "list"]);
    if verified.code() == Some(0) && !verified.stdout.is_empty() {
        let exported = run(&["log", "export", &sample.id]);
        let found = exported.assert_code(0).json_lines();
        // The log of SQLite ends where it is damaged; what stands before that must be what was written.
        let whole = if in_log { sample.records.starts_with(&found) } else { sample.records == found };
        assert!(whole, "records changed and nobody said so");
    } else if verified.code() != Some(0) {
        assert!(!verified.stderr.is_empty() || !verified.stdout.is_empty(), "damage is told in words");
    }
    run(&["exec", "--continue", "go on"]);
    let kept = fs::metadata(bench.work.join(DATABASE)).map(|kept| kept.len());
    assert!(kept.is_ok_and(|length| length > 0), "the damaged file is kept");
    Seen::Held
}

fn sample(trial: &Trial) -> &'static Sample {
    static SAMPLE: OnceLock<Sample> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let server = Server::answer(|request| match results(request) {
            done @ 0..40 => shell(&format!("echo {done}; head -c 3000 /dev/zero | tr '\\0' {}", done % 10)),
            _ => Reply::text("done"),
        });
        let bench = trial.bench(&server);
        let whole = bench.cinque.command(["exec", "--approve", "auto", "--max-turns", "60", "go"]).run();
        whole.assert_code(0);
        let more = bench.cinque.command(["exec", "--continue", "more"]).spawn();
        more.kill_after(&server, 42);
        let files = [DATABASE, ".cinque/app.db-wal"].into_iter();
        let files =
            files.filter(|name| bench.work.exists(name)).map(|name| (name, bench.work.read_bytes(name)));
        let files = files.collect();
        let newest = bench.newest().expect("a conversation");
        let id = newest["conversation"].as_str().expect("a name").to_owned();
        let records = bench.records(&id);
        Sample { files, id, records }
    })
}

/// Puts the sample into a folder with some bits changed, or its end cut off; says whether that was in SQLite's log.
fn damage(trial: &Trial, sample: &Sample, work: &Scratch) -> bool {
    let mut random = trial.random();
    let victim = random.draw() as usize % sample.files.len();
    for (number, (name, bytes)) in sample.files.iter().enumerate() {
        let mut bytes = bytes.clone();
        if number == victim && random.within(0..10) == 0 {
            bytes.truncate(random.draw() as usize % bytes.len().max(1));
        } else if number == victim {
            for _ in 0..random.within(1..9) {
                let (at, bit) = (random.draw() as usize % bytes.len(), random.within(0..8));
                bytes[at] ^= 1 << bit;
            }
        }
        work.write(name, bytes);
    }
    victim > 0
}
