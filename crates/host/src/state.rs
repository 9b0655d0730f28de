//! The folder `.cinque` in which a workspace keeps its state. Start at [`State::prepare`].
//!
//! It belongs to its owner alone and ignores itself in git.

use crate::workspace::{Error, STATE_FOLDER, Workspace};
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub struct State {
    folder: PathBuf,
}

impl State {
    /// Names the state of a workspace without touching the disk.
    pub fn of(workspace: &Path) -> State {
        State { folder: workspace.join(STATE_FOLDER) }
    }

    /// Makes the folder if it is not there yet.
    pub fn prepare(workspace: &Path) -> Result<State, Error> {
        Workspace::open(workspace)?.prepare_state()?;
        Ok(State::of(workspace))
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
}

/// Makes a folder in it for its owner alone. Whatever else stands there, a link above all, is refused: a repository may
/// bring a `.cinque` of its own, and what is written here must not land elsewhere.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if fs::symlink_metadata(folder)?.is_dir() {
                Ok(())
            } else {
                Err(io::ErrorKind::NotADirectory.into())
            }
        }
        other => other,
    }
}
