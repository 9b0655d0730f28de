//! A server of ours and as much of an HTTP client as the tests need. Start at [`Site::start`].

use kit::serde_json::{self, Value};
use kit::{Address, Cinque, Running};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// The deadline of a server: longer than any test.
const DEADLINE: Duration = Duration::from_secs(120);

/// A running `cinque serve`. It ends with this value.
pub struct Site {
    _running: Running,
    port: u16,
    pub token: String,
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    head: String,
    body: Vec<u8>,
}

impl Site {
    pub fn start(program: &Cinque) -> Site {
        let running = program.command(["serve", "--port", "0"]).deadline(DEADLINE).spawn();
        running.wait_for_stdout("\n");
        let Address { port, token } = Address::read(&running.stdout()).expect("an address with a token");
        Site { port, token, _running: running }
    }

    /// Sends a prompt and waits for the answer.
    pub fn ask(&self, body: &Value) -> Answer {
        self.post(body.to_string().as_bytes())
    }

    pub fn post(&self, body: &[u8]) -> Answer {
        self.send("POST", "application/json", Some(&self.token), body)
    }

    pub fn get(&self, path: &str) -> Answer {
        Answer::read(self.connect("GET", path, "application/json", Some(&self.token), b""))
    }

    pub fn send(&self, method: &str, kind: &str, token: Option<&str>, body: &[u8]) -> Answer {
        Answer::read(self.connect(method, "/api/agent", kind, token, body))
    }

    /// Sends a prompt and leaves the answer for later.
    pub fn begin(&self, body: &Value) -> TcpStream {
        let body = body.to_string();
        self.connect("POST", "/api/agent", "application/json", Some(&self.token), body.as_bytes())
    }

    fn connect(&self, method: &str, path: &str, kind: &str, token: Option<&str>, body: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(("localhost", self.port)).expect("a connection");
        let token = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost:{}\r\n{token}Content-Type: {kind}\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n",
            self.port,
            body.len()
        );
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).expect("a request");
        stream
    }
}

impl Answer {
    pub fn read(mut stream: TcpStream) -> Answer {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("an answer");
        let end = bytes.windows(4).position(|part| part == b"\r\n\r\n").expect("a head");
        let body = bytes.split_off(end + 4);
        let head = String::from_utf8(bytes).expect("a head in ASCII").to_ascii_lowercase();
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status");
        Answer { status, head, body }
    }

    pub fn header(&self, name: &str) -> Option<String> {
        let start = format!("{name}: ");
        self.head.lines().find_map(|line| line.strip_prefix(&start)).map(str::to_owned)
    }

    pub fn json(&self) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}
