//! The program as a server, and clients of it. Start from [`Served::start`].
//!
//! The clients speak just enough HTTP to be served; they are no models for anybody.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use kit::{Address, Follower};

use crate::process::peak;
use crate::program::Fault;

/// A running server; it is ended with the value.
pub struct Served {
    child: Child,
    address: Address,
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
        let Some(address) = Address::read(&line) else {
            end(&mut child);
            return Err(told(format!("it printed {line:?}")));
        };
        Ok(Self { child, address })
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
        self.address.follow()
    }

    /// What the kernel calls it.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    pub fn connect(&self) -> io::Result<TcpStream> {
        self.address.connect()
    }

    /// What every request must say of itself.
    pub fn headers(&self) -> String {
        self.address.headers()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

fn end(server: &mut Child) {
    // It may have ended by itself, which is as good.
    let _ = server.kill();
    let _ = server.wait();
}

pub fn contains(text: &[u8], wanted: &[u8]) -> bool {
    text.windows(wanted.len()).any(|window| window == wanted)
}
