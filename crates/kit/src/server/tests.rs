//! The server over real sockets, seen by a small client of the tests' own.

use std::io::{ErrorKind, Read, Write};
use std::time::Instant;

use serde_json::json;

use super::*;
use crate::delivery::{Gate, Point, Split, Stop};
use crate::message::Message;

const STREAMED: &str = r#"{"model":"m","stream":true,"messages":[]}"#;
const WHOLE: &str = r#"{"model":"m","messages":[]}"#;
/// How long the client waits for a byte before it fails.
const TIMEOUT: Duration = Duration::from_secs(10);

struct Client(TcpStream);

/// How a reply ended for the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    Complete,
    Closed,
    Reset,
}

#[derive(Debug)]
struct Got {
    head: String,
    body: Vec<u8>,
    ended: Ended,
}

impl Client {
    fn new(server: &Server) -> Self {
        let stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self(stream)
    }

    fn send(&mut self, path: &str, body: &str) {
        let size = body.len();
        let request = format!("POST {path} HTTP/1.1\r\nHost: kit\r\nContent-Length: {size}\r\n\r\n{body}");
        self.0.write_all(request.as_bytes()).unwrap();
    }

    fn post(&mut self, body: &str) -> Got {
        self.send("/v1/chat/completions", body);
        self.receive()
    }

    /// One byte, or how the connection ended.
    fn byte(&mut self) -> Result<u8, Ended> {
        let mut byte = [0];
        match self.0.read(&mut byte) {
            Ok(0) => Err(Ended::Closed),
            Ok(_) => Ok(byte[0]),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => Err(Ended::Reset),
            Err(error) => panic!("the server is silent: {error}"),
        }
    }

    fn line(&mut self) -> Result<String, Ended> {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            line.push(self.byte()?);
        }
        line.truncate(line.len() - 2);
        Ok(String::from_utf8(line).unwrap())
    }

    fn receive(&mut self) -> Got {
        let mut got = Got { head: String::new(), body: Vec::new(), ended: Ended::Complete };
        if let Err(ended) = self.fill(&mut got) {
            got.ended = ended;
        }
        got
    }

    fn fill(&mut self, got: &mut Got) -> Result<(), Ended> {
        let mut length = None;
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = Some(value.parse::<usize>().unwrap());
            }
            got.head += &line;
            got.head += "\n";
        }
        if got.head.contains("chunked") {
            loop {
                let size = usize::from_str_radix(&self.line()?, 16).unwrap();
                for _ in 0..size {
                    got.body.push(self.byte()?);
                }
                assert_eq!(self.line()?, "");
                if size == 0 {
                    return Ok(());
                }
            }
        }
        for _ in 0..length.unwrap_or(usize::MAX) {
            got.body.push(self.byte()?);
        }
        Ok(())
    }

    /// Checks that nothing comes for a moment. A slow machine can only make this pass.
    fn assert_silent(&mut self) {
        let moment = Duration::from_millis(30);
        self.0.set_read_timeout(Some(moment)).unwrap();
        let error = self.0.read(&mut [0]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut));
    }
}

fn sample() -> Reply {
    Message::text("Grüße 🦀").text_every(2).reply()
}

#[test]
fn replies_are_played_in_order_on_one_connection() {
    let server = Server::play([sample(), Reply::status(429).retry_after(3), sample(), sample()]);
    let mut client = Client::new(&server);
    let first = client.post(STREAMED);
    assert!(first.head.contains("text/event-stream") && first.ended == Ended::Complete);
    assert!(first.body.ends_with(b"data: [DONE]\n\n"));
    let second = client.post(STREAMED);
    assert!(second.head.starts_with("HTTP/1.1 429") && second.head.contains("retry-after: 3"));
    let third = client.post(WHOLE);
    let body: Value = serde_json::from_slice(&third.body).unwrap();
    assert_eq!(body["choices"][0]["message"]["content"], "Grüße 🦀");
    let other = Client::new(&server).post(STREAMED);
    assert_eq!(other.ended, Ended::Complete);
    server.assert_played();

    let requests = server.requests();
    let connections: Vec<_> = requests.iter().map(|request| request.connection).collect();
    assert_eq!(connections, [0, 0, 0, 1]);
    assert!(requests.is_sorted_by_key(|request| request.at));
    let request = &requests[2];
    assert_eq!((request.number, request.method.as_str()), (2, "POST"));
    assert_eq!(request.path, "/v1/chat/completions");
    assert_eq!((request.header("HOST"), request.header("none")), (Some("kit"), None));
    assert_eq!(request.body, WHOLE.as_bytes());
    assert_eq!(request.json()["model"], "m");
    assert_eq!(server.base_url(), format!("http://{}/v1", server.address()));
}

#[test]
fn faults_end_the_connection_as_they_say() {
    let full = Client::new(&Server::play([sample()])).post(STREAMED).body;
    let size = full.len();
    // The reply, how it ends, and how many bytes of the body arrive if that is certain.
    let cases = [
        (sample(), Ended::Complete, Some(size)),
        (sample().every_byte(), Ended::Complete, Some(size)),
        (sample().split_inside_characters(), Ended::Complete, Some(size)),
        (sample().split(Split::Writes), Ended::Complete, Some(size)),
        (sample().slow(Duration::from_micros(100)), Ended::Complete, Some(size)),
        (sample().cut_after(100), Ended::Closed, Some(100)),
        (sample().cut_after(0), Ended::Closed, Some(0)),
        (sample().without_terminator(), Ended::Closed, Some(size)),
        (sample().until_close(), Ended::Closed, Some(size)),
        (sample().hang_up(), Ended::Closed, Some(0)),
        (sample().reset_after(100), Ended::Reset, None),
        (sample().stop(Point::Start, Stop::Reset), Ended::Reset, Some(0)),
        (sample().close_quietly(), Ended::Complete, Some(size)),
    ];
    for (reply, ended, size) in cases {
        let server = Server::play([reply.clone()]);
        let got = Client::new(&server).post(STREAMED);
        assert_eq!(got.ended, ended, "{reply:?}");
        if let Some(size) = size {
            assert_eq!(got.body, full[..size], "{reply:?}");
        }
    }
}

#[test]
fn a_quiet_close_is_seen_at_the_next_request() {
    let server = Server::play([sample().close_quietly()]);
    let mut client = Client::new(&server);
    assert_eq!(client.post(STREAMED).ended, Ended::Complete);
    assert_eq!(client.byte(), Err(Ended::Closed));
}

#[test]
fn a_stall_is_silent_until_the_client_leaves() {
    for reply in [sample().silent(), sample().stall_after(0), sample().stall_after(50)] {
        let server = Server::play([reply]);
        let mut client = Client::new(&server);
        client.send("/v1/chat/completions", STREAMED);
        server.wait_for(1);
        // What comes before the silence is read as far as it has arrived.
        client.0.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        while client.0.read(&mut [0; 4096]).is_ok() {}
        client.assert_silent();
        drop(client);
        server.wait_for_hang_up(0);
    }
}

#[test]
fn a_held_reply_goes_on_when_the_gate_opens() {
    let gate = Gate::new();
    let server = Server::play([sample().hold(Point::Finish, &gate)]);
    let mut client = Client::new(&server);
    client.send("/v1/chat/completions", STREAMED);
    server.wait_for(1);
    assert_eq!(client.0.peek(&mut [0]).unwrap(), 1);
    gate.open();
    let got = client.receive();
    assert_eq!(got.ended, Ended::Complete);
    assert!(String::from_utf8(got.body).unwrap().contains("\"stop\""));
}

#[test]
fn dropping_the_server_ends_what_waits() {
    let server = Server::play([sample().silent(), sample().slow(Duration::from_secs(100))]);
    let mut clients = [0; 3].map(|_| Client::new(&server));
    clients[0].send("/v1/chat/completions", STREAMED);
    clients[1].send("/v1/chat/completions", STREAMED);
    server.wait_for(2);
    let begun = Instant::now();
    let address = server.address();
    drop(server);
    assert!(begun.elapsed() < FAREWELL, "its threads ended by themselves");
    for client in &mut clients {
        while client.byte().is_ok() {}
    }
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn a_client_that_does_not_read_does_not_keep_the_server() {
    let server = Server::play([Reply::raw(200, [], vec![b'a'; 64 << 20])]);
    let mut client = Client::new(&server);
    client.send("/v1/chat/completions", STREAMED);
    server.wait_for(1);
    let begun = Instant::now();
    drop(server);
    assert!(begun.elapsed() < FAREWELL);
}

#[test]
fn requests_beyond_the_script_are_refused_and_counted() {
    let server = Server::play([sample()]);
    let mut client = Client::new(&server);
    client.post(STREAMED);
    let got = client.post(STREAMED);
    assert!(got.head.starts_with("HTTP/1.1 400"));
    let played = std::panic::catch_unwind(|| server.assert_played());
    assert!(played.is_err());
}

#[test]
fn a_reply_that_was_not_asked_for_is_noticed() {
    let server = Server::play([sample()]);
    assert!(std::panic::catch_unwind(|| server.assert_played()).is_err());
}

#[test]
fn a_rule_sees_the_request() {
    let server = Server::answer(|request| Reply::text(format!("number {}", request.number)));
    let mut client = Client::new(&server);
    for number in 0..3 {
        let got = client.post(WHOLE);
        let body: Value = serde_json::from_slice(&got.body).unwrap();
        let text = &body["choices"][0]["message"]["content"];
        assert_eq!(*text, json!(format!("number {number}")));
    }
}

#[test]
fn a_rule_that_panics_fails_the_test() {
    let server = Server::answer(|_| panic!("this is not the request I want"));
    let got = Client::new(&server).post(STREAMED);
    assert!(got.head.starts_with("HTTP/1.1 400"));
    let raised = std::panic::catch_unwind(|| server.requests()).unwrap_err();
    let text = raised.downcast_ref::<String>().unwrap();
    assert!(text.contains("not the request I want"));
}

#[test]
fn requests_are_compared_and_read() {
    let server = Server::answer(|_| Reply::text("a"));
    let mut client = Client::new(&server);
    client.post(r#"{"messages":[{"role":"user"}]}"#);
    client.post(r#"{"messages":[{"role":"user"},{"role":"assistant"}]}"#);
    server.assert_prefix_growth();
    assert_eq!(server.last_messages(), [json!({"role": "user"}), json!({"role": "assistant"})]);
    client.post(r#"{"messages":[{"role":"system"}]}"#);
    assert!(std::panic::catch_unwind(|| server.assert_prefix_growth()).is_err());
}

#[test]
fn a_wait_has_an_end() {
    let server = Server::play([sample()]);
    let waited = server.wait_for_within(1, Duration::from_millis(1));
    assert_eq!(waited.unwrap_err(), 0);
    Client::new(&server).post(STREAMED);
    assert_eq!(server.wait_for(1).len(), 1);
}

#[test]
fn heads_alone_can_be_kept() {
    let script = Script::rule(|request| Reply::text(request.body.len().to_string()));
    let server = Server::start(script, Recording::Heads, 0).unwrap();
    let got = Client::new(&server).post(WHOLE);
    assert!(String::from_utf8(got.body).unwrap().contains(&WHOLE.len().to_string()));
    assert!(server.requests()[0].body.is_empty());
    assert_eq!(server.requests()[0].path, "/v1/chat/completions");
}

#[test]
fn nothing_listens_at_the_refused_url() {
    let url = refused_url();
    let address = url.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/v1"));
    assert!(TcpStream::connect(address.unwrap()).is_err());
}
