//! The routes of the machine: what is configured, the demo, the mailbox. Start at [`setup`].

use super::Body;
use super::conversations::parse;
use crate::Door;
use crate::fault::Fault;
use crate::id::{conversation_id, new_guid};
use agent::Command;
use agent::event::Said;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long providers may take to say what they offer.
const ASKING: Duration = Duration::from_secs(20);

#[derive(Debug, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Setup {
    directory: String,
    version: String,
    /// The model of conversations that name none.
    model: String,
    profiles: Vec<String>,
    /// What keeps that model from being asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    missing: Option<Missing>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Missing {
    message: String,
    hint: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ModelList {
    models: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Begun {
    id: String,
}

/// What a person carries between this conversation and a chat.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Letter {
    text: String,
}

pub async fn setup(State(door): State<Door>) -> Json<Setup> {
    let desk = &door.lobby.desk;
    let model = desk.model();
    let missing =
        desk.missing(&model).map(|failure| Missing { message: failure.message, hint: failure.hint });
    let (directory, version) = (desk.directory().to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    Json(Setup { directory, version, model, profiles: desk.profiles(), missing })
}

pub async fn models(State(door): State<Door>) -> Json<ModelList> {
    let models = tokio::time::timeout(ASKING, door.lobby.desk.models()).await;
    Json(ModelList { models: models.unwrap_or_default() })
}

pub async fn demo(State(door): State<Door>) -> Result<Json<Begun>, Fault> {
    let failed = |why: String| Fault::new(StatusCode::INTERNAL_SERVER_ERROR, why);
    let desk = door.lobby.desk.clone();
    let laid_out = tokio::task::spawn_blocking(move || desk.demo()).await;
    let (opened, text) = laid_out.map_err(|error| failed(error.to_string()))?.map_err(failed)?;
    let id = new_guid().map_err(failed)?;
    let seat = door.lobby.begin(&conversation_id(&id).map_err(failed)?, opened).await?;
    seat.session.send(Command::Say(Said { text, context: None })).await?;
    Ok(Json(Begun { id }))
}

pub async fn outbox(State(door): State<Door>, Path(id): Path<String>) -> Result<Json<Letter>, Fault> {
    let text = door.lobby.desk.outbox(&parse(&id)?);
    let nothing = || Fault::new(StatusCode::NOT_FOUND, "There is nothing to carry to a chat.");
    Ok(Json(Letter { text: text.ok_or_else(nothing)? }))
}

pub async fn inbox(
    State(door): State<Door>,
    Path(id): Path<String>,
    Body(Letter { text }): Body<Letter>,
) -> Result<StatusCode, Fault> {
    door.lobby.desk.inbox(&parse(&id)?, text).map_err(Fault::conflict)?;
    Ok(StatusCode::NO_CONTENT)
}
