//! Many clients of one server, and servers that come and go: A1, A2, W1, W2, W3. Start from the public functions.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use kit::serde_json::{Value, json};
use kit::{Cinque, Message, Reply, Scratch, Server};

use crate::fault::Seen;
use crate::site::{Client, ID, Site};
use crate::trial::{Trial, check_history, results, shell, wait_until};

/// How many calls are decided in one run, the last of them by very many at once.
const CALLS: usize = 8;
const CROWD: usize = 40;
const EACH: usize = 25;

/// Several clients of two servers decide the same call at the same moment.
pub fn raced(trial: &Trial) -> Seen {
    let server = calls_then_done(CALLS);
    let bench = trial.bench(&server);
    let sites = [Site::start(&bench.cinque), Site::start(&bench.cinque)];
    let mut person = sites[0].follow();
    person.begin("SubmitPrompt", &[json!("go")]);
    for number in 0..CALLS {
        let call = person.asked();
        let (clients, each) = if number + 1 == CALLS { (CROWD, EACH) } else { (4, 1) };
        let won = race(&sites, clients, each, &call);
        assert_eq!(won.len(), 1, "call {number} was decided by {won:?}");
        let marks = || if bench.work.exists("marks") { bench.work.read("marks") } else { String::new() };
        let mark = format!("{number}\n");
        // The winner is told when the program rests, and then the call has run.
        let expected = usize::from(won[0] == "ApproveToolCall");
        assert_eq!(marks().matches(&mark).count(), expected, "call {number}, {won:?}: {}", marks());
    }
    bench.verify();
    Seen::Held
}

/// Lets clients decide a call at once, every third one against it; gives what the winners wanted.
fn race(sites: &[Site], clients: usize, each: usize, call: &str) -> Vec<&'static str> {
    let start = Barrier::new(clients);
    let decide = |number: usize| {
        let mut client = sites[number % sites.len()].follow();
        let target = if number % 3 == 2 { "DeclineToolCall" } else { "ApproveToolCall" };
        start.wait();
        (0..each).for_each(|_| client.begin(target, &[json!(call)]));
        let won = (0..each).filter(|_| client.ended().is_ok()).count();
        vec![target; won]
    };
    thread::scope(|scope| {
        let decide = &decide;
        let running: Vec<_> = (0..clients).map(|number| scope.spawn(move || decide(number))).collect();
        running.into_iter().flat_map(|one| one.join().expect("a client does not fail")).collect()
    })
}

/// A model that wants so many commands run, then is done.
fn calls_then_done(calls: usize) -> Server {
    Server::answer(move |request| {
        check_history(request);
        let done = results(request);
        if done < calls { shell(&format!("echo {done} >> marks")) } else { done_reply() }
    })
}

fn done_reply() -> Reply {
    Reply::call("final_output", json!({ "output": "all done" }))
}

/// The server dies while a call waits; gives how long the next one takes to show it to somebody new.
pub fn restarted(trial: &Trial) -> Seen {
    let server = calls_then_done(1);
    let bench = trial.bench(&server);
    let first = Site::start(&bench.cinque);
    let mut person = first.follow();
    person.begin("SubmitPrompt", &[json!("go")]);
    let call = person.asked();
    drop(person);
    first.running.kill();
    let second = Site::start(&bench.cinque);
    let connected = Instant::now();
    let mut other = second.follow();
    other.begin("JoinConversation", &[json!(-1)]);
    assert_eq!(other.asked(), call, "the same call waits");
    let took = connected.elapsed();
    assert!(!bench.work.exists("marks"), "nobody approved it, and it ran");
    other.begin("ApproveToolCall", &[json!(call)]);
    other.wait_for(|message| message["target"] == "AgentCompleted");
    assert_eq!(bench.work.read("marks"), "0\n");
    Seen::Value(took.as_secs_f64() * 1e3)
}

/// How often a client comes back in one run, how many replies it hears, and of how many pieces.
const RETURNS: usize = 50;
const REPLIES: usize = 6;
const PIECES: usize = 150;

/// A client comes and goes while replies are streamed, each time with the last seq that it has seen.
pub fn reconnecting(trial: &Trial) -> Seen {
    let server = Server::answer(|request| {
        let said = request.messages().iter().filter(|message| message["role"] == "assistant").count();
        let pieces = (0..PIECES).map(|piece| format!("{said}.{piece} ü🙂 "));
        let reply = Message::tokens(pieces).reply().slow(Duration::from_millis(1));
        if said < REPLIES { reply } else { done_reply() }
    });
    let bench = trial.bench(&server);
    let site = Site::start(&bench.cinque);
    let mut person = site.follow();
    person.begin("SubmitPrompt", &[json!("go")]);
    person.wait_for(|message| message["target"] == "ReceiveChange");
    let mut random = trial.random();
    let mut reader = Reader::default();
    let mut returns = 0;
    while returns < RETURNS || !reader.over {
        let mut client = site.follow();
        client.begin("JoinConversation", &[json!(reader.changes.len() as i64 - 1)]);
        reader.partial = String::new();
        // What it has not read when it leaves is lost on the way, as on a train.
        for _ in 0..random.within(1..60) {
            if reader.over {
                break;
            }
            let message = client.hear().unwrap_or_else(|| {
                let told = site.changes();
                let (heard, last) = (reader.changes.len(), told.last());
                panic!("silence after {heard} of {} changes, the last one {last:?}", told.len())
            });
            reader.hear(&message);
        }
        returns += 1;
        assert!(returns < 100 * RETURNS, "the conversation does not come to an end");
    }
    assert_eq!(reader.changes, site.changes(), "what was heard is what stands there");
    Seen::Held
}

/// What somebody has read of the conversation.
#[derive(Default)]
struct Reader {
    changes: Vec<Value>,
    /// The reply in progress, as far as this connection has told it.
    partial: String,
    over: bool,
}

impl Reader {
    fn hear(&mut self, message: &Value) {
        let told = &message["arguments"][0];
        match message["target"].as_str() {
            Some("ReceiveChange") => {
                assert_eq!(told["seq"], self.changes.len(), "a gap or a repeat: {told}");
                if told["body"]["kind"] == "replied" {
                    let whole = told["body"]["text"].as_str().unwrap_or_default();
                    assert!(
                        whole.starts_with(&self.partial),
                        "{:?} is not how {whole:?} begins",
                        self.partial
                    );
                    self.partial.clear();
                }
                self.over |= told["body"]["kind"] == "stopped";
                self.changes.push(told.clone());
            }
            Some("ReceiveTextDelta") => {
                let at = told["offset"].as_u64().and_then(|at| usize::try_from(at).ok());
                if at == Some(0) {
                    self.partial.clear();
                }
                assert_eq!(at, Some(self.partial.encode_utf16().count()), "a gap in a reply: {told}");
                self.partial.push_str(told["text"].as_str().unwrap_or_default());
            }
            _ => {}
        }
    }
}

/// How many clients do not read what they are told, and how much that is.
const DEAF: usize = 20;
const PIECE: usize = 4 << 10;

/// Clients that never read; gives what each of them costs the server.
pub fn slow_clients(trial: &Trial) -> Seen {
    let pieces = if trial.is_short() { 250 } else { 2000 };
    let (alone, without) = streamed(trial, pieces, 0);
    let (crowded, with) = streamed(trial, pieces, DEAF);
    assert!(
        with < without * 3 + Duration::from_secs(5),
        "the run took {without:?} alone and {with:?} with {DEAF} clients that do not read"
    );
    Seen::Value(crowded.saturating_sub(alone) as f64 / DEAF as f64 / f64::from(1 << 20))
}

/// The most memory and the time that one long reply takes.
fn streamed(trial: &Trial, pieces: usize, deaf: usize) -> (u64, Duration) {
    let server = Server::answer(move |request| match results(request) {
        0 if request.messages().len() < 4 => Message::tokens(vec!["x".repeat(PIECE); pieces]).reply(),
        _ => done_reply(),
    });
    let bench = trial.bench(&server);
    let site = Site::start(&bench.cinque);
    let mut person = site.follow();
    let begun = Instant::now();
    person.begin("SubmitPrompt", &[json!("go")]);
    person.wait_for(|message| message["target"] == "ReceiveChange");
    let _deaf: Vec<Client> = (0..deaf)
        .map(|_| {
            let mut client = site.follow();
            client.begin("JoinConversation", &[json!(-1)]);
            client
        })
        .collect();
    let (mut most, mut heard) = (0, 0);
    loop {
        let Some(message) = person.hear() else {
            // Who falls behind is given up and comes back, as any client does.
            person = site.follow();
            person.begin("JoinConversation", &[json!(-1)]);
            continue;
        };
        heard += 1;
        if heard % 64 == 0 {
            most = most.max(site.memory());
        }
        if message["target"] == "AgentCompleted" {
            return (most.max(site.memory()), begun.elapsed());
        }
    }
}

/// How many things are done to one conversation in one run.
const ACTIONS: usize = 100;

/// Clients of two servers do things at random; in the end all have been told the same.
pub fn converging(trial: &Trial) -> Seen {
    let server = Server::answer(|request| {
        check_history(request);
        match request.number % 3 {
            0 => shell(&format!("echo {} >> marks", request.number)),
            1 => done_reply(),
            _ => Reply::text("some words"),
        }
    });
    let work = Scratch::new();
    let cinque = Cinque::new(trial.program, &work).against(&server).env("CINQUE_MAX_TURNS", "10000");
    let sites = [Site::start(&cinque), Site::start(&cinque)];
    let mut random = trial.random();
    let mut first = sites[0].follow();
    first.begin("SubmitPrompt", &[json!("begin")]);
    first.wait_for(|message| message["target"] == "ReceiveChange");
    let views: Vec<Arc<Mutex<Vec<Value>>>> = (0..4).map(|number| watch(&sites[number % 2])).collect();
    let mut senders = [sites[0].follow(), sites[1].follow()];
    let mut begun = [0; 2];
    for number in 0..ACTIONS {
        let at = random.draw() as usize % 2;
        let pending = || pending(&sites[at]);
        let action = random.within(0..8);
        begun[at] += usize::from(action < 7);
        match action {
            0..=2 => senders[at].begin("SubmitPrompt", &[json!(format!("words {number}"))]),
            3 | 4 => senders[at].begin("ApproveToolCall", &[json!(pending())]),
            5 => senders[at].begin("DeclineToolCall", &[json!(pending())]),
            6 => senders[at].begin("CancelRequest", &[]),
            _ => {
                let (status, body) =
                    sites[at].ask("PATCH", &format!("/api/conversations/{ID}"), r#"{"topic":"new"}"#);
                assert!(status < 500, "{status}: {body}");
            }
        }
    }
    finish(&sites[0], &mut senders, begun);
    let whole = sites[0].changes();
    assert_eq!(whole, sites[1].changes(), "two servers of one folder tell the same");
    for view in views {
        let told = || view.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let all = wait_until(Duration::from_secs(20), || told().len() >= whole.len());
        assert!(all, "a client heard {} of {} changes", told().len(), whole.len());
        assert_eq!(told(), whole, "every client is told the same");
    }
    cinque.command(["log", "verify"]).run().assert_code(0);
    Seen::Held
}

/// What a client of its own hears of the conversation, from its beginning on.
fn watch(site: &Site) -> Arc<Mutex<Vec<Value>>> {
    let heard = Arc::<Mutex<Vec<Value>>>::default();
    let mut client = site.follow();
    client.begin("JoinConversation", &[json!(-1)]);
    let kept = heard.clone();
    thread::spawn(move || {
        while let Some(message) = client.hear() {
            if message["target"] == "ReceiveChange" {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push(message["arguments"][0].clone());
            }
        }
    });
    heard
}

/// The name of the call that waits, or one of no call.
fn pending(site: &Site) -> String {
    let changes = site.changes();
    let asked = changes.iter().rev().find(|change| change["body"]["verdict"] == "ask");
    asked.and_then(|change| change["body"]["callId"].as_str()).unwrap_or("none").to_owned()
}

/// Waits for the end of every method, and declines whatever waits for a decision meanwhile.
fn finish(site: &Site, senders: &mut [Client; 2], begun: [usize; 2]) {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let rests = || {
                let status = site.json("/api/conversations")[0]["status"].clone();
                if status == "waiting" {
                    let mut client = site.follow();
                    client.begin("DeclineToolCall", &[json!(pending(site))]);
                    let _ = client.ended();
                }
                over.load(Ordering::Relaxed) && status != "waiting" && status != "running"
            };
            assert!(wait_until(Duration::from_secs(60), rests), "the conversation does not come to rest");
        });
        for (sender, begun) in senders.iter_mut().zip(begun) {
            (0..begun).for_each(|_| drop(sender.ended()));
        }
        over.store(true, Ordering::Relaxed);
    });
}
