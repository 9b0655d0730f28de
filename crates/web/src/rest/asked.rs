//! What the query of a request asks for. Start at [`Asked`]: a query that cannot be read is answered as every other error.

use crate::fault::Fault;
use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

/// A query, read into what a route takes.
pub struct Asked<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Asked<T>, Fault> {
        let unread = |error: QueryRejection| {
            Fault::bad(format!("The query cannot be read: {}", reason(&error.body_text())))
        };
        let Query(asked) = Query::try_from_uri(&parts.uri).map_err(unread)?;
        Ok(Asked(asked))
    }
}

/// The part of a rejection that is about the query itself.
fn reason(text: &str) -> &str {
    text.split_once(": ").map_or(text, |(_, reason)| reason)
}
