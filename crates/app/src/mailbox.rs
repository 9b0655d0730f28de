//! `cinque mailbox`: a person carries text between files and any chat. Start at [`run`].
//!
//! A mailbox session is an ordinary conversation whose model is a person. This door opens it, prints its lines, puts to
//! the person what must be asked, and keeps a view of it in a file for people and tools; the truth is the log.

mod clipboard;
mod console;
mod round;
mod session;

use crate::arguments::{Here, Letters, MailboxDoor};
use crate::exit::{Exit, Fault};
use crate::start::{Start, directory};
use crate::wiring::{self, Wiring};
use agent::event::Said;
use agent::session::Open;
use agent::{Command, Id, Phase, Session, StoreError, Summary};
use host::profiles::{MAILBOX, MAILBOX_MODEL};
pub use round::NOBODY;
use round::Rounds;
use session::State;

pub fn run(here: Here, door: MailboxDoor) -> Result<Exit, Fault> {
    let (letters, wish) = match door {
        MailboxDoor::New { task, letters } => (letters, Wish::New(task.join(" "))),
        MailboxDoor::Resume { id, letters } => (letters, Wish::Resume(id)),
    };
    if matches!(&wish, Wish::New(task) if task.trim().is_empty()) {
        return Err(Fault::usage("the task is blank"));
    }
    let start = begin(here, &letters)?;
    wiring::runtime()?.block_on(async {
        let wiring = Wiring::new(&start, start.models(), None)?;
        let exit = match wish {
            Wish::New(task) => new(&start, &wiring, &letters, task).await?,
            Wish::Resume(id) => resume(&start, &wiring, &letters, id).await?,
        };
        wiring.tidy_up();
        Ok(exit)
    })
}

enum Wish {
    New(String),
    Resume(Option<String>),
}

/// Starts in the workspace that the mailbox is configured for, which need not be where the person stands.
fn begin(here: Here, letters: &Letters) -> Result<Start, Fault> {
    let mut start = Start::with_flags(&here, letters.layer())?;
    let workspace = Some(start.directory.join(&start.config.mailbox.workspace));
    start.directory = directory(&Here { directory: workspace, ..here })?;
    Ok(start)
}

async fn new(start: &Start, wiring: &Wiring, letters: &Letters, task: String) -> Result<Exit, Fault> {
    let session = found(wiring).await?;
    let said = Command::Say(Said { text: task.clone(), context: None });
    let mut rounds = Rounds::new(start, letters, session)?;
    rounds.send(said).await?;
    console::line(&format!("New session: {}", rounds.id()))?;
    console::line(&format!("Task: {task}"))?;
    console::tell_inbox(&start.post());
    warn_of_others(wiring, rounds.id()).await?;
    rounds.until_done().await
}

async fn resume(
    start: &Start,
    wiring: &Wiring,
    letters: &Letters,
    id: Option<String>,
) -> Result<Exit, Fault> {
    let named = match &id {
        Some(id) => Some(wiring::named(&wiring.store, id).await?),
        None => None,
    };
    let is_meant = |summary: &Summary| named.as_ref().is_none_or(|id| *id == summary.conversation);
    let all = wiring.list().await?;
    for ended in all.iter().filter(|summary| summary.profile == MAILBOX && summary.status == Phase::Done) {
        State::save_ended(&start.post(), &*wiring.store, &ended.conversation).await?;
    }
    let sessions = all.into_iter().filter(is_open).filter(is_meant);
    let Some(summary) = sessions.max_by_key(|summary| summary.created) else {
        console::line("No incomplete session found to resume.")?;
        return Ok(Exit::Done);
    };
    let summary = wiring::as_it_is(&wiring.store, summary);
    if summary.status == Phase::Busy {
        let busy = format!("session {} is at work in another process", summary.conversation);
        return Err(Fault::error(busy).hint("stop it there first, with Ctrl+C"));
    }
    let session = wiring.resume(summary.conversation).await?;
    let mut rounds = Rounds::new(start, letters, session)?;
    let sequence = rounds.recall().await?;
    console::line(&format!("Resumed session: {} (seq {sequence})", rounds.id()))?;
    console::line(&format!("Task: {}", rounds.task()))?;
    console::tell_inbox(&start.post());
    warn_of_others(wiring, rounds.id()).await?;
    rounds.send(Command::Continue).await?;
    rounds.until_done().await
}

/// A session of this door that was given a task and has not ended with it.
fn is_open(summary: &Summary) -> bool {
    summary.profile == MAILBOX && summary.prompts > 0 && summary.status != Phase::Done
}

/// Opens a conversation under a name that is short enough to read aloud.
async fn found(wiring: &Wiring) -> Result<Session, Fault> {
    loop {
        let random = uuid::Uuid::now_v7().as_u128() as u32;
        let id = Id::try_from(format!("{random:08x}")).map_err(Fault::error)?;
        let opened = wiring.opened(MAILBOX, MAILBOX_MODEL);
        match wiring.hub.open(Open::New { id, opened }).await {
            // Somebody has that name already.
            Err(StoreError::Stale) => {}
            opened => return Ok(opened?),
        }
    }
}

/// Says so where another session waits for letters in the same inbox.
async fn warn_of_others(wiring: &Wiring, own: &Id) -> Result<(), Fault> {
    let waits = |summary: &Summary| {
        summary.model == MAILBOX_MODEL && summary.status == Phase::Busy && summary.conversation != *own
    };
    let others = wiring.list().await?.into_iter().filter(waits);
    for other in others.map(|other| wiring::as_it_is(&wiring.store, other)).filter(waits) {
        let id = &other.conversation;
        console::line(&format!(
            "Session {id} waits at the same inbox: name a reply {own}_seq….txt or {id}_seq….txt to say whose it is."
        ))?;
    }
    Ok(())
}
