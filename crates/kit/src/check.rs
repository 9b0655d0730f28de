//! Checks over recorded requests that look at raw bytes.
//!
//! Start from [`prefix_growth`]. Checks return what is wrong as text for people and never panic,
//! so that a test can also assert that one fails.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::request::Request;
use crate::shape::Wire;

/// How many bytes are shown on each side of a difference.
const CONTEXT: usize = 60;

/// Checks that each request repeats the one before it byte for byte, from the first byte of the
/// body to the end of its last message, and then adds nothing but further messages.
///
/// Requests to paths of no wire are passed over; a repeated request (a retry) is in order.
pub fn prefix_growth(requests: &[Arc<Request>]) -> Result<(), String> {
    let mut before: Option<(&Request, Range<usize>)> = None;
    for request in requests {
        let Some(wire) = Wire::of(&request.path) else {
            continue;
        };
        let span = history_span(&request.body, wire.history())
            .map_err(|error| format!("request {}: {error}", request.number))?;
        if let Some((earlier, messages)) = before {
            compare(earlier, &messages, request)?;
        }
        before = Some((request, span));
    }
    Ok(())
}

fn compare(earlier: &Request, messages: &Range<usize>, later: &Request) -> Result<(), String> {
    let end = messages.end;
    let kept = earlier.body.get(..end).unwrap_or_default();
    let same = kept.iter().zip(&later.body).take_while(|(a, b)| a == b);
    let same = same.count();
    if same < kept.len() {
        return Err(format!(
            "request {} does not repeat request {} from byte {same} on:\n  was {}\n  is  {}",
            later.number,
            earlier.number,
            around(&earlier.body, same),
            around(&later.body, same),
        ));
    }
    // What follows must be the next element or the end of the array: `12` repeats the bytes of
    // `1`, but it is another message.
    let next = later.body.get(end..).unwrap_or_default();
    let next = next.iter().find(|byte| !byte.is_ascii_whitespace());
    if !messages.is_empty() && !matches!(next, Some(b',' | b']')) {
        return Err(format!(
            "request {} changes the last message of request {}: {}",
            later.number,
            earlier.number,
            around(&later.body, end),
        ));
    }
    Ok(())
}

/// Where the conversation's messages lie in a body: from the first byte of the first one to the
/// last byte of the last one, without the brackets.
fn history_span(body: &[u8], member: &str) -> Result<Range<usize>, String> {
    let text = std::str::from_utf8(body).map_err(|error| error.to_string())?;
    let members: HashMap<String, &RawValue> =
        serde_json::from_str(text).map_err(|error| format!("the body is not a JSON object: {error}"))?;
    let array = members.get(member).ok_or(format!("no `{member}`"))?.get();
    let inner = array
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .ok_or(format!("`{member}` is not an array"))?
        .trim();
    // A raw value is a slice of the text it was read from, so its address is its offset.
    let start = inner.as_ptr().addr() - text.as_ptr().addr();
    Ok(start..start + inner.len())
}

fn around(body: &[u8], at: usize) -> String {
    let from = at.saturating_sub(CONTEXT);
    let to = (at + CONTEXT).min(body.len());
    String::from_utf8_lossy(body.get(from..to).unwrap_or_default()).into_owned()
}
