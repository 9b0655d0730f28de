//! What changed files were before, small enough to stand in a log. Start at [`Before`].

use super::section::Version;
use super::{Snapshot, SnapshotError};
use crate::config::Redactor;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path};

/// The most text of all files together.
const TEXT: usize = 1 << 20;
/// The most files.
const FILES: usize = 1000;

/// One file as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    pub path: String,
    /// As git counts it; nothing where there was no file.
    pub mode: Option<u32>,
    pub text: String,
}

impl Snapshot {
    /// What the files that changed were, as far as they are text and not too much of it.
    pub(in crate::solve) fn changed_files(&self, secrets: &Redactor) -> Result<Vec<Before>, SnapshotError> {
        let (mut files, mut left) = (Vec::new(), TEXT);
        self.changed(|path, before, after| {
            let same = |a: &Version, b: &Version| a.mode == b.mode && a.bytes == b.bytes;
            let unchanged = before.as_ref().zip(after.as_ref()).is_some_and(|(a, b)| same(a, b));
            let mode = before.as_ref().map(|version| version.mode);
            let text = String::from_utf8(before.map(|version| version.bytes).unwrap_or_default());
            if let (Ok(text), Some(path), false) = (text, path.to_str(), unchanged)
                && text.len() <= left
                && files.len() < FILES
            {
                left -= text.len();
                let text = secrets.redact(&text).into_owned();
                files.push(Before { path: path.to_owned(), mode, text });
            }
        })?;
        Ok(files)
    }
}

/// Puts files of a folder back to what they were. The folder must be one of our own making: a log may name any path, and
/// only such as lead straight into it are followed.
pub fn restore(folder: &Path, files: &[Before]) -> io::Result<()> {
    for Before { path, mode, text } in files {
        let inside = Path::new(path);
        let is_plain = inside.components().all(|part| matches!(part, Component::Normal(_)));
        if path.is_empty() || !is_plain || leaves(folder, inside) {
            continue;
        }
        let target = folder.join(inside);
        if fs::symlink_metadata(&target).is_ok() {
            fs::remove_file(&target)?;
        }
        let Some(mode) = mode else {
            remove_empty(folder, inside);
            continue;
        };
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        match *mode {
            0o120_000 => std::os::unix::fs::symlink(text, &target)?,
            mode => {
                fs::write(&target, text)?;
                fs::set_permissions(&target, fs::Permissions::from_mode(mode & 0o777))?;
            }
        }
    }
    Ok(())
}

/// Removes the folders of a file that is gone, as far as nothing else is in them: they came with it.
fn remove_empty(folder: &Path, inside: &Path) {
    let parents = inside.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty());
    let _ = parents.map(|parent| fs::remove_dir(folder.join(parent))).take_while(Result::is_ok).count();
}

/// Whether a folder on the way is a link.
fn leaves(folder: &Path, inside: &Path) -> bool {
    let parents = inside.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty());
    parents
        .into_iter()
        .any(|parent| fs::symlink_metadata(folder.join(parent)).is_ok_and(|found| found.is_symlink()))
}
