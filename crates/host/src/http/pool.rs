//! The connections that wait for the next request.

use super::link::Link;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// More are closed: a model is seldom asked more than a few things at once.
const KEPT: usize = 4;

/// Servers and firewalls forget idle connections after a minute or more; an older one is not worth the try.
const AGE: Duration = Duration::from_secs(90);

#[derive(Debug, Default)]
pub(super) struct Pool {
    idle: Mutex<Vec<(Link, Instant)>>,
}

impl Pool {
    /// The connection used last that is still good.
    pub(super) fn take(&self) -> Option<Link> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((mut link, since)) = idle.pop() {
            if since.elapsed() < AGE && link.is_alive() {
                return Some(link);
            }
        }
        None
    }

    pub(super) fn put(&self, mut link: Link) {
        if !link.is_alive() {
            return;
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() == KEPT {
            idle.remove(0);
        }
        idle.push((link, Instant::now()));
    }
}
