//! The time limit of a call and the stages of its end. Start from [`Clock`].
//! It reads no clock itself: the time is handed in, so its rules can be tested without waiting.

use std::time::{Duration, Instant};

use super::Outcome;

/// After a polite request the command has this long to end.
const POLITE: Duration = Duration::from_millis(1000);
/// After that the wall falls, and everything behind it has this long to be gone.
const FORCED: Duration = Duration::from_millis(800);
/// A limit beyond what an [`Instant`] can hold is as good as none.
const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 86_400);

/// What must happen now. Each is said once, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// The command is asked to end.
    Ask,
    /// The request was not heard: the wall falls.
    Force,
    /// The wall does not react either.
    GiveUp,
}

pub struct Clock {
    limit: Instant,
    ending: Option<Ending>,
}

struct Ending {
    outcome: Outcome,
    since: Instant,
    said: Option<Due>,
}

impl Clock {
    pub fn new(now: Instant, limit: Duration) -> Self {
        let limit = now.checked_add(limit).unwrap_or(now + FOR_EVER);
        Self { limit, ending: None }
    }

    /// The person does not want to wait for the limit.
    pub fn cancel(&mut self, now: Instant) {
        self.ending.get_or_insert(Ending { outcome: Outcome::Cancelled, since: now, said: None });
    }

    pub fn due(&mut self, now: Instant) -> Option<Due> {
        if now >= self.limit {
            self.ending.get_or_insert(Ending { outcome: Outcome::Timeout, since: now, said: None });
        }
        if now < self.next() {
            return None;
        }
        let ending = self.ending.as_mut()?;
        ending.said = Some(match ending.said {
            None => Due::Ask,
            Some(Due::Ask) => Due::Force,
            Some(Due::Force | Due::GiveUp) => Due::GiveUp,
        });
        ending.said
    }

    pub fn remaining(&self, now: Instant) -> Duration {
        self.next().saturating_duration_since(now)
    }

    /// How the call ended, if it did not end by itself.
    pub fn outcome(&self) -> Option<Outcome> {
        self.ending.as_ref().map(|ending| ending.outcome.clone())
    }

    fn next(&self) -> Instant {
        match &self.ending {
            None => self.limit,
            Some(ending) => {
                ending.since
                    + match ending.said {
                        None => Duration::ZERO,
                        Some(Due::Ask) => POLITE,
                        Some(Due::Force | Due::GiveUp) => POLITE + FORCED,
                    }
            }
        }
    }
}

#[cfg(test)]
mod tests;
