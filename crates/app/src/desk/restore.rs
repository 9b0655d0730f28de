//! Files put back to what they were before the agent changed them. Start at [`restore`].
//!
//! An undo is recorded in the conversation, with a receipt of its own: undoing again brings the changes back.

use super::commands;
use crate::exit::Fault;
use crate::sample;
use agent::desk::{Changed, PutBack, Restored, RestoredFile, Since};
use agent::event::CallId;
use agent::{Command, Event, Line, Session};
use host::judge::{Judge, Verdict};
use host::patch;
use host::profiles;
use host::tools::World;
use host::workspace::{Conflict, Receipt, Theirs, Undone, Workspace, quoted};
use std::collections::HashSet;
use std::path::PathBuf;

/// Puts back what a conversation changed, or says what that would be. Where somebody else changed a file since, nothing
/// is put back unless it is told to.
pub async fn restore(
    world: &World,
    session: &Session,
    lines: &[Line],
    since: &Since,
    how: PutBack,
) -> Result<Restored, Fault> {
    let workspace = place(world, lines)?;
    let Undoing { receipts, of } = undoing(lines, since)?;
    let plan = workspace.plan_undo(&receipts).map_err(Fault::error)?;
    let files: Vec<RestoredFile> = plan.files.iter().map(shown).collect();
    let restored = Restored { files, commands: ran(of, &world.judge()), done: false };
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
pub fn changes(world: &World, lines: &[Line]) -> Result<Vec<Changed>, Fault> {
    let receipts = undoing(lines, &Since::Seq(0))?.receipts;
    let plan = place(world, lines)?.plan_undo(&receipts).map_err(Fault::error)?;
    let changed =
        |file: &Undone| Changed { diff: diff(file, &file.then, &file.now), contested: contested(file) };
    Ok(plan.files.iter().map(changed).collect())
}

/// Whether a conversation changed anything in this folder, or ran what may have.
pub fn acted_here(world: &World, lines: &[Line], since: &Since) -> Result<bool, Fault> {
    let Undoing { receipts, of } = undoing(lines, since)?;
    Ok(copy(world, lines).is_none() && !(receipts.is_empty() && ran(of, &world.judge()).is_empty()))
}

/// What is to be undone.
struct Undoing<'a> {
    /// Newest first.
    receipts: Vec<Receipt>,
    /// The records that it is about.
    of: &'a [Line],
}

fn undoing<'a>(lines: &'a [Line], since: &Since) -> Result<Undoing<'a>, Fault> {
    let mut receipts = Vec::new();
    let mut from = if matches!(since, Since::Call(_)) { lines.len() } else { 0 };
    let whole = is_one_run(lines);
    for (at, line) in lines.iter().enumerate().rev() {
        match (&line.record.event, since) {
            (_, Since::Seq(to)) if line.record.seq <= *to => {
                from = at + 1;
                break;
            }
            (Event::Undone { receipt, .. }, Since::Seq(_)) => receipts.push(read(receipt)?),
            (Event::Undone { receipt, .. }, Since::LastRun) if receipts.is_empty() => {
                receipts.push(read(receipt)?);
                from = at;
                break;
            }
            (Event::Ran { call, .. }, Since::Call(only)) if call != only => {}
            (Event::Ran { outcome, .. }, _) => {
                if let Some(receipt) = &outcome.detail.receipt {
                    receipts.push(read(receipt)?);
                }
            }
            (Event::Said(_), Since::LastRun) if !receipts.is_empty() && !whole => {
                from = at;
                break;
            }
            _ => {}
        }
    }
    Ok(Undoing { receipts, of: &lines[from..] })
}

/// Where the files of a conversation are: here, or in the demo's copy of the sample project.
fn place(world: &World, lines: &[Line]) -> Result<Workspace, Fault> {
    match copy(world, lines) {
        Some(folder) => Workspace::open(folder).map_err(Fault::error),
        None => Ok(world.workspace.clone()),
    }
}

/// The folder of a conversation that is not about this one: a copy of the demo's project.
fn copy(world: &World, lines: &[Line]) -> Option<PathBuf> {
    let Event::Opened(opened) = &lines.first()?.record.event else { return None };
    let folder = PathBuf::from(&opened.directory);
    (folder != world.workspace.root() && sample::is_copy(&folder)).then_some(folder)
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
        diff: diff(file, &file.now, &file.then),
        contested: contested(file),
    }
}

fn diff(file: &Undone, from: &Option<Vec<u8>>, to: &Option<Vec<u8>>) -> String {
    patch::unified(&file.path.as_path().to_string_lossy(), from.as_deref(), to.as_deref())
}

fn contested(file: &Undone) -> Option<String> {
    let when = match file.conflict? {
        Conflict::Between => "between two of the agent's changes",
        Conflict::Since => "since the agent changed it",
    };
    Some(format!("{} was changed by somebody else {when}", quoted(file.path.as_path())))
}

/// What commands changed is not known, so it cannot be put back; a person should at least hear of those that do more
/// than read.
fn ran(lines: &[Line], judge: &Judge) -> Vec<String> {
    let started: HashSet<&CallId> = lines
        .iter()
        .filter_map(|line| match &line.record.event {
            Event::Started { call } => Some(call),
            _ => None,
        })
        .collect();
    let calls = lines.iter().flat_map(|line| match &line.record.event {
        Event::Replied(reply) => reply.calls.as_slice(),
        Event::Called(call) => std::slice::from_ref(call),
        _ => &[],
    });
    let sources = calls.filter(|call| started.contains(&call.id)).filter_map(commands).flatten();
    sources.filter(|source| !only_reads(judge, source)).collect()
}

fn only_reads(judge: &Judge, source: &str) -> bool {
    let judgement = judge.judge(source);
    judgement.verdict == Verdict::Allow && judgement.rules.is_empty()
}
