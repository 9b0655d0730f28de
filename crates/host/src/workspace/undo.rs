//! Putting files back from receipts. Start from [`Workspace::plan_undo`](super::Workspace::plan_undo), which gives an [`Undo`] to show and then to carry out.
//!
//! Undo is a change like any other: journalled, all or nothing, with a receipt of its own, so that undoing it works. It never overwrites what
//! somebody else did since, unless told to, and it never looks at git.

use std::collections::BTreeMap;

use super::Workspace;
use super::blobs::Blobs;
use super::change::{Content, Plan, Receipt, Version, look};
use super::error::{Doing, Error};
use super::path::RelPath;
use super::resolve::{Last, walk};

/// What putting back would do, one entry a file that would change.
#[derive(Debug, Clone)]
pub struct Undo {
    pub files: Vec<Undone>,
    /// Folders that the receipts made; they go if they are empty then.
    pub(crate) folders: Vec<RelPath>,
}

/// One file on its way back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    pub path: RelPath,
    /// The bytes now; `None` for no file.
    pub now: Option<Vec<u8>>,
    /// The bytes after undo; `None` for no file.
    pub then: Option<Vec<u8>>,
    /// Why somebody else's work would be lost, if it would.
    pub conflict: Option<Conflict>,
    pub(crate) now_version: Option<Version>,
    pub(crate) then_version: Option<Version>,
}

/// How a file differs from what the receipts left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// It was changed after the last receipt.
    Since,
    /// It was changed between two of the receipts.
    Between,
}

/// What to do with files that others changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theirs {
    /// Refuse the whole undo.
    Refuse,
    /// Leave those files as they are and put back the others.
    Keep,
    /// Put them back all the same; the receipt of the undo can bring them back.
    Overwrite,
}

/// Where one file stood before all the receipts, and where the newest of them left it.
struct Span {
    before: Option<Version>,
    after: Option<Version>,
    broken: bool,
}

/// Works out what undoing `receipts`, newest first, would do.
pub(crate) fn plan(
    workspace: &Workspace,
    blobs: Option<&Blobs<'_>>,
    receipts: &[Receipt],
) -> Result<Undo, Error> {
    let mut files = Vec::new();
    for (path, span) in spans(receipts) {
        if let Some(undone) = plan_file(workspace, blobs, path, &span)? {
            files.push(undone);
        }
    }
    let folders = receipts.iter().rev().flat_map(|receipt| receipt.folders.iter().cloned()).collect();
    Ok(Undo { files, folders })
}

fn spans(receipts: &[Receipt]) -> BTreeMap<RelPath, Span> {
    let mut spans: BTreeMap<RelPath, Span> = BTreeMap::new();
    for changed in receipts.iter().flat_map(|receipt| &receipt.files) {
        spans
            .entry(changed.path.clone())
            .and_modify(|span| {
                span.broken |= span.before != changed.after;
                span.before = changed.before;
            })
            .or_insert(Span { before: changed.before, after: changed.after, broken: false });
    }
    spans
}

fn plan_file(
    workspace: &Workspace,
    blobs: Option<&Blobs<'_>>,
    path: RelPath,
    span: &Span,
) -> Result<Option<Undone>, Error> {
    let asked = path.as_path();
    let limit = workspace.limits().keep_file;
    let spot = walk(workspace.dir(), asked, Last::Keep)?;
    let now = match &spot.name {
        Some(name) if spot.missing.is_empty() => look(&spot, name, asked, limit)?,
        _ => None,
    };
    let now_version = now.as_ref().map(|image| image.version);
    if now_version == span.before {
        return Ok(None);
    }
    let then = match (span.before, blobs) {
        (None, _) => None,
        (Some(version), Some(blobs)) => blobs.get(version.hash, limit).doing("read", asked)?,
        (Some(_), None) => None,
    };
    if then.is_none() && span.before.is_some() {
        return Err(Error::Forgotten { path: asked.to_owned() });
    }
    let conflict = if now_version != span.after {
        Some(Conflict::Since)
    } else {
        span.broken.then_some(Conflict::Between)
    };
    Ok(Some(Undone {
        now: now.map(|image| image.content.bytes),
        then,
        conflict,
        now_version,
        then_version: span.before,
        path,
    }))
}

impl Undo {
    /// The steps to carry out now, if the files are still as they were shown.
    pub(crate) fn steps<'a>(&self, workspace: &'a Workspace, theirs: Theirs) -> Result<Plan<'a>, Error> {
        let mut plan = Plan::new(workspace, &[])?;
        for undone in &self.files {
            match (undone.conflict, theirs) {
                (Some(_), Theirs::Refuse) => {
                    return Err(Error::Changed { path: undone.path.as_path().to_owned() });
                }
                (Some(_), Theirs::Keep) => continue,
                _ => {}
            }
            let then = undone.then.as_ref().map(|bytes| Content {
                bytes: bytes.clone(),
                mode: undone.then_version.map(|version| version.mode),
            });
            plan.set(&undone.path, undone.now_version, then)?;
        }
        Ok(plan)
    }
}

impl std::fmt::Display for Conflict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Conflict::Since => "changed by someone else since",
            Conflict::Between => "changed by someone else in between",
        })
    }
}

impl Undone {
    /// Whether a link is involved, whose "bytes" are its target.
    pub fn is_link(&self) -> bool {
        [self.now_version, self.then_version].iter().flatten().any(Version::is_link)
    }
}

#[cfg(test)]
mod tests;
