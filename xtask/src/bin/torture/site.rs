//! The program as a server, and clients of it. Start from [`Site::start`].
//!
//! The client of plain HTTP speaks just enough of it to be served.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use kit::serde_json::{self, Value, json};
use kit::{Address, Cinque, Follower, Running};

/// How long a server may live.
const LIFE: Duration = Duration::from_secs(1800);

/// A conversation's name, as clients make it; each run has a folder of its own.
pub const ID: &str = "0190c0de-0000-4000-8000-000000000001";

/// A running `cinque serve`. It ends with this value.
pub struct Site {
    pub running: Running,
    address: Address,
}

impl Site {
    pub fn start(cinque: &Cinque) -> Self {
        let running = cinque.command(["serve", "--port", "0"]).deadline(LIFE).spawn();
        running.wait_for_stdout("\n");
        let address = Address::read(&running.stdout()).expect("an address with a token");
        Self { address, running }
    }

    /// Asks a route; gives the status and the body.
    pub fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        self.line().ask(method, path, body)
    }

    /// A connection for several questions.
    pub fn line(&self) -> Line {
        Line { stream: BufReader::new(self.connect()), headers: self.address.headers() }
    }

    pub fn json(&self, path: &str) -> Value {
        let (status, body) = self.ask("GET", path, "");
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).expect("JSON")
    }

    /// All that a reader of the conversation [`ID`] is told of it.
    pub fn changes(&self) -> Vec<Value> {
        let mut changes: Vec<Value> = Vec::new();
        loop {
            let after = changes.len() as i64 - 1;
            let more = self.json(&format!("/api/conversations/{ID}/changes?after={after}&limit=500"));
            match more["changes"].as_array().filter(|more| !more.is_empty()) {
                Some(more) => changes.extend(more.iter().cloned()),
                None => return changes,
            }
        }
    }

    pub fn follow(&self) -> Client {
        Client { follower: self.address.follow().expect("the hub can be joined"), waiting: Vec::new() }
    }

    /// The memory that it has now, in bytes.
    pub fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.running.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
        kibibytes.expect("the kernel tells how much memory a process has") * 1024
    }

    pub fn connect(&self) -> TcpStream {
        self.address.connect().expect("the server listens")
    }
}

/// A connection to the routes, kept open.
pub struct Line {
    stream: BufReader<TcpStream>,
    headers: String,
}

impl Line {
    /// Asks a route; gives the status and the body.
    pub fn ask(&mut self, method: &str, path: &str, body: &str) -> (u16, String) {
        let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
        let length = format!("Content-Length: {}\r\n", body.len());
        let request = format!("{method} {path} HTTP/1.1\r\n{}{kind}{length}\r\n{body}", self.headers);
        self.stream.get_mut().write_all(request.as_bytes()).expect("a request can be sent");
        let (mut status, mut length, mut line) = (0, 0, String::new());
        while line != "\r\n" {
            line.clear();
            let read = self.stream.read_line(&mut line).expect("a request is answered");
            assert!(read > 0, "the server hung up on {method} {path}");
            if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
                status = rest.get(..3).and_then(|word| word.parse().ok()).expect("a status");
            } else if let Some(rest) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = rest.trim().parse().expect("a length");
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).expect("an answer comes whole");
        (status, String::from_utf8_lossy(&body).into_owned())
    }
}

/// A client of the hub.
pub struct Client {
    follower: Follower,
    waiting: Vec<Value>,
}

impl Client {
    /// Calls a method of the hub on the conversation [`ID`] and does not wait for it.
    pub fn begin(&mut self, target: &str, arguments: &[Value]) {
        self.begin_in(ID, target, arguments);
    }

    /// The same on another conversation.
    pub fn begin_in(&mut self, id: &str, target: &str, arguments: &[Value]) {
        let arguments: Vec<Value> = [json!(id)].into_iter().chain(arguments.iter().cloned()).collect();
        self.follower.begin(target, &Value::from(arguments).to_string()).expect("the hub takes a method");
    }

    /// The next message; none once the server is gone.
    pub fn hear(&mut self) -> Option<Value> {
        while self.waiting.is_empty() {
            self.waiting = self.follower.hear_json().ok()?;
            self.waiting.reverse();
        }
        self.waiting.pop()
    }

    /// Waits until a method has ended; gives its error, if it has one.
    pub fn ended(&mut self) -> Result<(), String> {
        let end = self.wait_for(|message| message["type"] == 3);
        end["error"].as_str().map_or(Ok(()), |error| Err(error.to_owned()))
    }

    /// Waits until the program asks for permission; gives the name of the call.
    pub fn asked(&mut self) -> String {
        let question = self.wait_for(|message| message["target"] == "RequestPermission");
        question["arguments"][0].as_str().expect("a call").to_owned()
    }

    pub fn wait_for(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.hear().expect("the server goes on");
            if wanted(&message) {
                return message;
            }
        }
    }
}
