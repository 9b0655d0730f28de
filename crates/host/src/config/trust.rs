//! Which folders a person trusts, so that what lies in them may act. Start from [`Trust`].
//!
//! Trust is given to bytes, not to a name: it is bound to a [`Snapshot`] of the files that act, and a folder in which
//! one of them has changed must be trusted again. Whatever cannot be read or understood is not trusted.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::disk::{self, Read};
use crate::whole::{Kind, Turn, replace};

/// The files of a folder that act once it is trusted.
pub const ACTING: &[&str] = &[CONFIG, ".mcp.json"];

/// The configuration of a folder.
pub const CONFIG: &str = ".cinque/config.toml";

/// The folders that are trusted, as of when it was read.
#[derive(Debug, Clone, Default)]
pub struct Trust {
    folders: BTreeMap<String, Entry>,
}

/// The files of one folder that act, as they were read once: what was looked at is what is trusted and what acts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    files: BTreeMap<&'static str, Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// There is nothing in the folder that could act.
    Empty,
    Trusted,
    /// It was trusted, and has changed since.
    Changed,
    Untrusted,
}

#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error("cannot use the list of trusted folders {}: {source}", path.display())]
    Unusable { path: PathBuf, source: io::Error },
    #[error("the list of trusted folders {} is damaged ({reason}): remove it and trust your folders again", path.display())]
    Damaged { path: PathBuf, reason: String },
    #[error("the name of the folder {} is not UTF-8, so it cannot be trusted: rename it", .0.display())]
    Nameless(PathBuf),
}

impl Trust {
    /// Reads the list; none is an empty one.
    pub fn read(path: &Path, read: Read<'_>) -> Result<Trust, TrustError> {
        let bytes = read(path).map_err(|source| TrustError::Unusable { path: path.to_owned(), source })?;
        let Some(bytes) = bytes else { return Ok(Trust::default()) };
        let list: List = serde_json::from_slice(&bytes)
            .map_err(|error| TrustError::Damaged { path: path.to_owned(), reason: error.to_string() })?;
        Ok(Trust { folders: list.folders })
    }

    /// How a folder stands, by its real path and what lies in it.
    pub fn standing(&self, folder: &Path, snapshot: &Snapshot) -> Standing {
        let entry = folder.to_str().and_then(|name| self.folders.get(name));
        match entry {
            _ if snapshot.files.is_empty() => Standing::Empty,
            Some(entry) if entry.fingerprint == snapshot.fingerprint() => Standing::Trusted,
            Some(_) => Standing::Changed,
            None => Standing::Untrusted,
        }
    }

    /// Trusts a folder, by its real path, with what lies in it now; in the file at `path`.
    pub fn trust(path: &Path, folder: &Path, snapshot: &Snapshot) -> Result<(), TrustError> {
        let name = folder.to_str().ok_or_else(|| TrustError::Nameless(folder.to_owned()))?;
        let entry = Entry { fingerprint: snapshot.fingerprint() };
        change(path, |folders| {
            folders.insert(name.to_owned(), entry);
        })
    }

    /// Trusts a folder no longer.
    pub fn distrust(path: &Path, folder: &Path) -> Result<(), TrustError> {
        let name = folder.to_str().ok_or_else(|| TrustError::Nameless(folder.to_owned()))?;
        change(path, |folders| {
            folders.remove(name);
        })
    }
}

impl Snapshot {
    pub fn take(folder: &Path, read: Read<'_>) -> io::Result<Snapshot> {
        let mut files = BTreeMap::new();
        for name in ACTING {
            if let Some(bytes) = read(&folder.join(name))? {
                files.insert(*name, bytes);
            }
        }
        Ok(Snapshot { files })
    }

    /// The bytes of one of the [`ACTING`] files.
    pub fn file(&self, name: &str) -> Option<&[u8]> {
        self.files.get(name).map(Vec::as_slice)
    }

    /// What is there to be looked at before it is trusted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.files.keys().copied()
    }

    fn fingerprint(&self) -> String {
        let mut hash = blake3::Hasher::new();
        for (name, bytes) in &self.files {
            // With the lengths, bytes cannot wander from one file to the next unseen.
            for part in [name.as_bytes(), bytes] {
                hash.update(&(part.len() as u64).to_le_bytes()).update(part);
            }
        }
        hash.finalize().to_hex().to_string()
    }
}

/// The file.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    folders: BTreeMap<String, Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    fingerprint: String,
}

/// Changes the list on disk. Two programs that do so at once lose nothing, and nobody ever reads half a list.
fn change(path: &Path, change: impl FnOnce(&mut BTreeMap<String, Entry>)) -> Result<(), TrustError> {
    let unusable = |source| TrustError::Unusable { path: path.to_owned(), source };
    let _turn = Turn::take(path).map_err(unusable)?;
    let mut folders = Trust::read(path, &disk::read_file)?.folders;
    change(&mut folders);
    let text = serde_json::to_vec_pretty(&List { folders }).map_err(|error| unusable(error.into()))?;
    replace(path, &text, Kind::Settings).map_err(unusable)
}

#[cfg(test)]
mod tests;
