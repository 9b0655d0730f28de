//! One run from its first command to its rest. Start at [`Run::until_rest`].

use super::console::{self, Answer, Signals};
use super::{Ending, Show};
use crate::exit::{Exit, Fault};
use crate::outfile;
use agent::desk::Desk;
use agent::event::{Call, Event, Failure, Finish, Reply, Said, Usage};
use agent::{Approve, Command, Phase, Session, Update, Updates, View};
use host::schema::{self, Schema};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What the run may use up, to say which of it was reached, and how to go on afterwards.
#[derive(Debug, Clone, Default)]
pub struct Bounds {
    pub turns: u32,
    pub tokens: Option<u64>,
    pub time: Option<Duration>,
    pub approve: Approve,
    /// The beginning of a command that resumes a conversation.
    pub go_on: String,
}

pub struct Run {
    session: Session,
    show: Box<dyn Show>,
    bounds: Bounds,
    /// Where rules are saved and prices are known; a demonstration has none.
    desk: Option<Arc<dyn Desk>>,
    signals: Signals,
    updates: Updates,
    view: View,
    /// Until this record is seen, the view does not yet know what was sent.
    from: u64,
    answer: String,
    finish: Finish,
    failure: Option<Failure>,
    interrupted: bool,
    /// Nothing more happens by itself.
    rested: bool,
    /// What earlier runs of this process used, such as one before a mended answer.
    spent: Usage,
    notes: Vec<String>,
}

impl Run {
    pub fn new(
        session: Session,
        show: Box<dyn Show>,
        bounds: Bounds,
        desk: Option<Arc<dyn Desk>>,
    ) -> Result<Run, Fault> {
        Ok(Run {
            updates: session.follow(0),
            signals: Signals::listen()?,
            from: 0,
            session,
            show,
            bounds,
            desk,
            view: View::default(),
            answer: String::new(),
            finish: Finish::Stop,
            failure: None,
            interrupted: false,
            rested: false,
            spent: Usage::default(),
            notes: Vec::new(),
        })
    }

    pub async fn send_all(&mut self, commands: Vec<Command>) -> Result<(), Fault> {
        // A conversation that has only been opened is shown from its first record on.
        let before = Some(self.session.recorded()).filter(|records| *records > 1).unwrap_or(0);
        // With nothing to send the run is shown as it stands: it waits for a decision.
        self.from = before.saturating_sub(1);
        for command in commands {
            self.from = self.session.send(command).await?;
        }
        while self.view.next < before {
            match self.updates.next().await.transpose()? {
                Some(update) => {
                    if let Update::Record(record) = &update {
                        self.view.apply(&record.event);
                    }
                    self.show.recall(&update);
                }
                None => break,
            }
        }
        Ok(())
    }

    /// Shows what happens until the run has ended or cannot go on without somebody.
    pub async fn until_rest(&mut self) -> Result<Exit, Fault> {
        let began = Instant::now();
        let mut overtime = false;
        loop {
            if self.view.next > self.from {
                match self.view.phase() {
                    Phase::Done if self.interrupted => return Ok(Exit::Interrupted),
                    Phase::Done => return Ok(Exit::Done),
                    Phase::Cancelled if overtime => {
                        self.notes.push("stopped: the time was up (--max-time)".into());
                        return Ok(Exit::Bound);
                    }
                    Phase::Cancelled => return Ok(Exit::Interrupted),
                    Phase::Bound => return Ok(Exit::Bound),
                    Phase::Failed => return Ok(Exit::Model),
                    // What a mode decides waits only for a moment.
                    Phase::Waiting if self.bounds.approve != Approve::Ask && !self.rested => {}
                    Phase::Waiting if !self.ask_person().await? => return Ok(Exit::Approval),
                    // Where calls run in order, those behind one that waits are not decided either.
                    Phase::Busy if self.stands_still() && !self.ask_person().await? => {
                        return Ok(Exit::Approval);
                    }
                    _ => {}
                }
            }
            tokio::select! {
                update = self.updates.next() => match update.transpose()? {
                    Some(Update::Broken(why)) => return Err(Fault::error(why)),
                    Some(update) => self.take(update),
                    None => return Err(Fault::error("the conversation was closed")),
                },
                () = self.signals.next() => self.interrupt().await?,
                () = out_of_time(self.bounds.time, began), if !overtime => {
                    overtime = true;
                    self.cancel().await?;
                }
            }
        }
    }

    fn stands_still(&self) -> bool {
        self.rested && self.view.pending().next().is_some()
    }

    fn take(&mut self, update: Update) {
        self.rested = update == Update::Rested;
        if let Update::Record(record) = &update {
            self.view.apply(&record.event);
            match &record.event {
                Event::Replied(reply) => self.hear(reply),
                Event::Failed { failure, .. } => self.failure = Some(failure.clone()),
                Event::Said(_) => (self.answer, self.failure) = (String::new(), None),
                _ => {}
            }
        }
        self.show.update(&update, &self.view);
    }

    fn hear(&mut self, reply: &Reply) {
        self.finish = reply.finish;
        if !reply.text.trim().is_empty() {
            self.answer.clone_from(&reply.text);
        }
    }

    /// The first interrupt stops the run and leaves a clean log; the second leaves at once.
    async fn interrupt(&mut self) -> Result<(), Fault> {
        if self.interrupted {
            let go_on = format!("go on with: {} {}", self.bounds.go_on, self.session.id());
            return Err(Fault::new(Exit::Interrupted, "interrupted").hint(go_on));
        }
        aside!("stopping… (once more to leave at once)");
        self.interrupted = true;
        self.cancel().await
    }

    async fn cancel(&mut self) -> Result<(), Fault> {
        match self.session.send(Command::Cancel).await {
            Ok(_) | Err(agent::SendError::Refused(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Puts the waiting calls to the person at the terminal, one by one. Says whether there was one to ask.
    async fn ask_person(&mut self) -> Result<bool, Fault> {
        let pending: Vec<_> = self.view.pending().cloned().collect();
        for open in &pending {
            let call = open.call.id.clone();
            let rule = self.desk.as_ref().and_then(|desk| desk.rule(&open.call).ok());
            let decision = tokio::select! {
                answer = console::ask(open, rule.as_deref()) => match answer {
                    Some(Answer::No) => Command::Decline { call, words: String::new() },
                    Some(answer) => {
                        self.remember(answer, &open.call);
                        Command::Approve { call, digest: console::digest(open) }
                    }
                    None => {
                        console::tell_how_to_go_on(&self.bounds.go_on, self.session.id(), &pending);
                        if self.view.spoken > self.view.answered {
                            aside!("What you said is kept; the model reads it after the decision.");
                        }
                        return Ok(false);
                    }
                },
                () = self.signals.next() => {
                    self.interrupt().await?;
                    break;
                }
            };
            match self.session.send(decision).await {
                // Decided elsewhere in the meantime: that decision stands.
                Ok(_) | Err(agent::SendError::Refused(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        // The decisions come back as records; until then the view still says that it waits.
        self.from = self.session.recorded().saturating_sub(1);
        Ok(true)
    }

    /// Saves the rule that was just agreed to. That it cannot be saved takes nothing from this one approval.
    fn remember(&self, answer: Answer, call: &Call) {
        let Some(desk) = self.desk.as_ref().filter(|_| answer == Answer::Always) else { return };
        match desk.save_rule(call) {
            Ok(()) => aside!("  saved; `cinque config show` tells where"),
            Err(why) => aside!("  the rule was not saved: {why}"),
        }
    }

    /// Checks the answer; the model may mend it once, if the bounds leave room for that.
    pub async fn satisfy(&mut self, schema: &Schema) -> Result<Exit, Fault> {
        let complaint = match check_answer(schema, &self.answer) {
            Ok(answer) => return Ok(self.answered(answer)),
            Err(complaint) => complaint,
        };
        if self.is_spent() {
            return Ok(self.violated(&complaint));
        }
        let text = format!(
            "Your answer does not satisfy the JSON Schema that was asked for:\n{complaint}\n\
             Answer again, with the corrected JSON and nothing else."
        );
        self.spent += self.view.run_usage;
        self.send_all(vec![Command::Say(Said { text, context: None })]).await?;
        match self.until_rest().await? {
            Exit::Done => match check_answer(schema, &self.answer) {
                Ok(answer) => Ok(self.answered(answer)),
                Err(complaint) => Ok(self.violated(&complaint)),
            },
            other => Ok(other),
        }
    }

    fn is_spent(&self) -> bool {
        let used = self.view.run_usage;
        let tokens = self.bounds.tokens.is_some_and(|most| used.input.saturating_add(used.output) >= most);
        tokens || self.view.turns >= self.bounds.turns
    }

    fn answered(&mut self, answer: String) -> Exit {
        self.answer = answer;
        Exit::Done
    }

    fn violated(&mut self, complaint: &str) -> Exit {
        self.notes.push(format!("the answer does not satisfy the schema:\n{complaint}"));
        Exit::Check
    }

    pub async fn finish(&mut self, exit: Exit, last_message: Option<&Path>) -> Result<(), Fault> {
        self.note_how_it_ended(exit);
        let mut usage = self.spent;
        usage += self.view.run_usage;
        let price = self.desk.as_ref().and_then(|desk| desk.price(&self.view.model));
        let cost = price.map(|price| price.of(&usage));
        let Run { view, answer, notes, .. } = self;
        let told = self.show.end(&Ending { view, exit, answer, usage, cost, notes });
        if let Some(failure) = self.failure.take().filter(|_| exit == Exit::Model) {
            let kept = format!("the conversation is kept: {} {}", self.bounds.go_on, self.session.id());
            Fault::new(exit, failure.message).hint(failure.hint).hint(kept).report();
        }
        if let Some(path) = last_message {
            outfile::write(path, &self.answer, self.signals.next()).await?;
        }
        told
    }

    fn note_how_it_ended(&mut self, exit: Exit) {
        let go_on = format!("go on with: {} {}", self.bounds.go_on, self.session.id());
        match exit {
            Exit::Done if self.answer.is_empty() => self.notes.push("the model answered with nothing".into()),
            Exit::Done if self.finish == Finish::Length => {
                self.notes.push("the answer was cut at the model's length limit".into());
            }
            Exit::Done if self.finish == Finish::Filtered => {
                self.notes.push("the answer was cut off by the provider's filter".into());
            }
            Exit::Bound => {
                if self.view.phase() == Phase::Bound {
                    self.notes.push(self.which_bound());
                }
                self.notes.push(go_on);
            }
            Exit::Interrupted => self.notes.extend(["interrupted".to_owned(), go_on]),
            _ => {}
        }
    }

    fn which_bound(&self) -> String {
        let used = self.view.run_usage.input.saturating_add(self.view.run_usage.output);
        match self.bounds.tokens {
            _ if self.view.turns >= self.bounds.turns => {
                format!("stopped: {} model calls were made (--max-turns)", self.view.turns)
            }
            Some(most) if used >= most => format!("stopped: {used} tokens were used (--max-tokens-total)"),
            _ => "stopped: the money was spent (--max-cost)".into(),
        }
    }
}

/// Returns once the time that a run may take has passed since it began.
async fn out_of_time(time: Option<Duration>, began: Instant) {
    match time {
        Some(time) => tokio::time::sleep(time.saturating_sub(began.elapsed())).await,
        None => std::future::pending().await,
    }
}

/// The JSON of an answer, without the words and fences around it; an `Err` says what is wrong with it.
fn check_answer(schema: &Schema, answer: &str) -> Result<String, String> {
    let value = schema::read_json_answer(answer).ok_or("- it holds no JSON")?;
    schema.check(&value).map_err(|violations| {
        violations.iter().map(|violation| format!("- {violation}")).collect::<Vec<_>>().join("\n")
    })?;
    Ok(value.to_string())
}
