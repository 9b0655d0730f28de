//! Patches: text in, planned changes out.
//!
//! Start from [`plan`] for a patch that names its files, [`plan_file`] for the diff of one named file,
//! [`apply_body`] for plain text, and [`unified`] to show a change. One engine reads the headerless V4A diff,
//! the `*** Begin Patch` envelope and unified diffs, each also in a code fence or a here-document.
//!
//! It opens no file: the caller hands in a reader, checks where the changes lead, and carries out
//! all of them or none. It never guesses: a hunk has one certain place, or the whole patch is refused.

mod act;
mod anchor;
mod apply;
mod error;
mod gitdiff;
mod hunk;
mod nearest;
mod overlay;
mod path;
mod place;
mod render;
mod section;
mod seek;
mod source;
#[cfg(test)]
mod tests;
mod text;
mod v4a;
mod wrapper;

pub use error::{Failure, Mismatch, Nearest, PatchError, Reason};
pub use overlay::Read;
pub use render::unified;

use act::carry_out;
use apply::apply;
use place::Dialect;
use section::Action;
use source::{Format, Source, Unnamed, direct};

/// The net changes of a patch, sorted by path; to be carried out together or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub changes: Vec<Change>,
}

/// What happens to one file. The bytes found when planning are included, so that the caller can
/// refuse if they are no longer there, and can undo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A file is made, or its bytes are replaced.
    Write {
        path: String,
        content: Vec<u8>,
        before: Option<Vec<u8>>,
    },
    Delete {
        path: String,
        before: Vec<u8>,
    },
    /// A file changes its path, and maybe its bytes; its mode goes with it.
    Move {
        from: String,
        to: String,
        content: Vec<u8>,
        /// The bytes at `from`.
        before: Vec<u8>,
        /// The bytes at `to`, if a file is replaced there.
        replaced: Option<Vec<u8>>,
    },
}

/// What a unified diff from `/dev/null` may do to a file that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Creation {
    Refuse,
    Replace,
}

/// What the caller of [`plan_file`] wants done with the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// The diff holds the whole new file.
    Create,
    /// The diff changes the file, or creates or deletes it if its own header says so.
    Update,
    /// The file goes; the diff is not read.
    Delete,
}

/// How [`apply_body`] reads a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Every line of the diff starts with `+` and together they are the text.
    Create,
    /// The diff changes the input.
    Update,
}

impl Plan {
    /// Whether the patch leaves every file as it is.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}

impl Change {
    /// The path that exists afterwards, or that no longer does.
    pub fn path(&self) -> &str {
        match self {
            Change::Write { path, .. } | Change::Delete { path, .. } => path,
            Change::Move { to, .. } => to,
        }
    }
}

/// Plans a patch that names its files: an envelope or a unified diff.
pub fn plan<E>(patch: &str, creation: Creation, read: Read<'_, E>) -> Result<Plan, Failure<E>> {
    let source = Source::new(patch);
    let sections = match source.format(Unnamed::IsProse) {
        Format::Envelope => v4a::envelope(&mut source.rows(), source.end),
        Format::Unified => gitdiff::sections(&mut source.rows(), source.end),
        Format::Body => Err(PatchError::syntax(
            1,
            format!(
                "This patch names no file. It starts with `{}` or with `--- PATH` and `+++ PATH`.",
                v4a::BEGIN
            ),
        )),
    };
    carry_out(sections?, creation, read)
}

/// Plans the diff of one file, in any of the formats.
///
/// A diff with a header may spell the path differently, but must not name another file.
pub fn plan_file<E>(
    path: &str,
    intent: Intent,
    diff: &str,
    creation: Creation,
    read: Read<'_, E>,
) -> Result<Plan, Failure<E>> {
    let source = Source::new(diff);
    let sections = match (intent, source.format(Unnamed::IsBody)) {
        (Intent::Delete, _) => Ok(vec![source.section(Action::Delete)]),
        (_, Format::Envelope) => v4a::envelope(&mut source.rows(), source.end),
        (_, Format::Unified) => gitdiff::sections(&mut source.rows(), source.end),
        (Intent::Create, Format::Body) => v4a::create(&mut source.rows(), source.end)
            .map(|content| vec![source.section(Action::Write(content))]),
        (Intent::Update, Format::Body) => v4a::update(&mut source.rows())
            .map(|hunks| vec![source.section(Action::Update { hunks, to: None })]),
    };
    let mut sections = sections?;
    direct(&mut sections, path)?;
    carry_out(sections, creation, read)
}

/// Applies a headerless diff to a text.
pub fn apply_body(input: &str, diff: &str, mode: Mode) -> Result<String, PatchError> {
    let source = Source::new(diff);
    if mode == Mode::Create {
        return v4a::create(&mut source.rows(), source.end);
    }
    let hunks = v4a::update(&mut source.rows())?;
    let manner = v4a::manner(Dialect::Body, source.end);
    let bytes = apply(input.as_bytes(), &hunks, manner)?;
    String::from_utf8(bytes).map_err(|_| PatchError::Conflict("The diff cuts a character in two.".to_owned()))
}
