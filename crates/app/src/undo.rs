//! `cinque undo`: files put back to what they were before the agent changed them. Start at [`run`].
//!
//! An undo is recorded in the conversation, with a receipt of its own: undoing again brings the changes back.

use crate::arguments::{Here, Undo};
use crate::exit::{Exit, Fault};
use crate::paint::{Paint, visible};
use crate::start::Start;
use crate::wiring::{self, Wiring, parse_id};
use agent::event::{CallId, Judged, Verdict};
use agent::{Command, Event, Id, Line, Store};
use host::patch;
use host::workspace::{Conflict, Receipt, Theirs, Undone, Workspace, quoted};
use std::collections::HashSet;

pub fn run(here: Here, undo: Undo) -> Result<Exit, Fault> {
    let runtime = wiring::runtime()?;
    runtime.block_on(async {
        let start = Start::new(&here)?;
        let wiring = Wiring::new(&start, start.models(), None)?;
        let Some((id, lines, receipts)) = find(&wiring, &undo).await? else {
            eprintln!("there is nothing to put back");
            return Ok(Exit::Done);
        };
        let workspace = Workspace::open(&wiring.directory).map_err(Fault::error)?;
        let plan = workspace.plan_undo(&receipts).map_err(Fault::error)?;
        warn_of_commands(&lines, undo.to);
        if plan.files.is_empty() {
            eprintln!("there is nothing to put back");
            return Ok(Exit::Done);
        }
        let contested: Vec<&Undone> = plan.files.iter().filter(|file| file.conflict.is_some()).collect();
        if !contested.is_empty() && !undo.force {
            return Err(conflict(&contested));
        }
        plan.files.iter().for_each(show);
        if undo.dry_run {
            eprintln!("nothing was changed (--dry-run)");
            return Ok(Exit::Done);
        }
        let theirs = if undo.force { Theirs::Overwrite } else { Theirs::Refuse };
        let receipt = workspace.undo(&plan, theirs).map_err(Fault::error)?;
        let paths: Vec<String> =
            plan.files.iter().map(|file| quoted(file.path.as_path()).to_string()).collect();
        let count = paths.len();
        let receipt = serde_json::to_value(receipt).map_err(Fault::error)?;
        wiring.resume(id).await?.send(Command::Undone { receipt, paths }).await?;
        eprintln!("put back {count} {}; `cinque undo` once more brings the changes back", plural(count));
        Ok(Exit::Done)
    })
}

/// The conversation to undo in, with its lines and what is to be undone: the one that was named, or the newest that
/// changed anything.
async fn find(wiring: &Wiring, undo: &Undo) -> Result<Option<(Id, Vec<Line>, Vec<Receipt>)>, Fault> {
    if let Some(id) = &undo.id {
        let id = parse_id(id)?;
        let lines = wiring.store.load(&id, 0).await?;
        if undo.to.is_some_and(|to| to >= lines.len() as u64) {
            return Err(Fault::usage(format!("the conversation has only {} records", lines.len())));
        }
        let receipts = receipts(&lines, undo.to)?;
        return Ok(Some((id, lines, receipts)));
    }
    for summary in wiring.list().await? {
        let lines = wiring.store.load(&summary.conversation, 0).await?;
        let receipts = receipts(&lines, undo.to)?;
        if !receipts.is_empty() {
            return Ok(Some((summary.conversation, lines, receipts)));
        }
    }
    Ok(None)
}

/// What commands changed is not known, so it cannot be put back; a person should at least hear of it.
fn warn_of_commands(lines: &[Line], to: Option<u64>) {
    let since = |line: &&Line| to.is_none_or(|to| line.record.seq > to);
    let calls = lines.iter().filter(since).filter_map(|line| match &line.record.event {
        Event::Replied(reply) => Some(&reply.calls),
        _ => None,
    });
    let approved: HashSet<&CallId> = lines
        .iter()
        .filter_map(|line| match &line.record.event {
            Event::Judged(Judged { call, verdict: Verdict::Approve, .. }) => Some(call),
            _ => None,
        })
        .collect();
    let ran: Vec<_> =
        calls.flatten().filter(|call| call.name == "shell" && approved.contains(&call.id)).collect();
    if !ran.is_empty() {
        eprintln!("note: undo covers edits by file tools; these commands may have changed files too:");
        ran.iter().for_each(|call| eprintln!("  {}", visible(&call.arguments)));
    }
}

/// The receipts to undo, newest first: all after a record, or those of the last run, or the last undo alone.
fn receipts(lines: &[Line], to: Option<u64>) -> Result<Vec<Receipt>, Fault> {
    let mut found = Vec::new();
    for line in lines.iter().rev() {
        if to.is_some_and(|to| line.record.seq <= to) {
            break;
        }
        match &line.record.event {
            Event::Undone { receipt, .. } if to.is_some() || found.is_empty() => {
                found.push(read(receipt)?);
                if to.is_none() {
                    break;
                }
            }
            Event::Ran { outcome, .. } => {
                if let Some(receipt) = &outcome.detail.receipt {
                    found.push(read(receipt)?);
                }
            }
            Event::Said(_) if to.is_none() && !found.is_empty() => break,
            _ => {}
        }
    }
    Ok(found)
}

fn read(receipt: &serde_json::Value) -> Result<Receipt, Fault> {
    serde_json::from_value(receipt.clone())
        .map_err(|error| Fault::error(format!("a receipt in the log cannot be read: {error}")))
}

fn show(file: &Undone) {
    let path = file.path.as_path().to_string_lossy();
    let diff = patch::unified(&path, file.now.as_deref(), file.then.as_deref());
    println!("{}", Paint::for_stdout().diff(&visible(&diff)));
}

fn conflict(contested: &[&Undone]) -> Fault {
    let line = |file: &&Undone| {
        let when = match file.conflict {
            Some(Conflict::Between) => "between two of the agent's changes",
            _ => "since the agent changed it",
        };
        format!("  {} was changed by somebody else {when}", quoted(file.path.as_path()))
    };
    let lines: Vec<String> = contested.iter().map(line).collect();
    Fault::new(Exit::Check, format!("nothing was put back:\n{}", lines.join("\n")))
        .hint("--force puts them back all the same; undoing that brings them back")
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "file" } else { "files" }
}
