//! What REST answers when it cannot do what was asked. Start at [`Fault`].

use agent::{SendError, StoreError};
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug)]
pub struct Fault {
    status: StatusCode,
    body: ErrorShape,
}

/// The body of every answer that is an error.
#[derive(Debug, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ErrorShape {
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub hint: Option<String>,
}

impl Fault {
    pub fn new(status: StatusCode, message: impl Into<String>) -> Fault {
        Fault { status, body: ErrorShape { message: message.into(), hint: None } }
    }

    pub fn bad(message: impl Into<String>) -> Fault {
        Fault::new(StatusCode::BAD_REQUEST, message)
    }

    pub fn conflict(message: impl Into<String>) -> Fault {
        Fault::new(StatusCode::CONFLICT, message)
    }

    /// The conversation that a client named does not exist.
    pub fn unknown(id: &str) -> Fault {
        Fault::new(StatusCode::NOT_FOUND, format!("Conversation with id {id} not found"))
    }

    /// The status, and what to tell a client whose answers have another shape.
    pub fn parts(self) -> (StatusCode, String) {
        (self.status, self.body.message)
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Fault {
        self.body.hint = Some(hint.into()).filter(|hint| !hint.is_empty());
        self
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Fault {
        match error {
            StoreError::Unknown(id) => Fault::unknown(id.as_str()),
            StoreError::Busy(_) => Fault::conflict(error.to_string()),
            StoreError::Stale => {
                Fault::conflict("The conversation has changed since it was read; try again.")
            }
            other => Fault::new(StatusCode::INTERNAL_SERVER_ERROR, other.to_string()),
        }
    }
}

impl From<SendError> for Fault {
    fn from(error: SendError) -> Fault {
        match error {
            SendError::Refused(refusal) => Fault::conflict(refusal.to_string()),
            SendError::Store(error) => error.into(),
            SendError::Closed => Fault::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string()),
        }
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        (self.status, Json(self.body)).into_response()
    }
}
