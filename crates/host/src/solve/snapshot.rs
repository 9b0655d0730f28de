//! What a folder held before a run, to tell afterwards what changed in it, whoever changed it. Start at
//! [`Snapshot::take`].
//!
//! It needs no git. Files that `.gitignore` names are no part of it, nor are `.git` and `.cinque`. The copies lie in the
//! state folder, which commands cannot write, and go when the snapshot is dropped.

mod before;
mod binary;
mod section;

pub use before::{Before, restore};

use crate::state::{State, make_private};
use crate::workspace::{EntryKind, Error, Ignored, Workspace};
use section::{Version, section};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The most that is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Most {
    pub files: usize,
    pub bytes: u64,
}

impl Most {
    /// For whoever asks for a patch and can wait for it.
    pub const ASKED: Most = Most { files: 100_000, bytes: 2 << 30 };
    /// For every run, so that it can be replayed: what is copied in a moment.
    pub const USUAL: Most = Most { files: 10_000, bytes: 256 << 20 };
}

/// Tells the snapshots of one process apart.
static NEXT: AtomicU64 = AtomicU64::new(0);

pub struct Snapshot {
    workspace: Workspace,
    copies: PathBuf,
    files: BTreeMap<PathBuf, Kept>,
}

#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    #[error(transparent)]
    Workspace(#[from] Error),
    #[error("{} has more than {} files or {} bytes: too much to tell what changes in it", folder.display(), most.files, most.bytes)]
    TooMuch { folder: PathBuf, most: Most },
    #[error("cannot look at {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// A file as it was.
struct Kept {
    mode: u32,
    stamp: Stamp,
    /// The name of its copy.
    copy: usize,
}

/// What changes with every change of a file, and cannot be set back by whoever changes it.
#[derive(PartialEq, Eq)]
struct Stamp(u64, i64, i64, u64);

impl Snapshot {
    pub fn take(workspace: &Workspace, most: Most) -> Result<Snapshot, SnapshotError> {
        let root = workspace.root();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let state = State::prepare(root)?;
        remove_abandoned(state.folder());
        let copies = state.folder().join(format!("{PREFIX}{}-{number}", std::process::id()));
        let failed = |path: &Path, source| SnapshotError::Io { path: path.to_owned(), source };
        make_private(&copies).map_err(|error| failed(&copies, error))?;
        let mut snapshot = Snapshot { workspace: workspace.clone(), copies, files: BTreeMap::new() };
        let too_much = || SnapshotError::TooMuch { folder: root.to_owned(), most };
        let mut left = most.bytes;
        for (copy, path) in paths(workspace, most)?.into_iter().enumerate() {
            let found = fs::symlink_metadata(root.join(&path)).map_err(|error| failed(&path, error))?;
            left = left.checked_sub(found.len()).ok_or_else(too_much)?;
            let copied = match found.is_symlink() {
                true => fs::read_link(root.join(&path))
                    .and_then(|link| fs::write(snapshot.copy(copy), link.as_os_str().as_bytes())),
                false => fs::copy(root.join(&path), snapshot.copy(copy)).map(drop),
            };
            copied.map_err(|error| failed(&path, error))?;
            snapshot.files.insert(path, Kept { mode: mode(&found), stamp: stamp(&found), copy });
        }
        Ok(snapshot)
    }

    /// All that changed since, as a patch that `git apply` takes.
    pub fn patch(&self) -> Result<String, SnapshotError> {
        let mut out = String::new();
        self.changed(|path, before, after| out.push_str(&section(&path.to_string_lossy(), before, after)))?;
        Ok(out)
    }

    /// Goes through all files that may have changed, one at a time, with what they were and are.
    fn changed(
        &self,
        mut visit: impl FnMut(&Path, Option<Version>, Option<Version>),
    ) -> Result<(), SnapshotError> {
        let root = self.workspace.root();
        let now = paths(&self.workspace, Most { files: usize::MAX - 1, ..Most::ASKED })?;
        let mut all: Vec<&PathBuf> = self.files.keys().chain(&now).collect();
        all.sort_unstable();
        all.dedup();
        for path in all {
            let failed = |source| SnapshotError::Io { path: path.clone(), source };
            let found = now.binary_search(path).ok().and_then(|_| fs::symlink_metadata(root.join(path)).ok());
            let kept = self.files.get(path);
            if let (Some(kept), Some(found)) = (kept, &found)
                && kept.stamp == stamp(found)
            {
                continue;
            }
            let before = kept.map(|kept| self.before(kept)).transpose().map_err(failed)?;
            let after = found.map(|found| after(&root.join(path), &found)).transpose().map_err(failed)?;
            visit(path, before, after);
        }
        Ok(())
    }

    fn copy(&self, number: usize) -> PathBuf {
        self.copies.join(number.to_string())
    }

    fn before(&self, kept: &Kept) -> io::Result<Version> {
        Ok(Version { mode: kept.mode, bytes: fs::read(self.copy(kept.copy))? })
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.copies);
    }
}

fn after(path: &Path, found: &fs::Metadata) -> io::Result<Version> {
    let bytes = match found.is_symlink() {
        true => fs::read_link(path)?.as_os_str().as_bytes().to_vec(),
        false => fs::read(path)?,
    };
    Ok(Version { mode: mode(found), bytes })
}

/// The files and links of a workspace, sorted.
fn paths(workspace: &Workspace, most: Most) -> Result<Vec<PathBuf>, SnapshotError> {
    let listing = workspace.list("**", Ignored::Skip, most.files)?;
    if listing.total > most.files {
        return Err(SnapshotError::TooMuch { folder: workspace.root().to_owned(), most });
    }
    let is_kept = |kind| matches!(kind, EntryKind::File | EntryKind::Link);
    let kept = listing.entries.into_iter().filter(|entry| is_kept(entry.kind));
    let mut paths: Vec<PathBuf> = kept.map(|entry| entry.path.as_path().to_owned()).collect();
    paths.sort_unstable();
    Ok(paths)
}

const PREFIX: &str = "snapshot-";

/// Removes what processes left behind that are no more.
fn remove_abandoned(state: &Path) {
    for entry in fs::read_dir(state).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next()?.parse().ok());
        let is_gone = |id| {
            rustix::process::Pid::from_raw(id)
                .is_none_or(|id| rustix::process::test_kill_process(id).is_err())
        };
        if owner.is_some_and(is_gone) && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The mode as git counts it.
fn mode(found: &fs::Metadata) -> u32 {
    match found.is_symlink() {
        true => 0o120_000,
        false if found.permissions().mode() & 0o100 != 0 => 0o100_755,
        false => 0o100_644,
    }
}

fn stamp(found: &fs::Metadata) -> Stamp {
    Stamp(found.len(), found.ctime(), found.ctime_nsec(), found.ino())
}

#[cfg(test)]
mod tests;
