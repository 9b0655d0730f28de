//! JSON Schema: is this value what was asked for, and if not, what would mend it?
//!
//! Start from [`Schema::compile`] and [`Schema::check`]; [`read_json_answer`] finds the JSON in a model's words.
//! Drafts 7, 2019-09 and 2020-12 are known. A schema without `$schema` is read as 2020-12, and the older spellings
//! that mean one thing only (`items` as a list, `additionalItems`, `dependencies`) are honoured too.
//!
//! `format` and the `content…` keywords are annotations: they are never checked. Unknown keywords are ignored, as
//! the standard says. What cannot be checked faithfully (`$dynamicRef`, `$recursiveRef`, a `$ref` out of the document,
//! look-around in a `pattern`) is refused when the schema is compiled, so a check never passes by silence.
//!
//! Nothing here opens a file or a socket, and no schema or value can make it recurse or run without end.

mod answer;
mod assertion;
mod compile;
mod cycle;
mod decimal;
mod draft;
mod equal;
mod names;
mod pattern;
mod place;
mod rule;
#[cfg(test)]
mod tests;
mod uri;
mod violation;
mod walk;

pub use answer::{demand, read_json_answer};
pub use violation::Violation;

use rule::{Node, NodeId};
use serde_json::Value;

/// A compiled schema, ready to check any number of values.
#[derive(Debug)]
pub struct Schema {
    nodes: Vec<Node>,
    root: NodeId,
    /// Whether any rule asks what other rules have looked at. Keeping count is not free, so it is done only then.
    tracks: bool,
}

/// Why a schema cannot be used. `at` is where in the schema, as a JSON pointer with `#` before it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    #[error("the schema is wrong at {at}: `{keyword}` {problem}")]
    Wrong { at: String, keyword: String, problem: String },
    #[error("the schema is wrong at {at}: a schema must be an object, true or false, not {found}")]
    NotASchema { at: String, found: String },
    #[error("the schema cannot be used: `{keyword}` at {at} {problem}")]
    Unsupported { at: String, keyword: String, problem: String },
    #[error("the schema is too large: {problem}")]
    TooLarge { problem: String },
}

impl Schema {
    /// Reads a schema whole, so that everything wrong with it is known before the first check.
    pub fn compile(schema: &Value) -> Result<Schema, SchemaError> {
        compile::compile(schema)
    }

    /// Checks a value. On failure the first few violations are given, never none.
    pub fn check(&self, value: &Value) -> Result<(), Vec<Violation>> {
        walk::check(self, value)
    }
}
