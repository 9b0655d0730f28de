//! Tools that only read: `read`, `list` and `search`.

use super::{World, aside, failed, flag, looks, number, object, spec, text, text_or};
use crate::search::{Case, Coverage, Found, Query, Syntax, search};
use crate::workspace::{EntryKind, Ignored, Lines, Listing, Reading, Workspace};
use agent::event::{Outcome, Spec};
use agent::{Access, Job, Reach, Tool};
use futures::future::{BoxFuture, FutureExt};
use serde_json::Value;
use std::fmt::Write as _;

/// Lines that one `read` gives back unless more are asked for.
const LINES: u64 = 500;
const ENTRIES: usize = 200;
const HITS: usize = 100;
/// Files that were not searched are named up to here.
const NAMED: usize = 5;
/// Longer matching lines are cut for the model.
const SNIPPET: usize = 200;

pub(super) struct Read {
    spec: Spec,
    workspace: Workspace,
}

impl Read {
    pub(super) fn new(world: &World) -> Read {
        let parameters = object(&[("path", "string"), ("start?", "integer"), ("end?", "integer")]);
        Read { spec: spec("read", include_str!("read.md"), parameters), workspace: world.workspace.clone() }
    }
}

impl Tool for Read {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn shares(&self) -> bool {
        true
    }

    fn access(&self, arguments: &Value) -> Result<Access, String> {
        number(arguments, "start")?;
        number(arguments, "end")?;
        Ok(looks(&self.workspace, text(arguments, "path")?))
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let workspace = self.workspace.clone();
        aside(move || read(&workspace, &job.arguments).unwrap_or_else(failed)).boxed()
    }
}

fn read(workspace: &Workspace, arguments: &Value) -> Result<Outcome, String> {
    let path = text(arguments, "path")?;
    // It may have become a link to our own state since it was ruled on.
    workspace.readable(path).map_err(|error| error.to_string())?;
    let lines =
        Lines { start: number(arguments, "start")?, end: number(arguments, "end")?, most: Some(LINES) };
    let reading = workspace.read(path, lines).map_err(|error| error.to_string())?;
    Ok(Outcome::done(numbered(path, &reading, "start")))
}

/// The lines with their numbers; `from` is the argument with which a call goes on that got only the first of them.
pub(super) fn numbered(path: &str, reading: &Reading, from: &str) -> String {
    let Reading { first, lines, total, more, .. } = reading;
    if lines.is_empty() {
        return format!("{path} is empty");
    }
    let last = first + lines.len() as u64 - 1;
    let mut out = format!("{path} (lines {first}-{last} of {total})\n");
    for (number, line) in (*first..).zip(lines) {
        let _ = writeln!(out, "{number}\t{line}");
    }
    if *more > 0 {
        let _ = writeln!(out, "[{more} more lines: go on with {from}={}]", last + 1);
    }
    if reading.cut {
        out.push_str("[the last line is longer than what is shown]\n");
    }
    if reading.lossy {
        out.push_str("[not valid UTF-8: some characters are replaced]\n");
    }
    out
}

pub(super) struct List {
    spec: Spec,
    workspace: Workspace,
}

impl List {
    pub(super) fn new(world: &World) -> List {
        let parameters = object(&[("path?", "string")]);
        List { spec: spec("list", include_str!("list.md"), parameters), workspace: world.workspace.clone() }
    }
}

impl Tool for List {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn shares(&self) -> bool {
        true
    }

    fn access(&self, arguments: &Value) -> Result<Access, String> {
        text_or(arguments, "path", ".")?;
        Ok(Access::new(Reach::Read))
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let workspace = self.workspace.clone();
        aside(move || {
            let list = || -> Result<Outcome, String> {
                let path = text_or(&job.arguments, "path", ".")?;
                let listing =
                    workspace.list(path, Ignored::Skip, ENTRIES).map_err(|error| error.to_string())?;
                Ok(Outcome::done(entries(&listing)))
            };
            list().unwrap_or_else(failed)
        })
        .boxed()
    }
}

fn entries(listing: &Listing) -> String {
    if listing.entries.is_empty() {
        return "nothing there".into();
    }
    let mut out = String::new();
    for entry in &listing.entries {
        let mark = match entry.kind {
            EntryKind::Folder => "/",
            EntryKind::Link => "@",
            EntryKind::File | EntryKind::Other => "",
        };
        let _ = writeln!(out, "{}{mark}", crate::workspace::quoted(entry.path.as_path()));
    }
    let more = listing.total.saturating_sub(listing.entries.len());
    if more > 0 {
        let _ = writeln!(out, "[{more} more: narrow it down with a glob]");
    }
    out
}

pub(super) struct Search {
    spec: Spec,
    workspace: Workspace,
}

impl Search {
    pub(super) fn new(world: &World) -> Search {
        let parameters = object(&[
            ("pattern", "string"),
            ("path?", "string"),
            ("glob?", "string"),
            ("literal?", "boolean"),
            ("ignore_case?", "boolean"),
        ]);
        Search {
            spec: spec("search", include_str!("search.md"), parameters),
            workspace: world.workspace.clone(),
        }
    }
}

impl Tool for Search {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn shares(&self) -> bool {
        true
    }

    fn access(&self, arguments: &Value) -> Result<Access, String> {
        query(arguments)?;
        Ok(looks(&self.workspace, text_or(arguments, "path", ".")?))
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let workspace = self.workspace.clone();
        aside(move || {
            let look = || -> Result<Outcome, String> {
                let path = text_or(&job.arguments, "path", ".")?;
                let found = search(&workspace, &query(&job.arguments)?, path, &|| job.cancel.is_cancelled());
                Ok(Outcome::done(hits(&found.map_err(|error| error.to_string())?, HITS)))
            };
            look().unwrap_or_else(failed)
        })
        .boxed()
    }
}

fn query(arguments: &Value) -> Result<Query, String> {
    let glob = text_or(arguments, "glob", "")?;
    Ok(Query {
        pattern: text(arguments, "pattern")?.to_owned(),
        syntax: if flag(arguments, "literal")? { Syntax::Literal } else { Syntax::Regex },
        case: if flag(arguments, "ignore_case")? { Case::Insensitive } else { Case::Sensitive },
        include: if glob.is_empty() { Vec::new() } else { vec![glob.to_owned()] },
        exclude: Vec::new(),
        ignored: Ignored::Skip,
        limit: HITS,
    })
}

pub(super) fn hits(found: &Found, limit: usize) -> String {
    let mut out = String::new();
    match (found.hits.is_empty(), found.withheld.is_empty()) {
        (true, true) => return "no matches".into(),
        (true, false) => out.push_str("no matches\n"),
        _ => {}
    }
    for hit in &found.hits {
        let cut: String = hit.text.trim().chars().take(SNIPPET).collect();
        let mark = if cut.len() < hit.text.trim().len() { "…" } else { "" };
        let _ = writeln!(out, "{}:{}: {cut}{mark}", crate::workspace::quoted(hit.path.as_path()), hit.line);
    }
    if found.coverage == Coverage::Stopped {
        let _ = writeln!(out, "[there are more than {limit} matches: narrow the search down]");
    }
    out.push_str(&withheld(found));
    out
}

/// Says which files were not looked into, so that nobody takes silence for absence.
fn withheld(found: &Found) -> String {
    let names: Vec<String> = found
        .withheld
        .iter()
        .take(NAMED)
        .map(|path| crate::workspace::quoted(path.as_path()).to_string())
        .collect();
    if names.is_empty() {
        return String::new();
    }
    let more = found.withheld.len() - names.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(
        "[not searched, since credentials may be in it: {}{more}; name one as path to ask for it]\n",
        names.join(", ")
    )
}
