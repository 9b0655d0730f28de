//! Reading unified diffs, as git and diff write them and as models imitate them.
//!
//! Start from [`sections`]. Line numbers and counts are taken as hints: where they do not fit the
//! lines that follow, the lines are right. Text that belongs to no diff, such as a mail around it, is passed over.

use super::apply::{Endings, Manner};
use super::error::PatchError;
use super::hunk::{Hunk, Kind, Rows, read_marker};
use super::path::{candidates, git_paths, header_path, plain_path};
use super::place::Dialect;
use super::section::{Action, Section};

/// Whether the line `ahead` of the next one starts the diff of a file.
pub fn is_header(rows: &Rows<'_>, ahead: usize) -> bool {
    let starts = |ahead, prefix| rows.peek(ahead).is_some_and(|line: &str| line.starts_with(prefix));
    starts(ahead, "diff --git ") || (starts(ahead, "--- ") && starts(ahead + 1, "+++ "))
}

/// Reads the diffs of all files.
pub fn sections<'a>(rows: &mut Rows<'a>, patch_end: &'static str) -> Result<Vec<Section<'a>>, PatchError> {
    let mut sections = Vec::new();
    while rows.peek(0).is_some() {
        if !is_header(rows, 0) {
            rows.take();
            continue;
        }
        let mut head = Head::read(rows)?;
        let hunks = head.hunks(rows)?;
        sections.extend(head.section(hunks, patch_end)?);
    }
    if sections.is_empty() {
        return Err(PatchError::syntax(rows.number(), "The patch changes no file."));
    }
    Ok(sections)
}

/// What the lines before the hunks say.
#[derive(Debug, Default)]
struct Head {
    /// The number of its first line.
    line: usize,
    git: Option<(String, String)>,
    /// The `---` and `+++` lines; `/dev/null` is nothing.
    named: Option<(Option<String>, Option<String>)>,
    moved: Option<(String, String)>,
    copied: Option<(String, String)>,
    created: bool,
    deleted: bool,
    remoded: bool,
    /// The header itself is written with `\r\n`.
    returned: bool,
}

impl Head {
    fn read(rows: &mut Rows<'_>) -> Result<Head, PatchError> {
        let mut head = Head { line: rows.number(), returned: rows.returned(), ..Head::default() };
        if let Some(paths) = rows.peek(0).and_then(|line| line.strip_prefix("diff --git ")) {
            head.git = git_paths(paths);
            rows.take();
            head.extended(rows)?;
        }
        if let (Some(old), Some(new)) = (rows.peek(0), rows.peek(1))
            && let (Some(old), Some(new)) = (old.strip_prefix("--- "), new.strip_prefix("+++ "))
        {
            head.named = Some((header_path(old), header_path(new)));
            rows.take();
            rows.take();
        }
        Ok(head)
    }

    /// Git's own lines between `diff --git` and `---`.
    fn extended(&mut self, rows: &mut Rows<'_>) -> Result<(), PatchError> {
        let mut from = None;
        while let Some(line) = rows.peek(0) {
            let after = |prefix| line.strip_prefix(prefix).map(plain_path);
            if let Some(path) = after("rename from ").or_else(|| after("copy from ")) {
                from = Some(path);
            } else if let Some(path) = after("rename to ") {
                self.moved = from.take().zip(Some(path));
            } else if let Some(path) = after("copy to ") {
                self.copied = from.take().zip(Some(path));
            } else if line.starts_with("new file mode ") {
                self.created = true;
            } else if line.starts_with("deleted file mode ") {
                self.deleted = true;
            } else if line.starts_with("old mode ") || line.starts_with("new mode ") {
                self.remoded = true;
            } else if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
                return Err(PatchError::syntax(
                    rows.number(),
                    "Binary patches are not supported; write the file by other means.",
                ));
            } else if !["index ", "similarity index ", "dissimilarity index "]
                .iter()
                .any(|prefix| line.starts_with(prefix))
            {
                break;
            }
            rows.take();
        }
        Ok(())
    }

    fn hunks<'a>(&mut self, rows: &mut Rows<'a>) -> Result<Vec<Hunk<'a>>, PatchError> {
        let mut hunks = Vec::new();
        while let Some(line) = rows.peek(0) {
            let mut hunk = Hunk::new(rows.number());
            if let Some(rest) = line.strip_prefix("@@") {
                read_marker(rest, rows.number(), &mut hunk)?;
                rows.take();
            } else if self.named.is_none() || !hunks.is_empty() || !is_row(line) || is_header(rows, 0) {
                // Lines without any `@@` before them are a hunk only directly after the paths.
                break;
            }
            read_rows(rows, &mut hunk)?;
            if hunk.rows.is_empty() {
                return Err(PatchError::syntax(hunk.line, "This hunk has no lines."));
            }
            hunks.push(hunk);
            while rows.peek(0).is_some_and(str::is_empty) {
                rows.take();
            }
        }
        Ok(hunks)
    }

    fn section<'a>(
        self,
        hunks: Vec<Hunk<'a>>,
        patch_end: &'static str,
    ) -> Result<Option<Section<'a>>, PatchError> {
        let mut returns = hunks.iter().flat_map(|hunk| &hunk.rows);
        let spelled = !self.returned && returns.any(|row| row.returned);
        let manner = Manner {
            dialect: Dialect::Unified,
            endings: if spelled { Endings::Spelled } else { Endings::Nearby },
            patch_end,
        };
        let idle = hunks.is_empty();
        let (names, action) = match self.paths()? {
            Paths::Moved(from, to) => (vec![from], Action::Update { hunks, to: Some(to) }),
            Paths::Copied(from, to) => (vec![from], Action::Copy { hunks, to }),
            Paths::Created(names) if self.created || !idle => (names, Action::Create(hunks)),
            Paths::Deleted(names) if self.deleted || !idle => (names, Action::Erase(hunks)),
            Paths::Changed(names) if !idle => (names, Action::Update { hunks, to: None }),
            Paths::Changed(_) if self.remoded => return Ok(None),
            _ => return Err(PatchError::syntax(self.line, "This diff has no hunks.")),
        };
        Ok(Some(Section { names, action, manner }))
    }

    fn paths(&self) -> Result<Paths, PatchError> {
        if let Some((from, to)) = &self.moved {
            return Ok(Paths::Moved(from.clone(), to.clone()));
        }
        if let Some((from, to)) = &self.copied {
            return Ok(Paths::Copied(from.clone(), to.clone()));
        }
        // Git's own line shows best whether there are prefixes, because it never says `/dev/null`.
        let both = self.git.as_ref().map(|(old, new)| candidates(Some(old), Some(new)));
        match &self.named {
            Some((None, Some(new))) => Ok(Paths::Created(both.unwrap_or(candidates(None, Some(new))))),
            Some((Some(old), None)) => Ok(Paths::Deleted(both.unwrap_or(candidates(Some(old), None)))),
            Some((Some(old), Some(new))) => Ok(Paths::Changed(candidates(Some(old), Some(new)))),
            Some((None, None)) => {
                Err(PatchError::syntax(self.line, "A diff from /dev/null to /dev/null changes no file."))
            }
            None => match both {
                Some(names) if self.created => Ok(Paths::Created(names)),
                Some(names) if self.deleted => Ok(Paths::Deleted(names)),
                Some(names) => Ok(Paths::Changed(names)),
                None => Err(PatchError::syntax(self.line, "The paths of this diff cannot be told apart.")),
            },
        }
    }
}

/// The files a head names, and what happens to them.
enum Paths {
    Moved(String, String),
    Copied(String, String),
    Created(Vec<String>),
    Deleted(Vec<String>),
    Changed(Vec<String>),
}

/// Reads the lines of a hunk, by its counts if they hold.
fn read_rows<'a>(rows: &mut Rows<'a>, hunk: &mut Hunk<'a>) -> Result<(), PatchError> {
    let start = rows.number();
    let mut trial = hunk.clone();
    if counted(rows, &mut trial) {
        *hunk = trial;
        return Ok(());
    }
    rows.go_back(start);
    while !is_header(rows, 0) {
        if rows.take_open_end(hunk) {
            continue;
        }
        match rows.take_row() {
            Some(row) => hunk.rows.push(row),
            None => break,
        }
    }
    match rows.peek(0) {
        Some(line) if !is_after_hunk(line) && !is_header(rows, 0) => Err(PatchError::syntax(
            rows.number(),
            format!("Invalid Line: {line}\nEvery line of a hunk starts with a space, `+` or `-`."),
        )),
        _ => Ok(()),
    }
}

/// Reads as many lines as the header announces; false if that cannot be the whole hunk.
fn counted<'a>(rows: &mut Rows<'a>, hunk: &mut Hunk<'a>) -> bool {
    let Some(numbers) = hunk.numbers else {
        return false;
    };
    let (mut old, mut new) = (numbers.old_count, numbers.new_count);
    while old > 0 || new > 0 {
        if rows.take_open_end(hunk) {
            continue;
        }
        let Some(row) = rows.take_row() else {
            return false;
        };
        let takes = match row.kind {
            Kind::Keep => (1, 1),
            Kind::Drop => (1, 0),
            Kind::Add => (0, 1),
        };
        let (Some(less_old), Some(less_new)) = (old.checked_sub(takes.0), new.checked_sub(takes.1)) else {
            return false;
        };
        (old, new) = (less_old, less_new);
        hunk.rows.push(row);
    }
    rows.take_open_end(hunk);
    if hunk.rows.is_empty() {
        return false;
    }
    let blanks = (0..).take_while(|ahead| rows.peek(*ahead).is_some_and(str::is_empty)).count();
    match rows.peek(blanks) {
        // `-- ` is the signature mark at the end of a mailed patch.
        Some(line) => !is_row(line) || line.trim_end() == "--" || is_header(rows, blanks),
        None => true,
    }
}

fn is_row(line: &str) -> bool {
    line.starts_with([' ', '+', '-'])
}

/// Whether a line may follow a hunk whose counts did not tell where it ends.
fn is_after_hunk(line: &str) -> bool {
    ["@@", "diff ", "Index: ", "index ", "```", "~~~", "="].iter().any(|prefix| line.starts_with(prefix))
}
