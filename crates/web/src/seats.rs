//! The conversations that one client follows. Start at [`Seats`].
//!
//! What a client joined it follows until it leaves. What it only spoke to is followed too, but a program that speaks to
//! thousands must not keep thousands open: of those the latest are kept, and any that is still at work.

use crate::room::{Guest, Seat};
use agent::Id;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Conversations that are followed without having been joined.
const UNASKED: usize = 64;

#[derive(Default)]
pub struct Seats {
    taken: HashMap<Id, Arc<Seat>>,
    /// Those that were not asked for, the oldest first.
    unasked: VecDeque<Id>,
}

impl Seats {
    /// Whether the client follows a conversation; one that was removed in the meantime is followed by nobody.
    pub fn has(&self, id: &Id) -> bool {
        self.taken.get(id).is_some_and(|seat| !seat.is_gone())
    }

    /// Follows a conversation because the client wants to.
    pub fn join(&mut self, id: &Id, seat: Arc<Seat>) {
        self.unasked.retain(|other| other != id);
        self.taken.insert(id.clone(), seat);
    }

    /// Follows a conversation because the client spoke to it.
    pub fn follow(&mut self, id: &Id, seat: Arc<Seat>, guest: Guest) {
        self.join(id, seat);
        self.unasked.push_back(id.clone());
        let at_work = |id: &Id| self.taken.get(id).is_some_and(|seat| seat.session.acts());
        if self.unasked.len() > UNASKED
            && let Some(at) = self.unasked.iter().position(|id| !at_work(id))
            && let Some(oldest) = self.unasked.remove(at)
        {
            self.leave(&oldest, guest);
        }
    }

    pub fn leave(&mut self, id: &Id, guest: Guest) {
        self.unasked.retain(|other| other != id);
        if let Some(seat) = self.taken.remove(id) {
            seat.leave(guest);
        }
    }

    pub fn leave_all(&mut self, guest: Guest) {
        self.unasked.clear();
        self.taken.drain().for_each(|(_, seat)| seat.leave(guest));
    }
}
