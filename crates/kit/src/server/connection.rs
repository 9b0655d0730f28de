//! One connection: reads requests and carries out the steps of their replies.
//!
//! Start from [`Connection::serve`]. What is sent was decided in `plan`; here are only the
//! socket's own matters, and every wait ends when the server does.

use std::io::{self, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::sockopt::set_socket_linger;

use super::state::{Alive, State};
use crate::delivery::Stop;
use crate::http::Reader;
use crate::plan::{Step, plan};

/// How often a waiting connection looks whether it may go on.
const GLANCE: Duration = Duration::from_millis(2);

pub(super) struct Connection {
    stream: Arc<TcpStream>,
    number: usize,
    state: Arc<State>,
    _alive: Alive,
}

/// Whether the connection serves another request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Kept,
    Over,
    /// The client left before it had the whole reply.
    Left,
}

impl Connection {
    /// Takes the stream over, unless it is broken or the server has ended.
    pub(super) fn open(stream: TcpStream, state: &Arc<State>) -> Option<Self> {
        stream.set_nodelay(true).ok()?;
        let stream = Arc::new(stream);
        Some(Self {
            number: state.connect(&stream)?,
            stream,
            state: Arc::clone(state),
            _alive: state.thread(),
        })
    }

    pub(super) fn serve(self) {
        let stream = Arc::clone(&self.stream);
        let mut reader = Reader::new(SharedStream(&stream));
        // An unreadable request ends the connection as the end of the stream does: a client that
        // is not understood learns it from the close.
        while let Ok(Some(incoming)) = reader.next() {
            let last = incoming.last;
            let (request, reply) = self.state.answer(self.number, incoming);
            let fate = self.carry_out(plan(&reply, &request));
            if fate == Fate::Left && !self.state.ended() {
                self.state.hang_up(request.number);
            }
            if last || fate != Fate::Kept {
                return;
            }
        }
    }

    fn carry_out(&self, steps: Vec<Step>) -> Fate {
        for step in steps {
            let fate = match step {
                Step::Write(bytes) => match (&*self.stream).write_all(&bytes) {
                    Ok(()) => Fate::Kept,
                    Err(_) => Fate::Left,
                },
                Step::Pause(pause) => {
                    let end = Instant::now() + pause;
                    self.wait(pause.min(GLANCE), || Instant::now() >= end)
                }
                Step::Hold(gate) => self.wait(GLANCE, || gate.is_open()),
                Step::Stop(Stop::Stall) => self.wait(GLANCE, || false),
                Step::Stop(Stop::Close) => {
                    // Only the sending half: a close with unread bytes would be a reset.
                    let _ = self.stream.shutdown(Shutdown::Write);
                    Fate::Over
                }
                Step::Stop(Stop::Reset) => {
                    // Without time to linger, the close that follows becomes a reset.
                    let _ = set_socket_linger(&self.stream, Some(Duration::ZERO));
                    Fate::Over
                }
            };
            if fate != Fate::Kept {
                return fate;
            }
        }
        Fate::Kept
    }

    /// Waits until `over`, the client leaves, or the server ends, looking once a `nap`.
    #[expect(
        clippy::disallowed_methods,
        reason = "three things may end the wait, and no call waits for all of them"
    )]
    fn wait(&self, nap: Duration, over: impl Fn() -> bool) -> Fate {
        loop {
            if over() {
                return Fate::Kept;
            }
            if self.state.ended() {
                return Fate::Over;
            }
            if self.client_left() {
                return Fate::Left;
            }
            thread::sleep(nap);
        }
    }

    fn client_left(&self) -> bool {
        if self.stream.set_nonblocking(true).is_err() {
            return true;
        }
        let peeked = self.stream.peek(&mut [0]);
        let left = match peeked {
            Ok(count) => count == 0,
            Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        };
        left || self.stream.set_nonblocking(false).is_err()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // The register is the other owner of the stream; without it, the socket closes with this
        // connection, before its thread counts as ended.
        self.state.disconnect(self.number);
    }
}

/// Reads and writes through a shared stream.
struct SharedStream<'a>(&'a TcpStream);

impl io::Read for SharedStream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut stream = self.0;
        io::Read::read(&mut stream, buffer)
    }
}

impl Write for SharedStream<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut stream = self.0;
        stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
