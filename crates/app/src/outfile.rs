//! Files that a run is told to write at its end. Start at [`check`], before the run, so that no work is lost to a path
//! that cannot be written.

use crate::exit::{Exit, Fault};
use rustix::fs::{Access, access};
use std::io::{Error, ErrorKind};
use std::path::Path;

/// Whether a file can be written there, as far as can be told without touching it: what it holds stays until the end.
pub fn check(path: &Path) -> Result<(), Fault> {
    let refuse = |error: &Error| Err(Fault { exit: Exit::Usage, ..unwritten(path, error) });
    if path.is_dir() {
        return refuse(&ErrorKind::IsADirectory.into());
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let touched = if path.exists() { path } else { parent };
    match access(touched, Access::WRITE_OK) {
        Err(error) => refuse(&error.into()),
        Ok(()) if !parent.is_dir() => refuse(&ErrorKind::NotADirectory.into()),
        Ok(()) => Ok(()),
    }
}

pub fn unwritten(path: &Path, error: &Error) -> Fault {
    Fault::error(format!("cannot write {}: {error}", path.display()))
}
