//! The files of the repository, in memory. Start from [`Tree`].

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::failure::Failure;

/// Folders that hold nothing anybody wrote.
const PRODUCTS: &[&str] = &[".git", ".cinque", "target", "node_modules", "dist"];
/// Cargo marks its target directory so, whatever it is called.
const CACHE_MARK: &str = "CACHEDIR.TAG";
/// Larger files are data; they are known by name, but not read.
const READ_LIMIT: u64 = 1 << 20;

/// Paths, relative to the root and with `/` between their parts, and the texts they hold.
///
/// What is no text, and links, are kept by name with an empty text, because documents may link to them.
#[derive(Default)]
pub(super) struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    pub(super) fn read(root: &Path) -> Result<Self, Failure> {
        let mut tree = Self::default();
        tree.enter(root, "").map_err(|error| Failure::new(format!("tidy cannot read {error}")))?;
        Ok(tree)
    }

    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        Self { files: files.collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The Rust files that the rules are about.
    pub(super) fn rust(&self) -> impl Iterator<Item = (&str, &str)> {
        let ours = |path: &str| ["crates/", "fuzz/", "xtask/"].iter().any(|folder| path.starts_with(folder));
        self.texts().filter(move |(path, _)| path.ends_with(".rs") && ours(path))
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Whether there is a file or a folder of this name.
    pub(super) fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let folder = format!("{path}/");
        path.is_empty() || self.files.contains_key(path) || self.paths().any(|path| path.starts_with(&folder))
    }

    /// Whether the path of some file ends with these parts.
    pub(super) fn has_ending(&self, parts: &str) -> bool {
        self.paths()
            .any(|path| path.strip_suffix(parts).is_some_and(|rest| rest.is_empty() || rest.ends_with('/')))
    }

    fn enter(&mut self, folder: &Path, prefix: &str) -> Result<(), String> {
        let told = |error| format!("{}: {error}", folder.display());
        for entry in fs::read_dir(folder).map_err(told)? {
            let entry = entry.map_err(told)?;
            let kind = entry.file_type().map_err(told)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{prefix}{name}");
            if kind.is_dir() {
                let product = PRODUCTS.contains(&name.as_str()) || entry.path().join(CACHE_MARK).exists();
                if !product {
                    self.enter(&entry.path(), &format!("{path}/"))?;
                }
            } else if kind.is_symlink() {
                self.files.insert(path, String::new());
            } else {
                let small = entry.metadata().map_err(told)?.len() <= READ_LIMIT;
                let text = small.then(|| fs::read(entry.path())).transpose().map_err(told)?;
                let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
                self.files.insert(path, text.unwrap_or_default());
            }
        }
        Ok(())
    }
}

/// Whether a file is a test or what tests read.
pub(super) fn is_for_tests(path: &str) -> bool {
    const FOLDERS: &[&str] = &["tests", "testdata", "fixtures", "fuzz"];
    path.split('/').any(|part| FOLDERS.contains(&part) || part == "tests.rs")
}
