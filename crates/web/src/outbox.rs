//! What waits to be sent to one client. Start at [`Outbox`].
//!
//! Whoever writes into it never waits for the client: a client that falls too far behind is given up, comes back and
//! catches up. Texts are shared between clients, so a thousand slow ones hold one copy.

use crate::frame::{Close, ComeBack, Text};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Texts and bytes that may wait for one client. A single text may be larger: it is taken when nothing else waits.
const TEXTS: usize = 8192;
const BYTES: usize = 8 << 20;
/// What may wait while an old conversation is told again, which waits for the client.
const AGAIN: usize = 256 << 10;

#[derive(Default)]
pub struct Outbox {
    state: Mutex<State>,
    /// There is something to send.
    filled: Notify,
    /// There is room again.
    drained: Notify,
    /// The client is given up.
    ended: Notify,
}

#[derive(Default)]
struct State {
    texts: VecDeque<Text>,
    bytes: usize,
    end: Option<Close>,
}

/// What to send next.
pub enum Next {
    Texts(Vec<Text>),
    End(Close),
}

impl Outbox {
    /// Puts a text in line. Never waits; a client that has too much in line already is given up.
    pub fn push(&self, text: Text) {
        let mut state = self.state();
        if state.end.is_some() {
            return;
        }
        if state.texts.len() >= TEXTS || state.bytes >= BYTES {
            drop(state);
            let error = "This client reads too slowly; it may connect again and catch up.".to_owned();
            return self.end(Close { error: Some(error), come_back: ComeBack::Yes });
        }
        state.bytes += text.len();
        state.texts.push_back(text);
        drop(state);
        self.filled.notify_one();
    }

    /// Waits until little is in line, or the client is given up.
    pub async fn calm(&self) {
        loop {
            let drained = self.drained.notified();
            {
                let state = self.state();
                if state.end.is_some() || state.bytes < AGAIN {
                    return;
                }
            }
            drained.await;
        }
    }

    /// Gives the client up; what was in line is not sent any more.
    pub fn end(&self, why: Close) {
        let mut state = self.state();
        state.texts.clear();
        state.bytes = 0;
        state.end.get_or_insert(why);
        drop(state);
        self.filled.notify_one();
        self.ended.notify_one();
        self.drained.notify_waiters();
    }

    /// Whether something is in line.
    pub fn waits(&self) -> bool {
        !self.state().texts.is_empty()
    }

    pub fn is_ended(&self) -> bool {
        self.state().end.is_some()
    }

    /// Ends the connection once everything in line is sent.
    pub fn finish(&self, why: Close) {
        let mut state = self.state();
        state.end.get_or_insert(why);
        drop(state);
        self.filled.notify_one();
        self.drained.notify_waiters();
    }

    /// Everything in line, as soon as there is something. Safe to drop while waiting.
    pub async fn next(&self) -> Next {
        loop {
            if let Some(next) = self.take() {
                return next;
            }
            self.filled.notified().await;
        }
    }

    /// Returns once the client is given up.
    pub async fn given_up(&self) {
        self.ended.notified().await;
    }

    fn take(&self) -> Option<Next> {
        let mut state = self.state();
        if state.texts.is_empty() {
            return state.end.clone().map(Next::End);
        }
        let texts = std::mem::take(&mut state.texts).into();
        state.bytes = 0;
        drop(state);
        self.drained.notify_waiters();
        Some(Next::Texts(texts))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
