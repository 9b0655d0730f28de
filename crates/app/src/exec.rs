//! `cinque exec`: one headless run. Start at [`run`].
//!
//! The answer goes to stdout and everything else to stderr; with `--json` stdout carries one object a line and nothing
//! else. What needs a decision is asked on the terminal, or waits in the log for `--approve-call`.

mod cache;
pub mod console;
mod json;
mod live;
mod progress;
mod prompt;
mod text;

use crate::arguments::{Exec, Here};
use crate::desk::Machine;
use crate::exit::{Exit, Fault};
use crate::outfile;
use crate::start::Start;
use crate::wiring::{self, Wiring};
use agent::event::{CallId, Configured, Said, Usage};
use agent::{Approve, Command, Phase, Session, Update, View};
use host::models::Models;
use host::schema::Schema;
use progress::{Bounds, Run};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// What can be done by those who have no key at all.
pub const WITHOUT_KEY: &str = "without any key: `-m ollama/NAME` asks a server here, `cinque demo` shows a recorded run, \
     `cinque mailbox new TASK` works with any chat";

/// Shows a run to whoever reads stdout and stderr.
pub trait Show {
    fn begin(&mut self, session: &Session);
    /// Something that happened before this run; only to be remembered.
    fn recall(&mut self, update: &Update);
    /// Something happened; `view` already knows it.
    fn update(&mut self, update: &Update, view: &View);
    /// The run rests. Fails where what belongs on stdout did not get there.
    fn end(&mut self, ending: &Ending<'_>) -> Result<(), Fault>;
}

/// How a run came to rest.
pub struct Ending<'a> {
    pub view: &'a View,
    pub exit: Exit,
    /// The last text of the model.
    pub answer: &'a str,
    pub usage: Usage,
    /// In dollars, where the price of the model is known.
    pub cost: Option<f64>,
    /// What a person should know about it, in words.
    pub notes: &'a [String],
}

pub fn run(here: Here, exec: Exec) -> Result<Exit, Fault> {
    let said = prompt::read(&exec)?;
    let checked = exec.output_schema.as_deref().map(read_schema).transpose()?;
    exec.output_last_message.as_deref().map_or(Ok(()), outfile::check)?;
    let start = Start::with_flags(&here, exec.layer())?;
    let said = said.map(|said| without_secrets(&start, said));
    let resumes = exec.resume.is_some() || exec.continue_newest;
    let models = start.models();
    if !resumes {
        check_model(&start, &models)?;
    }
    let runtime = wiring::runtime()?;
    runtime.block_on(async {
        let schema = checked.as_ref().map(|(value, _)| value.clone());
        let wiring = Arc::new(Wiring::new(&start, models, schema)?);
        let session = open(&wiring, &exec).await?;
        let model = here.model.as_ref().filter(|_| resumes);
        let commands = commands(&session, &exec, said, model, start.config.approve).await?;
        let told = format!("the answer is in the log: cinque{} log show {}", elsewhere(&here), session.id());
        let mut show = presenter(&exec);
        show.begin(&session);
        let bounds = bounds(&here, &start);
        let desk = Arc::new(Machine::new(start, wiring.clone()));
        let mut run = Run::new(session, show, bounds, Some(desk))?;
        run.send_all(commands).await?;
        let mut exit = run.until_rest().await?;
        if let Some((_, schema)) = &checked
            && exit == Exit::Done
        {
            exit = run.satisfy(schema).await?;
        }
        let finished = run.finish(exit, exec.output_last_message.as_deref()).await;
        finished.map_err(|fault| fault.hint(told))?;
        wiring.tidy_up();
        Ok(exit)
    })
}

/// Plays one run to its end with everything handed in; the demo uses it too.
pub async fn play(session: Session, prompt: &str) -> Result<Exit, Fault> {
    let mut show: Box<dyn Show> = Box::new(text::Text::new());
    show.begin(&session);
    let mut run = Run::new(session, show, Bounds::default(), None)?;
    run.send_all(vec![Command::Say(Said { text: prompt.to_owned(), context: None })]).await?;
    let exit = run.until_rest().await?;
    run.finish(exit, None).await?;
    Ok(exit)
}

/// A model that cannot be asked, or a budget that cannot be kept, is told before there is a conversation.
pub fn check_model(start: &Start, models: &Models) -> Result<(), Fault> {
    let name = models.default_model();
    if let Some(failure) = models.missing(&name) {
        let without_key = if models.lacks_key(&name) { WITHOUT_KEY } else { "" };
        return Err(Fault::new(Exit::Model, failure.message).hint(failure.hint).hint(without_key));
    }
    if start.config.max_cost.is_some() && start.config.price(&name).is_none() {
        let message = format!("the price of {name} is not known, so --max-cost could not be kept");
        return Err(
            Fault::usage(message).hint("set its price in the configuration, or use --max-tokens-total")
        );
    }
    Ok(())
}

fn bounds(here: &Here, start: &Start) -> Bounds {
    let config = &start.config;
    Bounds {
        turns: config.max_turns,
        tokens: config.max_tokens_total,
        time: config.max_time,
        approve: config.approve,
        go_on: format!("cinque{} exec --resume", elsewhere(here)),
    }
}

/// What a command needs to be about the same folder.
fn elsewhere(here: &Here) -> String {
    here.directory.as_ref().map(|folder| format!(" -C {}", folder.display())).unwrap_or_default()
}

/// Piped material goes on without secrets; a person's words go on as they are.
fn without_secrets(start: &Start, said: Said) -> Said {
    let context = said.context.map(|context| start.redactor().redact(&context).into_owned());
    Said { context, ..said }
}

fn presenter(exec: &Exec) -> Box<dyn Show> {
    if exec.json { Box::new(json::Json::default()) } else { Box::new(text::Text::new()) }
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
        Some(id) => wiring.resume(wiring::named(&wiring.store, id).await?).await,
        None if exec.continue_newest => wiring.resume(wiring.newest().await?).await,
        None => wiring.begin("standard").await,
    }
}

/// What to tell the conversation first: another model, decisions, then words; with neither, to go on.
async fn commands(
    session: &Session,
    exec: &Exec,
    said: Option<Said>,
    model: Option<&String>,
    approve: Approve,
) -> Result<Vec<Command>, Fault> {
    let view = stands(session).await?;
    let decisions = decisions(exec, &view)?;
    let waits = view.phase() == Phase::Waiting && approve == Approve::Ask;
    let goes_on = said.is_none() && decisions.is_empty() && !waits;
    let other = model.filter(|model| **model != view.model).cloned();
    let configure = other.map(|model| Command::Configure(Configured { model: Some(model), topic: None }));
    let mut commands: Vec<Command> = configure.into_iter().chain(decisions).collect();
    commands.extend(said.map(Command::Say));
    commands.extend(goes_on.then_some(Command::Continue));
    Ok(commands)
}

/// The decisions that the flags name. All of them must fit before the first one is recorded.
fn decisions(exec: &Exec, view: &View) -> Result<Vec<Command>, Fault> {
    let approve = |call: &String| Command::Approve { call: CallId(call.clone()), digest: None };
    let decline = |call: &String| Command::Decline { call: CallId(call.clone()), words: String::new() };
    let named = exec.approve_call.iter().chain(&exec.decline_call);
    let mut seen = HashSet::new();
    if let Some(twice) = named.clone().find(|call| !seen.insert(*call)) {
        return Err(Fault::usage(format!("call {twice} is named twice; nothing was decided")));
    }
    let decisions: Vec<Command> =
        exec.approve_call.iter().map(approve).chain(exec.decline_call.iter().map(decline)).collect();
    for decision in &decisions {
        view.admit(decision).map_err(|refusal| Fault::usage(format!("{refusal}; nothing was decided")))?;
    }
    Ok(decisions)
}

/// The fold of all that stands in the log now.
async fn stands(session: &Session) -> Result<View, Fault> {
    let mut updates = session.follow(0);
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
