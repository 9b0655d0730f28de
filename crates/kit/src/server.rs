//! The scripted model server.
//!
//! Start from [`Server::play`]. One thread accepts, one thread serves each connection; nothing
//! here waits without a deadline, and dropping the server ends every thread and connection. It
//! listens on the loopback address only.

mod connection;
mod state;
#[cfg(test)]
mod tests;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::check;
use crate::reply::Reply;
use crate::request::Request;
use crate::script::Script;
use connection::Connection;
use state::State;

/// How long [`Server::wait_for`] waits before it fails the test.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a dropped server waits for its threads.
const FAREWELL: Duration = Duration::from_secs(2);

/// A model server on a loopback port. It stops when dropped.
///
/// A rule that panics fails the test: the panic is raised again by the next call on the server,
/// or when the server is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    state: Arc<State>,
}

/// What is kept of each request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recording {
    Full,
    /// Everything but the bodies, for benchmarks with long conversations.
    Heads,
}

impl Server {
    /// Plays the replies in order.
    pub fn play<R: Into<Reply>>(replies: impl IntoIterator<Item = R>) -> Self {
        Self::on_free_port(Script::list(replies))
    }

    /// Answers each request by a rule.
    pub fn answer(rule: impl FnMut(&Request) -> Reply + Send + 'static) -> Self {
        Self::on_free_port(Script::rule(rule))
    }

    /// Starts on the given port; 0 takes a free one.
    pub fn start(script: Script, recording: Recording, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let state = Arc::new(State::new(script, recording));
        let shared = Arc::clone(&state);
        thread::spawn(move || accept(&listener, &shared));
        Ok(Self { address, state })
    }

    /// The value for `OPENAI_BASE_URL`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The requests so far, in the order of arrival.
    pub fn requests(&self) -> Vec<Arc<Request>> {
        self.state.raise();
        self.state.requests()
    }

    /// Waits until `count` requests have arrived, and gives all there are.
    ///
    /// # Panics
    /// If they do not arrive within 20 seconds.
    pub fn wait_for(&self, count: usize) -> Vec<Arc<Request>> {
        let found = self.wait_for_within(count, PATIENCE);
        found.unwrap_or_else(|have| panic!("waited for {count} requests, {have} arrived"))
    }

    /// As [`Server::wait_for`], with a deadline of one's own; the error says how many arrived.
    pub fn wait_for_within(&self, count: usize, patience: Duration) -> Result<Vec<Arc<Request>>, usize> {
        let enough = self.state.wait(patience, |seen| seen.requests() >= count);
        self.state.raise();
        let requests = self.state.requests();
        if enough { Ok(requests) } else { Err(requests.len()) }
    }

    /// Waits until the client has left request `number` while its reply was not complete: what a
    /// cancelled request looks like from the other side. A client is seen leaving at the next
    /// write, stall or hold.
    ///
    /// # Panics
    /// If that does not happen within 20 seconds.
    pub fn wait_for_hang_up(&self, number: usize) {
        let left = self.state.wait(PATIENCE, |seen| seen.left(number));
        self.state.raise();
        assert!(left, "the client did not hang up on request {number}");
    }

    /// The messages of the last request.
    ///
    /// # Panics
    /// If there is no request, or it carries none.
    pub fn last_messages(&self) -> Vec<Value> {
        let requests = self.requests();
        let last = requests.last().expect("no request has arrived");
        last.messages().to_vec()
    }

    /// Fails unless each request repeats the one before it byte for byte up to its new messages.
    ///
    /// # Panics
    /// If one does not, with the first byte that differs.
    pub fn assert_prefix_growth(&self) {
        if let Err(break_) = check::prefix_growth(&self.requests()) {
            panic!("{break_}");
        }
    }

    /// Fails unless every reply of the list was played and none was missing.
    ///
    /// # Panics
    /// If replies are left, or there were more requests than replies.
    pub fn assert_played(&self) {
        let left = self.state.replies_left();
        assert_eq!(left, 0, "{left} scripted replies were not asked for");
        let beyond = self.state.beyond_the_script();
        assert_eq!(beyond, 0, "{beyond} requests came after the last reply");
    }

    fn on_free_port(script: Script) -> Self {
        Self::start(script, Recording::Full, 0).expect("a loopback port is free")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.state.end();
        // The accepting thread sleeps in the kernel; a connection is what wakes it.
        drop(TcpStream::connect_timeout(&self.address, FAREWELL));
        self.state.wait(FAREWELL, |seen| seen.threads() == 0);
        if !thread::panicking() {
            self.state.raise();
        }
    }
}

/// A base URL at which nothing listens.
pub fn refused_url() -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a loopback port is free");
    let address = listener.local_addr().expect("a listener has an address");
    format!("http://{address}/v1")
}

fn accept(listener: &TcpListener, state: &Arc<State>) {
    let _alive = state.thread();
    for stream in listener.incoming() {
        if state.ended() {
            return;
        }
        if let Some(connection) = stream.ok().and_then(|s| Connection::open(s, state)) {
            thread::spawn(move || connection.serve());
        }
    }
}
