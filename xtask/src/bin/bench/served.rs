//! The program as a server, and clients of it. Start from [`Served::start`].
//!
//! The clients speak just enough HTTP, WebSocket and hub to be served; they are no models for anybody.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::process::peak;
use crate::program::Fault;

/// How long a server may be silent before the figure is given up.
const PATIENCE: Duration = Duration::from_secs(30);
const END: u8 = 0x1e;

/// A running server; it is ended with the value.
pub struct Served {
    child: Child,
    port: u16,
    token: String,
}

impl Served {
    /// Starts `command`, which is to print its address with the token.
    pub fn start(mut command: Command) -> Result<Self, Fault> {
        let told = |why: String| Fault::NotStarted(why);
        command.stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| told(error.to_string()))?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line).map_err(|error| told(error.to_string()))?;
        }
        let found = line.trim().rsplit_once("/?token=").and_then(|(address, token)| {
            let port = address.rsplit_once(':')?.1.parse().ok()?;
            Some((port, token.to_owned()))
        });
        let mut served = Self { child, port: 0, token: String::new() };
        (served.port, served.token) = found.ok_or_else(|| told(format!("it printed {line:?}")))?;
        Ok(served)
    }

    /// The most memory that it had at once, in bytes.
    pub fn memory(&self) -> u64 {
        libc::pid_t::try_from(self.child.id()).ok().and_then(peak).unwrap_or(0)
    }

    /// The id of the conversation that was begun last.
    pub fn newest(&self) -> io::Result<String> {
        let list = self.ask("/api/conversations")?.0;
        let text = String::from_utf8_lossy(&list).into_owned();
        let id = text.split("\"id\":\"").nth(1).and_then(|rest| rest.split('"').next());
        id.map(str::to_owned).ok_or_else(|| io::Error::other("there is no conversation"))
    }

    /// The time from asking for a path to the first byte of the answer, and to its last.
    pub fn get(&self, path: &str) -> io::Result<(Duration, Duration)> {
        self.ask(path).map(|(_, first, whole)| (first, whole))
    }

    fn ask(&self, path: &str) -> io::Result<(Vec<u8>, Duration, Duration)> {
        let mut stream = self.connect()?;
        let head = format!("GET {path} HTTP/1.1\r\n{}Connection: close\r\n\r\n", self.headers());
        let asked = Instant::now();
        stream.write_all(head.as_bytes())?;
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        let first = asked.elapsed();
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest)?;
        if !rest.starts_with(b"TTP/1.1 200") {
            let text = String::from_utf8_lossy(&rest[..rest.len().min(40)]).into_owned();
            return Err(io::Error::other(format!("{path} was answered H{text}")));
        }
        let whole = asked.elapsed();
        Ok((rest, first, whole))
    }

    /// Connects to the hub.
    pub fn follow(&self) -> io::Result<Follower> {
        let mut stream = self.connect()?;
        let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                       Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
        let head = format!("GET /hubs/coding HTTP/1.1\r\n{}{upgrade}", self.headers());
        stream.write_all(head.as_bytes())?;
        let mut stream = BufReader::with_capacity(16 << 10, stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            if stream.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let mut follower = Follower { stream, text: Vec::new() };
        follower.say(r#"{"protocol":"json","version":1}"#)?;
        follower.hear()?;
        Ok(follower)
    }

    /// What the kernel calls it.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    pub fn connect(&self) -> io::Result<TcpStream> {
        let stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(stream)
    }

    /// What every request must say of itself.
    pub fn headers(&self) -> String {
        format!("Host: localhost:{}\r\nAuthorization: Bearer {}\r\n", self.port, self.token)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client of the hub.
pub struct Follower {
    stream: BufReader<TcpStream>,
    text: Vec<u8>,
}

impl Follower {
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

    /// The next message of the hub.
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

pub fn contains(text: &[u8], wanted: &[u8]) -> bool {
    text.windows(wanted.len()).any(|window| window == wanted)
}
