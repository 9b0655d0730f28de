//! The files of the workspace as an outbox lists them. Start at [`list`].

use crate::workspace::{EntryKind, Ignored, RelPath, Stop, Tour, Workspace, quoted};
use ignore::WalkState;
use std::collections::BinaryHeap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What a line costs besides its path: blanks, the size, the line end.
const BESIDE: usize = 24;

/// The first paths of those seen, as many as fit.
struct First {
    paths: BinaryHeap<RelPath>,
    bytes: usize,
    total: usize,
    room: usize,
}

/// Lists files in the order of their paths, without those of `apart`. What does not fit into `room` bytes is counted.
pub(super) fn list(workspace: &Workspace, apart: &[&Path], room: usize) -> String {
    let apart: Vec<PathBuf> = apart
        .iter()
        .filter_map(|folder| folder.strip_prefix(workspace.root()).ok())
        .map(Path::to_owned)
        .collect();
    let first = Mutex::new(First { paths: BinaryHeap::new(), bytes: 0, total: 0, room });
    let tour = Tour { workspace, from: RelPath::default(), ignored: Ignored::Skip, depth: None };
    tour.run(&|stop: &Stop| {
        let ours = apart.iter().any(|folder| stop.path.as_path().starts_with(folder));
        match stop.kind {
            EntryKind::Folder if ours => WalkState::Skip,
            EntryKind::File if !ours => {
                first.lock().unwrap_or_else(PoisonError::into_inner).add(&stop.path);
                WalkState::Continue
            }
            _ => WalkState::Continue,
        }
    });
    let First { paths, total, .. } = first.into_inner().unwrap_or_else(PoisonError::into_inner);
    if total == 0 {
        return "(empty workspace)\n".to_owned();
    }
    let paths = paths.into_sorted_vec();
    let mut lines = String::new();
    for path in &paths {
        // A file that is gone by now was there when it was counted.
        let size = fs::symlink_metadata(workspace.root().join(path.as_path())).map_or(0, |found| found.len());
        let _ = writeln!(lines, "  {} ({size} bytes)", quoted(path.as_path()));
    }
    if total > paths.len() {
        let more = total - paths.len();
        let _ = writeln!(
            lines,
            "  ... (list cut: {more} of {total} files are not shown; use RUN_COMMAND to look for them)"
        );
    }
    lines
}

impl First {
    fn add(&mut self, path: &RelPath) {
        self.total += 1;
        // Once something was left out, what sorts behind it is left out too, or the list would have gaps.
        if self.total > self.paths.len() + 1 && self.paths.peek().is_some_and(|last| path > last) {
            return;
        }
        self.bytes += path.as_bytes().len() + BESIDE;
        self.paths.push(path.clone());
        while self.bytes > self.room {
            match self.paths.pop() {
                Some(last) => self.bytes -= last.as_bytes().len() + BESIDE,
                None => break,
            }
        }
    }
}
