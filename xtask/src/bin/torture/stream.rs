//! A provider that does not stop: M2. Start from [`endless`].
//!
//! It is no scripted model but a bare socket that writes for as long as somebody reads, and counts what was read.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use kit::{Cinque, Running, Scratch};

use crate::fault::Seen;
use crate::trial::{Trial, peak, wait_until};

/// What the baseline is measured against.
const REFUSAL: &[u8] = b"HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n";

/// What is sent again and again, behind what is sent once.
struct Flood {
    what: &'static str,
    first: &'static str,
    again: fn() -> Vec<u8>,
    /// The most bytes of it that may be taken from one connection; what is no byte of an answer ends with the patience.
    most: u64,
}

const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
const JSON: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{\"choices\": [\"";
const ILL: &str = "HTTP/1.1 400 Ill\r\ncontent-type: application/json\r\n\r\n{\"error\": {\"message\": \"";
const CHUNKED: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
/// One event or reply, and what lies on the way in the buffers of two sockets.
const EVENT: u64 = 16 << 20;
const ON_THE_WAY: u64 = 16 << 20;

const FLOODS: [Flood; 10] = [
    Flood { what: "a line without an end", first: EVENTS, again: || vec![b'x'; 1 << 16], most: EVENT },
    Flood {
        what: "an event without an end",
        first: EVENTS,
        again: || lines("data: word\n"),
        most: 2 * EVENT,
    },
    Flood { what: "JSON without an end", first: JSON, again: || vec![b'x'; 1 << 16], most: EVENT },
    Flood { what: "an error without an end", first: ILL, again: || vec![b'x'; 1 << 16], most: EVENT },
    Flood {
        what: "headers without an end",
        first: "HTTP/1.1 200 OK\r\n",
        again: || lines("x: y\r\n"),
        most: 1 << 20,
    },
    Flood {
        what: "a header without an end",
        first: "HTTP/1.1 200 OK\r\nx: ",
        again: || vec![b'x'; 1 << 16],
        most: 1 << 20,
    },
    Flood { what: "trailers without an end", first: "", again: || lines("x: y\r\n"), most: 1 << 20 },
    Flood {
        what: "a chunk's size without an end",
        first: CHUNKED,
        again: || vec![b'0'; 1 << 16],
        most: 1 << 40,
    },
    Flood { what: "words without an end", first: EVENTS, again: words, most: 3 * EVENT },
    Flood { what: "data without a field", first: EVENTS, again: || lines("data\n"), most: 6 * EVENT },
];

/// The provider sends something that has no end; gives how far memory grew.
pub fn endless(trial: &Trial) -> Seen {
    static QUIET: OnceLock<u64> = OnceLock::new();
    let quiet = *QUIET.get_or_init(|| most_memory(trial, None));
    let flood = &FLOODS[trial.seed as usize % FLOODS.len()];
    let grown = most_memory(trial, Some(flood)).saturating_sub(quiet);
    Seen::Value(grown as f64 / f64::from(1 << 20))
}

/// The most memory of a run against a flood, or against a provider that refuses.
fn most_memory(trial: &Trial, flood: Option<&'static Flood>) -> u64 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it has an address");
    let taken = Arc::new(AtomicU64::new(0));
    let most = Arc::clone(&taken);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            most.fetch_max(pour(stream, flood), Ordering::Relaxed);
        }
    });
    let work = Scratch::new();
    let cinque = Cinque::new(trial.program, &work).first_arguments(["-m", "openai/scripted"]);
    let cinque = cinque.env("OPENAI_BASE_URL", format!("http://{address}/v1")).env("OPENAI_API_KEY", "test");
    let running = cinque.command(["exec", "go"]).env("CINQUE_IDLE_TIMEOUT", "1").deadline(PATIENCE).spawn();
    let peak = watch(&running);
    let outcome = running.wait();
    let what = flood.map_or("nothing", |flood| flood.what);
    assert_eq!(outcome.code(), Some(3), "{what}: {outcome:?}");
    assert!(
        outcome.stderr.contains("error: ") && !outcome.stderr.contains("panicked"),
        "{what}: {outcome:?}"
    );
    let (taken, most) = (taken.load(Ordering::Relaxed), flood.map_or(0, |flood| flood.most) + ON_THE_WAY);
    assert!(taken <= most, "{what}: {taken} bytes were taken");
    peak
}

const PATIENCE: Duration = Duration::from_secs(120);

/// Writes until nobody reads any more; gives how much was written.
fn pour(mut stream: TcpStream, flood: Option<&Flood>) -> u64 {
    let mut request = [0; 1 << 16];
    let asked = stream.read(&mut request).is_ok();
    let Some(flood) = flood.filter(|_| asked) else {
        return stream.write_all(REFUSAL).map_or(0, |()| REFUSAL.len() as u64);
    };
    let first = if flood.first.is_empty() { format!("{CHUNKED}0\r\n") } else { flood.first.to_owned() };
    let (mut written, again) = (0, (flood.again)());
    let mut bytes = first.as_bytes();
    while stream.write_all(bytes).is_ok() {
        written += bytes.len() as u64;
        bytes = &again;
    }
    written
}

/// The most memory that a process has had, looked at for as long as it lives.
fn watch(running: &Running) -> u64 {
    let most = AtomicU64::new(0);
    wait_until(PATIENCE, || match peak(running.id()) {
        Some(peak) => {
            most.fetch_max(peak, Ordering::Relaxed);
            false
        }
        None => true,
    });
    most.into_inner()
}

fn lines(line: &str) -> Vec<u8> {
    line.repeat((1 << 16) / line.len()).into_bytes()
}

/// Words as the wire carries them, one event each.
fn words() -> Vec<u8> {
    lines(
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"one word after the other, and no end of it \"}}]}\n\n",
    )
}
