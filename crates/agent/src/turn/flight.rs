//! What one process has under way for a conversation; the log does not know it. Start at [`Flight`].

use crate::event::*;
use std::collections::HashSet;
use std::time::Duration;

/// What this process has under way, and what came of it that is not yet recorded.
#[derive(Debug, Clone, Default)]
pub(super) struct Flight {
    pub(super) asking: bool,
    pub(super) tries: u32,
    pub(super) answer: Option<Answer>,
    pub(super) running: Vec<CallId>,
    pub(super) ended: Vec<(CallId, Outcome)>,
    /// Calls that may run by a verdict that this process gave or heard while it acted. Others lapse: a log may come from
    /// anywhere, and an approval serves only the process that was there for it.
    pub(super) cleared: HashSet<CallId>,
    pub(super) halted: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Answer {
    Reply(Reply),
    Failure { failure: Failure, partial: String },
}

impl Flight {
    /// How long to wait before another try, if there is one. The pauses double; the provider's own word counts more.
    pub(super) fn next_try(&mut self, failure: &Failure) -> Option<Duration> {
        let (tries, first) = match failure.kind {
            FailureKind::Network => (4, 250),
            FailureKind::Overloaded => (4, 2000),
            _ => (5, 500),
        };
        self.tries += 1;
        if self.tries >= tries {
            return None;
        }
        match failure.retry {
            Retry::Never => None,
            Retry::Later => Some(Duration::from_millis(first << (self.tries - 1))),
            Retry::After(millis) => Some(Duration::from_millis(millis)),
        }
    }
}
