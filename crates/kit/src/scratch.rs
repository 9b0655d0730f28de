//! A directory of a test's own.
//!
//! Start from [`Scratch`]. It never removes anything but the directory it made.

#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A fresh directory under the temporary one, removed with all it holds when dropped.
///
/// All methods take paths relative to it, make missing parents, and panic when the file system
/// refuses: a test cannot go on from there.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    #[expect(clippy::new_without_default, reason = "it makes a directory, which a default must not")]
    pub fn new() -> Self {
        Self::within(&std::env::temp_dir())
    }

    /// A fresh directory somewhere else: the sandbox hides the temporary one from commands.
    pub fn within(parent: &Path) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        // Process ids come round again, and a killed test leaves its directory behind.
        let time = now.map_or(0, |now| now.as_nanos());
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("cinque-kit-{}-{time:x}-{count}", std::process::id());
        // Programs print the path without links, and tests compare what they print.
        let parent = parent.canonicalize().unwrap_or_else(|_| parent.to_owned());
        let path = parent.join(name);
        done(fs::create_dir(&path), &path);
        Self { path }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn join(&self, path: impl AsRef<Path>) -> PathBuf {
        self.path.join(path)
    }

    /// Writes a file and gives its full path.
    pub fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.join(path);
        let parent = path.parent().unwrap_or(&self.path);
        done(fs::create_dir_all(parent), parent);
        done(fs::write(&path, content), &path);
        path
    }

    /// Makes a directory and gives its full path.
    pub fn directory(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = self.join(path);
        done(fs::create_dir_all(&path), &path);
        path
    }

    pub fn read(&self, path: impl AsRef<Path>) -> String {
        let path = self.join(path);
        done(fs::read_to_string(&path), &path)
    }

    pub fn read_bytes(&self, path: impl AsRef<Path>) -> Vec<u8> {
        let path = self.join(path);
        done(fs::read(&path), &path)
    }

    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.join(path).exists()
    }

    /// The relative paths of all files, sorted, with `/` between their parts. Links are listed
    /// and not followed.
    pub fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![self.path.clone()];
        while let Some(directory) = open.pop() {
            for entry in done(fs::read_dir(&directory), &directory) {
                let path = done(entry, &directory).path();
                if path.is_dir() && !path.is_symlink() {
                    open.push(path);
                } else {
                    let path = path.strip_prefix(&self.path).unwrap_or(&path);
                    found.push(path.to_string_lossy().into_owned());
                }
            }
        }
        found.sort();
        found
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left behind lies in the temporary directory; failing here would hide why a test
        // failed.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn done<T>(result: io::Result<T>, path: &Path) -> T {
    result.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
