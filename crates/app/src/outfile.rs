//! Files that a run is told to write at its end. Start at [`check`], before the run, so that no work is lost to a path
//! that cannot be written.

use crate::exit::{Exit, Fault};
use rustix::fs::{Access, access};
use rustix::io::Errno;
use std::fs;
use std::io::{Error, ErrorKind};
use std::os::unix::fs::FileTypeExt;
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

/// Writes it. A pipe may have nobody at its other end: that is waited for, unless somebody wants to stop.
pub async fn write(path: &Path, text: &str, stop: impl Future<Output = ()>) -> Result<(), Fault> {
    if !path.metadata().is_ok_and(|found| found.file_type().is_fifo()) {
        return fs::write(path, text).map_err(|error| unwritten(path, &error));
    }
    let (tell, told) = tokio::sync::oneshot::channel();
    let (to, text) = (path.to_owned(), text.to_owned());
    // Not on a thread of the runtime, which would be waited for at the end.
    std::thread::spawn(move || tell.send(fs::write(to, text)));
    tokio::select! {
        written = told => written.map_err(Fault::error)?.map_err(|error| unwritten(path, &error)),
        () = stop => {
            let message = format!("cannot write {}: nobody reads it", path.display());
            Err(Fault::new(Exit::Interrupted, message))
        }
    }
}

pub fn unwritten(path: &Path, error: &Error) -> Fault {
    Fault::error(format!("cannot write {}: {error}", path.display()))
}
