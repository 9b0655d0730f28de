//! The replay of a run of the solve door: its loop runs again from its brief, and says everything anew. Start at
//! [`play`].

use super::{Stage, as_recorded, difference, normal};
use crate::exit::Fault;
use crate::wiring::Wiring;
use agent::Store;
use agent::event::{Event, Opened, Status};
use host::solve::Brief;
use host::solve::snapshot::Before;

/// What the run was given, if it was one of the solve door.
pub fn brief(recorded: &[&Event]) -> Option<Brief> {
    recorded.iter().find_map(|event| match event {
        Event::Noted { note } => serde_json::from_value(note.get("solve")?.clone()).ok(),
        _ => None,
    })
}

/// What files were before the run that changed them, also those that commands changed.
pub fn before(recorded: &[&Event]) -> Vec<Before> {
    let found = recorded.iter().find_map(|event| match event {
        Event::Noted { note } => serde_json::from_value(note.get("before")?.clone()).ok(),
        _ => None,
    });
    found.unwrap_or_default()
}

/// Plays the run again. Says where it first went another way.
pub async fn play(
    wiring: &Wiring,
    brief: &Brief,
    opened: &Opened,
    recorded: &[&Event],
    stage: &Stage,
) -> Result<Option<String>, Fault> {
    let workshop = wiring.workshop(opened.clone());
    workshop.play(brief, &mut |_| {}, Box::pin(std::future::pending())).await.map_err(Fault::error)?;
    let played = wiring.store.load(workshop.id(), 0).await?;
    for (seq, event) in recorded.iter().enumerate() {
        if ended_early(event) {
            aside!("record {seq}: it was stopped then; the replay ends before it");
            return Ok(None);
        }
        let Some(line) = played.get(seq) else {
            return Ok(Some(format!("record {seq}: the replay ended here")));
        };
        let played = as_recorded(&line.record.event, stage, &opened.directory);
        if normal(event) != played {
            return Ok(Some(difference(seq, &normal(event), &played)));
        }
    }
    Ok((played.len() > recorded.len())
        .then(|| format!("the replay went on after record {}", recorded.len() - 1)))
}

fn ended_early(event: &Event) -> bool {
    match event {
        Event::Cancelled {} => true,
        Event::Ran { outcome, .. } => outcome.status == Status::Interrupted,
        _ => false,
    }
}
