//! The bounds of a run: how long a request may be and what it may cost. Start at [`Turn::make_room`].

use super::{Plan, Turn};
use crate::event::*;
use crate::profile::{Profile, Recall};

const NO_SUMMARY: &str = "The conversation before this was too long, and no summary of it was made.";

impl Turn {
    /// Whether a summary was asked for, and there is old tool output to leave out in its stead.
    pub(super) fn can_leave_out(&self) -> bool {
        self.view.summary_of.is_some_and(|before| self.view.context.has_results_before(before))
    }

    /// Makes a request shorter that would be too long: first by leaving out old tool output, and if that is not enough
    /// by a summary, for which the model is to be asked. The newest part stays as it is.
    pub(super) fn make_room(&mut self, plan: &mut Plan) -> Option<u64> {
        if self.profile.recall == Recall::LastPrompt {
            return None;
        }
        let (size, wanted, too_long) = (self.view.context.size(), self.view.shorten, self.view.too_long);
        if size <= self.profile.context && !wanted && !too_long {
            return None;
        }
        let room = self.profile.context.min(size);
        let before = self.view.context.newest_within(room / 2);
        if self.view.context.has_results_before(before) && !wanted {
            self.leave_out(plan, before);
            if self.view.context.size() < room {
                return None;
            }
        }
        // Whoever asks for it means what was said, however little that is beside the instructions.
        let kept = if wanted { room.min(self.view.context.said()) } else { room } / 4;
        let before = self.view.context.newest_within(kept);
        let has_more = self.view.context.groups.iter().any(|group| (1..before).contains(&group.seq));
        has_more.then_some(before)
    }

    pub(super) fn leave_out(&mut self, plan: &mut Plan, before: u64) {
        self.record(plan, Event::Compacted(Compacted { before, summary: None, usage: Usage::default() }));
    }

    /// Whether this run has used up its budget.
    pub(super) fn is_spent(&self) -> bool {
        let Profile { max_tokens, max_cost, price, .. } = &self.profile;
        let used = &self.view.run_usage;
        let cost = price.map_or(0.0, |price| price.of(used));
        max_tokens.is_some_and(|most| used.input.saturating_add(used.output) >= most)
            || max_cost.is_some_and(|most| cost >= most)
    }
}

/// A summary that the model gave, in the place of all that stands before a seq.
pub(super) fn summed_up(before: u64, reply: Reply) -> Event {
    let text = if reply.text.trim().is_empty() { NO_SUMMARY.to_owned() } else { reply.text };
    Event::Compacted(Compacted { before, summary: Some(text), usage: reply.usage })
}
