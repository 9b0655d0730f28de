//! A model that fails: N1 refuses and is cancelled, N2 breaks off in the middle of replies. Start from [`refusing`] and
//! [`cut`].

use std::collections::HashSet;
use std::time::{Duration, Instant};

use kit::serde_json::json;
use kit::{
    Call, Cinque, Message, Outcome, Point, Reply, Request, Scratch, Server, Signal, Stop, refused_url,
};

use crate::fault::Seen;
use crate::trial::{Trial, check_history, results};
use kit::Random;

/// The most tries of one request, the first included.
const TRIES: usize = 5;
/// How many replies are broken off in one run.
const CUTS: usize = 5;

/// What the model answers, again and again; none is a model that cannot be reached at all.
const REFUSALS: [fn() -> Option<Reply>; 12] = [
    || Some(Reply::status(429)),
    || Some(Reply::status(429).retry_after(30)),
    || Some(Reply::status(500)),
    || Some(Reply::status(502)),
    || Some(Reply::status(503).retry_after(20)),
    || Some(Reply::status(529)),
    || Some(Reply::html(502)),
    || Some(Reply::text("never").hang_up()),
    || Some(Reply::text("never").silent()),
    || Some(Reply::garbage()),
    || Some(Reply::text("a word").stop(Point::Body(40), Stop::Reset)),
    || None,
];

/// The model refuses for as long as it is asked; a person has enough of it. Gives how long the end took.
pub fn refusing(trial: &Trial) -> Seen {
    if trial.seed % 13 == 12 {
        check_patience(trial);
    }
    let refusal = REFUSALS[trial.seed as usize % REFUSALS.len()];
    let server = Server::answer(move |_| refusal().unwrap_or_else(|| Reply::status(500)));
    let work = Scratch::new();
    let cinque = Cinque::new(trial.program, &work).against(&server);
    let cinque = match refusal() {
        Some(_) => cinque,
        // Nobody listens, there is no such host, or what answers does not speak TLS.
        None => cinque.env(
            "OPENAI_BASE_URL",
            match trial.seed / 12 % 3 {
                0 => refused_url(),
                1 => "http://no-such-host.invalid/v1".to_owned(),
                _ => server.base_url().replace("http:", "https:"),
            },
        ),
    };
    let begun = Instant::now();
    let running = cinque.command(["exec", "go"]).spawn();
    match refusal() {
        Some(_) => drop(server.wait_for(1)),
        None => running.wait_for_stderr("thinking"),
    }
    // Any moment will do: while it is asked, while the reply is read, while the next try is waited for.
    let moment = Duration::from_millis(trial.random().within(0..400));
    let _ = server.wait_for_within(usize::MAX, moment);
    let asked = begun.elapsed();
    running.signal(Signal::INT);
    let outcome = running.wait();
    let took = outcome.elapsed.saturating_sub(asked);
    // What cannot be mended by trying again has ended by itself before.
    assert!(matches!(outcome.code(), Some(130 | 3)), "{outcome:?}");
    assert!(!outcome.stderr.contains("panicked") && !outcome.stderr.is_empty(), "{outcome:?}");
    assert!(server.requests().len() <= TRIES, "{} tries", server.requests().len());
    Seen::Value(took.as_secs_f64() * 1e3)
}

/// The time that the model asks for is waited for, and not much longer.
fn check_patience(trial: &Trial) {
    let server = Server::play([Reply::status(429).retry_after(1), Reply::text("done")]);
    trial.bench(&server).cinque.command(["exec", "go"]).run().assert_code(0);
    let requests = server.requests();
    let waited = requests[1].at.saturating_duration_since(requests[0].at);
    assert!((1.0..1.2).contains(&waited.as_secs_f64()), "waited {waited:?} instead of a second");
}

/// Every reply breaks off once at some byte before it comes whole.
pub fn cut(trial: &Trial) -> Seen {
    let mut random = trial.random();
    let mut broken = HashSet::new();
    let server = Server::answer(move |request| {
        check_history(request);
        let step = results(request);
        let reply = answer(step);
        if step < CUTS && broken.insert(step) { break_off(reply, request, &mut random) } else { reply }
    });
    let bench = trial.bench(&server);
    let arguments = ["exec", "--json", "--approve", "auto", "--max-turns", "100", "go"];
    let command = bench.cinque.command(arguments).env("CINQUE_IDLE_TIMEOUT", "0.3");
    let outcome = command.deadline(Duration::from_secs(90)).run();
    check_once(&outcome, &bench.work);
    bench.verify();
    Seen::Held
}

/// Words, then a call; the last one words alone.
fn answer(step: usize) -> Reply {
    match step < CUTS {
        true => {
            let call = Call::new("shell", json!({ "command": format!("echo {step} >> marks") }));
            Message::text(format!("Step {step}: Grüße."))
                .text_every(3)
                .and_call(call)
                .arguments_every(5)
                .reply()
        }
        false => Reply::text("all done"),
    }
}

fn break_off(reply: Reply, request: &Request, random: &mut Random) -> Reply {
    let length = reply.body(request).len() as u64;
    let at = usize::try_from(random.within(0..length + 1)).unwrap_or(0);
    let stop = [Stop::Close, Stop::Reset, Stop::Stall][random.draw() as usize % 3];
    reply.stop(Point::Body(at), stop)
}

/// Each reply stands once in the log and each of its calls ran once.
fn check_once(outcome: &Outcome, work: &Scratch) {
    let lines = outcome.assert_code(0).json_lines();
    let replies: Vec<&str> = lines
        .iter()
        .filter(|line| line["event"]["type"] == "replied")
        .filter_map(|line| line["event"]["text"].as_str())
        .collect();
    let expected: Vec<String> =
        (0..CUTS).map(|step| format!("Step {step}: Grüße.")).chain(["all done".to_owned()]).collect();
    assert_eq!(replies, expected, "{}", outcome.stdout);
    let marks: String = (0..CUTS).map(|step| format!("{step}\n")).collect();
    assert_eq!(work.read("marks"), marks);
}
