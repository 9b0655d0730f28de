//! `cinque exec`: one headless run. Start at [`run`].
//!
//! The answer goes to stdout and everything else to stderr; with `--json` stdout carries one object a line and nothing
//! else. What needs a decision is asked on the terminal, or waits in the log for `--approve-call`.

pub mod console;
mod json;
mod prompt;
mod text;

use crate::arguments::{ApproveMode, Exec, Here};
use crate::exit::{Exit, Fault};
use crate::wiring::{self, Choice, Wiring};
use agent::event::{CallId, Event, Failure, Said};
use agent::{Command, Phase, Session, Update, Updates, View};
use console::Signals;
use host::schema::{self, Schema};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Shows a run to whoever reads stdout and stderr.
pub trait Show {
    fn begin(&mut self, session: &Session);
    /// Something happened; `view` already knows it.
    fn update(&mut self, update: &Update, view: &View);
    /// The run rests. `answer` is the last text of the model.
    fn end(&mut self, view: &View, answer: &str);
}

pub fn run(here: Here, exec: Exec) -> Result<Exit, Fault> {
    let said = prompt::read(&exec)?;
    let checked = exec.output_schema.as_deref().map(read_schema).transpose()?;
    let choice = Choice {
        max_tokens: exec.budget.max_tokens_total,
        max_cost: exec.budget.max_cost,
        schema: checked.as_ref().map(|(value, _)| value.clone()),
        ..Choice::new(exec.approve.into(), exec.max_turns)
    };
    let runtime = wiring::runtime()?;
    runtime.block_on(async {
        let wiring = Wiring::new(&here, choice)?;
        let session = open(&wiring, &exec).await?;
        let commands = commands(&session, &exec, said).await?;
        let mut show = presenter(&exec);
        show.begin(&session);
        let mut run = Run::new(session, show, exec.approve)?;
        run.time = exec.budget.max_time.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        run.send_all(commands).await?;
        let mut exit = run.to_rest().await?;
        if let Some((_, schema)) = &checked
            && exit == Exit::Done
        {
            exit = run.satisfy(schema).await?;
        }
        run.finish(exec.output_last_message.as_deref())?;
        wiring.tidy_up();
        Ok(exit)
    })
}

/// Plays one run to its end with everything handed in; the demo uses it too.
pub async fn play(session: Session, prompt: &str, approve: ApproveMode) -> Result<Exit, Fault> {
    let mut show: Box<dyn Show> = Box::new(text::Text::new());
    show.begin(&session);
    let mut run = Run::new(session, show, approve)?;
    run.send_all(vec![Command::Say(Said { text: prompt.to_owned(), context: None })]).await?;
    let exit = run.to_rest().await?;
    run.finish(None)?;
    Ok(exit)
}

fn presenter(exec: &Exec) -> Box<dyn Show> {
    if exec.json { Box::new(json::Json) } else { Box::new(text::Text::new()) }
}

fn read_schema(path: &Path) -> Result<(Arc<serde_json::Value>, Schema), Fault> {
    let unusable = |why: &dyn std::fmt::Display| {
        Fault::usage(format!("the schema {} cannot be used: {why}", path.display()))
    };
    let text = std::fs::read_to_string(path).map_err(|error| unusable(&error))?;
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| unusable(&error))?;
    let schema = Schema::compile(&value).map_err(|error| unusable(&error))?;
    Ok((Arc::new(value), schema))
}

async fn open(wiring: &Wiring, exec: &Exec) -> Result<Session, Fault> {
    match &exec.resume {
        Some(id) => wiring.resume(wiring::parse_id(id)?).await,
        None if exec.continue_newest => wiring.resume(wiring.newest().await?).await,
        None => wiring.begin().await,
    }
}

/// What to tell the conversation first: decisions, then words; with neither, to go on.
async fn commands(session: &Session, exec: &Exec, said: Option<Said>) -> Result<Vec<Command>, Fault> {
    let id = |call: &String| CallId(call.clone());
    let approve = |call| Command::Approve { call: id(call), digest: None };
    let decline = |call| Command::Decline { call: id(call), words: String::new() };
    let mut commands: Vec<Command> = exec.approve_call.iter().map(approve).collect();
    commands.extend(exec.decline_call.iter().map(decline));
    commands.extend(said.map(Command::Say));
    if commands.is_empty() && !waits(session).await? {
        commands.push(Command::Continue);
    }
    Ok(commands)
}

async fn waits(session: &Session) -> Result<bool, Fault> {
    let view = replay(&mut session.follow(0), session).await?;
    Ok(view.phase() == Phase::Waiting)
}

/// The fold of all that stands in the log now.
async fn replay(updates: &mut Updates, session: &Session) -> Result<View, Fault> {
    let mut view = View::default();
    while view.next < session.recorded() {
        match updates.next().await.transpose()? {
            Some(Update::Record(record)) => view.apply(&record.event),
            Some(_) => {}
            None => break,
        }
    }
    Ok(view)
}

struct Run {
    session: Session,
    show: Box<dyn Show>,
    approve: ApproveMode,
    signals: Signals,
    updates: Updates,
    view: View,
    /// Records before this one were there when the run began or are commands of its own.
    from: u64,
    answer: String,
    failure: Option<Failure>,
    interrupted: bool,
    /// What is left of the time that the run may take.
    time: Option<Duration>,
}

impl Run {
    fn new(session: Session, show: Box<dyn Show>, approve: ApproveMode) -> Result<Run, Fault> {
        Ok(Run {
            updates: session.follow(0),
            signals: Signals::listen()?,
            from: 0,
            session,
            show,
            approve,
            view: View::default(),
            answer: String::new(),
            failure: None,
            interrupted: false,
            time: None,
        })
    }

    async fn send_all(&mut self, commands: Vec<Command>) -> Result<(), Fault> {
        let before = self.session.recorded();
        // With nothing to send the run is shown as it stands: it waits for a decision.
        self.from = before.saturating_sub(1);
        for command in commands {
            self.from = self.session.send(command).await?;
        }
        // What was there before is only folded; what comes now is shown.
        while self.view.next < before {
            match self.updates.next().await.transpose()? {
                Some(Update::Record(record)) => self.view.apply(&record.event),
                Some(_) => {}
                None => break,
            }
        }
        Ok(())
    }

    /// Shows what happens until the run has ended or cannot go on without somebody.
    async fn to_rest(&mut self) -> Result<Exit, Fault> {
        let began = Instant::now();
        let mut overtime = false;
        loop {
            if self.view.next > self.from {
                match self.view.phase() {
                    Phase::Done => return Ok(self.ended_well()),
                    Phase::Cancelled if overtime => return Ok(Exit::Bound),
                    Phase::Cancelled => return Ok(Exit::Interrupted),
                    Phase::Bound => return Ok(Exit::Bound),
                    Phase::Failed => return Ok(Exit::Model),
                    Phase::Waiting if !self.ask_person().await? => return Ok(Exit::Approval),
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
                () = out_of_time(self.time, began), if !overtime => {
                    overtime = true;
                    self.cancel().await?;
                }
            }
        }
    }

    fn ended_well(&self) -> Exit {
        if self.interrupted { Exit::Interrupted } else { Exit::Done }
    }

    fn take(&mut self, update: Update) {
        if let Update::Record(record) = &update {
            self.view.apply(&record.event);
            match &record.event {
                Event::Replied(reply) if !reply.text.trim().is_empty() => self.answer = reply.text.clone(),
                Event::Failed { failure, .. } => self.failure = Some(failure.clone()),
                Event::Said(_) => (self.answer, self.failure) = (String::new(), None),
                _ => {}
            }
        }
        self.show.update(&update, &self.view);
    }

    /// The first interrupt stops the run and leaves a clean log; the second leaves at once.
    async fn interrupt(&mut self) -> Result<(), Fault> {
        if self.interrupted {
            return Err(Fault::new(Exit::Interrupted, "interrupted"));
        }
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
        if self.approve != ApproveMode::Ask || !console::somebody_is_there() {
            console::tell_how_to_go_on(self.session.id(), &pending);
            return Ok(false);
        }
        for open in pending {
            let call = open.call.id.clone();
            let decision = tokio::select! {
                answer = console::ask(&open) => match answer {
                    Some(true) => Command::Approve { call, digest: console::digest(&open) },
                    Some(false) => Command::Decline { call, words: String::new() },
                    None => return Ok(false),
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

    /// Checks the answer; the model may mend it once.
    async fn satisfy(&mut self, schema: &Schema) -> Result<Exit, Fault> {
        let Err(complaint) = check_answer(schema, &self.answer) else { return Ok(Exit::Done) };
        let text = format!(
            "Your answer does not satisfy the JSON Schema that was asked for:\n{complaint}\n\
             Answer again, with the corrected JSON and nothing else."
        );
        self.send_all(vec![Command::Say(Said { text, context: None })]).await?;
        let exit = self.to_rest().await?;
        if exit != Exit::Done {
            return Ok(exit);
        }
        match check_answer(schema, &self.answer) {
            Ok(()) => Ok(Exit::Done),
            Err(complaint) => {
                self.show.end(&self.view, &self.answer);
                Err(Fault::new(Exit::Check, format!("the answer does not satisfy the schema:\n{complaint}")))
            }
        }
    }

    fn finish(&mut self, last_message: Option<&Path>) -> Result<(), Fault> {
        self.show.end(&self.view, &self.answer);
        if let Some(failure) = self.failure.take().filter(|_| self.view.phase() == Phase::Failed) {
            let fault = Fault::new(Exit::Model, failure.message).hint(failure.hint);
            fault
                .hint(format!("the conversation is kept: cinque exec --resume {}", self.session.id()))
                .report();
        }
        if let Some(path) = last_message {
            let unwritten = |error| Fault::error(format!("cannot write {}: {error}", path.display()));
            std::fs::write(path, &self.answer).map_err(unwritten)?;
        }
        Ok(())
    }
}

/// Returns once the time that a run may take has passed since it began.
async fn out_of_time(time: Option<Duration>, began: Instant) {
    match time {
        Some(time) => tokio::time::sleep(time.saturating_sub(began.elapsed())).await,
        None => std::future::pending().await,
    }
}

fn check_answer(schema: &Schema, answer: &str) -> Result<(), String> {
    let value = schema::read_json_answer(answer).ok_or("- it holds no JSON")?;
    schema.check(&value).map_err(|violations| {
        violations.iter().map(|violation| format!("- {violation}")).collect::<Vec<_>>().join("\n")
    })
}
