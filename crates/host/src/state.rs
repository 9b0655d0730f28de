//! The folder `.cinque` in which a workspace keeps its state. Start at [`State::prepare`].
//!
//! It belongs to its owner alone and ignores itself in git.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub struct State {
    folder: PathBuf,
}

#[derive(Debug, thiserror::Error)]
#[error("cannot keep state in {}: {source}", folder.display())]
pub struct StateError {
    folder: PathBuf,
    #[source]
    source: io::Error,
}

impl State {
    /// Names the state of a workspace without touching the disk.
    pub fn of(workspace: &Path) -> State {
        State { folder: workspace.join(".cinque") }
    }

    /// Makes the folder if it is not there yet.
    pub fn prepare(workspace: &Path) -> Result<State, StateError> {
        let state = State::of(workspace);
        state.make().map_err(|source| StateError { folder: state.folder.clone(), source })?;
        Ok(state)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn database(&self) -> PathBuf {
        self.folder.join("app.db")
    }

    /// Where the whole output of commands is kept that print much.
    pub fn output(&self) -> PathBuf {
        self.folder.join("output")
    }

    fn make(&self) -> io::Result<()> {
        // A link in its place could lead the state, and all that is written to it, somewhere else.
        match fs::symlink_metadata(&self.folder) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(io::Error::new(io::ErrorKind::NotADirectory, "it is not a folder")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => make_private(&self.folder)?,
            Err(error) => return Err(error),
        }
        let ignore = self.folder.join(".gitignore");
        if fs::symlink_metadata(&ignore).is_err() {
            fs::write(ignore, "*\n")?;
        }
        Ok(())
    }
}

#[cfg(unix)]
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        // Another process that starts at the same moment may be first.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

#[cfg(not(unix))]
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}
