//! Commands that behave badly: M1 prints too much, P1 never ends, P2 and P3 leave processes behind. Start from
//! [`flood`], [`stuck`] and [`survivors`].

use std::fs;
use std::time::{Duration, Instant};

use kit::serde_json::json;
use kit::{Gate, Point, Reply, Running, Scratch, Server, Signal};

use crate::fault::Seen;
use crate::trial::{Trial, peak, shell, wait_until};

/// Bytes of a megabyte, as goals count them.
const MEBI: f64 = (1 << 20) as f64;

/// What commands print, by how many megabytes of it.
const FLOODS: [fn(u64) -> String; 5] = [
    |much| format!("yes 'a line like any other' | head -c {much}M"),
    |much| format!("head -c {}M /dev/zero | tr '\\0' x", much / 2),
    |much| format!("head -c {}M /dev/urandom", much / 4),
    |much| format!("yes | head -c {}M & yes no | head -c {}M >&2; wait", much / 2, much / 2),
    |_| "yes".to_owned(),
];

/// A command prints very much; the program keeps a head, a tail and a count.
pub fn flood(trial: &Trial) -> Seen {
    let much = if trial.is_short() { 24 } else { 1024 };
    let print = FLOODS[trial.seed as usize % FLOODS.len()](much);
    // The endless one is ended by its limit.
    let limit = if print == "yes" { much.div_ceil(200) } else { 600 };
    let quiet = peak_after(trial, "true", 600);
    let grown = peak_after(trial, &print, limit).saturating_sub(quiet);
    Seen::Value(grown as f64 / MEBI)
}

/// The most memory that the program has had when the model learns of the command's end.
fn peak_after(trial: &Trial, command: &str, limit: u64) -> u64 {
    let gate = Gate::new();
    let call = Reply::call("shell", json!({ "command": command, "timeout": limit }));
    let server = Server::play([call, Reply::text("done").hold(Point::Start, &gate)]);
    let bench = trial.bench(&server);
    let patience = Duration::from_secs(600);
    let running = bench.cinque.command(["exec", "--approve", "auto", "go"]).deadline(patience).spawn();
    let waited = server.wait_for_within(2, patience);
    let peak = peak(running.id()).expect("the kernel tells how much memory a process has");
    gate.open();
    running.wait().assert_code(0);
    waited.unwrap_or_else(|_| panic!("`{command}` did not come to an end"));
    let told = server.last_messages().last().map(|message| message["content"].to_string().len());
    assert!(told.is_some_and(|length| length < 256 << 10), "the model is shown {told:?} bytes");
    peak
}

/// Commands that never end by themselves; `%` is a number that no other process has among its arguments.
const STUCK: [&str; 6] = [
    "sleep %",
    "trap '' TERM INT HUP; while :; do sleep %; done",
    "sleep % & kill -STOP $$; wait",
    "read word < /dev/tty; cat; sleep %",
    "cat <(sleep %)",
    "setsid sleep % & sleep %",
];

/// How late a command is ended that never ends.
pub fn stuck(trial: &Trial) -> Seen {
    let mark = mark(trial);
    let command = STUCK[trial.seed as usize % STUCK.len()].replace('%', &mark);
    let call = Reply::call("shell", json!({ "command": command, "timeout": 1 }));
    let server = Server::play([call, Reply::text("done")]);
    let bench = trial.bench(&server);
    bench.cinque.command(["exec", "--approve", "auto", "go"]).run().assert_code(0);
    let requests = server.wait_for(2);
    let took = requests[1].at.saturating_duration_since(requests[0].at);
    let told = server.last_messages().last().map(|message| message["content"].to_string());
    assert!(told.as_ref().is_some_and(|told| told.contains("time limit of 1 s")), "`{command}`: {told:?}");
    gone(&mark, &command);
    Seen::Value(took.saturating_sub(Duration::from_secs(1)).as_secs_f64() * 1e3)
}

/// Commands that leave processes behind, and say when they have; some end then, some do not.
const LEAVING: [&str; 9] = [
    "setsid sleep % & echo > begun",
    "nohup sleep % > /dev/null 2>&1 & disown; echo > begun",
    "(setsid bash -c 'setsid sleep % & sleep %' &); echo > begun; sleep %",
    "bash -c 'trap \"\" TERM HUP INT; echo > begun; while :; do sleep %; done'",
    "sleep % > >(cat) & echo > begun; wait",
    "sleep % & kill -STOP $!; echo > begun; kill -STOP $$",
    "coproc sleep %; echo > begun; wait",
    "perl -e 'if (!fork) { if (!fork) { exec \"sleep\", \"%\" } exit } wait; sleep 1' ; echo > begun; sleep %",
    "(echo > begun; exec -a hidden sleep %) & sleep %",
];

/// A bomb with an end: two to the power of nine processes. Written into the command it would be refused by policy.
const BOMB: &str = "[ $1 -gt 0 ] && { bash bomb $(($1 - 1)) & bash bomb $(($1 - 1)) & }; sleep %";

/// How the program ends while the command runs, or after it.
#[derive(Debug, Clone, Copy)]
enum End {
    Killed,
    Interrupted,
    Terminated,
    TimeOut,
}

const ENDS: [End; 4] = [End::Killed, End::Interrupted, End::Terminated, End::TimeOut];

/// How long processes live on after the program or their call has ended.
pub fn survivors(trial: &Trial) -> Seen {
    let seed = trial.seed as usize;
    end_with(trial, LEAVING[seed % LEAVING.len()], ENDS[seed / LEAVING.len() % ENDS.len()], None)
}

/// The same with very many of them.
pub fn bomb(trial: &Trial) -> Seen {
    let end = ENDS[trial.seed as usize % ENDS.len()];
    end_with(trial, "bash bomb 8 & echo > begun; sleep %", end, Some(BOMB))
}

fn end_with(trial: &Trial, command: &str, end: End, script: Option<&str>) -> Seen {
    let mark = mark(trial);
    let command = command.replace('%', &mark);
    let gate = Gate::new();
    let call = match end {
        End::TimeOut => Reply::call("shell", json!({ "command": command, "timeout": 2 })),
        _ => shell(&command),
    };
    let server = Server::play([call, Reply::text("done").hold(Point::Start, &gate)]);
    let bench = trial.bench(&server);
    if let Some(script) = script {
        bench.work.write("bomb", script.replace('%', &mark));
    }
    let running = bench.cinque.command(["exec", "--approve", "auto", "go"]).spawn();
    begun(&bench.work, &running);
    if script.is_some() {
        wait_until(Duration::from_secs(1), || alive(&mark).len() > 400);
    }
    match end {
        End::Killed => drop(running.kill()),
        End::Interrupted => drop(signalled(running, Signal::INT)),
        End::Terminated => drop(signalled(running, Signal::TERM)),
        End::TimeOut => {
            server.wait_for(2);
            let took = gone(&mark, &command);
            gate.open();
            running.wait().assert_code(0);
            return Seen::Value(took);
        }
    }
    Seen::Value(gone(&mark, &format!("{end:?}: {command}")))
}

fn signalled(running: Running, signal: Signal) -> kit::Outcome {
    running.signal(signal);
    let ended = running.wait();
    assert!(ended.code().is_some(), "it did not end by itself after {signal:?}: {ended:?}");
    ended
}

fn begun(work: &Scratch, running: &Running) {
    let begun = wait_until(Duration::from_secs(20), || work.exists("begun"));
    assert!(begun, "the command did not begin: {}", running.stderr());
}

/// A number of seconds that no other process sleeps.
fn mark(trial: &Trial) -> String {
    format!("{}.{}", 4000 + trial.seed % 5000, std::process::id())
}

/// Waits until no process has `mark` among its arguments; gives the milliseconds it took.
fn gone(mark: &str, when: &str) -> f64 {
    let ended = Instant::now();
    let none = wait_until(Duration::from_secs(5), || alive(mark).is_empty());
    assert!(none, "after `{when}` these live on: {:?}", alive(mark));
    ended.elapsed().as_secs_f64() * 1e3
}

/// The command lines of the processes that have `mark` in it.
fn alive(mark: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(mark)).collect()
}
