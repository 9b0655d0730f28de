//! `cinque log`: conversations as they are stored. Start at [`run`]. Only a replay does more than read.

pub mod export;
mod replay;

use crate::arguments::{Here, Log};
use crate::exit::{Exit, Fault, print};
use crate::mailbox::NOBODY;
use crate::paint::visible;
use crate::start::Start;
use crate::wiring::{self, named, parse_id, store_to_read};
use agent::event::{By, Event, Judged, Reply, Status};
use agent::{Id, Phase, Record, Store, Summary};
use export::Format;
use host::profiles;
use host::store::Sqlite;

/// A run's last note is looked for among so many last records: only undos come after it.
const AFTER_NOTE: u64 = 16;

pub fn run(here: Here, log: Log) -> Result<Exit, Fault> {
    let store = store_to_read(&here)?;
    let runtime = wiring::runtime()?;
    runtime.block_on(async {
        match (log, &store) {
            (Log::List { json }, store) => list(store.as_ref(), json).await,
            (Log::Verify { id: None }, None) => Ok(Exit::Done),
            (
                Log::Show { id }
                | Log::Export { id, .. }
                | Log::Verify { id: Some(id) }
                | Log::Replay { id, .. },
                None,
            ) => Err(agent::StoreError::Unknown(parse_id(&id)?).into()),
            (Log::Show { id }, Some(store)) => show(store, &named(store, &id).await?).await,
            (Log::Export { id, format }, Some(store)) => {
                export(&here, store, &named(store, &id).await?, format).await
            }
            (Log::Replay { id, place, approve }, Some(store)) => {
                let lines = store.load(&named(store, &id).await?, 0).await?;
                replay::run(&lines, &crate::start::directory(&here)?, place, approve).await
            }
            (Log::Verify { id: Some(id) }, Some(store)) => {
                verify(store, vec![named(store, &id).await?.into()]).await
            }
            (Log::Verify { id: None }, Some(store)) => verify(store, store.names().await?).await,
        }
    })
}

async fn list(store: Option<&Sqlite>, json: bool) -> Result<Exit, Fault> {
    let mut summaries = Vec::new();
    if let Some(store) = store {
        for summary in store.list().await? {
            summaries.push(as_solved(store, wiring::as_it_is(store, summary)).await);
        }
    }
    if summaries.is_empty() && !json {
        aside!("no conversations in this folder yet");
    }
    for summary in &summaries {
        if json {
            print(&serde_json::json!(summary).to_string())?;
        } else {
            print(&row(summary))?;
        }
    }
    Ok(Exit::Done)
}

/// To the log, a run of the solve door is several that all came to their end; what it came to as a whole its last note
/// says.
async fn as_solved(store: &Sqlite, mut summary: Summary) -> Summary {
    if summary.profile != profiles::SOLVE || summary.status != Phase::Done {
        return summary;
    }
    let from = summary.records.saturating_sub(AFTER_NOTE);
    // Damage is for `verify` to tell.
    let lines = store.load(&summary.conversation, from).await.unwrap_or_default();
    let solved = lines.iter().rev().find_map(|line| match &line.record.event {
        Event::Noted { note } => note["solved"]["success"].as_bool(),
        _ => None,
    });
    if solved == Some(false) {
        summary.status = Phase::Failed;
    }
    summary
}

fn row(summary: &Summary) -> String {
    let Summary { conversation, topic, status, updated, calls, .. } = summary;
    let status = serde_json::json!(status);
    let status = status.as_str().unwrap_or_default();
    format!("{conversation}  {}  {status:<11}  calls: {calls:<4} {}", when(*updated), visible(topic))
}

async fn show(store: &Sqlite, id: &Id) -> Result<Exit, Fault> {
    let mut open = Vec::new();
    for line in store.load(id, 0).await? {
        match &line.record.event {
            Event::Started { call } => open.push(call.clone()),
            Event::Ran { call, .. } => open.retain(|open| open != call),
            _ => {}
        }
        print(&entry(&line.record))?;
    }
    // The record of it is written when somebody goes on with the conversation.
    if !open.is_empty() && store.claim(id).is_ok_and(|claim| claim.is_some()) {
        for call in open {
            print(&format!(
                "      {call} {}: the program stopped while it ran",
                status(Status::Interrupted)
            ))?;
        }
    }
    Ok(Exit::Done)
}

/// One record for people.
fn entry(record: &Record) -> String {
    let head = format!("{:>4}  {}  ", record.seq, when(record.at));
    let body = match &record.event {
        Event::Opened(opened) => format!("opened with {} in {}", opened.model, opened.directory),
        Event::Said(said) => format!("said: {}", said.text),
        Event::Continued {} => "continued".into(),
        Event::Shortened {} => "a person wants it shorter".into(),
        Event::Called(call) => format!("a call of its own, {} ({}): {}", call.name, call.id, call.arguments),
        Event::Noted { note } => format!("noted: {note}"),
        Event::Asked { model, summary_of: None } => format!("asked {model}"),
        Event::Asked { model, .. } => format!("asked {model} for a summary"),
        Event::Replied(reply) => replied(reply),
        Event::Judged(judged) => ruling(judged),
        Event::Started { call } => format!("started {call}"),
        Event::Ran { call, outcome } => {
            format!("{call} {}: {}", status(outcome.status), outcome.text.trim_end())
        }
        Event::Compacted(compacted) => match &compacted.summary {
            Some(summary) => format!("compacted everything before {}: {summary}", compacted.before),
            None => format!("compacted: output before {} is left out of requests", compacted.before),
        },
        Event::Configured(configured) => format!("configured: {}", serde_json::json!(configured)),
        Event::Failed { failure, partial } if partial.is_empty() => format!("failed: {}", failure.message),
        Event::Failed { failure, partial } => format!("failed: {}\nafter: {partial}", failure.message),
        Event::Cancelled {} => "cancelled by a person".into(),
        Event::Stopped { reason } => {
            format!("stopped: {}", serde_json::json!(reason).as_str().unwrap_or_default())
        }
        Event::Undone { .. } => "undone: files were put back".into(),
    };
    format!("{head}{}", visible(&body).replace('\n', "\n      "))
}

fn replied(reply: &Reply) -> String {
    let mut parts = Vec::new();
    if !reply.text.is_empty() {
        parts.push(format!("replied: {}", reply.text));
    }
    for call in &reply.calls {
        parts.push(format!("calls {} ({}): {}", call.name, call.id, call.arguments));
    }
    if parts.is_empty() { "replied with nothing".into() } else { parts.join("\n") }
}

fn ruling(judged: &Judged) -> String {
    let by = match judged.by {
        By::Policy => "the policy",
        // The door declined in a person's place, and its words say why.
        By::Person if judged.reason == NOBODY => "the door",
        By::Person => "a person",
        By::Mode => "the approval mode",
    };
    let verdict = serde_json::json!(judged.verdict);
    let reason = if judged.reason.is_empty() { String::new() } else { format!(": {}", judged.reason) };
    format!("{} {} by {by}{reason}", judged.call, verdict.as_str().unwrap_or_default())
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Done => "done",
        Status::Failed => "failed",
        Status::TimedOut => "timed out",
        Status::Declined => "declined",
        Status::Refused => "refused",
        Status::Cancelled => "cancelled",
        Status::Interrupted => "interrupted, outcome unknown",
    }
}

async fn export(here: &Here, store: &Sqlite, id: &Id, format: Format) -> Result<Exit, Fault> {
    // As it is stored, also what could not be read.
    if format == Format::Cinque {
        for (_, line) in store.stored(id).await?.lines {
            print(&String::from_utf8_lossy(&line))?;
        }
        return Ok(Exit::Done);
    }
    let config = Start::new(here)?.config;
    let prices = |model: &str| config.price(model);
    print(export::render(format, id.as_str(), &store.load(id, 0).await?, &prices).trim_end())?;
    Ok(Exit::Done)
}

async fn verify(store: &Sqlite, names: Vec<String>) -> Result<Exit, Fault> {
    let mut exit = Exit::Done;
    for name in names {
        let checked = match Id::try_from(name.clone()) {
            Ok(id) => store.stored(&id).await?.verify().map_err(|damage| damage.to_string()),
            Err(why) => Err(why),
        };
        match checked {
            Ok(chain) => print(&format!("ok {name} {} records, head {}", chain.next, chain.head))?,
            Err(why) => {
                print(&visible(&format!("damaged {name} {why}")))?;
                exit = Exit::Check;
            }
        }
    }
    Ok(exit)
}

fn when(millis: u64) -> String {
    stamp(millis).to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// When a record was written. A time that no calendar has is shown as 1970.
fn stamp(millis: u64) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(i64::try_from(millis).unwrap_or(i64::MAX)).unwrap_or_default()
}
