//! When the model is asked, and when a run ends. Start at [`Turn::advance_run`].

use super::{Effect, Plan, Turn};
use crate::event::*;
use crate::profile::Calls;
use std::time::Duration;

impl Turn {
    /// Asks the model or ends the run, once no call is open.
    pub(super) fn advance_run(&mut self, plan: &mut Plan) {
        if !self.view.active || !self.view.calls.is_empty() || self.flight.asking {
            return;
        }
        let unanswered = self.view.asked > self.view.answered;
        let spoke_on = !self.profile.text_ends && self.view.settled.is_empty();
        let nothing_new = !unanswered && self.view.news <= self.view.asked && !spoke_on;
        if self.final_tool_ran() || nothing_new || self.hands_back() {
            self.record(plan, Event::Stopped { reason: Stop::Done });
        } else if self.view.turns >= self.profile.max_turns || self.is_spent() {
            self.record(plan, Event::Stopped { reason: Stop::Bound });
        } else {
            let summary_of = self.make_room(plan);
            let model = self.view.model.clone();
            self.flight.asking = true;
            self.record(plan, Event::Asked { model, summary_of });
            plan.actions.push(Effect::Ask { after: Duration::ZERO, summary_of });
        }
    }

    /// Whether what comes next is for whoever began the run to say.
    fn hands_back(&self) -> bool {
        self.view.called || (self.profile.calls_end && self.reply_counts())
    }

    /// Whether the last reply called what ends the run.
    fn final_tool_ran(&self) -> bool {
        if self.profile.calls == Calls::First && !self.view.settled.is_empty() {
            return self.reply_counts();
        }
        let is_final = |(name, status): &(String, Status)| {
            Some(name) == self.profile.final_tool.as_ref() && *status == Status::Done
        };
        self.reply_counts() && self.view.settled.iter().any(is_final)
    }

    /// Whether the last reply is the answer to all that was said: words since it was asked for want one of their own.
    fn reply_counts(&self) -> bool {
        self.view.answered > self.view.asked && self.view.asked > self.view.spoken
    }
}
