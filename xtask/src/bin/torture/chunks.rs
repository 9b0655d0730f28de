//! N3: replies cut at every byte. Start from [`cut_anywhere`].
//!
//! A piece of a stream travels as a chunk of its own, so that the program gets it as it was cut. Cases of others, which
//! are never copied here, are taken from the folder that `CINQUE_CORPORA` names, if it names one.

use std::fs;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use kit::serde_json::{self, Value, json};
use kit::{Call, Gate, Message, Point, Reply, Request, Server, Usage};

use crate::fault::Seen;
use crate::trial::{Trial, has_ended, results, wait_until};

/// How many cuts there are in one run.
const BATCH: usize = 16;
/// How the line begins that tells why a reply was not accepted, and that it is asked for again after a while.
const REFUSED: &str = r#"{"retrying":"#;
const PATIENCE: Duration = Duration::from_secs(30);
/// Where the cases of others are, beneath the folder of all corpora.
const OTHERS: &str = "sse/vercel-ai-unit.jsonl";

/// One stream.
struct Case {
    name: String,
    body: Vec<u8>,
    /// What is understood of it when it comes in one piece.
    whole: OnceLock<Vec<Value>>,
}

/// A few streams of the cases are cut in two, each at the next byte; what is understood is always the same.
pub fn cut_anywhere(trial: &Trial) -> Seen {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    let cases = CASES.get_or_init(|| own().into_iter().chain(others()).collect());
    let all: usize = cases.iter().map(|case| case.body.len()).sum();
    // Few runs are spread over all cuts, and as many runs as there are batches have each cut once.
    let batches = all.div_ceil(BATCH);
    let first = trial.seed as usize % batches;
    let check = |number: usize| {
        let (case, at) = place(cases, (number * batches + first) % all);
        let whole = case.whole.get_or_init(|| heard(trial, case, None));
        assert_eq!(*whole, heard(trial, case, Some(at)), "{} cut at byte {at}", case.name);
    };
    // Most of the time is spent waiting for the disk, so the cuts of a run are tried at once.
    thread::scope(|scope| {
        let tried: Vec<_> = (0..BATCH).map(|number| scope.spawn(move || check(number))).collect();
        tried.into_iter().for_each(|one| one.join().unwrap_or_else(|broken| resume_unwind(broken)));
    });
    Seen::Held
}

/// The case and the byte in it that have this number among all bytes.
fn place(cases: &[Case], mut number: usize) -> (&Case, usize) {
    for case in cases {
        if number < case.body.len() {
            return (case, number);
        }
        number -= case.body.len();
    }
    unreachable!("it is less than the bytes of all cases together");
}

/// What the program understands of a case: its events without what is different in each run.
fn heard(trial: &Trial, case: &Case, cut: Option<usize>) -> Vec<Value> {
    let body = case.body.clone();
    let server = Server::answer(move |request| {
        match (results(request), request.number) {
            (0, 0) => {}
            // Whatever is asked for again, once is enough.
            (0, _) => return Reply::status(401),
            _ => return Reply::text("done"),
        }
        let reply = Reply::raw(200, [("content-type", "text/event-stream")], body.clone()).chunked();
        let open = Gate::new();
        open.open();
        cut.map_or(reply.clone(), |at| reply.hold(Point::Body(at), &open))
    });
    let bench = trial.bench(&server);
    let command = bench.cinque.command(["exec", "--json", "--approve", "never", "--max-turns", "2", "go"]);
    let running = command.spawn();
    // How it goes on after a reply that was not accepted does not matter here, so it is not waited for.
    let is_refused = |line: &str| line.starts_with(REFUSED) && line.ends_with('}');
    wait_until(PATIENCE, || running.stdout().lines().any(is_refused) || has_ended(running.id()));
    let refused = running.stdout().lines().any(is_refused);
    let outcome = if refused { running.kill() } else { running.wait() };
    let well = refused || outcome.code().is_some();
    assert!(well && !outcome.stderr.contains("panicked"), "{}: {outcome:?}", case.name);
    let lines = outcome.stdout.lines();
    let end = lines.clone().position(is_refused).map_or(usize::MAX, |at| at + 1);
    let event = |line: &str| {
        let mut line: Value = serde_json::from_str(line).expect("a line is JSON");
        let what = if line["retrying"].is_object() { "retrying" } else { "event" };
        line[what].take()
    };
    let mut events: Vec<Value> = lines.take(end).map(event).collect();
    events.retain(|event| event["type"] == "replied" || event["failure"].is_object());
    let understood = |event: &Value| {
        let calls = event["calls"].as_array().into_iter().flatten();
        let calls: Vec<Value> = calls.map(|call| json!([call["name"], call["arguments"]])).collect();
        json!([event["text"], event["reasoning"], calls, event["usage"], event["finish"], event["failure"]])
    };
    events.iter().map(understood).collect()
}

fn own() -> Vec<Case> {
    let request =
        Request::post("/v1/chat/completions", r#"{"stream":true,"stream_options":{"include_usage":true}}"#);
    let list = || Call::new("list", json!({ "path": "ü🙂\n\"\\" }));
    let replies = [
        ("characters", Message::text("Grüße, 世界 🙂 \u{301}").text_every(9).reply()),
        ("CRLF", Message::text("one\r\ntwo\n\nthree").reply().crlf()),
        ("a mark and comments", Message::text("words").reply().bom().pings().tight()),
        ("a call", Message::text("I look.").and_call(list()).arguments_every(9).reply()),
        ("two calls", Message::calls([list(), Call::new("list", json!({}))]).reply().crlf().pings()),
        (
            "thoughts and counts",
            Message::text("so").reasoning("hm 🙂").usage(Usage::new(3, 4).cached(2)).reply(),
        ),
        ("no mark of the end", Message::text("to be continued").reply().without_done()),
        ("an error", Message::text("well").error("the model fell over").reply()),
    ];
    replies
        .map(|(name, reply)| Case {
            name: name.to_owned(),
            body: reply.body(&request),
            whole: OnceLock::new(),
        })
        .into()
}

/// The streams of others that speak the wire of this program's model.
fn others() -> Vec<Case> {
    let Some(folder) = std::env::var_os("CINQUE_CORPORA") else { return Vec::new() };
    let text = fs::read_to_string(PathBuf::from(folder).join(OTHERS)).expect("the corpus is there");
    let cases = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let cases = cases.filter(|case| case["dialect"] == "openai-chat").map(|case| Case {
        name: case["id"].to_string(),
        body: case["writes"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect::<String>()
            .into(),
        whole: OnceLock::new(),
    });
    cases.filter(|case| !case.body.is_empty()).collect()
}
