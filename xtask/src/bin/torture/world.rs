//! A strange world: R1 awkward trees, C1 clocks that jump, D2 what is kept. Start from the public functions.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use kit::serde_json::Value;
use kit::{Reply, Scratch, Server};

use crate::fault::Seen;
use crate::trial::{Trial, check_history, results, shell};

/// What is looked at in the awkward tree, and what is found there; no words are a refusal.
const LOOKS: [(&str, &str, &str); 12] = [
    ("search", r#"{"pattern":"needle"}"#, "needle"),
    ("search", r#"{"pattern":"needle","path":"huge"}"#, ""),
    ("search", r#"{"pattern":"needle","path":"fifo"}"#, ""),
    ("list", r#"{"path":"**/*.txt"}"#, "txt"),
    ("list", r#"{}"#, "many"),
    ("list", r#"{"path":"loop/loop/loop"}"#, ""),
    ("read", r#"{"path":"fifo"}"#, ""),
    ("read", r#"{"path":"socket"}"#, ""),
    ("read", r#"{"path":"huge"}"#, ""),
    ("read", r#"{"path":"loop/loop/loop/needle.txt"}"#, ""),
    ("read", r#"{"path":"round"}"#, ""),
    ("read", r#"{"path":"line"}"#, ""),
];

/// Tools look at files that are no files, that have no end, or that are very many; gives the slowest look.
pub fn awkward(trial: &Trial) -> Seen {
    let server = Server::answer(|request| {
        check_history(request);
        match LOOKS.get(results(request)) {
            Some((tool, arguments, _)) => {
                let arguments = kit::serde_json::from_str(arguments).expect("arguments");
                Reply::call(*tool, arguments)
            }
            None => Reply::text("done"),
        }
    });
    let bench = trial.bench(&server);
    grow(&bench.work, if trial.is_short() { 1_000 } else { 10_000 });
    bench.cinque.command(["exec", "--max-turns", "30", "go"]).run().assert_code(0);
    let requests = server.requests();
    let shown: Vec<String> = requests
        .last()
        .expect("a request")
        .messages()
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].to_string())
        .collect();
    for ((tool, arguments, words), shown) in LOOKS.iter().zip(&shown) {
        assert!(shown.contains(words) && shown.len() < 300 << 10, "{tool} {arguments}: {shown}");
    }
    let waits = requests.windows(2).map(|pair| pair[1].at.saturating_duration_since(pair[0].at));
    Seen::Value(waits.max().unwrap_or_default().as_secs_f64() * 1e3)
}

fn grow(work: &Scratch, files: usize) {
    for number in 0..files {
        work.write(format!("many/{}/{number}.txt", number % 100), format!("file {number}\n"));
    }
    work.write("many/7/needle.txt", "a needle\n");
    let made = Command::new("mkfifo").arg(work.join("fifo")).status();
    assert!(made.is_ok_and(|made| made.success()), "a pipe can be made");
    let _ = UnixListener::bind(work.join("socket")).expect("a socket can be made");
    let huge = fs::File::create(work.join("huge")).expect("a file can be made");
    huge.set_len(5 << 30).expect("a file can be large");
    work.write("line", "x".repeat(20 << 20));
    for (target, name) in [(".", "loop"), ("round", "round"), ("/", "many/out")] {
        symlink(target, work.join(name)).expect("a link can be made");
    }
    for name in [&b"new\nline"[..], b"not \xff text", "\u{202e}gnp.exe".as_bytes(), b"-rf", b" "] {
        fs::write(work.join(Path::new(OsStr::from_bytes(name))), "odd\n").expect("a file can be made");
    }
    let deep: PathBuf = (0..200).map(|_| "d").collect();
    work.write(deep.join("deep.txt"), "deep\n");
}

/// Where the library lies that lies about the time, and what it is told.
const LIBRARIES: [&str; 3] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
    "/usr/lib/faketime/libfaketime.so.1",
];
const JUMPS: [&str; 8] =
    ["+1h", "-1h", "+0", "@1970-01-01 00:00:01", "+100y", "-30d", "@2038-01-19 03:14:06", "+2s"];

/// The clock jumps between any two calls, and is somewhere else again for the next process.
pub fn clocks(trial: &Trial) -> Seen {
    let Some(library) = LIBRARIES.iter().find(|path| Path::new(path).exists()) else {
        return Seen::Skipped("no libfaketime: apt-get install faketime".to_owned());
    };
    let times = Scratch::new();
    let clock = times.write("clock", "+0");
    let mut random = trial.random();
    let hands = clock.clone();
    let server = Server::answer(move |request| {
        check_history(request);
        fs::write(&hands, JUMPS[random.draw() as usize % JUMPS.len()]).expect("a clock can be set");
        let done = results(request);
        if done < 8 { shell(&format!("echo {done} >> marks; sleep 0.02")) } else { Reply::text("done") }
    });
    let bench = trial.bench(&server);
    let run = |arguments: &[&str]| {
        let command = bench.cinque.command(arguments).env("LD_PRELOAD", library);
        let command = command.env("FAKETIME_TIMESTAMP_FILE", &clock).env("FAKETIME_NO_CACHE", "1");
        command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1").run()
    };
    run(&["exec", "--approve", "auto", "--max-time", "60", "go"]).assert_code(0);
    run(&["exec", "--continue", "more"]).assert_code(0);
    assert_eq!(bench.work.read("marks"), "0\n1\n2\n3\n4\n5\n6\n7\n");
    bench.verify();
    let newest = bench.newest().expect("a conversation");
    let records = bench.records(newest["conversation"].as_str().expect("a name"));
    assert!(records.iter().enumerate().all(|(seq, record)| record["seq"] == seq), "numbers are the order");
    let ran = records.iter().filter(|record| record["event"]["type"] == "ran");
    let late = ran.filter(|record| record["event"]["outcome"]["status"] != "done").count();
    assert_eq!(late, 0, "no call is taken for late because the clock jumped");
    Seen::Held
}

/// How many conversations are held, of how many calls each.
const CONVERSATIONS: usize = 20;
const CALLS: usize = 100;

/// Long work; gives the size of the database over that of what was said. The whole outputs of commands, beside it, have
/// a bound of their own.
pub fn growth(trial: &Trial) -> Seen {
    let server = Server::answer(|request| {
        let done = results(request);
        if done < CALLS { shell(&format!("seq {done} {}", done + 400)) } else { Reply::text("done") }
    });
    let bench = trial.bench(&server);
    for _ in 0..CONVERSATIONS {
        let command = bench.cinque.command(["exec", "--approve", "auto", "--max-turns", "200", "go"]);
        command.deadline(Duration::from_secs(300)).run().assert_code(0);
    }
    let listed = bench.cinque.command(["log", "list", "--json"]).run().json_lines();
    let said: usize = listed
        .iter()
        .filter_map(|line| line["conversation"].as_str())
        .map(|id| length(&bench.records(id)))
        .sum();
    let kept = |name: &str| fs::metadata(bench.work.join(name)).map_or(0, |found| found.len());
    let log = kept(".cinque/app.db-wal");
    assert!(log <= 64 << 20, "SQLite's log has {log} bytes");
    Seen::Value(kept(".cinque/app.db") as f64 / said as f64)
}

fn length(records: &[Value]) -> usize {
    records.iter().map(|record| record.to_string().len()).sum()
}
