//! What a patch says about one file, whichever format it was written in.
//!
//! Start from [`Section`]. It holds wishes, not effects: nothing here has looked at a file.

use super::apply::Manner;
use super::hunk::Hunk;

/// One file's part of a patch.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    /// The paths that may be meant: the first that exists, or else the first.
    pub names: Vec<String>,
    pub action: Action<'a>,
    pub manner: Manner,
}

/// What is to become of the file.
#[derive(Clone, Debug)]
pub enum Action<'a> {
    /// Write this text, whether or not the file exists.
    Write(String),
    /// Write the lines of the hunks into a file that must not exist.
    Create(Vec<Hunk<'a>>),
    /// Change it, and give it another name if there is one.
    Update { hunks: Vec<Hunk<'a>>, to: Option<String> },
    /// Write a changed copy under another name.
    Copy { hunks: Vec<Hunk<'a>>, to: String },
    /// Delete it, whatever it contains.
    Delete,
    /// Delete it if the hunks remove all of it.
    Erase(Vec<Hunk<'a>>),
}
