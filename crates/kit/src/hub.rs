//! As much of a hub client as tests and benchmarks need. Start from [`Follower::connect`].
//!
//! It speaks just enough WebSocket and SignalR to be served, and is no model for anybody.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

use serde_json::Value;

/// The byte that ends each message of the hub.
const END: u8 = 0x1e;

/// A client of the hub.
pub struct Follower {
    stream: BufReader<TcpStream>,
    text: Vec<u8>,
}

impl Follower {
    /// Opens the hub on a connection to the server; `headers` are those that let a client in, a line each.
    pub fn connect(mut stream: TcpStream, headers: &str) -> io::Result<Self> {
        let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                       Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
        stream.write_all(format!("GET /hubs/coding HTTP/1.1\r\n{headers}{upgrade}").as_bytes())?;
        let mut stream = BufReader::with_capacity(16 << 10, stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            if stream.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let mut follower = Self { stream, text: Vec::new() };
        follower.say(r#"{"protocol":"json","version":1}"#)?;
        follower.hear()?;
        Ok(follower)
    }

    /// Calls a method and waits for its end.
    pub fn invoke(&mut self, target: &str, arguments: &str) -> io::Result<()> {
        self.begin(target, arguments)?;
        while !self.hear()?.starts_with(br#"{"#) || !contains(&self.text, br#""type":3"#) {}
        match contains(&self.text, br#""error":"#) {
            true => Err(io::Error::other(String::from_utf8_lossy(&self.text).into_owned())),
            false => Ok(()),
        }
    }

    pub fn begin(&mut self, target: &str, arguments: &str) -> io::Result<()> {
        self.say(&format!(r#"{{"type":1,"invocationId":"1","target":"{target}","arguments":{arguments}}}"#))
    }

    /// The next messages of the hub as JSON: mostly one, sometimes several at once.
    pub fn hear_json(&mut self) -> io::Result<Vec<Value>> {
        let messages = self.hear()?.split(|byte| *byte == END).filter(|message| !message.is_empty());
        messages.map(|message| serde_json::from_slice(message).map_err(io::Error::other)).collect()
    }

    /// The next text of the hub as it came.
    pub fn hear(&mut self) -> io::Result<&[u8]> {
        let mut head = [0; 2];
        self.stream.read_exact(&mut head)?;
        let length = match head[1] & 0x7f {
            126 => {
                let mut long = [0; 2];
                self.stream.read_exact(&mut long)?;
                u64::from(u16::from_be_bytes(long))
            }
            127 => {
                let mut long = [0; 8];
                self.stream.read_exact(&mut long)?;
                u64::from_be_bytes(long)
            }
            short => u64::from(short),
        };
        if head[0] & 0x0f == 8 {
            return Err(io::Error::other("the server closed the connection"));
        }
        self.text.resize(usize::try_from(length).map_err(io::Error::other)?, 0);
        self.stream.read_exact(&mut self.text)?;
        Ok(&self.text)
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        let mut frame = vec![0x81];
        match u16::try_from(text.len() + 1) {
            Ok(length @ 0..126) => frame.push(0x80 | length as u8),
            Ok(length) => {
                frame.push(0x80 | 126);
                frame.extend(length.to_be_bytes());
            }
            Err(error) => return Err(io::Error::other(error)),
        }
        // A mask of zeroes is a mask.
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        frame.push(END);
        self.stream.get_mut().write_all(&frame)
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let _ = self.stream.get_ref().shutdown(Shutdown::Both);
    }
}

fn contains(text: &[u8], wanted: &[u8]) -> bool {
    text.windows(wanted.len()).any(|window| window == wanted)
}
