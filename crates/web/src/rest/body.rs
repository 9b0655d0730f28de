//! The body of a request: JSON and no larger than it may be. Start at [`Body`].

use crate::fault::Fault;
use axum::body::BodyDataStream;
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use futures::StreamExt;
use serde::de::DeserializeOwned;
use std::time::Duration;
use tokio::time::timeout;

/// The largest body that is taken.
const LARGEST: usize = 16 << 20;
/// What is still read, and dropped, of a larger one: many clients write all of it before they listen.
const DRAINED: usize = 256 << 20;
/// How long a client may take to send its body.
const PATIENCE: Duration = Duration::from_secs(60);

/// A JSON body, read into what a route takes.
pub struct Body<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for Body<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, _state: &S) -> Result<Body<T>, Fault> {
        let bytes = bytes(request, LARGEST).await?;
        let value = serde_json::from_slice(&bytes)
            .map_err(|error| Fault::bad(format!("The body cannot be read: {error}")))?;
        Ok(Body(value))
    }
}

/// The bytes of a body that says it is JSON, if there are no more of them than `largest`.
pub async fn bytes(request: Request, largest: usize) -> Result<Vec<u8>, Fault> {
    if !is_json(&request) {
        return Err(Fault::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body must be application/json."));
    }
    let slow = |_| Fault::new(StatusCode::REQUEST_TIMEOUT, "The body took too long.");
    let stream = request.into_body().into_data_stream();
    timeout(PATIENCE, gather(stream, largest)).await.map_err(slow)?
}

fn is_json(request: &Request) -> bool {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

async fn gather(mut stream: BodyDataStream, largest: usize) -> Result<Vec<u8>, Fault> {
    let (mut bytes, mut seen) = (Vec::new(), 0);
    while let Some(piece) = stream.next().await {
        let piece = piece.map_err(|error| Fault::bad(format!("The body broke off: {error}")))?;
        seen += piece.len();
        if seen > DRAINED {
            break;
        }
        if seen > largest {
            bytes = Vec::new();
        } else {
            bytes.extend_from_slice(&piece);
        }
    }
    if seen > largest {
        let message = format!("The body may be {largest} bytes long at most.");
        return Err(Fault::new(StatusCode::PAYLOAD_TOO_LARGE, message));
    }
    Ok(bytes)
}
