//! kill -9: K1 anywhere in a run, K2 around an approval. Start from [`anywhere`] and [`at_approval`].

use std::thread;
use std::time::Duration;

use kit::serde_json::Value;
use kit::{Outcome, Reply, Server};

use crate::errand::{Allowed, Errand, FIRST};
use crate::fault::Seen;
use crate::trace::{self, Plan};
use crate::trial::{Bench, Trial, check_history, results, shell};
use kit::Random;

/// Any thousand runs in a row have each moment once.
const ROUND: u64 = 1000;
/// A step through them that has no divisor in common with their number, so that few runs are spread over all.
const STRIDE: u64 = 97;

pub fn anywhere(trial: &Trial) -> Seen {
    if let Some(why) = trace::impossible() {
        return Seen::Skipped(why);
    }
    let errand = Errand::new(trial);
    let mut random = trial.random();
    let chosen = trial.seed.wrapping_mul(STRIDE) % ROUND;
    let outcome = match chosen / 2 < Errand::moments(trial) {
        true => errand.bench.traced(plan(chosen), FIRST).0.run(),
        false => killed_later(&errand.bench, FIRST, &mut random),
    };
    errand.check_kept(&outcome);
    // The one that mends may be killed as well, and the next one finds both wounds.
    if random.within(0..3) == 0 {
        let outcome = killed_later(&errand.bench, errand.next(), &mut random);
        errand.check_kept(&outcome);
    }
    let restart = errand.finish();
    errand.check_calls(Allowed::Interrupted, "after the kill");
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

/// A conversation in which a call waits for a person, and no process is left.
pub fn waiting(trial: &Trial) -> (Bench, Server, String, String) {
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

#[expect(clippy::disallowed_methods, reason = "a kill at a moment needs a moment to pass")]
fn killed_later(bench: &Bench, arguments: &[&str], random: &mut Random) -> Outcome {
    let running = bench.cinque.command(arguments).spawn();
    thread::sleep(Duration::from_micros(random.within(1_000..400_000)));
    running.kill()
}
