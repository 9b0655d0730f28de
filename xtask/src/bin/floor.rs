//! The floor of the benchmark: the least that an agent has to do, with nothing but the standard library.
//!
//! It takes the command line and environment of `cinque exec`, sends the requests that an agent would
//! send, prints the text that comes back, and starts one shell for each reply that calls a tool. It keeps
//! no log, knows one tool, one command and one wire, and checks nothing: a figure below this one's is a
//! mistake in measuring. Start at [`converse`].

use std::env;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::net::TcpStream;
use std::process::{Command, ExitCode, Stdio};

const TOOLS: &str = r#"[{"type":"function","function":{"name":"shell","description":"Runs a command.","parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}}}]"#;

fn main() -> ExitCode {
    match converse() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("floor: {error}");
            ExitCode::FAILURE
        }
    }
}

fn converse() -> io::Result<()> {
    let prompt = env::args().next_back().unwrap_or_default();
    let base = env::var("OPENAI_BASE_URL").map_err(io::Error::other)?;
    let address = base.strip_prefix("http://").unwrap_or(&base);
    let (host, path) = address.split_once('/').unwrap_or((address, ""));
    let stream = TcpStream::connect(host)?;
    stream.set_nodelay(true)?;
    let mut replies = BufReader::with_capacity(64 << 10, stream.try_clone()?);
    let mut answer = BufWriter::new(io::stdout().lock());
    let mut messages = format!(r#"{{"role":"user","content":"{prompt}"}}"#);
    for number in 0.. {
        send(&stream, host, path, &messages)?;
        if receive(&mut replies, &mut answer)? == Finish::Stop {
            break;
        }
        let output = Command::new("bash").args(["-c", "true"]).stdin(Stdio::null()).output()?;
        let output = String::from_utf8_lossy(&output.stdout);
        messages.push_str(&format!(
            r#",{{"role":"assistant","content":null,"tool_calls":[{{"id":"call_{number}_0","type":"function","function":{{"name":"shell","arguments":"{{\"command\":\"true\"}}"}}}}]}},{{"role":"tool","tool_call_id":"call_{number}_0","content":"{output}"}}"#
        ));
    }
    answer.flush()
}

fn send(mut stream: &TcpStream, host: &str, path: &str, messages: &str) -> io::Result<()> {
    let body = format!(r#"{{"model":"test","stream":true,"tools":{TOOLS},"messages":[{messages}]}}"#);
    let length = body.len();
    let head = format!(
        "POST /{path}/chat/completions HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all((head + &body).as_bytes())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Finish {
    Stop,
    Calls,
}

/// Reads one chunked reply to its end and prints its text.
fn receive(replies: &mut impl BufRead, answer: &mut impl Write) -> io::Result<Finish> {
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        replies.read_line(&mut line)?;
        if line.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    let mut finish = Finish::Stop;
    let mut chunk = Vec::new();
    loop {
        line.clear();
        replies.read_line(&mut line)?;
        let size = usize::from_str_radix(line.trim(), 16).map_err(io::Error::other)?;
        chunk.resize(size + 2, 0);
        replies.read_exact(&mut chunk)?;
        if size == 0 {
            return Ok(finish);
        }
        let event = String::from_utf8_lossy(&chunk);
        if event.contains(r#""finish_reason":"tool_calls""#) {
            finish = Finish::Calls;
        }
        if let Some((_, text)) = event.split_once(r#""content":""#) {
            answer.write_all(text.split('"').next().unwrap_or_default().as_bytes())?;
        }
    }
}
