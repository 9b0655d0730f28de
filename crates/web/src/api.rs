//! The stateless API: `POST /api/agent`, one prompt, one reply of the model, at most one tool call, nothing kept. Start
//! at [`agent`].
//!
//! Every outcome that is handled is a 200 with the same four fields, and so are the bodies of the few that are not. A
//! request that nobody waits for any more is cancelled.

mod context;
mod request;
mod run;
mod time;

pub use request::AgentRequest;
#[cfg(test)]
pub use request::Exchange;

use crate::Door;
use crate::fault::Fault;
use crate::rest::bytes;
use agent::{Desk, Hub};
use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use request::Wish;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// The largest body: 8 MB and a little, so that 8 MB of text with its quotes still pass.
const LARGEST: usize = (8 << 20) + (64 << 10);
/// How long a request may wait for its turn.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the stateless API works with.
pub struct Api {
    /// A hub for one request: one that forgets it, or one that keeps it.
    hub: MakeHub,
    desk: Arc<dyn Desk>,
    limit: Duration,
    places: Semaphore,
}

pub type MakeHub = Box<dyn Fn() -> Hub + Send + Sync>;

/// Bounds on requests.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// How long one may take.
    pub time: Duration,
    /// How many may be under way at once.
    pub concurrency: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { time: Duration::from_secs(120), concurrency: 64 }
    }
}

impl Api {
    pub fn new(hub: MakeHub, desk: Arc<dyn Desk>, bounds: Bounds) -> Api {
        Api { hub, desk, limit: bounds.time, places: Semaphore::new(bounds.concurrency) }
    }
}

/// The answer to every request.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(example = AgentResponse::example())]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AgentResponse {
    success: bool,
    /// `Tool execution result`, `Tool execution failed` or `AgentService error`.
    message: String,
    /// The answer; where the model called a tool, that tool's own result.
    data: Option<String>,
    error: Option<String>,
}

impl AgentResponse {
    fn done(data: String) -> AgentResponse {
        AgentResponse {
            success: true,
            message: "Tool execution result".into(),
            data: Some(data),
            error: None,
        }
    }

    /// What a tool said: a failure is known by how it begins.
    fn of_tool(text: String) -> AgentResponse {
        match text.starts_with("Error:") {
            true => AgentResponse::failed("Tool execution failed", text),
            false => AgentResponse::done(text),
        }
    }

    fn error(detail: impl Into<String>) -> AgentResponse {
        AgentResponse::failed("AgentService error", detail.into())
    }

    fn failed(message: &str, error: String) -> AgentResponse {
        AgentResponse { success: false, message: message.into(), data: None, error: Some(error) }
    }

    fn example() -> AgentResponse {
        AgentResponse::done("Read notes.txt (lines 1-1 of 1 total)\n\n1 | buy milk".into())
    }
}

/// `POST /api/agent`.
pub async fn agent(State(door): State<Door>, request: Request) -> Response {
    match answer(&door.api, request).await {
        Ok(response) => Json(response).into_response(),
        Err(fault) => {
            let (status, detail) = fault.parts();
            let mut response = (status, Json(AgentResponse::error(detail))).into_response();
            if status == StatusCode::SERVICE_UNAVAILABLE {
                response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            response
        }
    }
}

async fn answer(api: &Api, request: Request) -> Result<AgentResponse, Fault> {
    let body = bytes(request, LARGEST).await.map_err(not_json)?;
    let value = serde_json::from_slice(&body)
        .map_err(|error| Fault::bad(format!("The body is not JSON that can be read: {error}")))?;
    drop(body);
    let wish = match Wish::read(&value) {
        Ok(wish) => wish,
        Err(detail) => return Ok(AgentResponse::error(detail)),
    };
    drop(value);
    let busy =
        || Fault::new(StatusCode::SERVICE_UNAVAILABLE, "Too many requests are under way; try again soon.");
    let place = tokio::time::timeout(PATIENCE, api.places.acquire()).await;
    let Ok(Ok(_place)) = place else { return Err(busy()) };
    let took = tokio::time::timeout(api.limit, run::run(&(api.hub)(), &*api.desk, wish)).await;
    Ok(took.unwrap_or_else(|_| {
        AgentResponse::error(format!(
            "The request took longer than {} s and was given up.",
            api.limit.as_secs_f64()
        ))
    }))
}

/// What does not say that it is JSON is answered as what is not JSON.
fn not_json(fault: Fault) -> Fault {
    match fault.parts() {
        (StatusCode::UNSUPPORTED_MEDIA_TYPE, detail) => Fault::bad(detail),
        (status, detail) => Fault::new(status, detail),
    }
}

#[cfg(test)]
mod tests;
