//! Reading V4A: the `*** Begin Patch` envelope and the headerless diff of one file.
//!
//! Start from [`envelope`] for the former, [`update`] and [`create`] for the latter. A patch that is
//! cut short is refused as a whole, since half a patch is a different patch.

use super::apply::{Endings, Manner};
use super::error::PatchError;
use super::hunk::{Hunk, Rows, Tail, read_marker};
use super::place::Dialect;
use super::section::{Action, Section};

pub const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const END_OF_FILE: &str = "*** End of File";
const MOVE: &str = "*** Move to:";

/// A line that starts a file's section.
enum Header<'a> {
    Add(&'a str),
    Update(&'a str),
    Delete(&'a str),
}

/// Reads whole envelopes, one after another.
pub fn envelope<'a>(rows: &mut Rows<'a>, patch_end: &'static str) -> Result<Vec<Section<'a>>, PatchError> {
    let manner = manner(Dialect::Envelope, patch_end);
    let mut sections = Vec::new();
    // Words before the first envelope are passed over, as mails and chats have them.
    while rows.peek(0).is_some_and(|line| line.trim() != BEGIN) {
        rows.take();
    }
    while !rows.is_spent(0) {
        let line = rows.number();
        let begin = rows.take().unwrap_or_default();
        if begin.trim().is_empty() || begin.starts_with("```") || begin.starts_with("~~~") {
            continue;
        }
        if begin.trim() != BEGIN {
            return Err(PatchError::syntax(
                line,
                format!("Nothing but another `{BEGIN}` may follow `{END}`."),
            ));
        }
        sections.extend(contents(rows, manner)?);
    }
    if sections.is_empty() {
        return Err(PatchError::syntax(rows.number(), "The patch changes no file."));
    }
    Ok(sections)
}

/// Reads a headerless diff of an existing file.
pub fn update<'a>(rows: &mut Rows<'a>) -> Result<Vec<Hunk<'a>>, PatchError> {
    let hunks = hunks(rows)?;
    if rows.peek(0).is_some_and(|line| line.trim() == END) {
        rows.take();
    }
    if rows.is_spent(0) {
        return Ok(hunks);
    }
    Err(PatchError::syntax(
        rows.number(),
        format!("A diff of one file holds no other files; a patch of several starts with `{BEGIN}`."),
    ))
}

/// Reads a headerless diff of a new file: every line is added, and the last one ends without a newline.
pub fn create(rows: &mut Rows<'_>, patch_end: &str) -> Result<String, PatchError> {
    if rows.peek(0).is_some_and(|line| line.starts_with("@@ -0,0 ")) {
        rows.take();
    }
    let lines = added(rows)?;
    if rows.peek(0).is_some_and(|line| line.trim() == END) {
        rows.take();
    }
    match rows.take() {
        None => Ok(lines.join(patch_end)),
        Some(line) => Err(PatchError::AddLine(line.to_owned())),
    }
}

/// How V4A hunks are to be applied.
pub fn manner(dialect: Dialect, patch_end: &'static str) -> Manner {
    Manner { dialect, endings: Endings::File, patch_end }
}

/// The sections up to `*** End Patch`.
fn contents<'a>(rows: &mut Rows<'a>, manner: Manner) -> Result<Vec<Section<'a>>, PatchError> {
    let mut sections = Vec::new();
    loop {
        let number = rows.number();
        let Some(line) = rows.take() else {
            return Err(PatchError::syntax(number, format!("The patch is cut short: `{END}` is missing.")));
        };
        match header(line) {
            _ if line.trim().is_empty() => {}
            _ if line.trim() == END => return Ok(sections),
            Some(header) => sections.push(section(rows, header, number, manner)?),
            None => {
                return Err(PatchError::syntax(
                    number,
                    format!(
                        "`{}` starts no section. Sections start with `*** Add File: PATH`, `*** Update File: PATH` or `*** Delete File: PATH`.",
                        line.trim()
                    ),
                ));
            }
        }
    }
}

fn section<'a>(
    rows: &mut Rows<'a>,
    header: Header<'a>,
    line: usize,
    manner: Manner,
) -> Result<Section<'a>, PatchError> {
    let (path, action) = match header {
        Header::Delete(path) => (path, Action::Delete),
        Header::Add(path) => {
            let mut content = String::new();
            for added in added(rows)? {
                content.push_str(added);
                content.push_str(manner.patch_end);
            }
            (path, Action::Write(content))
        }
        Header::Update(path) => {
            let to =
                rows.peek(0).and_then(|line| line.trim().strip_prefix(MOVE)).map(|to| to.trim().to_owned());
            if to.is_some() {
                rows.take();
            }
            let hunks = hunks(rows)?;
            if hunks.is_empty() && to.is_none() {
                return Err(PatchError::syntax(line, format!("The update of {path} has no lines.")));
            }
            (path, Action::Update { hunks, to })
        }
    };
    Ok(Section { names: vec![path.to_owned()], action, manner })
}

fn header(line: &str) -> Option<Header<'_>> {
    let line = line.trim();
    let path = |prefix| line.strip_prefix(prefix).map(str::trim);
    path("*** Add File:")
        .map(Header::Add)
        .or_else(|| path("*** Update File:").map(Header::Update))
        .or_else(|| path("*** Delete File:").map(Header::Delete))
}

/// The lines of a new file. Blank lines before the next header are spacing.
fn added<'a>(rows: &mut Rows<'a>) -> Result<Vec<&'a str>, PatchError> {
    let mut lines = Vec::new();
    loop {
        let blanks = blanks(rows);
        match rows.peek(blanks) {
            Some(line) if line.starts_with('+') && blanks == 0 => {
                lines.push(&line[1..]);
                rows.take();
            }
            None => {
                rows.skip(blanks);
                return Ok(lines);
            }
            Some(line) if line.trim() == END || header(line).is_some() => {
                rows.skip(blanks);
                return Ok(lines);
            }
            Some(_) => {
                let line = rows.peek(0).unwrap_or_default();
                return Err(PatchError::AddLine(line.to_owned()));
            }
        }
    }
}

/// The hunks up to the next section or the end.
fn hunks<'a>(rows: &mut Rows<'a>) -> Result<Vec<Hunk<'a>>, PatchError> {
    let mut hunks = Vec::new();
    while let Some(line) = rows.peek(0)
        && !is_border(line, rows)
    {
        let mut hunk = Hunk::new(rows.number());
        while let Some(rest) = rows.peek(0).and_then(|line| line.strip_prefix("@@")) {
            read_marker(rest, rows.number(), &mut hunk)?;
            rows.take();
        }
        read_rows(rows, &mut hunk)?;
        if hunk.rows.is_empty() && hunk.tail == Tail::Anywhere {
            return Err(PatchError::syntax(
                hunk.line,
                "There is nothing between this `@@` and the next section.",
            ));
        }
        // Blank lines around hunks are spacing.
        if hunk.rows.iter().any(|row| !row.bare) {
            hunks.push(hunk);
        }
    }
    Ok(hunks)
}

fn read_rows<'a>(rows: &mut Rows<'a>, hunk: &mut Hunk<'a>) -> Result<(), PatchError> {
    while let Some(line) = rows.peek(0) {
        if line.starts_with("@@") || is_border(line, rows) {
            return Ok(());
        }
        if line.trim_end() == END_OF_FILE {
            rows.take();
            hunk.tail = Tail::Preferred;
            return Ok(());
        }
        if rows.take_open_end(hunk) {
            continue;
        }
        let Some(row) = rows.take_row() else {
            return Err(PatchError::syntax(
                rows.number(),
                format!("Invalid Line: {line}\nEvery line of a hunk starts with a space, `+` or `-`."),
            ));
        };
        hunk.rows.push(row);
    }
    Ok(())
}

/// Whether a line ends the hunks of a file. A line that starts with a space is context, even if it
/// reads like a header, except for a last `*** End Patch` that was merely indented.
fn is_border(line: &str, rows: &Rows<'_>) -> bool {
    if !line.starts_with(' ') {
        return line.trim() == END || line.trim() == BEGIN || header(line).is_some();
    }
    line.trim() == END && rows.is_spent(1)
}

/// How many blank lines come next.
fn blanks(rows: &Rows<'_>) -> usize {
    (0..).take_while(|ahead| rows.peek(*ahead).is_some_and(str::is_empty)).count()
}
