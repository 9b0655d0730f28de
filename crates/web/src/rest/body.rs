//! The body of a request: JSON and no larger than it may be. Start at [`Body`].

use crate::fault::Fault;
use axum::body::{BodyDataStream, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use futures::StreamExt;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use std::time::Duration;
use tokio::time::timeout;

/// The largest body that is taken.
const LARGEST: usize = 16 << 20;
/// What is still read, and dropped, of a larger one: many clients write all of it before they listen.
const DRAINED: usize = 256 << 20;
/// A client that sends no more of it for so long listens by now.
const QUIET: Duration = Duration::from_secs(1);
/// How long a client may take to send its body.
const PATIENCE: Duration = Duration::from_secs(60);

/// The largest whole number that every client can write exactly.
pub const LARGEST_WHOLE: u64 = (1 << 53) - 1;

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

/// A whole number, however it is written: `5.0` is one to JSON Schema.
pub fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let Some(number) = Option::<serde_json::Number>::deserialize(deserializer)? else { return Ok(None) };
    let float = number.as_f64().filter(|float| float.fract() == 0.0 && *float >= 0.0);
    let whole =
        number.as_u64().or_else(|| float.map(|float| float as u64)).filter(|whole| *whole <= LARGEST_WHOLE);
    whole
        .map(Some)
        .ok_or_else(|| D::Error::custom(format!("{number} is not a whole number up to {LARGEST_WHOLE}")))
}

/// The bytes of a body that says it is JSON, if there are no more of them than `largest`.
pub async fn bytes(request: Request, largest: usize) -> Result<Vec<u8>, Fault> {
    if !is_json(&request) {
        return Err(Fault::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body must be application/json."));
    }
    let slow = |_| Fault::new(StatusCode::REQUEST_TIMEOUT, "The body took too long.");
    let announced = request.body().size_hint().lower() > largest as u64;
    let asks_first = request.headers().contains_key(header::EXPECT);
    let stream = request.into_body().into_data_stream();
    if announced {
        // Who asks before sending has sent nothing yet.
        if !asks_first {
            drain(stream).await;
        }
        return Err(too_large(largest));
    }
    timeout(PATIENCE, gather(stream, largest)).await.map_err(slow)?
}

fn is_json(request: &Request) -> bool {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

async fn gather(mut stream: BodyDataStream, largest: usize) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    while let Some(piece) = stream.next().await {
        let piece = piece.map_err(|error| Fault::bad(format!("The body broke off: {error}")))?;
        if bytes.len() + piece.len() > largest {
            drop(bytes);
            drain(stream).await;
            return Err(too_large(largest));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

/// Reads on without keeping anything, as long as the client goes on sending.
async fn drain(mut stream: BodyDataStream) {
    let read = async {
        let mut left = DRAINED;
        while let Ok(Some(Ok(piece))) = timeout(QUIET, stream.next()).await {
            left = left.saturating_sub(piece.len());
            if left == 0 {
                return;
            }
        }
    };
    // However long it took, the answer is the same.
    let _ = timeout(PATIENCE, read).await;
}

fn too_large(largest: usize) -> Fault {
    let message = format!("The body may be {largest} bytes long at most.");
    Fault::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}
