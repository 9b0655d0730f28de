//! `cinque undo`: files put back to what they were before the agent changed them. Start at [`run`].

use crate::arguments::{Here, Undo};
use crate::desk::{acted_here, restore};
use crate::exit::{Exit, Fault, print};
use crate::paint::{Paint, visible};
use crate::start::Start;
use crate::wiring::{self, Wiring, named};
use agent::desk::{PutBack, Restored, Since};
use agent::{Id, Line, Store};

/// Commands that are listed at most.
const SHOWN: usize = 20;

pub fn run(here: Here, undo: Undo) -> Result<Exit, Fault> {
    let runtime = wiring::runtime()?;
    runtime.block_on(async {
        let start = Start::new(&here)?;
        let wiring = Wiring::new(&start, start.models(), None)?;
        let since = undo.to.map_or(Since::LastRun, Since::Seq);
        let Some((id, lines)) = find(&wiring, &undo, &since).await? else {
            aside!("there is nothing to put back");
            return Ok(Exit::Done);
        };
        let how = match (undo.dry_run, undo.force) {
            (true, _) => PutBack::Look,
            (false, true) => PutBack::Whatever,
            (false, false) => PutBack::Unchanged,
        };
        let session = wiring.resume(id).await?;
        let restored = restore(&wiring.world, &session, &lines, &since, how).await?;
        tell(session.id(), &restored, &undo)
    })
}

fn tell(id: &Id, restored: &Restored, undo: &Undo) -> Result<Exit, Fault> {
    let Restored { files, commands, .. } = restored;
    match (files.is_empty(), commands.is_empty()) {
        (true, true) => {
            aside!("there is nothing to put back");
            return Ok(Exit::Done);
        }
        (true, false) => {
            aside!("nothing can be put back: conversation {id} made no edits, it only ran commands,");
            aside!("and what commands change is not known:");
            list(commands);
            aside!("an earlier conversation can be named: cinque undo ID (see `cinque log list`)");
            return Ok(Exit::Done);
        }
        (false, false) => {
            aside!("note: undo covers edits by file tools; these commands may have changed files too:");
            list(commands);
        }
        (false, true) => {}
    }
    let contested: Vec<&str> = files.iter().filter_map(|file| file.contested.as_deref()).collect();
    if !contested.is_empty() && !undo.force {
        return Err(Fault::new(Exit::Check, format!("nothing was put back:\n  {}", contested.join("\n  ")))
            .hint("--force puts them back all the same; undoing that brings them back"));
    }
    for file in files {
        print(&Paint::for_stdout().diff(&visible(&file.diff)))?;
    }
    let count = files.len();
    if restored.done {
        aside!("put back {count} {}; `cinque undo` once more brings the changes back", plural(count));
    } else {
        aside!("nothing was changed (--dry-run)");
    }
    Ok(Exit::Done)
}

fn list(commands: &[String]) {
    for command in commands.iter().take(SHOWN) {
        aside!("  $ {}", visible(command).replace('\n', "\n    "));
    }
    if commands.len() > SHOWN {
        aside!("  … {} more", commands.len() - SHOWN);
    }
}

/// The conversation to undo in, with its lines: the one that was named, or the newest that changed anything here or ran
/// what may have. An older one that is gone back behind in silence would be a surprise.
async fn find(wiring: &Wiring, undo: &Undo, since: &Since) -> Result<Option<(Id, Vec<Line>)>, Fault> {
    if let Some(id) = &undo.id {
        let id = named(&wiring.store, id).await?;
        let lines = wiring.store.load(&id, 0).await?;
        if undo.to.is_some_and(|to| to >= lines.len() as u64) {
            return Err(Fault::usage(format!("the conversation has only {} records", lines.len())));
        }
        return Ok(Some((id, lines)));
    }
    for summary in wiring.list().await? {
        let lines = wiring.store.load(&summary.conversation, 0).await?;
        if acted_here(&wiring.world, &lines, since)? {
            return Ok(Some((summary.conversation, lines)));
        }
    }
    Ok(None)
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "file" } else { "files" }
}
