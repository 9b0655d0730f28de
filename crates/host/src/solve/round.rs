//! One thing said or called, and all that came of it. Start at [`Round::send`].

use super::memory::one_line;
use super::{Halt, SolveError, Step};
use crate::dialect::json::{Gate, Plan, Unusable, decide};
use agent::event::{Call, Configured, Event, Failure, Outcome};
use agent::{Command, SendError, Session, Update, Updates, View};
use futures::future::BoxFuture;

const TOPIC: usize = 78;

/// A conversation as the loop follows it.
pub(super) struct Round<'a> {
    session: Session,
    gate: &'a Gate,
    updates: Updates,
    pub view: View,
    watch: &'a mut (dyn FnMut(Step<'_>) + Send),
    halt: BoxFuture<'a, Halt>,
    /// Why the run was told to stop.
    pub halted: Option<Halt>,
}

/// What came of it.
#[derive(Default)]
pub(super) struct Heard {
    pub reply: Option<String>,
    /// What the reply comes to.
    pub plan: Option<Result<Plan, Unusable>>,
    pub results: Vec<(Call, Outcome)>,
    pub failure: Option<Failure>,
}

impl<'a> Round<'a> {
    pub(super) fn new(
        session: Session,
        gate: &'a Gate,
        watch: &'a mut (dyn FnMut(Step<'_>) + Send),
        halt: BoxFuture<'a, Halt>,
    ) -> Round<'a> {
        Round { updates: session.follow(0), session, gate, view: View::default(), watch, halt, halted: None }
    }

    pub(super) fn show(&mut self, step: Step<'_>) {
        (self.watch)(step);
    }

    /// Keeps something with the conversation.
    pub(super) async fn note(&self, note: serde_json::Value) -> Result<(), SolveError> {
        self.session.send(Command::Note(note)).await?;
        Ok(())
    }

    /// Gives the conversation its name.
    pub(super) async fn name(&self, description: &str) -> Result<(), SolveError> {
        let topic = Some(one_line(description, TOPIC));
        self.session.send(Command::Configure(Configured { model: None, topic })).await?;
        Ok(())
    }

    /// Sends a command and follows the run that it begins to its end.
    pub(super) async fn send(&mut self, command: Command) -> Result<Heard, SolveError> {
        let from = self.session.send(command).await?;
        let (mut heard, mut open) = (Heard::default(), Vec::new());
        while self.view.next <= from || self.view.active {
            tokio::select! {
                update = self.updates.next() => match update {
                    Some(Ok(Update::Record(record))) => {
                        self.view.apply(&record.event);
                        self.take(&record.event, &mut heard, &mut open);
                    }
                    Some(Ok(Update::Broken(why))) => return Err(SolveError::Broken(why)),
                    Some(Ok(Update::Retrying { failure, .. })) => (self.watch)(Step::Retrying(&failure)),
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return Err(error.into()),
                    None => return Err(SolveError::Broken("the conversation was closed".into())),
                },
                halt = &mut self.halt, if self.halted.is_none() => {
                    self.halted = Some(halt);
                    match self.session.send(Command::Cancel).await {
                        Ok(_) | Err(SendError::Refused(_)) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
            }
        }
        Ok(heard)
    }

    fn take(&mut self, event: &Event, heard: &mut Heard, open: &mut Vec<Call>) {
        match event {
            Event::Replied(reply) => {
                open.clone_from(&reply.calls);
                let plan = decide(&reply.text, self.gate);
                match &plan {
                    Ok(plan) => (self.watch)(Step::Planned(plan)),
                    Err(fault) => (self.watch)(Step::Rejected(&fault.to_string())),
                }
                heard.plan = Some(plan);
                heard.reply = Some(reply.text.clone());
            }
            Event::Called(call) => *open = vec![call.clone()],
            Event::Ran { call, outcome } => {
                if let Some(call) = open.iter().find(|open| open.id == *call) {
                    (self.watch)(Step::Ran(call, outcome));
                    heard.results.push((call.clone(), outcome.clone()));
                }
            }
            Event::Failed { failure, .. } => heard.failure = Some(failure.clone()),
            _ => {}
        }
    }
}
