//! `cinque log replay`: a recorded conversation played again through the real loop and the real tools, record by record.
//! Start at [`run`].
//!
//! The model's words and the person's commands are taken from the log; everything else must come out the same. It works
//! on a copy of the files, put back to what they were when the conversation began.

mod solve;

use crate::arguments::Here;
use crate::exit::{Exit, Fault, print};
use crate::paint::visible;
use crate::start::Start;
use crate::wiring::Wiring;
use agent::event::*;
use agent::{Command, Line, Update};
use host::config::Layer;
use host::replay::{Replay, answers};
use host::workspace::{Receipt, Theirs, Workspace};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub async fn run(
    lines: &[Line],
    workspace: &Path,
    given: Option<PathBuf>,
    approve: bool,
) -> Result<Exit, Fault> {
    let recorded: Vec<&Event> = lines.iter().map(|line| &line.record.event).collect();
    let Some(Event::Opened(opened)) = recorded.first() else {
        return Err(Fault::new(Exit::Check, "the log does not begin with its opening"));
    };
    if let Some(call) = approved(&recorded).find(|call| !approve || wants_network(call)) {
        let shown = format!("{} {}", call.name, call.arguments);
        let fault =
            Fault::new(Exit::Approval, format!("this was approved then, and would run again: {shown}"));
        return Err(match wants_network(call) {
            true => fault.hint("a replay never grants the network"),
            false => fault.hint("look at the log first; --approve runs again what was approved then"),
        });
    }
    let stage = match given {
        Some(folder) => Stage { folder: folder.canonicalize().map_err(Fault::error)?, own: false },
        None => Stage::copy(workspace, &receipts(&recorded))?,
    };
    if stage.own {
        host::solve::snapshot::restore(&stage.folder, &solve::before(&recorded)).map_err(Fault::error)?;
    }
    aside!("playing {} records in {}", recorded.len(), stage.folder.display());
    let model = Arc::new(Replay::of(&opened.model, answers(recorded.iter().copied())));
    let here = Here { model: None, dialect: None, directory: Some(stage.folder.clone()) };
    let name = opened.model.clone();
    let start = Start::with_flags(&here, as_then(&recorded))?;
    let wiring = Wiring::with_models(&start, None, name, Arc::new(move |_: &str| model.clone()))?;
    let divergence = match solve::brief(&recorded) {
        Some(brief) => solve::play(&wiring, &brief, opened, &recorded, &stage).await?,
        None => {
            let session = wiring.begin_as((*opened).clone()).await?;
            let mut player = Player { session, stage: &stage, directory: &opened.directory };
            player.play(&recorded).await?
        }
    };
    match divergence {
        None => {
            print(&format!("the same: {} records, no divergence", recorded.len()))?;
            Ok(Exit::Done)
        }
        Some(divergence) => {
            print(&visible(&divergence))?;
            Ok(Exit::Check)
        }
    }
}

struct Player<'a> {
    session: agent::Session,
    stage: &'a Stage,
    directory: &'a str,
}

impl Player<'_> {
    /// Plays all records after the opening. Says where it first went another way.
    async fn play(&mut self, recorded: &[&Event]) -> Result<Option<String>, Fault> {
        let mut updates = self.session.follow(1);
        let mut open: Vec<(usize, &Event)> = Vec::new();
        for (seq, event) in recorded.iter().enumerate().skip(1) {
            if let Event::Ran { call, outcome } = event
                && outcome.status == Status::Interrupted
            {
                aside!("record {seq}: {call} was interrupted then; the replay ends before it");
                return Ok(None);
            }
            if let Some(command) = command(event)
                && let Err(error) = self.session.send(command).await
            {
                return Ok(Some(format!("record {seq} does not fit any more: {error}")));
            }
            open.push((seq, event));
            let played = loop {
                match updates.next().await {
                    Some(Ok(Update::Record(record))) => break record,
                    Some(Ok(Update::Broken(why))) => return Err(Fault::error(why)),
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return Err(error.into()),
                    None => return Ok(Some(format!("record {seq}: the replay ended here"))),
                }
            };
            let played = as_recorded(&played.event, self.stage, self.directory);
            // Calls that run side by side may end in another order than they did.
            let ahead = recorded.iter().enumerate().skip(seq + 1);
            let same = |(_, event): &(usize, &Event)| normal(event) == played;
            match open.iter().position(same) {
                Some(at) => drop(open.remove(at)),
                None if matches!(event, Event::Ran { .. })
                    && ahead.clone().any(|(_, later)| normal(later) == played) => {}
                None => return Ok(Some(difference(seq, &normal(event), &played))),
            }
        }
        Ok(open.first().map(|(seq, _)| format!("record {seq} did not come again")))
    }
}

/// An event of the replay with the folder's name as it was then.
fn as_recorded(event: &Event, stage: &Stage, directory: &str) -> String {
    normal(event).replace(&*stage.folder.to_string_lossy(), directory)
}

/// What of an event must be the same again: not times, not where output was kept.
fn normal(event: &Event) -> String {
    let mut event = event.clone();
    if let Event::Ran { outcome, .. } = &mut event {
        outcome.detail.millis = None;
        outcome.detail.receipt = None;
    }
    if let Event::Failed { failure, partial } = &mut event {
        failure.retry = Retry::Never;
        partial.clear();
    }
    if let Event::Judged(judged) = &mut event {
        judged.digest.clear();
    }
    serde_json::json!(event).to_string()
}

fn difference(seq: usize, recorded: &str, played: &str) -> String {
    let at = recorded.bytes().zip(played.bytes()).take_while(|(a, b)| a == b).count();
    let around = |text: &str| {
        let from = (0..=at.saturating_sub(60).min(text.len()))
            .rev()
            .find(|n| text.is_char_boundary(*n))
            .unwrap_or(0);
        text[from..].chars().take(160).collect::<String>()
    };
    format!(
        "record {seq} differs from byte {at} on\n  then: …{}\n  now:  …{}",
        around(recorded),
        around(played)
    )
}

/// What a person did, as a command.
fn command(event: &Event) -> Option<Command> {
    match event {
        Event::Said(said) => Some(Command::Say(said.clone())),
        Event::Continued {} => Some(Command::Continue),
        Event::Shortened {} => Some(Command::Shorten),
        Event::Cancelled {} => Some(Command::Cancel),
        Event::Configured(configured) => Some(Command::Configure(configured.clone())),
        Event::Judged(Judged { call, verdict: Verdict::Approve, by: By::Person, .. }) => {
            Some(Command::Approve { call: call.clone(), digest: None })
        }
        Event::Judged(Judged { call, verdict: Verdict::Decline, by: By::Person, reason, .. }) => {
            Some(Command::Decline { call: call.clone(), words: reason.clone() })
        }
        Event::Called(Call { name, arguments, .. }) => {
            Some(Command::Call { name: name.clone(), arguments: arguments.clone() })
        }
        Event::Noted { note } => Some(Command::Note(note.clone())),
        Event::Undone { receipt, paths } => {
            Some(Command::Undone { receipt: receipt.clone(), paths: paths.clone() })
        }
        _ => None,
    }
}

/// The calls that ran because a person or a mode agreed.
fn approved<'a>(recorded: &'a [&'a Event]) -> impl Iterator<Item = &'a Call> {
    let agreed = |id: &CallId| {
        let agrees = |event: &&Event| matches!(event, Event::Judged(Judged { call, verdict: Verdict::Approve, .. }) if call == id);
        recorded.iter().any(agrees)
    };
    let calls = recorded.iter().filter_map(|event| match event {
        Event::Replied(reply) => Some(&reply.calls),
        _ => None,
    });
    calls.flatten().filter(move |call| agreed(&call.id))
}

fn wants_network(call: &Call) -> bool {
    let arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    arguments["network"] == true
}

fn receipts(recorded: &[&Event]) -> Vec<Receipt> {
    let receipt = |event: &&Event| match event {
        Event::Ran { outcome, .. } => outcome.detail.receipt.clone(),
        Event::Undone { receipt, .. } => Some(receipt.clone()),
        _ => None,
    };
    let found = recorded.iter().rev().filter_map(receipt);
    found.filter_map(|value| serde_json::from_value(value).ok()).collect()
}

/// The settings that the log shows to have been in force.
fn as_then(recorded: &[&Event]) -> Layer {
    let by_mode = recorded.iter().find_map(|event| match event {
        Event::Judged(Judged { by: By::Mode, verdict, .. }) => Some(*verdict),
        _ => None,
    });
    let approve = match by_mode {
        Some(Verdict::Approve) => "auto",
        Some(_) => "never",
        None => "ask",
    };
    let bounded = recorded.iter().any(|event| matches!(event, Event::Stopped { reason: Stop::Bound }));
    let asked =
        recorded.iter().filter(|event| matches!(event, Event::Asked { summary_of: None, .. })).count();
    let mut layer = Layer::default();
    layer.flag("replay", "approve", approve);
    layer.flag("replay", "max_turns", &if bounded { asked } else { 10_000 }.to_string());
    layer
}

/// Where the replay happens; a copy of our own is removed afterwards.
struct Stage {
    folder: PathBuf,
    own: bool,
}

impl Stage {
    fn copy(workspace: &Path, receipts: &[Receipt]) -> Result<Stage, Fault> {
        let folder = std::env::temp_dir().join(format!("cinque-replay-{}", uuid::Uuid::now_v7().simple()));
        std::fs::create_dir(&folder).map_err(Fault::error)?;
        let stage = Stage { folder: folder.canonicalize().map_err(Fault::error)?, own: true };
        host::copy::tree(workspace, &stage.folder)
            .map_err(|error| Fault::error(error).hint("--in DIR plays it in a folder that you prepared"))?;
        let copied = Workspace::open(&stage.folder).map_err(Fault::error)?;
        let undo = copied.plan_undo(receipts).map_err(Fault::error)?;
        copied.undo(&undo, Theirs::Overwrite).map_err(Fault::error)?;
        // The copied conversations were needed for their objects only.
        for name in ["app.db", "app.db-wal", "app.db-shm"] {
            let _ = std::fs::remove_file(stage.folder.join(".cinque").join(name));
        }
        Ok(stage)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if self.own {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}
