//! Where a server of ours is, and what lets a client in. Start from [`Address::read`].

use std::io;
use std::net::TcpStream;
use std::time::Duration;

use crate::hub::Follower;

/// How long a server may be silent before its client gives up.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub port: u16,
    pub token: String,
}

impl Address {
    /// From the line that a server prints when it is ready.
    pub fn read(line: &str) -> Option<Self> {
        let (port, token) = line.trim().strip_prefix("http://localhost:")?.split_once("/?token=")?;
        Some(Self { port: port.parse().ok()?, token: token.to_owned() })
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

    /// A client of the hub.
    pub fn follow(&self) -> io::Result<Follower> {
        Follower::connect(self.connect()?, &self.headers())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_line_of_a_server_is_an_address() {
        for (line, expected) in [
            ("http://localhost:5000/?token=abc\n", Some((5000, "abc"))),
            ("http://localhost:5000/", None),
            ("http://localhost:x/?token=abc", None),
            ("http://elsewhere:5000/?token=abc", None),
            ("error: the port is taken", None),
        ] {
            let read = Address::read(line);
            assert_eq!(read.as_ref().map(|read| (read.port, read.token.as_str())), expected, "{line}");
        }
    }
}
