//! Files that a run is told to write at its end. Start at [`check`], before the run, so that no work is lost to a path
//! that cannot be written.

use crate::exit::{Exit, Fault};
use rustix::fs::{Access, access};
use rustix::io::Errno;
use std::io::{Error, ErrorKind};
use std::path::Path;

/// Whether a file can be written there, as far as can be told without touching it: what it holds stays until the end.
pub fn check(path: &Path) -> Result<(), Fault> {
    place(path).map_err(|error| Fault { exit: Exit::Usage, ..unwritten(path, &error) })
}

fn place(path: &Path) -> Result<(), Error> {
    if path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(ErrorKind::IsADirectory.into());
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match access(path, Access::WRITE_OK) {
        Err(Errno::NOENT) => match path.read_link() {
            // A link to nothing makes the file where it leads.
            Ok(target) => place(&parent.join(target)),
            Err(_) => Ok(access(parent, Access::WRITE_OK)?),
        },
        other => Ok(other?),
    }
}

pub fn unwritten(path: &Path, error: &Error) -> Fault {
    Fault::error(format!("cannot write {}: {error}", path.display()))
}
