//! The folder `.cinque` in which a workspace keeps its state. Start at [`State::prepare`].
//!
//! It belongs to its owner alone and ignores itself in git.

use crate::whole::sync_names;
use crate::workspace::{Error, STATE_FOLDER, Workspace};
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

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

/// How much output of commands is kept: so many files, so many bytes, so long.
const OUTPUTS: usize = 200;
const OUTPUT_BYTES: u64 = 1 << 30;
const OUTPUT_AGE: Duration = Duration::from_secs(14 * 24 * 60 * 60);

impl State {
    /// Drops the oldest outputs beyond what is kept. What cannot be dropped stays.
    pub fn prune_output(&self, now: SystemTime) {
        // A link in its place would lead to somebody else's files.
        if !fs::symlink_metadata(self.output()).is_ok_and(|found| found.is_dir()) {
            return;
        }
        let entries = fs::read_dir(self.output()).into_iter().flatten().flatten();
        let dated = |entry: fs::DirEntry| {
            let ours = entry.file_name().to_string_lossy().starts_with("output-");
            let metadata = entry.metadata().ok().filter(fs::Metadata::is_file).filter(|_| ours)?;
            Some((metadata.modified().ok()?, metadata.len(), entry.path()))
        };
        let mut files: Vec<_> = entries.filter_map(dated).collect();
        files.sort_by_key(|file| std::cmp::Reverse(file.0));
        let mut bytes = 0;
        for (number, (written, size, path)) in files.into_iter().enumerate() {
            bytes += size;
            let old = now.duration_since(written).is_ok_and(|age| age > OUTPUT_AGE);
            if number >= OUTPUTS || bytes > OUTPUT_BYTES || old {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Makes a folder in it for its owner alone, and says whether it is new. Whatever else stands there, a link above all, is
/// refused: a repository may bring a `.cinque` of its own, and what is written here must not land elsewhere.
pub(crate) fn make_private(folder: &Path) -> io::Result<bool> {
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if fs::symlink_metadata(folder)?.is_dir() {
                Ok(false)
            } else {
                Err(io::ErrorKind::NotADirectory.into())
            }
        }
        other => other.map(|()| true),
    }
}

/// The same for a folder that must not be lost in a power cut with what is kept in it.
pub(crate) fn make_lasting(folder: &Path) -> io::Result<()> {
    match make_private(folder)? {
        true => folder.parent().map_or(Ok(()), sync_names),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::Scratch;

    #[test]
    fn the_newest_outputs_are_kept() {
        let scratch = Scratch::new();
        let state = State::of(scratch.path());
        for n in 0..OUTPUTS + 5 {
            let path = scratch.write(format!(".cinque/output/output-{n}"), "x");
            let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + n as u64);
            fs::File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
        }
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_001_000);
        state.prune_output(now);
        assert!(!scratch.exists(".cinque/output/output-4") && scratch.exists(".cinque/output/output-5"));
        scratch.write(".cinque/output/notes.txt", "not ours");
        state.prune_output(now + 2 * OUTPUT_AGE);
        assert!(scratch.exists(".cinque/output/notes.txt"));
        assert!(!scratch.exists(".cinque/output/output-204"));
    }

    #[test]
    fn a_link_in_the_place_of_output_or_claims_leads_nowhere() {
        let scratch = Scratch::new();
        let old = scratch.write("docs/output-1", "mine");
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
        fs::File::options().write(true).open(old).unwrap().set_modified(long_ago).unwrap();
        scratch.directory(".cinque");
        for name in ["output", "claims"] {
            std::os::unix::fs::symlink(scratch.join("docs"), scratch.join(".cinque").join(name)).unwrap();
        }
        State::of(scratch.path()).prune_output(SystemTime::now());
        let store = crate::store::Sqlite::open(&State::prepare(scratch.path()).unwrap()).unwrap();
        let id = agent::Id::try_from("output-1".to_owned()).unwrap();
        assert!(agent::Store::claim(&store, &id).is_err());
        assert_eq!(scratch.read("docs/output-1"), "mine");
    }
}
