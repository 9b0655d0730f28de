//! Files put back to what they were before the agent changed them. Start at [`restore`].
//!
//! An undo is recorded in the conversation, with a receipt of its own: undoing again brings the changes back.

use crate::exit::Fault;
use agent::desk::{Changed, PutBack, Restored, RestoredFile, Since};
use agent::event::{CallId, Judged, Verdict};
use agent::{Command, Event, Line, Session};
use host::patch;
use host::profiles;
use host::workspace::{Conflict, Receipt, Theirs, Undone, Workspace, quoted};
use std::collections::HashSet;
use std::path::Path;

/// Puts back what a conversation changed, or says what that would be. Where somebody else changed a file since, nothing
/// is put back unless it is told to.
pub async fn restore(
    directory: &Path,
    session: &Session,
    lines: &[Line],
    since: &Since,
    how: PutBack,
) -> Result<Restored, Fault> {
    let workspace = Workspace::open(directory).map_err(Fault::error)?;
    let plan = workspace.plan_undo(&receipts(lines, since)?).map_err(Fault::error)?;
    let files: Vec<RestoredFile> = plan.files.iter().map(shown).collect();
    let restored = Restored { files, commands: commands(lines, since), done: false };
    let contested = restored.files.iter().any(|file| file.contested.is_some());
    let theirs = match how {
        PutBack::Whatever => Theirs::Overwrite,
        PutBack::Unchanged if !contested => Theirs::Refuse,
        PutBack::Unchanged | PutBack::Look => return Ok(restored),
    };
    if restored.files.is_empty() {
        return Ok(restored);
    }
    let receipt = workspace.undo(&plan, theirs).map_err(Fault::error)?;
    let receipt = serde_json::to_value(receipt).map_err(Fault::error)?;
    let paths = restored.files.iter().map(|file| file.path.clone()).collect();
    session.send(Command::Undone { receipt, paths }).await?;
    Ok(Restored { done: true, ..restored })
}

/// What differs in files from how they were when a conversation began: what undoing all of it would take back.
pub fn changes(directory: &Path, lines: &[Line]) -> Result<Vec<Changed>, Fault> {
    let workspace = Workspace::open(directory).map_err(Fault::error)?;
    let plan = workspace.plan_undo(&receipts(lines, &Since::Seq(0))?).map_err(Fault::error)?;
    let changed = |file: &Undone| Changed {
        diff: patch::unified(
            &file.path.as_path().to_string_lossy(),
            file.then.as_deref(),
            file.now.as_deref(),
        ),
        contested: contested(file),
    };
    Ok(plan.files.iter().map(changed).collect())
}

/// The receipts to undo, newest first.
pub fn receipts(lines: &[Line], since: &Since) -> Result<Vec<Receipt>, Fault> {
    let mut found = Vec::new();
    let whole = is_one_run(lines);
    for line in lines.iter().rev() {
        match (&line.record.event, since) {
            (_, Since::Seq(to)) if line.record.seq <= *to => break,
            (Event::Undone { receipt, .. }, Since::Seq(_)) => found.push(read(receipt)?),
            (Event::Undone { receipt, .. }, Since::LastRun) if found.is_empty() => {
                found.push(read(receipt)?);
                break;
            }
            (Event::Ran { call, .. }, Since::Call(only)) if call != only => {}
            (Event::Ran { outcome, .. }, _) => {
                if let Some(receipt) = &outcome.detail.receipt {
                    found.push(read(receipt)?);
                }
            }
            (Event::Said(_), Since::LastRun) if !found.is_empty() && !whole => break,
            _ => {}
        }
    }
    Ok(found)
}

/// Whether all of a conversation is one run to people: what the solve door's loop says is no new beginning.
fn is_one_run(lines: &[Line]) -> bool {
    lines.first().is_some_and(
        |line| matches!(&line.record.event, Event::Opened(opened) if opened.profile == profiles::SOLVE),
    )
}

fn read(receipt: &serde_json::Value) -> Result<Receipt, Fault> {
    serde_json::from_value(receipt.clone())
        .map_err(|error| Fault::error(format!("a receipt in the log cannot be read: {error}")))
}

fn shown(file: &Undone) -> RestoredFile {
    RestoredFile {
        path: quoted(file.path.as_path()).to_string(),
        diff: patch::unified(
            &file.path.as_path().to_string_lossy(),
            file.now.as_deref(),
            file.then.as_deref(),
        ),
        contested: contested(file),
    }
}

fn contested(file: &Undone) -> Option<String> {
    let when = match file.conflict? {
        Conflict::Between => "between two of the agent's changes",
        Conflict::Since => "since the agent changed it",
    };
    Some(format!("{} was changed by somebody else {when}", quoted(file.path.as_path())))
}

/// What commands changed is not known, so it cannot be put back; a person should at least hear of it.
fn commands(lines: &[Line], since: &Since) -> Vec<String> {
    let to = match since {
        Since::Seq(to) => Some(*to),
        Since::LastRun => None,
        Since::Call(_) => return Vec::new(),
    };
    let later = |line: &&Line| to.is_none_or(|to| line.record.seq > to);
    let calls = lines.iter().filter(later).filter_map(|line| match &line.record.event {
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
    let ran = calls.flatten().filter(|call| call.name == "shell" && approved.contains(&call.id));
    ran.map(|call| call.arguments.clone()).collect()
}
