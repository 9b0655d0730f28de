//! `cinque undo`: files put back to what they were before the agent changed them. Start at [`run`].
//!
//! An undo is recorded in the conversation, with a receipt of its own: undoing again brings the changes back.

use crate::arguments::{Here, Undo};
use crate::exit::{Exit, Fault};
use crate::paint::{Paint, visible};
use crate::wiring::{self, Choice, Wiring, parse_id};
use agent::{Approve, Command, Event, Line, Store};
use host::patch;
use host::workspace::{Conflict, Receipt, Theirs, Undone, Workspace, quoted};

pub fn run(here: Here, undo: Undo) -> Result<Exit, Fault> {
    let runtime = wiring::runtime()?;
    runtime.block_on(async {
        let wiring = Wiring::new(&here, Choice::new(Approve::Never, 1))?;
        let id = match &undo.id {
            Some(id) => parse_id(id)?,
            None => wiring.newest().await?,
        };
        let receipts = receipts(&wiring.store.load(&id, 0).await?, undo.to)?;
        let workspace = Workspace::open(&wiring.directory).map_err(Fault::error)?;
        let plan = workspace.plan_undo(&receipts).map_err(Fault::error)?;
        if plan.files.is_empty() {
            eprintln!("there is nothing to put back");
            return Ok(Exit::Done);
        }
        plan.files.iter().for_each(show);
        let contested: Vec<&Undone> = plan.files.iter().filter(|file| file.conflict.is_some()).collect();
        if !contested.is_empty() && !undo.force {
            return Err(conflict(&contested));
        }
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
