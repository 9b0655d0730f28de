//! The files as they would be after the sections so far, and the net change at the end.
//!
//! Start from [`Overlay`]. Later sections see what earlier ones did, so sections compose; what
//! cancels out leaves no change. The real files are only read, each at most once.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::error::{Failure, PatchError};
use super::path::cleaned;
use super::{Change, Plan};

/// How a file is fetched: its bytes, or nothing if there is none.
pub type Read<'r, E> = &'r mut dyn FnMut(&str) -> Result<Option<Vec<u8>>, E>;

/// A view of the files with planned changes laid over them.
pub struct Overlay<'r, E> {
    read: Read<'r, E>,
    files: BTreeMap<String, File>,
}

struct File {
    before: Option<Vec<u8>>,
    now: Option<Vec<u8>>,
    /// The path this file had before the patch, if it came here by a move.
    origin: Option<String>,
}

impl<'r, E> Overlay<'r, E> {
    /// A view without changes.
    pub fn new(read: Read<'r, E>) -> Overlay<'r, E> {
        Overlay { read, files: BTreeMap::new() }
    }

    /// The first of several names that exists, or else the first.
    pub fn choose(&mut self, names: &[String]) -> Result<String, Failure<E>> {
        if let [_, _, ..] = names {
            for name in names {
                let name = cleaned(name)?;
                if self.file(&name)?.now.is_some() {
                    return Ok(name);
                }
            }
        }
        let first = names.first().map(String::as_str).unwrap_or_default();
        Ok(cleaned(first)?)
    }

    /// The bytes of a file as planned so far.
    pub fn get(&mut self, path: &str) -> Result<Option<&[u8]>, Failure<E>> {
        Ok(self.file(path)?.now.as_deref())
    }

    /// Plans new bytes for a file.
    pub fn put(&mut self, path: &str, content: Vec<u8>) -> Result<(), Failure<E>> {
        self.file(path)?.now = Some(content);
        Ok(())
    }

    /// Plans the removal of a file.
    pub fn remove(&mut self, path: &str) -> Result<(), Failure<E>> {
        let file = self.file(path)?;
        file.now = None;
        file.origin = None;
        Ok(())
    }

    /// Plans that a file goes to another path with new bytes.
    pub fn rename(&mut self, from: &str, to: &str, content: Vec<u8>) -> Result<(), Failure<E>> {
        if from == to {
            return self.put(to, content);
        }
        let source = self.file(from)?;
        let origin = match source.origin.take() {
            Some(origin) => Some(origin),
            None => source.before.is_some().then(|| from.to_owned()),
        };
        source.now = None;
        let target = self.file(to)?;
        target.now = Some(content);
        target.origin = origin;
        Ok(())
    }

    /// The net changes, or what is wrong with them taken together.
    pub fn finish(mut self) -> Result<Plan, PatchError> {
        self.refuse_files_as_directories()?;
        let mut changes = Vec::new();
        let moves: Vec<(String, String)> = self
            .files
            .iter()
            .filter_map(|(to, file)| Some((file.origin.clone()?, to.clone())))
            .filter(|(from, to)| from != to && self.is_gone(from))
            .collect();
        for (from, to) in moves {
            let source = self.files.remove(&from).and_then(|file| file.before);
            let target = self.files.remove(&to);
            if let (Some(before), Some(target)) = (source, target)
                && let Some(content) = target.now
            {
                changes.push(Change::Move { from, to, content, before, replaced: target.before });
            }
        }
        for (path, file) in self.files {
            match (file.before, file.now) {
                (before, Some(content)) if before.as_ref() != Some(&content) => {
                    changes.push(Change::Write { path, content, before });
                }
                (Some(before), None) => changes.push(Change::Delete { path, before }),
                _ => {}
            }
        }
        changes.sort_by(|a, b| a.path().cmp(b.path()));
        Ok(Plan { changes })
    }

    fn file(&mut self, path: &str) -> Result<&mut File, Failure<E>> {
        match self.files.entry(path.to_owned()) {
            Entry::Occupied(file) => Ok(file.into_mut()),
            Entry::Vacant(slot) => {
                let before = (self.read)(path).map_err(Failure::Read)?;
                Ok(slot.insert(File { now: before.clone(), before, origin: None }))
            }
        }
    }

    fn is_gone(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|file| file.before.is_some() && file.now.is_none())
    }

    fn refuse_files_as_directories(&self) -> Result<(), PatchError> {
        let is_file = |path: &str| self.files.get(path).is_some_and(|file| file.now.is_some());
        for path in self.files.keys().filter(|path| is_file(path)) {
            let parents = path.match_indices('/').map(|(cut, _)| &path[..cut]);
            for parent in parents {
                if is_file(parent) {
                    return Err(PatchError::Conflict(format!(
                        "The patch needs {parent} as a file and as the directory of {path}."
                    )));
                }
            }
        }
        Ok(())
    }
}
