//! The loop of the agent as a state machine without I/O, clock or runtime. Start at [`Turn::on`].
//!
//! The log drives it. After every input the machine looks at the fold of the log and at what is in flight, and plans
//! what to record and what to do next. It hands out [`Effect`]s in an order that makes the promises true: a call is
//! recorded as started before it runs, an outcome is recorded before the model hears of it, and what is refused by the
//! store is planned anew on top of what others wrote. Recording, asking, running and waiting are the driver's business.

mod flight;
mod order;
mod room;
mod run;

use crate::event::*;
use crate::policy::{Approve, Ruling};
use crate::profile::{Calls, Profile};
use crate::tool::{Assessment, Toolbox};
use crate::view::{CallState, View};
use flight::{Answer, Flight};
use std::time::Duration;

#[derive(Clone)]
pub struct Turn {
    view: View,
    flight: Flight,
    profile: Profile,
    toolbox: Toolbox,
}

/// What happens to the machine from outside.
#[derive(Debug)]
pub enum Input {
    /// Look at what there is to do. Given when this process got the right to act, or when records came in.
    Go,
    /// A process that died may have left calls under way: settle them, and do nothing else.
    Recover,
    Replied(Reply),
    Failed {
        failure: Failure,
        partial: String,
    },
    Ran {
        call: CallId,
        outcome: Outcome,
    },
    /// The store refused these events because others wrote first; `view` is the fold of all that stands there now.
    Refused {
        offered: Vec<Event>,
        view: Box<View>,
    },
}

/// What the driver is to do, in this order. If recording is refused, what follows it is not done.
#[derive(Debug, PartialEq)]
pub enum Effect {
    Record(Vec<Event>),
    /// Call the model with what the log says now, after a pause if it is a further try; for a summary of everything
    /// before a seq if one is named.
    Ask {
        after: Duration,
        summary_of: Option<u64>,
    },
    /// Carry out a call, if it still is what was ruled on.
    Run {
        call: Call,
        digest: String,
    },
    /// End the model's stream and all running calls, each of which still reports how it ended.
    Halt,
}

/// Events to record and what to do once they are.
#[derive(Default)]
struct Plan {
    events: Vec<Event>,
    actions: Vec<Effect>,
}

impl Turn {
    pub fn new(view: View, profile: Profile, toolbox: Toolbox) -> Turn {
        Turn { view, flight: Flight::default(), profile, toolbox }
    }

    pub fn view(&self) -> &View {
        &self.view
    }

    /// Takes an event that stands in the log and that this machine did not plan: a person's, or another process's.
    pub fn hear(&mut self, event: &Event) {
        if let Event::Judged(Judged { call, verdict: Verdict::Approve, .. }) = event {
            self.flight.cleared.insert(call.clone());
        }
        self.view.apply(event);
    }

    /// Forgets approvals that nobody was there to act on.
    pub fn lapse(&mut self) {
        self.flight.cleared.clear();
    }

    /// Whether nothing is under way and nothing is left to do without a person.
    pub fn rests(&self) -> bool {
        !self.flight.asking && self.flight.running.is_empty()
    }

    pub fn on(&mut self, input: Input) -> Vec<Effect> {
        let mut plan = Plan::default();
        match input {
            Input::Go => {}
            Input::Recover => return self.recover(),
            Input::Replied(reply) => self.flight.answer = Some(Answer::Reply(reply)),
            Input::Failed { failure, partial } => {
                self.flight.answer = Some(Answer::Failure { failure, partial })
            }
            Input::Ran { call, outcome } => self.flight.ended.push((call, outcome)),
            Input::Refused { offered, view } => self.retract(offered, *view),
        }
        self.settle_answer(&mut plan);
        self.settle_ended(&mut plan);
        self.settle_interrupted(&mut plan);
        if self.view.active && self.view.cancelled {
            self.wind_down(&mut plan);
        }
        if self.view.active && !self.view.cancelled {
            self.advance_calls(&mut plan);
            self.advance_run(&mut plan);
        }
        plan.effects()
    }

    fn recover(&mut self) -> Vec<Effect> {
        let mut plan = Plan::default();
        self.settle_interrupted(&mut plan);
        if self.view.active && self.view.cancelled {
            self.wind_down(&mut plan);
        }
        plan.effects()
    }

    /// Plans an event: from here on the machine thinks as if it stood in the log.
    fn record(&mut self, plan: &mut Plan, event: Event) {
        self.view.apply(&event);
        plan.events.push(event);
    }

    fn settle_answer(&mut self, plan: &mut Plan) {
        let Some(answer) = self.flight.answer.take() else { return };
        self.flight.asking = false;
        match answer {
            // Nothing would be left of the conversation after such a summary; leaving out may be enough.
            Answer::Reply(reply) if reply.text.trim().is_empty() && self.can_leave_out() => {
                let failure =
                    Failure::new(FailureKind::Refused, "the model was asked for a summary and gave none");
                self.fail(plan, failure, String::new());
            }
            Answer::Reply(reply) => {
                self.flight.tries = 0;
                let event = match self.view.summary_of {
                    Some(before) => room::summed_up(before, reply),
                    None => Event::Replied(self.view.with_own_ids(reply)),
                };
                self.record(plan, event);
            }
            Answer::Failure { failure, partial } => match self.try_again(&failure) {
                Some(after) => {
                    self.flight.asking = true;
                    plan.actions.push(Effect::Ask { after, summary_of: self.view.summary_of });
                }
                None => self.fail(plan, failure, partial),
            },
        }
    }

    fn try_again(&mut self, failure: &Failure) -> Option<Duration> {
        self.flight.next_try(failure).filter(|_| !self.view.cancelled)
    }

    fn fail(&mut self, plan: &mut Plan, failure: Failure, partial: String) {
        self.flight.tries = 0;
        let summary_of = self.view.summary_of;
        let cancelled = failure.kind == FailureKind::Cancelled;
        let newly_too_long = failure.kind == FailureKind::ContextTooLong && !self.view.too_long;
        self.record(plan, Event::Failed { failure, partial });
        match summary_of {
            _ if cancelled => {}
            // Without a summary, leaving out is all that can be done; the run need not end for it.
            Some(before) if self.view.context.has_results_before(before) => self.leave_out(plan, before),
            None if newly_too_long && self.view.context.groups.len() > 1 => {}
            _ => self.record(plan, Event::Stopped { reason: Stop::Failed }),
        }
    }

    fn settle_ended(&mut self, plan: &mut Plan) {
        for (call, outcome) in std::mem::take(&mut self.flight.ended) {
            self.flight.running.retain(|id| *id != call);
            // Whoever took it for dead while it could not be recorded has given it its one outcome.
            if self.state(&call) == Some(&CallState::Started) {
                self.record(plan, Event::Ran { call, outcome });
            }
        }
    }

    /// A call that was started by a process that is no more gets its outcome here; it is never run again.
    fn settle_interrupted(&mut self, plan: &mut Plan) {
        for id in self.open_ids() {
            if self.state(&id) == Some(&CallState::Started) && !self.flight.running.contains(&id) {
                self.record(plan, Event::Ran { call: id, outcome: Outcome::interrupted() });
            }
        }
    }

    fn wind_down(&mut self, plan: &mut Plan) {
        if !self.rests() {
            if !self.flight.halted {
                self.flight.halted = true;
                plan.actions.push(Effect::Halt);
            }
            return;
        }
        for id in self.open_ids() {
            let outcome = Outcome::of(Status::Cancelled, "Error: cancelled before it ran.");
            self.record(plan, Event::Ran { call: id, outcome });
        }
        self.flight.halted = false;
        self.record(plan, Event::Stopped { reason: Stop::Cancelled });
    }

    fn advance_calls(&mut self, plan: &mut Plan) {
        if self.profile.calls == Calls::UntilFailure {
            return self.advance_in_order(plan);
        }
        for id in self.open_ids() {
            self.rule(plan, &id);
        }
        for id in self.open_ids() {
            if !self.start(plan, &id) {
                break;
            }
        }
    }

    /// Brings one call as far as it gets without running it.
    fn rule(&mut self, plan: &mut Plan, id: &CallId) {
        let decided_by_mode = self.toolbox.policy().approve != Approve::Ask;
        let unjudged = match self.state(id) {
            Some(CallState::New) => true,
            Some(CallState::Allowed { .. }) => !self.flight.cleared.contains(id),
            Some(CallState::Pending { .. }) => decided_by_mode || self.is_forbidden(id),
            Some(CallState::Approved { .. }) => {
                decided_by_mode && !self.flight.cleared.contains(id) || self.is_forbidden(id)
            }
            _ => false,
        };
        if unjudged {
            self.judge(plan, id);
        }
        let outcome = match self.state(id) {
            Some(CallState::Forbidden { reason }) => {
                Outcome::of(Status::Refused, format!("Error: refused by policy: {reason}"))
            }
            Some(CallState::Declined { words }) => Outcome::of(Status::Declined, declined(words)),
            Some(CallState::Approved { .. }) if !self.flight.cleared.contains(id) => {
                self.ask_again(plan, id);
                return;
            }
            _ => return,
        };
        self.record(plan, Event::Ran { call: id.clone(), outcome });
    }

    /// Whether the rules of this process forbid a call, whoever agreed to it: it may have been asked about under others.
    fn is_forbidden(&self, id: &CallId) -> bool {
        let assessed = self.call(id).map(|call| self.toolbox.assess(call));
        matches!(assessed, Some(Ok(Assessment { ruling: Ruling::Forbid(_), .. })))
    }

    fn judge(&mut self, plan: &mut Plan, id: &CallId) {
        let Some(call) = self.call(id).cloned() else { return };
        if self.is_surplus(id) {
            let outcome = Outcome::of(Status::Refused, order::SURPLUS);
            self.record(plan, Event::Ran { call: id.clone(), outcome });
            return;
        }
        let Assessment { ruling, personal, digest } = match self.toolbox.assess(&call) {
            Ok(assessment) => assessment,
            Err(text) => {
                self.record(plan, Event::Ran { call: id.clone(), outcome: Outcome::failed(text) });
                return;
            }
        };
        // Nothing but a person grants what is personal; to decline it needs nobody.
        let mode = match self.toolbox.policy().approve {
            Approve::Auto if personal => Approve::Ask,
            mode => mode,
        };
        let (verdict, by, reason) = match (ruling, mode) {
            (Ruling::Allow, _) => (Verdict::Allow, By::Policy, String::new()),
            (Ruling::Forbid(reason), _) => (Verdict::Forbid, By::Policy, reason),
            (Ruling::Ask(reason), Approve::Ask) => (Verdict::Ask, By::Policy, reason),
            (Ruling::Ask(reason), Approve::Auto) => (Verdict::Approve, By::Mode, reason),
            (Ruling::Ask(_), Approve::Never) => (Verdict::Decline, By::Mode, String::new()),
        };
        // What waits for a person goes on waiting; a mode that came later may decide it.
        if verdict == Verdict::Ask && matches!(self.state(id), Some(CallState::Pending { .. })) {
            return;
        }
        if matches!(verdict, Verdict::Allow | Verdict::Approve) {
            self.flight.cleared.insert(id.clone());
        }
        self.record(plan, Event::Judged(Judged { call: id.clone(), verdict, by, reason, digest }));
    }

    fn ask_again(&mut self, plan: &mut Plan, id: &CallId) {
        let Some(Ok(Assessment { digest, .. })) = self.call(id).map(|call| self.toolbox.assess(call)) else {
            return;
        };
        let reason = "it was approved before a restart and did not run; an approval serves once".to_owned();
        let judged = Judged { call: id.clone(), verdict: Verdict::Ask, by: By::Policy, reason, digest };
        self.record(plan, Event::Judged(judged));
    }

    /// Starts a call if it may run now. Says false when later ones must wait for it.
    fn start(&mut self, plan: &mut Plan, id: &CallId) -> bool {
        let digest = match self.state(id) {
            Some(CallState::Allowed { digest } | CallState::Approved { digest }) => digest.clone(),
            Some(CallState::Pending { .. }) => return self.profile.calls != Calls::InOrder,
            _ => return true,
        };
        let Some(call) = self.call(id).cloned() else { return true };
        let may_join = self.toolbox.shares(&call) && self.running_share();
        if !self.flight.running.is_empty() && !may_join {
            return false;
        }
        self.flight.cleared.remove(id);
        self.record(plan, Event::Started { call: id.clone() });
        if let Some(outcome) = self.toolbox.outright(&call) {
            self.record(plan, Event::Ran { call: id.clone(), outcome });
            return true;
        }
        self.flight.running.push(id.clone());
        plan.actions.push(Effect::Run { call, digest });
        true
    }

    fn running_share(&self) -> bool {
        self.flight.running.iter().all(|id| self.call(id).is_some_and(|call| self.toolbox.shares(call)))
    }

    /// Takes back what the store refused: what happened stays to be recorded, what was only planned is planned anew.
    fn retract(&mut self, offered: Vec<Event>, view: View) {
        self.view = view;
        self.flight.halted = false;
        for event in offered {
            match event {
                Event::Replied(reply) => self.flight.answer = Some(Answer::Reply(reply)),
                Event::Compacted(Compacted { summary: Some(text), usage, .. }) => {
                    self.flight.answer = Some(Answer::Reply(Reply { text, usage, ..Reply::default() }));
                }
                Event::Failed { failure, partial } => {
                    self.flight.tries = u32::MAX - 1;
                    self.flight.answer = Some(Answer::Failure { failure, partial });
                }
                Event::Asked { .. } => self.flight.asking = false,
                Event::Started { call } => {
                    self.flight.running.retain(|id| *id != call);
                    self.flight.cleared.insert(call);
                }
                Event::Ran { call, outcome } => self.flight.ended.push((call, outcome)),
                _ => {}
            }
        }
    }

    fn open_ids(&self) -> Vec<CallId> {
        self.view.calls.iter().map(|open| open.call.id.clone()).collect()
    }

    fn state(&self, id: &CallId) -> Option<&CallState> {
        self.view.calls.iter().find(|open| open.call.id == *id).map(|open| &open.state)
    }

    fn call(&self, id: &CallId) -> Option<&Call> {
        self.view.calls.iter().find(|open| open.call.id == *id).map(|open| &open.call)
    }
}

impl Plan {
    fn effects(self) -> Vec<Effect> {
        let record = (!self.events.is_empty()).then_some(Effect::Record(self.events));
        record.into_iter().chain(self.actions).collect()
    }
}

fn declined(words: &str) -> String {
    let told = "Error: User declined permission to execute this function.";
    if words.trim().is_empty() { told.to_owned() } else { format!("{told}\n{words}") }
}

#[cfg(test)]
mod tests;
