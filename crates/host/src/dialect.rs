//! Dialects: how tool calls are spoken, whatever wire carries the words. Start at [`Dialect`], and at [`Spoken`] for a
//! model that is spoken to in one.
//!
//! - `native`: the provider's own calls. What a model writes as text instead is recognised ([`native`]).
//! - `json`: the whole reply is one JSON object; [`json`] is the planner's, [`calls`] that of every other profile.
//! - `text`: tagged blocks between words ([`text`]), for chats that a person carries and models that know nothing else.
//!
//! Everything but [`Spoken`] is text in and values out: no clock, no file, no panic, and time in proportion to the text.
//! There is no `auto` here: which dialect a model speaks is found out by whoever can ask it, and remembered by them.

mod auto;
pub mod calls;
pub mod json;
mod lenient;
mod misread;
pub mod native;
mod reply;
mod request;
mod spoken;
pub mod text;

pub use auto::Auto;
pub(crate) use misread::misread;
pub use misread::{MISREAD, Misread};
pub use reply::understand;
pub use request::rewrite;
pub use spoken::Spoken;

use serde::{Deserialize, Serialize};

/// The most calls that are taken from one reply.
pub const MOST_CALLS: usize = 1024;

/// How tool calls are spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    #[default]
    Native,
    Json,
    Text,
}

/// Whether a provider can hold its models to a JSON Schema, so that the `json` dialect sends it one. The model is told
/// what to write either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Enforcement {
    #[default]
    No,
    Schema,
}
