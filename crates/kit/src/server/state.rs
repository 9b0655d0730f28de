//! What the threads of one server share, behind one lock.
//!
//! Start from [`State`]. The lock is never held while a socket is read or written. The script has
//! a lock of its own, because a rule may take its time and must not stop a test from looking.

use std::collections::HashMap;
use std::net::{Shutdown, TcpStream};
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::Recording;
use crate::http::Incoming;
use crate::reply::Reply;
use crate::request::Request;
use crate::script::Script;

#[derive(Debug)]
pub(super) struct State {
    script: Mutex<Script>,
    recording: Recording,
    ended: AtomicBool,
    seen: Mutex<Seen>,
    changed: Condvar,
}

/// What has happened so far.
#[derive(Debug, Default)]
pub(super) struct Seen {
    requests: Vec<Arc<Request>>,
    /// The requests that the client left before their reply was complete.
    hang_ups: Vec<usize>,
    /// The requests that found the script empty.
    beyond: usize,
    /// The first panic of a rule.
    failure: Option<String>,
    connections: usize,
    live: HashMap<usize, Arc<TcpStream>>,
    threads: usize,
}

/// Counts a thread while it runs.
pub(super) struct Alive(Arc<State>);

impl Seen {
    pub(super) fn requests(&self) -> usize {
        self.requests.len()
    }

    pub(super) fn left(&self, number: usize) -> bool {
        self.hang_ups.contains(&number)
    }

    pub(super) fn threads(&self) -> usize {
        self.threads
    }
}

impl State {
    pub(super) fn new(script: Script, recording: Recording) -> Self {
        Self {
            script: Mutex::new(script),
            recording,
            ended: AtomicBool::new(false),
            seen: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Keeps a request and finds its reply.
    pub(super) fn answer(&self, connection: usize, incoming: Incoming) -> (Arc<Request>, Reply) {
        let request = self.record(connection, incoming);
        let next = || lock(&self.script).next(&request);
        let reply = match panic::catch_unwind(AssertUnwindSafe(next)) {
            Ok(Some(reply)) => reply,
            Ok(None) => {
                self.change(|seen| seen.beyond += 1);
                Reply::error(400, "kit", "script_exhausted", "no scripted reply is left")
            }
            Err(panic) => {
                let text = panic_text(panic.as_ref());
                self.change(|seen| {
                    seen.failure.get_or_insert(text);
                });
                Reply::error(400, "kit", "rule_failed", "the rule for replies panicked")
            }
        };
        (request, reply)
    }

    fn record(&self, connection: usize, incoming: Incoming) -> Arc<Request> {
        let mut seen = lock(&self.seen);
        let request = Request {
            number: seen.requests.len(),
            connection,
            at: incoming.at,
            method: incoming.method,
            path: incoming.path,
            headers: incoming.headers,
            body: incoming.body,
            json: OnceLock::new(),
        };
        let request = Arc::new(request);
        let kept = match self.recording {
            Recording::Full => Arc::clone(&request),
            Recording::Heads => Arc::new(request.without_body()),
        };
        seen.requests.push(kept);
        drop(seen);
        self.changed.notify_all();
        request
    }

    pub(super) fn hang_up(&self, number: usize) {
        self.change(|seen| seen.hang_ups.push(number));
    }

    /// Registers a connection and gives its number, unless the server has ended.
    pub(super) fn connect(&self, stream: &Arc<TcpStream>) -> Option<usize> {
        let mut seen = lock(&self.seen);
        if self.ended() {
            return None;
        }
        let number = seen.connections;
        seen.connections += 1;
        seen.live.insert(number, Arc::clone(stream));
        Some(number)
    }

    pub(super) fn disconnect(&self, number: usize) {
        self.change(|seen| {
            seen.live.remove(&number);
        });
    }

    /// Ends every connection; a thread that sleeps in a read or a write wakes from it.
    pub(super) fn end(&self) {
        self.change(|seen| {
            self.ended.store(true, Ordering::Release);
            for stream in seen.live.values() {
                // It may have been closed by the client already, which is as good.
                let _ = stream.shutdown(Shutdown::Both);
            }
        });
    }

    pub(super) fn ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    pub(super) fn thread(self: &Arc<Self>) -> Alive {
        self.change(|seen| seen.threads += 1);
        Alive(Arc::clone(self))
    }

    /// Waits until `enough`, or until `patience` is over; says which.
    pub(super) fn wait(&self, patience: Duration, enough: impl Fn(&Seen) -> bool) -> bool {
        let seen = lock(&self.seen);
        let waiting = |seen: &mut Seen| !enough(seen) && seen.failure.is_none();
        let waited = self.changed.wait_timeout_while(seen, patience, waiting);
        let (seen, _) = waited.unwrap_or_else(PoisonError::into_inner);
        enough(&seen)
    }

    /// Panics on the caller's thread if a rule has panicked on its own.
    pub(super) fn raise(&self) {
        let failure = lock(&self.seen).failure.take();
        if let Some(text) = failure {
            panic!("the rule for replies panicked: {text}");
        }
    }

    pub(super) fn requests(&self) -> Vec<Arc<Request>> {
        lock(&self.seen).requests.clone()
    }

    pub(super) fn replies_left(&self) -> usize {
        lock(&self.script).left()
    }

    pub(super) fn beyond_the_script(&self) -> usize {
        lock(&self.seen).beyond
    }

    fn change(&self, change: impl FnOnce(&mut Seen)) {
        change(&mut lock(&self.seen));
        self.changed.notify_all();
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.change(|seen| seen.threads -= 1);
    }
}

/// A panic elsewhere does not make the record worthless: it is what explains the panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("no message").to_owned()
}
