//! The routes of conversations: list, show, edit, remove, page through, undo. Start at [`list`].

use super::body::{LARGEST_WHOLE, whole};
use super::{Asked, Body};
use crate::Door;
use crate::fault::Fault;
use crate::id::conversation_id;
use crate::messages::messages;
use crate::shape::{Change, ConversationMessages, ConversationShape};
use crate::teller::{Teller, status};
use agent::desk::{PutBack, Since};
use agent::event::{Call, CallId, Configured, Event};
use agent::view::LONGEST_TOPIC;
use agent::{Command, Id, Line, Summary, View};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// How many records one answer holds, unless the client says otherwise, and at most.
const PAGE: usize = 1000;
const LARGEST_PAGE: usize = 10_000;
/// A reply is told with its price, and the model that has it was named when it was asked: a few records before, unless
/// much happened meanwhile.
const BEFORE: u64 = 16;

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Search {
    /// Only those whose topic contains this
    #[serde(default)]
    search: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Paged {
    /// Only those after this seq; all when left out
    #[serde(default)]
    #[schemars(with = "i64", range(min = -1, max = LARGEST_WHOLE))]
    after: Option<i64>,
    /// At most so many; 1000 when left out
    #[serde(default)]
    #[schemars(with = "u32", range(max = u32::MAX))]
    limit: Option<u32>,
}

/// A character that can be seen, as [`agent::view::topic`] has it: a topic has one at least. The last range is written
/// out, since the languages that read the document do not agree on how to name it.
const SEEN: &str = concat!(
    r"[^\s\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f",
    r"\ufeff\ufff9-\ufffb",
    "\u{e0000}-\u{e007f}]"
);

/// What to change of a conversation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = json!([
    { "required": ["topic"], "properties": { "topic": { "type": "string" } } },
    { "required": ["model"], "properties": { "model": { "type": "string" } } },
])))]
pub struct Edit {
    #[serde(default)]
    #[schemars(length(max = 200), regex(pattern = SEEN))]
    topic: Option<String>,
    /// As provider/model.
    #[serde(default)]
    #[schemars(regex(pattern = "/"))]
    model: Option<String>,
}

/// A page of changes, with the last seq that there is.
#[derive(Debug, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changes {
    changes: Vec<Change>,
    last: i64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RuleShape {
    rule: String,
}

/// How far an undo reaches: the last run's changes unless a call or a seq is named.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = json!([
    { "properties": { "call": { "type": "null" } } },
    { "properties": { "to": { "type": "null" } } },
])))]
pub struct Undo {
    #[serde(default)]
    call: Option<String>,
    #[serde(default, deserialize_with = "whole")]
    #[schemars(range(max = LARGEST_WHOLE))]
    to: Option<u64>,
    mode: UndoMode,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum UndoMode {
    /// Only say what would happen.
    Look,
    /// Unless somebody else changed a file since.
    Unchanged,
    /// Whoever changed a file since.
    Whatever,
}

#[derive(Debug, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Undone {
    files: Vec<UndoneFile>,
    /// Commands that ran since, whose changes no undo knows of.
    commands: Vec<String>,
    done: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct UndoneFile {
    path: String,
    diff: String,
    /// Why it is not safe to put it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    contested: Option<String>,
}

pub async fn list(
    State(door): State<Door>,
    Asked(Search { search }): Asked<Search>,
) -> Result<Json<Vec<ConversationShape>>, Fault> {
    let mut all = door.lobby.hub.list().await?;
    all.sort_by(|a, b| b.created.cmp(&a.created).then_with(|| b.conversation.cmp(&a.conversation)));
    let wanted = search.trim().to_lowercase();
    let fits = |summary: &Summary| wanted.is_empty() || summary.topic.to_lowercase().contains(&wanted);
    Ok(Json(all.into_iter().filter(fits).map(ConversationShape::from).collect()))
}

pub async fn show(
    State(door): State<Door>,
    Path(id): Path<String>,
) -> Result<Json<ConversationMessages>, Fault> {
    let id = parse(&id)?;
    let lines = door.lobby.hub.read(&id, 0).await?;
    let mut view = View::default();
    lines.iter().for_each(|line| view.apply(&line.record.event));
    let updated = lines.last().map_or(0, |line| line.record.at);
    let status = status(door.lobby.hub.phase(&id, view.phase(), updated));
    let messages = messages(lines.iter().map(|line| &line.record.event));
    Ok(Json(ConversationMessages { id: id.to_string(), topic: view.topic, status, messages }))
}

pub async fn edit(
    State(door): State<Door>,
    Path(id): Path<String>,
    Body(Edit { topic, model }): Body<Edit>,
) -> Result<Json<ConversationShape>, Fault> {
    if topic.as_ref().is_some_and(|name| agent::view::topic(name).is_none()) {
        return Err(Fault::bad(format!("A topic has between 1 and {LONGEST_TOPIC} characters.")));
    }
    if model.as_ref().is_some_and(|model| !model.contains('/')) {
        return Err(Fault::bad("A model is named as provider/model."));
    }
    if topic.is_none() && model.is_none() {
        return Err(Fault::bad("There is nothing to change: name a topic or a model."));
    }
    let seat = door.lobby.enter(&parse(&id)?).await?;
    let seq = seat.session.send(Command::Configure(Configured { model, topic })).await?;
    seat.heard(seq).await;
    Ok(Json(seat.conversation()))
}

pub async fn remove(State(door): State<Door>, Path(id): Path<String>) -> Result<StatusCode, Fault> {
    door.lobby.remove(&parse(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub async fn events(
    State(door): State<Door>,
    Path(id): Path<String>,
    Asked(paged): Asked<Paged>,
) -> Result<Response, Fault> {
    let page = door.lobby.hub.page(&parse(&id)?, paged.from()?, paged.limit()).await?;
    let texts: Vec<&str> = page.lines.iter().map(|line| line.text.as_str()).collect();
    let body = format!("[{}]", texts.join(","));
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

pub async fn changes(
    State(door): State<Door>,
    Path(id): Path<String>,
    Asked(paged): Asked<Paged>,
) -> Result<Json<Changes>, Fault> {
    let (id, from) = (parse(&id)?, paged.from()?);
    let read =
        async |before: u64| door.lobby.hub.page(&id, from - before, paged.limit() + before as usize).await;
    let mut page = read(BEFORE.min(from)).await?;
    if from > BEFORE && lacks_model(&page.lines, from) {
        page = read(from).await?;
    }
    let mut teller = Teller::new(id.as_str(), door.lobby.desk.clone());
    let mut changes = Vec::new();
    for line in &page.lines {
        if line.record.seq >= from {
            changes.push(teller.change(&line.record));
        }
        teller.hear(&line.record);
    }
    Ok(Json(Changes { changes, last: page.records as i64 - 1 }))
}

pub async fn rule(
    State(door): State<Door>,
    Path((id, call)): Path<(String, String)>,
) -> Result<Json<RuleShape>, Fault> {
    let lines = read(&door, &id, 0).await?;
    let call = find_call(&lines, &CallId(call.clone())).ok_or_else(|| {
        Fault::new(StatusCode::NOT_FOUND, format!("There is no call {call} in this conversation"))
    })?;
    let rule = door.lobby.desk.rule(&call).map_err(Fault::conflict)?;
    Ok(Json(RuleShape { rule }))
}

pub async fn undo(
    State(door): State<Door>,
    Path(id): Path<String>,
    Body(undo): Body<Undo>,
) -> Result<Json<Undone>, Fault> {
    let since = match (undo.call, undo.to) {
        (Some(call), None) => Since::Call(CallId(call)),
        (None, Some(to)) => Since::Seq(to),
        (None, None) => Since::LastRun,
        (Some(_), Some(_)) => return Err(Fault::bad("Name a call or a seq, not both.")),
    };
    let how = match undo.mode {
        UndoMode::Look => PutBack::Look,
        UndoMode::Unchanged => PutBack::Unchanged,
        UndoMode::Whatever => PutBack::Whatever,
    };
    let seat = door.lobby.enter(&parse(&id)?).await?;
    let restored = door.lobby.desk.undo(&seat.session, since, how).await.map_err(Fault::conflict)?;
    let files = restored.files.into_iter();
    let files = files.map(|file| UndoneFile { path: file.path, diff: file.diff, contested: file.contested });
    Ok(Json(Undone { files: files.collect(), commands: restored.commands, done: restored.done }))
}

impl Paged {
    fn from(&self) -> Result<u64, Fault> {
        match self.after {
            None => Ok(0),
            Some(-1) => Ok(0),
            Some(after) => match u64::try_from(after) {
                Ok(after) if after <= LARGEST_WHOLE => Ok(after + 1),
                _ => Err(Fault::bad("`after` is a seq, or -1 for all.")),
            },
        }
    }

    fn limit(&self) -> usize {
        self.limit.map_or(PAGE, |limit| limit as usize).min(LARGEST_PAGE)
    }
}

/// The id of a conversation; what is none is not found.
pub(super) fn parse(id: &str) -> Result<Id, Fault> {
    conversation_id(id).map_err(|_| Fault::unknown(&id.chars().take(80).collect::<String>()))
}

async fn read(door: &Door, id: &str, from: u64) -> Result<Vec<Line>, Fault> {
    Ok(door.lobby.hub.read(&parse(id)?, from).await?)
}

/// Whether a reply from a seq on was asked of a model that these records do not name.
fn lacks_model(lines: &[Line], from: u64) -> bool {
    let first = lines.iter().map(|line| &line.record).find(|record| {
        matches!(record.event, Event::Asked { .. })
            || matches!(record.event, Event::Replied(_) if record.seq >= from)
    });
    first.is_some_and(|record| matches!(record.event, Event::Replied(_)))
}

fn find_call(lines: &[Line], id: &CallId) -> Option<Call> {
    let calls = lines.iter().rev().filter_map(|line| match &line.record.event {
        Event::Replied(reply) => Some(&reply.calls),
        _ => None,
    });
    calls.flatten().find(|call| call.id == *id).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_says_which_topics_are_taken() {
        let seen = regex::Regex::new(SEEN).expect("the pattern is one");
        for c in '\0'..=char::MAX {
            let topic = c.to_string();
            assert_eq!(seen.is_match(&topic), agent::view::topic(&topic).is_some(), "{c:?}");
        }
    }
}
