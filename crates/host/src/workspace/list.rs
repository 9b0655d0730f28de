//! Listing folders and globs, and the walk over the tree that search shares. Start from [`list`]; the walk is [`Tour`].
//!
//! Links are listed and never followed, so no walk leaves the workspace or goes in a circle. `.git` and `.cinque` are left out unless they are
//! asked for by name. Results are sorted by the bytes of their paths and so do not depend on threads or on the file system's order.

use std::collections::BinaryHeap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use globset::{GlobBuilder, GlobMatcher};
use ignore::{DirEntry, WalkBuilder, WalkState};

use super::error::{Error, Kind};
use super::path::{RelPath, climbs_out, names_folder};
use super::resolve::{Last, explain, stat, walk};
use super::{Workspace, protect};

/// Whether files that `.gitignore` names are part of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ignored {
    Skip,
    Show,
}

/// The first entries of a folder or glob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    pub entries: Vec<Entry>,
    /// How many there are in all.
    pub total: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    pub path: RelPath,
    pub kind: EntryKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    File,
    Folder,
    Link,
    Other,
}

pub(crate) fn list(
    workspace: &Workspace,
    asked: &Path,
    ignored: Ignored,
    limit: usize,
) -> Result<Listing, Error> {
    let relative = workspace.relative(asked)?;
    let (folder, pattern) = split(&relative)?;
    let from = find_folder(workspace, &folder, asked)?;
    let depth = match &pattern {
        None => Some(1),
        Some(pattern) => pattern.depth,
    };
    let tour = Tour { workspace, from: from.clone(), ignored, depth };
    let first = Mutex::new(First { entries: BinaryHeap::new(), limit, total: 0 });
    tour.run(&|stop: &Stop| {
        if pattern.as_ref().is_none_or(|pattern| pattern.matches(&from, stop)) {
            let entry = Entry { path: stop.path.clone(), kind: stop.kind };
            first.lock().unwrap_or_else(PoisonError::into_inner).add(entry);
        }
        WalkState::Continue
    });
    let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Listing { entries: first.entries.into_sorted_vec(), total: first.total })
}

/// The first entries by path, however many there are.
struct First {
    entries: BinaryHeap<Entry>,
    limit: usize,
    total: usize,
}

impl First {
    fn add(&mut self, entry: Entry) {
        self.total += 1;
        self.entries.push(entry);
        if self.entries.len() > self.limit {
            self.entries.pop();
        }
    }
}

/// A folder of the workspace by the path that a caller gave, links resolved.
pub(crate) fn find_folder(workspace: &Workspace, relative: &Path, asked: &Path) -> Result<RelPath, Error> {
    let spot = walk(workspace.dir(), relative, Last::Follow)?;
    let missing = || explain(rustix::io::Errno::NOENT, "list", asked);
    if !spot.missing.is_empty() {
        return Err(missing());
    }
    if let Some(name) = &spot.name {
        let found = stat(std::os::fd::AsFd::as_fd(&spot.dir), name, asked)?.ok_or_else(missing)?;
        if Kind::from(rustix::fs::FileType::from_raw_mode(found.st_mode)) != Kind::Folder {
            return Err(Error::NotAFolder { path: asked.to_owned() });
        }
    }
    Ok(spot.path())
}

/// A glob below a folder.
struct Pattern {
    glob: GlobMatcher,
    /// How deep it can match, unless it has `**`.
    depth: Option<usize>,
    folders_only: bool,
}

impl Pattern {
    fn matches(&self, from: &RelPath, stop: &Stop) -> bool {
        let below = stop.path.as_path().strip_prefix(from.as_path()).unwrap_or(stop.path.as_path());
        (!self.folders_only || stop.kind == EntryKind::Folder) && self.glob.is_match(below)
    }
}

/// Splits a path at its first part with a wildcard: the folder before it, which is resolved like any path, and the glob from there.
fn split(relative: &Path) -> Result<(PathBuf, Option<Pattern>), Error> {
    let wild =
        |part: &Component<'_>| part.as_os_str().as_bytes().iter().any(|byte| matches!(byte, b'*' | b'?'));
    let parts: Vec<Component<'_>> = relative.components().collect();
    let Some(at) = parts.iter().position(wild) else {
        return Ok((relative.to_owned(), None));
    };
    // A part with brackets or braces alone is a name, but before a wildcard it may be meant as a glob; only a plain prefix is resolved.
    let plain = parts[..at]
        .iter()
        .take_while(|part| !part.as_os_str().as_bytes().iter().any(|byte| matches!(byte, b'[' | b'{')))
        .count();
    let (folder, rest) = parts.split_at(plain);
    let rest: PathBuf = rest.iter().collect();
    if rest.components().any(|part| part == Component::ParentDir) {
        return match climbs_out(relative) {
            true => Err(Error::Outside { path: relative.to_owned() }),
            false => Err(Error::Pattern("`..` cannot follow a wildcard".to_owned())),
        };
    }
    let text = rest.to_str().ok_or_else(|| Error::Pattern("the glob is not UTF-8".to_owned()))?;
    let glob = glob(text)?;
    let endless = text.contains("**");
    let pattern = Pattern {
        glob,
        depth: (!endless).then(|| rest.components().count()),
        folders_only: names_folder(relative),
    };
    let folder: PathBuf = Path::new(".").join(folder.iter().collect::<PathBuf>());
    Ok((folder, Some(pattern)))
}

/// A glob as gitignore users know it: `*` stays within a folder, `**/` is any number of folders, also none.
pub(crate) fn glob(text: &str) -> Result<GlobMatcher, Error> {
    let glob = GlobBuilder::new(text).literal_separator(true).build();
    Ok(glob.map_err(|error| Error::Pattern(error.to_string()))?.compile_matcher())
}

/// One entry on the way.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) path: RelPath,
    pub(crate) kind: EntryKind,
}

/// A walk over everything below a folder, on several threads, in no order.
pub(crate) struct Tour<'a> {
    pub(crate) workspace: &'a Workspace,
    /// A folder, links resolved.
    pub(crate) from: RelPath,
    pub(crate) ignored: Ignored,
    /// How many levels to go down; `None` for all.
    pub(crate) depth: Option<usize>,
}

/// What is done at each stop.
pub(crate) type Visit<'a> = dyn Fn(&Stop) -> WalkState + Sync + 'a;

impl Tour<'_> {
    /// Visits everything, and says how many entries could not be read.
    ///
    /// The walk starts at the workspace and goes straight to `from`, so that the `.gitignore` files in between count, and those above a
    /// workspace that is no part of a repository do not. If they hide `from` itself, it was asked for by name and is walked all the same.
    pub(crate) fn run(&self, visit: &Visit<'_>) -> usize {
        let unread = Arc::new(AtomicUsize::new(0));
        let reached = Arc::new(AtomicBool::new(false));
        let root = self.workspace.root();
        let target = root.join(self.from.as_path());
        let rules = self.rules();
        let mut builder = self.builder(root, rules);
        builder.parents(rules == Ignored::Skip && inside_repository(root));
        builder.max_depth(self.depth.map(|depth| depth + self.from.as_path().components().count()));
        let (skipped, seen, goal) = (unread.clone(), reached.clone(), target.clone());
        let depth = self.from.as_path().components().count();
        builder.filter_entry(move |entry| match entry.depth().cmp(&depth) {
            std::cmp::Ordering::Less => goal.starts_with(entry.path()),
            std::cmp::Ordering::Equal => {
                let found = entry.path() == goal;
                seen.fetch_or(found, Ordering::Relaxed);
                found
            }
            // No other way leads so deep, so it need not be compared, which would cost a tenth of a search.
            std::cmp::Ordering::Greater => enters(entry, rules, &skipped),
        });
        self.drive(&builder, depth, visit, &unread);
        if !self.from.as_bytes().is_empty() && !reached.load(Ordering::Relaxed) {
            let mut builder = self.builder(&target, rules);
            builder.parents(false).max_depth(self.depth);
            let skipped = unread.clone();
            builder.filter_entry(move |entry| entry.depth() == 0 || enters(entry, rules, &skipped));
            self.drive(&builder, 0, visit, &unread);
        }
        unread.load(Ordering::Relaxed)
    }

    fn builder(&self, start: &Path, rules: Ignored) -> WalkBuilder {
        let skip = rules == Ignored::Skip;
        let threads = match self.depth {
            Some(1) => 1,
            _ => std::thread::available_parallelism().map_or(1, usize::from).min(8),
        };
        let mut builder = WalkBuilder::new(start);
        // A person's global git configuration is left out: the result depends on the workspace alone.
        builder
            .standard_filters(false)
            .ignore(skip)
            .git_ignore(skip)
            .git_exclude(skip)
            .require_git(false)
            .threads(threads);
        builder
    }

    /// Whether ignore files count. Not if one on the way to `from` is a trap, for the walk would read it before it asks.
    fn rules(&self) -> Ignored {
        let target = self.workspace.root().join(self.from.as_path());
        let mut way = target.ancestors().take_while(|folder| folder.starts_with(self.workspace.root()));
        if way.any(is_trapped) { Ignored::Show } else { self.ignored }
    }

    /// `from` lies so deep below the start of the walk; what comes before it is only on the way.
    fn drive(&self, builder: &WalkBuilder, depth: usize, visit: &Visit<'_>, unread: &AtomicUsize) {
        builder.build_parallel().run(|| {
            Box::new(|entry| match entry {
                Ok(entry) if entry.depth() <= depth => WalkState::Continue,
                Ok(entry) => self.stop(&entry).map_or(WalkState::Continue, |stop| visit(&stop)),
                Err(_) => {
                    unread.fetch_add(1, Ordering::Relaxed);
                    WalkState::Continue
                }
            })
        });
    }

    /// The entry as a path of the workspace. The walk spells the folder that it starts from as it was given, so bytes will do.
    fn stop(&self, entry: &DirEntry) -> Option<Stop> {
        let (path, root) =
            (entry.path().as_os_str().as_bytes(), self.workspace.root().as_os_str().as_bytes());
        let relative = path.strip_prefix(root)?;
        let relative = OsStr::from_bytes(relative.strip_prefix(b"/").unwrap_or(relative));
        let kind = match entry.file_type() {
            Some(kind) if kind.is_file() => EntryKind::File,
            Some(kind) if kind.is_dir() => EntryKind::Folder,
            Some(kind) if kind.is_symlink() => EntryKind::Link,
            _ => EntryKind::Other,
        };
        Some(Stop { path: RelPath::new(relative)?, kind })
    }
}

/// Whether the walk takes up an entry; a folder that would make it wait for ever counts as unread.
fn enters(entry: &DirEntry, rules: Ignored, unread: &AtomicUsize) -> bool {
    if protect::unlisted(entry.file_name()) {
        return false;
    }
    let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    let trapped = rules == Ignored::Skip && folder && is_trapped(entry.path());
    unread.fetch_add(usize::from(trapped), Ordering::Relaxed);
    !trapped
}

/// Whether an ignore file of this folder is a pipe or a device, on which the walk, which opens it unasked, would wait for ever.
fn is_trapped(folder: &Path) -> bool {
    let special = |found: std::fs::Metadata| !found.is_file() && !found.is_dir();
    [".gitignore", ".ignore"].iter().any(|name| folder.join(name).metadata().is_ok_and(special))
}

/// Whether the `.gitignore` files above a workspace have a say in it, as they have for git.
fn inside_repository(root: &Path) -> bool {
    let is_repository = |folder: &Path| folder.join(".git").exists();
    !is_repository(root) && root.ancestors().skip(1).any(is_repository)
}

#[cfg(test)]
mod tests;
