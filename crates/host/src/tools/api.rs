//! The tools of the profile `api`. Start at [`face`]; the words for the model are in `api/*.md`.
//!
//! Every text here is an interface: the caller gets a tool's result as the answer. An error begins with `Error:`.

use super::edit::make;
use super::face::Face;
use super::{World, flag, is_secret, object, spec, whole};
use crate::search::{Case, Coverage, Query, Syntax, search};
use crate::workspace::{
    Absolute, Change, Error, Expect, Ignored, Limits as Bounds, Lines, Listing, Mismatch, Reading, Tail,
    Workspace, quoted,
};
use agent::event::{Outcome, Status};
use agent::{Access, Job, Reach, Tool};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// How much the tools show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub lines: usize,
    pub items: usize,
    pub matches: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { lines: 500, items: 200, matches: 50 }
    }
}

/// Characters of a matching line.
const SNIPPET: usize = 100;
/// Bytes of one answer: a program reads it, not a model, so only memory bounds it.
const WINDOW: usize = 8 << 20;

pub(super) fn face(name: &str, world: &World) -> Option<Arc<dyn Tool>> {
    let read = |_: &World, _: &Value| Ok(Access::new(Reach::Read));
    let write = |_: &World, _: &Value| Ok(Access::new(Reach::Write));
    let tool = |words: &str, fields: &[(&str, &str)], look, act| {
        Face::new(world, spec(name, words, object(fields)), look, act).worded(|why| why).boxed()
    };
    Some(match name {
        "readFile" => {
            let fields = [("filePath", "string"), ("startLine?", "integer"), ("endLine?", "integer")];
            tool(include_str!("api/readFile.md"), &fields, read, |world, job| told(read_file(world, job)))
        }
        "listFiles" => {
            let fields = [("path", "string")];
            tool(include_str!("api/listFiles.md"), &fields, read, |world, job| told(list_files(world, job)))
        }
        "searchText" => {
            let fields = [
                ("pattern", "string"),
                ("searchPath", "string"),
                ("isRegex?", "boolean"),
                ("caseSensitive?", "boolean"),
            ];
            tool(include_str!("api/searchText.md"), &fields, read, |world, job| told(search_text(world, job)))
        }
        "replaceText" => {
            let fields = [("filePath", "string"), ("oldString", "string"), ("newString", "string")];
            tool(include_str!("api/replaceText.md"), &fields, write, |world, job| {
                replace_text(world, job).unwrap_or_else(|why| told(Err(why)))
            })
        }
        _ => return None,
    })
}

fn told(result: Result<String, String>) -> Outcome {
    match result {
        Ok(text) => Outcome::done(text),
        Err(why) => Outcome::failed(format!("Error: {why}")),
    }
}

/// The folder as this profile may use it: no absolute paths.
fn ground(world: &World) -> Workspace {
    let bounds = Bounds { window: WINDOW, ..Bounds::default() };
    world.workspace.clone().with_absolute(Absolute::Refuse).with_limits(bounds)
}

/// Whether what lies there may be shown. Elsewhere a person is asked about credentials; here nobody can be.
fn showable(workspace: &Workspace, asked: &str) -> Result<(), Error> {
    let found = workspace.readable(asked)?;
    if is_secret(&found, asked) {
        return Err(Error::Protected {
            path: asked.into(),
            rule: "credentials, and nobody can be asked here",
        });
    }
    Ok(())
}

/// A path argument; one that is missing counts as blank.
fn path<'a>(arguments: &'a Value, name: &str) -> Result<&'a str, String> {
    match argument(arguments, name)?.unwrap_or_default() {
        path if path.trim().is_empty() => Err("Path cannot be null or empty".into()),
        path => Ok(path),
    }
}

fn argument<'a>(arguments: &'a Value, name: &str) -> Result<Option<&'a str>, String> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{name}` must be a string")),
    }
}

/// A text of the caller's as an answer shows it: control characters in it must not look like lines of the answer.
fn shown(text: &str) -> String {
    quoted(Path::new(text)).to_string()
}

/// Words for an error about a path; `task` is what failed where the contract has no words of its own.
fn words(workspace: &Workspace, asked: &str, error: Error, task: &str) -> String {
    match error {
        Error::Blank => "Path cannot be null or empty".into(),
        Error::Outside { .. } => format!(
            "Security violation - Path '{}' is outside repository root '{}'",
            shown(asked),
            workspace.root().display()
        ),
        error => format!("{task} - {error}"),
    }
}

fn read_file(world: &World, job: &Job) -> Result<String, String> {
    let (workspace, asked) = (ground(world), path(&job.arguments, "filePath")?);
    let task = "Failed to read file";
    let about = |error| match error {
        Error::Missing { .. } => format!("{task} - File not found: {}", shown(asked)),
        Error::NotAFile { .. } => format!("{task} - Path is not a regular file: {}", shown(asked)),
        Error::LinesBeyond { start, total } => {
            format!("{task} - Start line {start} exceeds file length ({total} lines)")
        }
        other => words(&workspace, asked, other, task),
    };
    showable(&workspace, asked).and_then(|()| workspace.open_file(asked).map(drop)).map_err(about)?;
    let (start, end) = (line(&job.arguments, "startLine")?, line(&job.arguments, "endLine")?);
    let backwards = end.is_some_and(|end| end < start.unwrap_or(1));
    let lines = Lines { start, end: end.filter(|_| !backwards), most: Some(world.api.lines as u64) };
    let reading = workspace.read(asked, lines).map_err(about)?;
    match backwards {
        true => Err(format!("{task} - End line must be >= start line")),
        false => Ok(numbered(&shown(asked), &reading)),
    }
}

fn line(arguments: &Value, name: &str) -> Result<Option<u64>, String> {
    let failed = |why: String| format!("Failed to read file - {why}");
    match whole(arguments, name).map_err(failed)? {
        Some(line) if line < 1 => Err(failed("Line numbers must be >= 1".into())),
        line => Ok(line.map(i64::unsigned_abs)),
    }
}

fn numbered(path: &str, reading: &Reading) -> String {
    let Reading { first, lines, total, more, .. } = reading;
    if lines.is_empty() {
        return format!("Read {path} (empty file: 0 lines)");
    }
    let last = first + lines.len() as u64 - 1;
    let mut out = format!("Read {path} (lines {first}-{last} of {total} total)");
    if *more > 0 {
        out.push_str(&format!(" [TRUNCATED: showing first {} lines, {more} more available]", lines.len()));
    } else if reading.cut {
        out.push_str(" [TRUNCATED: the last line is longer than what is shown]");
    }
    out.push('\n');
    let width = last.to_string().len();
    for (number, line) in (*first..).zip(lines) {
        out.push_str(&format!("\n{number:>width$} | {line}"));
    }
    out
}

fn list_files(world: &World, job: &Job) -> Result<String, String> {
    let (workspace, asked) = (ground(world), path(&job.arguments, "path")?);
    let task = "Failed to list files";
    let is_glob = asked.contains(['*', '?']);
    // A folder shows all it has, as `ls` does; a glob over a tree leaves out what git does.
    let ignored = if is_glob { Ignored::Skip } else { Ignored::Show };
    let listing = match workspace.list(asked, ignored, world.api.items) {
        // A glob beneath a folder that is not there matches nothing.
        Err(Error::Missing { .. } | Error::NotAFolder { .. }) if is_glob => {
            Listing { entries: Vec::new(), total: 0 }
        }
        Err(Error::Missing { .. }) => return Err(format!("{task} - Directory not found: {}", shown(asked))),
        Err(Error::NotAFolder { .. }) => {
            return Err(format!("{task} - Path is not a directory: {}", shown(asked)));
        }
        listing => listing.map_err(|error| words(&workspace, asked, error, task))?,
    };
    let mut out = format!("Found {} items matching '{}'", listing.total, shown(asked));
    if listing.total > listing.entries.len() {
        out.push_str(&format!(" [TRUNCATED: first {} items]", listing.entries.len()));
    }
    let items = listing.entries.iter().map(|entry| quoted(entry.path.as_path()).to_string());
    Ok(with_lines(out, items))
}

fn search_text(world: &World, job: &Job) -> Result<String, String> {
    let (workspace, task) = (ground(world), "Search failed");
    let pattern = argument(&job.arguments, "pattern")?.unwrap_or_default();
    if pattern.is_empty() {
        return Err(format!("{task} - Pattern cannot be null or empty"));
    }
    let asked = path(&job.arguments, "searchPath")?;
    let query = Query {
        pattern: pattern.to_owned(),
        syntax: if flag(&job.arguments, "isRegex")? { Syntax::Regex } else { Syntax::Literal },
        case: if flag(&job.arguments, "caseSensitive")? { Case::Sensitive } else { Case::Insensitive },
        include: Vec::new(),
        exclude: Vec::new(),
        ignored: Ignored::Skip,
        limit: world.api.matches,
    };
    let about = |error| match error {
        Error::Missing { .. } => format!("Path not found: {}", shown(asked)),
        Error::Pattern(why) => format!("Invalid regex pattern - {why}"),
        other => words(&workspace, asked, other, task),
    };
    showable(&workspace, asked).map_err(about)?;
    let found = search(&workspace, &query, asked, &|| job.cancel.is_cancelled()).map_err(about)?;
    let mut out = format!("Found {} matches for '{}' in {}", found.hits.len(), shown(pattern), shown(asked));
    if found.coverage == Coverage::Stopped {
        out.push_str(&format!(" [TRUNCATED: reached limit {} before completing search]", query.limit));
    }
    let hits = found
        .hits
        .iter()
        .map(|hit| format!("{}:{}:{}", quoted(hit.path.as_path()), hit.line, snippet(hit.text.trim())));
    Ok(with_lines(out, hits))
}

fn snippet(line: &str) -> String {
    match line.char_indices().nth(SNIPPET) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

/// A header, a blank line and lines; the header alone where there are none.
fn with_lines(header: String, lines: impl Iterator<Item = String>) -> String {
    let mut out = header;
    for (at, line) in lines.enumerate() {
        out.push_str(if at == 0 { "\n\n" } else { "\n" });
        out.push_str(&line);
    }
    out
}

fn replace_text(world: &World, job: &Job) -> Result<Outcome, String> {
    let (workspace, asked) = (ground(world), path(&job.arguments, "filePath")?);
    let (old, new) = (argument(&job.arguments, "oldString")?, argument(&job.arguments, "newString")?);
    let about = |error| match error {
        Error::Missing { .. } => format!("File not found: {}", shown(asked)),
        Error::NotAFile { .. } => format!("Path is not a regular file: {}", shown(asked)),
        other => words(&workspace, asked, other, "Failed to replace text"),
    };
    workspace.writable(asked).map_err(about)?;
    let file = workspace.text(asked).map_err(about)?;
    let old = old.filter(|old| !old.is_empty()).ok_or("Old string cannot be null or empty")?;
    let new = new.ok_or("New string cannot be null")?;
    let body = file.replace(old, new).map_err(|mismatch| match mismatch {
        Mismatch::Empty => "Old string cannot be null or empty".to_owned(),
        Mismatch::Identical => "Old string and new string are identical - no replacement needed".to_owned(),
        Mismatch::NotFound => format!("Old string '{}' not found in file", first(old, 50)),
        Mismatch::Several(times) => {
            format!("Old string '{}' appears {times} times (must be unique for safety)", first(old, 50))
        }
    })?;
    let bytes = file.encode(&body, Tail::AsGiven);
    let change = Change::Write { path: asked.into(), bytes, expect: Expect::Hash(file.hash()) };
    let detail = make(&workspace, &[change]).map_err(about)?;
    let text = format!("Replaced '{}' with '{}' in {}", first(old, 30), first(new, 30), shown(asked));
    Ok(Outcome { status: Status::Done, text, detail })
}

fn first(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}
