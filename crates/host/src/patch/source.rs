//! A patch as it arrived: its wrapping, its line endings, and which format it is.
//!
//! Start from [`Source`]. It looks at a patch only as far as is needed to choose a reader.

use super::error::PatchError;
use super::gitdiff;
use super::hunk::Rows;
use super::path::{agree, are_placeholders};
use super::place::Dialect;
use super::section::{Action, Section};
use super::v4a;
use super::wrapper::unwrapped;

/// A patch without its wrapping.
pub struct Source<'a> {
    text: &'a str,
    /// How many lines of wrapping came before it.
    skipped: usize,
    /// How its lines end.
    pub end: &'static str,
}

/// The formats a patch may be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Envelope,
    Unified,
    Body,
}

/// What lines are that come before any header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unnamed {
    /// A diff of a file named elsewhere.
    IsBody,
    /// Words around a patch.
    IsProse,
}

impl<'a> Source<'a> {
    /// Takes a patch out of its wrapping.
    pub fn new(patch: &'a str) -> Source<'a> {
        let (text, skipped) = unwrapped(patch);
        let first = text.split_inclusive('\n').next();
        let returned = first.is_some_and(|line| line.ends_with("\r\n"));
        Source { text, skipped, end: if returned { "\r\n" } else { "\n" } }
    }

    /// Its lines.
    pub fn rows(&self) -> Rows<'a> {
        Rows::new(self.text, self.skipped)
    }

    /// The format: the first line that only one of them can begin with decides.
    pub fn format(&self, unnamed: Unnamed) -> Format {
        let mut rows = self.rows();
        while let Some(line) = rows.peek(0) {
            if line.trim() == v4a::BEGIN {
                return Format::Envelope;
            }
            if gitdiff::is_header(&rows, 0) {
                return Format::Unified;
            }
            let diff = line.starts_with(['+', '-', ' ', '@']) && !line.trim().is_empty();
            if diff && unnamed == Unnamed::IsBody {
                return Format::Body;
            }
            rows.take();
        }
        Format::Body
    }

    /// A section for the file that the caller names.
    pub fn section(&self, action: Action<'a>) -> Section<'a> {
        Section { names: Vec::new(), action, manner: v4a::manner(Dialect::Body, self.end) }
    }
}

/// Points the sections of a diff at the file the caller named.
pub fn direct(sections: &mut [Section<'_>], path: &str) -> Result<(), PatchError> {
    let names = |section: &Section<'_>| -> Vec<String> {
        let to = match &section.action {
            Action::Update { to, .. } => to.clone(),
            Action::Copy { to, .. } => Some(to.clone()),
            _ => None,
        };
        section.names.iter().cloned().chain(to).collect()
    };
    let fits = |section: &Section<'_>| {
        let names = names(section);
        names.is_empty() || are_placeholders(&section.names) || names.iter().any(|name| agree(name, path))
    };
    if !sections.iter().any(fits) {
        let named: Vec<String> = sections.iter().flat_map(names).collect();
        return Err(PatchError::Conflict(format!(
            "The diff is for {}, not for {path}.",
            named.first().map(String::as_str).unwrap_or("no file")
        )));
    }
    if let [section] = sections
        && !matches!(section.action, Action::Update { to: Some(_), .. } | Action::Copy { .. })
    {
        section.names = vec![path.to_owned()];
    }
    Ok(())
}
