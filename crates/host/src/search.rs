//! Searching file contents with ripgrep's libraries. Start from [`search`].
//!
//! The tree is walked and searched on several threads, yet the result is that of a search in order: the first hits by path and line. Time is
//! linear in the text for every pattern. A file is opened through the workspace, so a link that appears during the walk leads nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkFinish, SinkMatch};
use ignore::WalkState;

use crate::judge::is_credential;
use crate::workspace::{EntryKind, Error, Ignored, Kind, RelPath, Stop, Tour, Workspace};

/// What to look for.
#[derive(Debug, Clone)]
pub struct Query {
    pub pattern: String,
    pub syntax: Syntax,
    pub case: Case,
    /// Only files that match one of these globs, if there are any. Without `/` a glob is about the name at any depth.
    pub include: Vec<String>,
    /// No file or folder that matches one of these.
    pub exclude: Vec<String>,
    pub ignored: Ignored,
    /// At most so many hits.
    pub limit: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    Regex,
    Literal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    Sensitive,
    Insensitive,
}

/// What was found, in order of path and line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub hits: Vec<Hit>,
    pub coverage: Coverage,
    /// Files and folders that could not be read.
    pub unread: usize,
    /// Files beneath the folder that hold credentials by their name; they are only searched when named themselves.
    pub withheld: Vec<RelPath>,
}

/// Whether the hits are all there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    Whole,
    /// There are more hits than the limit.
    Stopped,
}

/// One matching line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub path: RelPath,
    pub line: u64,
    /// The line without its ending, cut where it is very long.
    pub text: String,
}

/// Longer lines are cut; nobody reads more of a minified file.
const LONGEST: usize = 4096;

/// A line that does not fit this makes its file unreadable for search; the memory of one thread is bounded by it.
const HEAP: usize = 64 << 20;

/// A smaller file is read at once. It is as much as the searcher looks through for what makes a file binary.
const SMALL: usize = 64 << 10;

/// A pattern that compiles to more is refused; a few hundred bytes of nested repetitions would otherwise take gigabytes.
const AUTOMATON: usize = 16 << 20;

/// Searches the file or the folder at `path`. `cancelled` is asked all the time, from several threads.
pub fn search(
    workspace: &Workspace,
    query: &Query,
    path: impl AsRef<Path>,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Found, Error> {
    let asked = path.as_ref();
    let job = Job {
        workspace,
        matcher: matcher(query)?,
        include: globs(&query.include)?,
        exclude: globs(&query.exclude)?,
        best: Mutex::new(Best { room: query.limit.saturating_add(1), count: 0, files: BTreeMap::new() }),
        unread: AtomicUsize::new(0),
        withheld: (!is_credential(asked)).then(Mutex::default),
        cancelled,
    };
    match workspace.open_file(asked) {
        Ok(file) => {
            let hits =
                job.search(&mut searcher(), file, &workspace.resolve(asked)?, query.limit.saturating_add(1));
            job.add(hits);
        }
        Err(Error::NotAFile { kind: Kind::Folder, .. }) => {
            let tour =
                Tour { workspace, from: workspace.folder(asked)?, ignored: query.ignored, depth: None };
            let unread = tour.run(&|stop| job.visit(stop));
            job.unread.fetch_add(unread, Ordering::Relaxed);
        }
        Err(error) => return Err(error),
    }
    if cancelled() {
        return Err(Error::Cancelled);
    }
    Ok(job.found(query.limit))
}

fn matcher(query: &Query) -> Result<RegexMatcher, Error> {
    RegexMatcherBuilder::new()
        .case_insensitive(query.case == Case::Insensitive)
        .fixed_strings(query.syntax == Syntax::Literal)
        .multi_line(true)
        .size_limit(AUTOMATON)
        .dfa_size_limit(AUTOMATON)
        .crlf(true)
        .build(&query.pattern)
        .map_err(|error| Error::Pattern(error.to_string()))
}

fn searcher() -> Searcher {
    SearcherBuilder::new()
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(HEAP))
        .line_number(true)
        .line_terminator(LineTerminator::crlf())
        .build()
}

fn globs(texts: &[String]) -> Result<Option<GlobSet>, Error> {
    let bad = |error: globset::Error| Error::Pattern(error.to_string());
    let mut set = GlobSetBuilder::new();
    for text in texts {
        set.add(glob(text).map_err(bad)?);
    }
    let set = set.build().map_err(bad)?;
    Ok((!texts.is_empty()).then_some(set))
}

/// As a line of `.gitignore` would be read: a `/` before the end anchors it at the workspace.
fn glob(text: &str) -> Result<Glob, globset::Error> {
    let trimmed = text.trim_end_matches('/');
    let spelled = match trimmed.contains('/') {
        true => trimmed.trim_start_matches("./").trim_start_matches('/').to_owned(),
        false => format!("**/{trimmed}"),
    };
    GlobBuilder::new(&spelled).literal_separator(true).build()
}

struct Job<'a> {
    workspace: &'a Workspace,
    matcher: RegexMatcher,
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
    best: Mutex<Best>,
    unread: AtomicUsize,
    /// `None` where credentials are what was asked for.
    withheld: Option<Mutex<BTreeSet<RelPath>>>,
    cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl Job<'_> {
    fn visit(&self, stop: &Stop) -> WalkState {
        if (self.cancelled)() {
            return WalkState::Quit;
        }
        let path = stop.path.as_path();
        if self.exclude.as_ref().is_some_and(|globs| globs.is_match(path)) {
            return WalkState::Skip;
        }
        match stop.kind {
            EntryKind::Folder if self.best().closed_to(&stop.path) => WalkState::Skip,
            EntryKind::File if self.include.as_ref().is_none_or(|globs| globs.is_match(path)) => {
                if !self.withholds(stop) {
                    self.search_stop(stop);
                }
                WalkState::Continue
            }
            _ => WalkState::Continue,
        }
    }

    fn withholds(&self, stop: &Stop) -> bool {
        match &self.withheld {
            Some(withheld) if is_credential(stop.path.as_path()) => {
                withheld.lock().unwrap_or_else(PoisonError::into_inner).insert(stop.path.clone());
                true
            }
            _ => false,
        }
    }

    fn search_stop(&self, stop: &Stop) {
        thread_local! {
            static BENCH: std::cell::RefCell<Bench> = std::cell::RefCell::new(Bench::default());
        }
        let room = {
            let best = self.best();
            if best.closed_to(&stop.path) {
                return;
            }
            best.room
        };
        match self.workspace.open_resolved(&stop.path) {
            Ok((file, size)) => BENCH.with_borrow_mut(|bench| {
                self.add(match usize::try_from(size) {
                    Ok(size @ 1..SMALL) => self.search_small(bench, file, size, stop, room),
                    _ => self.search(&mut bench.searcher, file, &stop.path, room),
                });
            }),
            Err(_) => drop(self.unread.fetch_add(1, Ordering::Relaxed)),
        }
    }

    /// The first hits in one file.
    fn search(&self, searcher: &mut Searcher, file: File, path: &RelPath, room: usize) -> Vec<Hit> {
        let reader = Watched { file, cancelled: self.cancelled };
        self.gather(path, room, |gather| searcher.search_reader(&self.matcher, reader, gather))
    }

    /// The same for a file of a known size that fits the bench: one read is enough where a reader takes three, and most
    /// files are small.
    fn search_small(
        &self,
        bench: &mut Bench,
        mut file: File,
        size: usize,
        stop: &Stop,
        room: usize,
    ) -> Vec<Hit> {
        let Bench { searcher, text } = bench;
        self.gather(&stop.path, room, |gather| match file.read(text)? {
            read if read == size => searcher.search_slice(&self.matcher, &text[..read], gather),
            // It has changed since, or comes in pieces.
            read => {
                let rest = Watched { file, cancelled: self.cancelled };
                searcher.search_reader(&self.matcher, text[..read].chain(rest), gather)
            }
        })
    }

    fn gather(
        &self,
        path: &RelPath,
        room: usize,
        search: impl FnOnce(&mut Gather<'_>) -> io::Result<()>,
    ) -> Vec<Hit> {
        let mut gather = Gather { path, room, hits: Vec::new() };
        if search(&mut gather).is_err() {
            self.unread.fetch_add(1, Ordering::Relaxed);
        }
        gather.hits
    }

    fn add(&self, hits: Vec<Hit>) {
        if !hits.is_empty() {
            self.best().add(hits);
        }
    }

    fn best(&self) -> MutexGuard<'_, Best> {
        self.best.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn found(self, limit: usize) -> Found {
        let best = self.best.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut hits: Vec<Hit> = best.files.into_values().flatten().collect();
        let coverage = if hits.len() > limit { Coverage::Stopped } else { Coverage::Whole };
        hits.truncate(limit);
        let withheld = self.withheld.unwrap_or_default().into_inner().unwrap_or_else(PoisonError::into_inner);
        // Behind the last hit threads may have come to a file or not, and the result must not depend on them.
        let last = hits.last().map(|hit| hit.path.clone()).filter(|_| coverage == Coverage::Stopped);
        let counts = |path: &RelPath| last.as_ref().is_none_or(|last| path < last);
        let withheld = withheld.into_iter().filter(counts).collect();
        Found { hits, coverage, unread: self.unread.into_inner(), withheld }
    }
}

/// What one thread works with, file after file.
struct Bench {
    searcher: Searcher,
    text: Vec<u8>,
}

impl Default for Bench {
    fn default() -> Bench {
        Bench { searcher: searcher(), text: vec![0; SMALL] }
    }
}

/// The first hits by path so far, one more than was asked for, so that the one too many tells whether there are more.
///
/// Once it is full, whatever sorts behind its last file cannot matter any more and is skipped: threads may come in any order, the result is
/// the same, and a common word does not cost a walk over the whole tree.
struct Best {
    room: usize,
    count: usize,
    files: BTreeMap<RelPath, Vec<Hit>>,
}

impl Best {
    fn add(&mut self, hits: Vec<Hit>) {
        let Some(first) = hits.first() else { return };
        self.count += hits.len();
        self.files.insert(first.path.clone(), hits);
        while let Some(last) = self.files.last_entry()
            && self.count - last.get().len() >= self.room
        {
            self.count -= last.remove().len();
        }
    }

    /// Whether a file, or all that is below a folder, comes too late.
    fn closed_to(&self, path: &RelPath) -> bool {
        self.count >= self.room && self.files.last_key_value().is_some_and(|(last, _)| path > last)
    }
}

/// Collects the lines of one file.
struct Gather<'a> {
    path: &'a RelPath,
    room: usize,
    hits: Vec<Hit>,
}

impl Sink for Gather<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let line = found.bytes();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let shown = line.get(..LONGEST).unwrap_or(line);
        let mut text = String::from_utf8_lossy(shown).into_owned();
        if shown.len() < line.len() && text.ends_with('\u{fffd}') {
            text.pop();
        }
        self.hits.push(Hit { path: self.path.clone(), line: found.line_number().unwrap_or_default(), text });
        Ok(self.hits.len() < self.room)
    }

    /// A NUL anywhere in what was read makes the file binary, and its lines no hits.
    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), io::Error> {
        if finish.binary_byte_offset().is_some() {
            self.hits.clear();
        }
        Ok(())
    }
}

/// A file that ends early when the search is cancelled, so that a huge one does not hold it up.
struct Watched<'a> {
    file: File,
    cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match (self.cancelled)() {
            true => Ok(0),
            false => self.file.read(buffer),
        }
    }
}

#[cfg(test)]
mod tests;
