//! The limit on how long a server may say nothing.

use super::Error;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep_until};

#[derive(Debug)]
pub(super) struct Silence {
    limit: Duration,
    since: Instant,
    /// Set again only when it rings, so that a byte costs a look at the clock and no timer.
    alarm: Pin<Box<Sleep>>,
}

impl Silence {
    pub(super) fn new(limit: Duration) -> Silence {
        let since = Instant::now();
        Silence { limit, since, alarm: Box::pin(sleep_until(since + limit)) }
    }

    /// Something was heard.
    pub(super) fn broken(&mut self) {
        self.since = Instant::now();
    }

    pub(super) fn shorten(&mut self, limit: Duration) {
        self.limit = self.limit.min(limit);
        self.since = Instant::now();
        self.alarm.as_mut().reset(self.since + self.limit);
    }

    pub(super) fn error(&self) -> Error {
        Error::Silence { limit: self.limit }
    }

    /// Whether it has lasted too long, for whoever has no time to wait for it.
    pub(super) fn is_over(&self) -> bool {
        self.since.elapsed() >= self.limit
    }

    /// Ready when it has lasted too long.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Error> {
        // A server that sends very much of nothing leaves no time for a timer to ring, so the clock is looked at, too.
        if self.is_over() {
            return Poll::Ready(self.error());
        }
        loop {
            std::task::ready!(self.alarm.as_mut().poll(cx));
            let due = self.since + self.limit;
            if due <= Instant::now() {
                return Poll::Ready(self.error());
            }
            self.alarm.as_mut().reset(due);
        }
    }
}
