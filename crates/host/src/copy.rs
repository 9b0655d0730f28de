//! A copy of a folder, within bounds. Start at [`tree`].

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const FILES: usize = 100_000;
const BYTES: u64 = 2 << 30;

#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    #[error("{} has more than {FILES} files or {} GiB: too much to copy", from.display(), BYTES >> 30)]
    TooMuch { from: PathBuf },
    #[error("cannot copy {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// Copies files, folders and links; pipes, sockets and devices are left out. `to` must exist.
pub fn tree(from: &Path, to: &Path) -> Result<(), CopyError> {
    let mut left = (FILES, BYTES);
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let path = from.join(&folder);
        let failed = |source| CopyError::Io { path: path.clone(), source };
        for entry in fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let inside = folder.join(entry.file_name());
            let (source, target) = (entry.path(), to.join(&inside));
            let kind = entry.file_type().map_err(failed)?;
            let copied = if kind.is_dir() {
                folders.push(inside);
                fs::create_dir(&target).and_then(|()| copy_mode(&source, &target))
            } else if kind.is_symlink() {
                fs::read_link(&source).and_then(|link| std::os::unix::fs::symlink(link, &target))
            } else if kind.is_file() {
                let size = entry.metadata().map_or(0, |metadata| metadata.len());
                left = match (left.0.checked_sub(1), left.1.checked_sub(size)) {
                    (Some(files), Some(bytes)) => (files, bytes),
                    _ => return Err(CopyError::TooMuch { from: from.to_owned() }),
                };
                fs::copy(&source, &target).map(drop)
            } else {
                Ok(())
            };
            copied.map_err(|error| CopyError::Io { path: source, source: error })?;
        }
    }
    Ok(())
}

fn copy_mode(from: &Path, to: &Path) -> io::Result<()> {
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}
