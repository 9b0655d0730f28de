//! The order of calls, for profiles that have one. Start at [`Turn::advance_in_order`].

use super::{Plan, Turn};
use crate::event::*;
use crate::profile::Calls;

/// What a call hears that its profile does not carry out.
pub(super) const SURPLUS: &str =
    "Error: only the first tool call of a reply is carried out; this one did not run.";

impl Turn {
    /// Brings calls along one after the other; those after one that failed get an outcome without being run.
    pub(super) fn advance_in_order(&mut self, plan: &mut Plan) {
        while let Some(id) = self.open_ids().into_iter().next() {
            if self.view.settled.iter().any(|(_, status)| *status != Status::Done) {
                let outcome =
                    Outcome::of(Status::Cancelled, "Error: not run, because a call before it failed.");
                self.record(plan, Event::Ran { call: id, outcome });
                continue;
            }
            self.rule(plan, &id);
            if self.state(&id).is_some() {
                self.start(plan, &id);
            }
            if self.state(&id).is_some() {
                return;
            }
        }
    }

    /// Whether a call comes after the one that its profile carries out.
    pub(super) fn is_surplus(&self, id: &CallId) -> bool {
        let first = self.view.calls.first().is_some_and(|open| open.call.id == *id);
        self.profile.calls == Calls::First && !(first && self.view.settled.is_empty())
    }
}
