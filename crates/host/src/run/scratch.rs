//! New names in the scratch directory. Start from [`fresh`].

use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Calls `make` with paths that nobody else uses until one could be made.
pub fn fresh<T>(
    scratch: &Path,
    kind: &str,
    make: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(T, PathBuf)> {
    loop {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let number = now.map_or(0, |time| time.as_nanos());
        let path = scratch.join(format!("{kind}-{}-{number:x}", std::process::id()));
        match make(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            made => return made.map(|made| (made, path)),
        }
    }
}
