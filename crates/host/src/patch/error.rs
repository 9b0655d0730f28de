//! Why a patch was not planned, in the words that people, models and other programs rely on.
//!
//! Start from [`PatchError`]; [`Failure`] adds the reader's own errors. Messages show at most a
//! screenful of text, however large the patch was.

use std::fmt;

use thiserror::Error;

/// How many lines of a hunk or of a file a message shows.
const SHOWN_LINES: usize = 40;
/// How many characters of one line a message shows.
const SHOWN_CHARS: usize = 200;

/// A patch that cannot be applied. Nothing has been changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatchError {
    /// The text is no patch, or not a whole one.
    #[error("Invalid patch, line {line}: {message}")]
    Syntax { line: usize, message: String },
    /// A line of a new file without its `+`.
    #[error("Invalid Add File Line: {0}")]
    AddLine(String),
    /// The patch is well formed but does not fit the file.
    #[error("{0}")]
    Mismatch(Box<Mismatch>),
    /// The file to change or delete is not there.
    #[error("Cannot {verb} missing file: {path}")]
    Missing { verb: &'static str, path: String },
    /// The patch creates a file that is already there.
    #[error(
        "Cannot create existing file: {path}. Write the diff against its present text, or delete it first."
    )]
    Exists { path: String },
    /// The patch as a whole makes no sense for the files it names.
    #[error("{0}")]
    Conflict(String),
}

/// A failed plan: the patch's fault, or the reader's.
#[derive(Debug, Error)]
pub enum Failure<E> {
    #[error(transparent)]
    Patch(#[from] PatchError),
    /// The caller's own error, as its reader returned it.
    #[error("{0}")]
    Read(E),
}

/// A hunk that has no certain place in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The file, where the caller named one.
    pub path: Option<String>,
    /// Which hunk of that file, from 1.
    pub hunk: usize,
    /// The line of the patch where the hunk begins, from 1.
    pub line: usize,
    /// How many lines of the file were already behind the search.
    pub cursor: usize,
    /// The text that was looked for: the hunk's old lines, or an anchor.
    pub wanted: String,
    pub reason: Reason,
    /// The place in the file that comes closest.
    pub nearest: Option<Nearest>,
}

/// Why there is no certain place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The lines are not there at all.
    Absent,
    /// They are only at this line, before the place that earlier hunks and anchors lead to.
    Behind(usize),
    /// They are there, but not where the hunk says the file ends.
    NotAtEnd,
    /// They are at both of these lines and nothing decides between them.
    Ambiguous(usize, usize),
    /// An anchor is not there.
    Anchor,
    /// The hunk has no lines to find and nothing else that says where it goes.
    Nowhere,
    /// The file has more than the diff removes.
    Remainder,
    /// So many places look alike that the search was given up.
    Exhausted,
}

/// The text of the file that resembles the wanted text most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Its first line, from 1.
    pub line: usize,
    /// How many of the wanted lines agree there.
    pub agreeing: usize,
    pub wanted: usize,
    /// The first line that differs: its number, what was wanted, what is there.
    pub differs: Option<(usize, String, String)>,
    pub text: String,
}

impl PatchError {
    /// A complaint about one line of the patch.
    pub fn syntax(line: usize, message: impl Into<String>) -> PatchError {
        PatchError::Syntax { line, message: message.into() }
    }

    /// Names the file a mismatch was found in.
    pub fn in_file(mut self, path: &str) -> PatchError {
        if let PatchError::Mismatch(mismatch) = &mut self {
            mismatch.path = Some(path.to_owned());
        }
        self
    }

    /// The error in the words that programs rely on, without the advice.
    pub fn headline(&self) -> String {
        match self {
            PatchError::Mismatch(mismatch) => mismatch.headline(),
            other => other.to_string(),
        }
    }

    /// Where a mismatch is, why, and what comes closest.
    pub fn advice(&self) -> Option<String> {
        match self {
            PatchError::Mismatch(mismatch) => Some(mismatch.advice()),
            _ => None,
        }
    }

    /// Where it does not fit and why, in a line for a person: without the advice, which is for whoever wrote it.
    pub fn fact(&self) -> String {
        let whole = match self {
            PatchError::Mismatch(mismatch) => mismatch.advice(),
            other => other.to_string(),
        };
        let line = whole.lines().next().unwrap_or_default();
        line.split_once("; ").map_or(line, |(fact, _)| fact).trim_end_matches('.').to_owned()
    }

    /// The error in the words of the solve door, with where and why appended.
    pub fn as_diff_failure(&self) -> String {
        match self {
            PatchError::Mismatch(mismatch) => mismatch.as_diff_failure(),
            PatchError::Missing { path, .. } => format!("File not found: {path}"),
            other => format!("Failed to apply diff - patch did not match: {other}"),
        }
    }
}

impl Mismatch {
    fn headline(&self) -> String {
        let what = match self.reason {
            Reason::Anchor => "Anchor",
            _ => "Context",
        };
        format!("Invalid {what} {}:\n{}", self.cursor, self.wanted)
    }

    fn advice(&self) -> String {
        let file = self.path.as_ref().map(|path| format!("{path}, ")).unwrap_or_default();
        let nearest = self.nearest.as_ref().map(|nearest| format!("\n{nearest}")).unwrap_or_default();
        format!("{file}hunk {}: {}{nearest}", self.hunk, self.reason)
    }

    fn as_diff_failure(&self) -> String {
        let place = match &self.path {
            Some(path) => format!("{path}, hunk {}", self.hunk),
            None => format!("hunk {}", self.hunk),
        };
        let mut text =
            format!("Failed to apply diff - patch did not match: {place} (line {} of the diff)", self.line);
        text.push_str(&format!(": {}", self.reason));
        if !self.wanted.is_empty() {
            text.push_str(&format!("\nWanted:\n{}", self.wanted));
        }
        if let Some(nearest) = &self.nearest {
            text.push_str(&format!("\n{nearest}"));
        }
        text
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n\n{}", self.headline(), self.advice())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Absent => f.write_str("these lines are not in the file; read it again and copy them exactly."),
            Reason::Behind(line) => write!(
                f,
                "these lines are only at line {line}, before the place that the hunks and anchors before them lead to; put the hunks in the order of the file."
            ),
            Reason::NotAtEnd => {
                f.write_str("these lines do not end the file, as the patch says they do.")
            }
            Reason::Ambiguous(first, second) => write!(
                f,
                "these lines are at line {first} and at line {second}; add an `@@` anchor or more context to say which."
            ),
            Reason::Anchor => f.write_str("this anchor is no line of the file at or after the place reached; anchors are whole lines."),
            Reason::Nowhere => f.write_str(
                "the hunk only adds lines and nothing says where; give a context line or an anchor that is in the file.",
            ),
            Reason::Remainder => f.write_str(
                "the file has more lines than the diff removes, so it was not deleted; read it again.",
            ),
            Reason::Exhausted => f.write_str(
                "too many places in the file look alike; give context lines that occur once.",
            ),
        }
    }
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "The nearest text is at line {} ({} of {} lines agree):\n{}",
            self.line, self.agreeing, self.wanted, self.text
        )?;
        match &self.differs {
            Some((line, wanted, found)) => {
                write!(f, "\nThe first difference is at line {line}:\n  wanted: {wanted}\n  found:  {found}")
            }
            None => Ok(()),
        }
    }
}

/// Joins lines for a message, cut to a screenful.
pub fn excerpt<T: AsRef<str>>(lines: &[T]) -> String {
    let mut shown: Vec<String> = lines.iter().take(SHOWN_LINES).map(|line| short(line.as_ref())).collect();
    if lines.len() > SHOWN_LINES {
        shown.push(format!("… ({} more lines)", lines.len() - SHOWN_LINES));
    }
    shown.join("\n")
}

/// One line for a message, cut to a bearable width.
pub fn short(line: &str) -> String {
    match line.char_indices().nth(SHOWN_CHARS) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}
