//! Many clients following one stream. Start from [`crowd`].
//!
//! Every token carries the time at which the model sent it, so each client can tell how long it took.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Barrier, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use kit::Follower;

use crate::process::allow_many_files;
use crate::program::{Fault, Program};
use crate::served::{Served, contains};

const CLIENTS: usize = 1000;
const TOKENS: usize = 20_000;
/// What the model says in a millisecond: as fast as fast models are.
const TOKENS_A_PAUSE: usize = 4;
const PAUSE: Duration = Duration::from_millis(1);
const STACK: usize = 128 << 10;
const ID: &str = "0190c0de-0000-4000-8000-000000000001";

/// What the clients and the kernel saw.
#[derive(Debug, Clone, Copy)]
pub struct Crowd {
    /// The delay that one in a hundred pieces exceeds, in milliseconds.
    pub delay: f64,
    /// The server's peak, in megabytes.
    pub memory: f64,
}

/// Measured once, whichever figure asks first.
pub fn crowd(program: &Program) -> Result<Crowd, Fault> {
    static SEEN: OnceLock<Result<Crowd, String>> = OnceLock::new();
    SEEN.get_or_init(|| measure(program).map_err(|fault| fault.to_string()))
        .clone()
        .map_err(Fault::NotStarted)
}

fn measure(program: &Program) -> Result<Crowd, Fault> {
    allow_many_files();
    let told = |error: io::Error| Fault::NotStarted(error.to_string());
    let model = TcpListener::bind(("127.0.0.1", 0)).map_err(told)?;
    let address = model.local_addr().map_err(told)?;
    let start = Instant::now();
    thread::spawn(move || speak(&model, start));
    let served = Served::start(program.server(&format!("http://{address}/v1")))?;
    let mut person = served.follow().map_err(told)?;
    person.invoke("SubmitPrompt", &format!(r#"["{ID}","begin"]"#)).map_err(told)?;
    let ready = Arc::new(Barrier::new(CLIENTS + 1));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let follower = join(&served).map_err(told)?;
            let ready = ready.clone();
            let watch = move || {
                ready.wait();
                watch(follower, start)
            };
            thread::Builder::new().stack_size(STACK).spawn(watch).map_err(told)
        })
        .collect::<Result<_, Fault>>()?;
    ready.wait();
    person.begin("SubmitPrompt", &format!(r#"["{ID}","go"]"#)).map_err(told)?;
    let mut delays = Vec::new();
    for client in clients {
        let (tokens, own) =
            client.join().map_err(|_| Fault::Senseless("a client panicked"))?.map_err(told)?;
        if tokens != TOKENS {
            return Err(Fault::Senseless("a client lost tokens"));
        }
        delays.extend(own);
    }
    delays.sort_unstable();
    let late = delays.get(delays.len() * 99 / 100).ok_or(Fault::Senseless("nothing was heard"))?;
    Ok(Crowd { delay: *late as f64 / 1000.0, memory: served.memory() as f64 / 1e6 })
}

fn join(served: &Served) -> io::Result<Follower> {
    let mut follower = served.follow()?;
    follower.invoke("JoinConversation", &format!(r#"["{ID}",-1]"#))?;
    Ok(follower)
}

/// Counts tokens until the run ends, with the delay of the oldest token of each piece in microseconds.
fn watch(mut follower: Follower, start: Instant) -> io::Result<(usize, Vec<u64>)> {
    let (mut tokens, mut delays) = (0, Vec::new());
    loop {
        let message = follower.hear()?;
        if contains(&message[..message.len().min(60)], b"\"AgentCompleted\"") {
            return Ok((tokens, delays));
        }
        // Whoever is behind when a reply ends gets the rest of it with its record, which has the whole text.
        if contains(message, b"\"kind\":\"replied\"") {
            tokens = message.iter().filter(|byte| **byte == b';').count();
        }
        if !contains(&message[..message.len().min(60)], b"\"ReceiveTextDelta\"") {
            continue;
        }
        tokens += message.iter().filter(|byte| **byte == b';').count();
        let sent = message.split(|byte| *byte == b'@').nth(1).unwrap_or_default();
        let digits = sent.iter().take_while(|byte| byte.is_ascii_digit());
        let sent = digits.fold(0, |number: u64, digit| number * 10 + u64::from(digit - b'0'));
        delays.push((start.elapsed().as_micros() as u64).saturating_sub(sent));
    }
}

/// A model that says little first and then a lot, at an even pace.
fn speak(listener: &TcpListener, start: Instant) {
    for (number, stream) in listener.incoming().enumerate() {
        let Ok(stream) = stream else { return };
        let tokens = if number == 0 { 1 } else { TOKENS };
        thread::spawn(move || answer(stream, start, tokens));
    }
}

fn answer(stream: TcpStream, start: Instant, tokens: usize) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut length = 0;
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        reader.read_line(&mut line)?;
        if let Some(given) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = given.trim().parse().map_err(io::Error::other)?;
        }
    }
    reader.take(length).read_to_end(&mut Vec::new())?;
    let mut stream = stream;
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")?;
    for said in 0..tokens {
        let content = format!("@{};", start.elapsed().as_micros());
        let chunk = format!(
            r#"{{"choices":[{{"index":0,"delta":{{"content":"{content}"}},"finish_reason":null}}]}}"#
        );
        stream.write_all(format!("data: {chunk}\n\n").as_bytes())?;
        if said % TOKENS_A_PAUSE == 0 {
            thread::park_timeout(PAUSE);
        }
    }
    // In the page's profile only a call of this tool ends a run.
    let call = r#"{"index":0,"id":"end","function":{"name":"final_output","arguments":"{\"output\":\"\"}"}}"#;
    let last = format!(
        r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{call}]}},"finish_reason":"tool_calls"}}]}}"#
    );
    stream.write_all(format!("data: {last}\n\ndata: [DONE]\n\n").as_bytes())
}
