//! Where replies come from: a list, a rule, or a file.
//!
//! Start from [`Script`]. A script knows nothing of connections; the server asks it for one reply
//! a request.

mod file;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt;
use std::path::Path;

pub use file::ScriptError;

use crate::reply::Reply;
use crate::request::Request;
use crate::shape::Wire;

/// The replies of one server.
///
/// Only a rule is asked about requests to paths of no wire, such as a list of models: lists and
/// circles answer them with 404 and play on with the next request to a model.
pub struct Script(Source);

enum Source {
    List(VecDeque<Reply>),
    Circle(VecDeque<Reply>),
    Rule(Box<dyn FnMut(&Request) -> Reply + Send>),
}

impl Script {
    /// The given replies in order. Requests beyond them get a 400, which clients do not retry.
    pub fn list<R: Into<Reply>>(replies: impl IntoIterator<Item = R>) -> Self {
        Self(Source::List(replies.into_iter().map(Into::into).collect()))
    }

    /// The given replies in order, again and again.
    pub fn circle<R: Into<Reply>>(replies: impl IntoIterator<Item = R>) -> Self {
        Self(Source::Circle(replies.into_iter().map(Into::into).collect()))
    }

    /// Whatever `rule` says to each request, one request at a time.
    pub fn rule(rule: impl FnMut(&Request) -> Reply + Send + 'static) -> Self {
        Self(Source::Rule(Box::new(rule)))
    }

    /// Reads a script file; [`Script::FORMAT`] describes it.
    pub fn file(path: &Path) -> Result<Self, ScriptError> {
        file::read(path)
    }

    /// The format of script files, for people.
    pub const FORMAT: &'static str = file::FORMAT;

    /// The reply to `request`, or `None` when no reply is left.
    pub(crate) fn next(&mut self, request: &Request) -> Option<Reply> {
        match &mut self.0 {
            Source::Rule(rule) => Some(rule(request)),
            _ if Wire::of(&request.path).is_none() => Some(Reply::unknown_path(&request.path)),
            Source::List(replies) => replies.pop_front(),
            Source::Circle(replies) => {
                replies.rotate_left(1.min(replies.len()));
                replies.back().cloned()
            }
        }
    }

    /// How many replies of a list have not been played.
    pub(crate) fn left(&self) -> usize {
        match &self.0 {
            Source::List(replies) => replies.len(),
            Source::Circle(_) | Source::Rule(_) => 0,
        }
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.0 {
            Source::List(_) => "list",
            Source::Circle(_) => "circle",
            Source::Rule(_) => "rule",
        };
        write!(f, "Script({kind}, {} left)", self.left())
    }
}
