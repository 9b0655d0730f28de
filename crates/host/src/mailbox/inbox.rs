//! Letters that come back. Start at [`take`].
//!
//! A letter is taken by moving it to `processed/`, which only one can do. Before that a note is written that says which
//! question it answers, so that a program which dies right then finds its letter again and takes no other. The note is
//! done with once the log has the reply: the next question has another number.

mod watch;

use super::{Post, outbox, reply};
use crate::state::State;
use crate::whole::{Kind, move_to_free, replace, sync_names};
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use watch::Watch;

/// A longer reply is no reply: a chat writes a hundredth of it.
const LONGEST: u64 = 8 << 20;
/// Leaves room for a number and an extension in the 255 bytes of a name.
const LONGEST_STEM: usize = 240;
/// A writer that pauses for a tenth of a second is still writing; the rest is for a busy machine.
const QUIET: Duration = Duration::from_millis(150);
/// A file that is empty, or ends in the middle of a command, is most often one that somebody has not finished.
const DOUBTFUL: Duration = Duration::from_secs(1);

/// A letter that was taken.
#[derive(Debug)]
pub(super) struct Letter {
    /// What the file was called in the inbox.
    pub(super) name: String,
    /// What it held, or why that cannot be used.
    pub(super) bytes: Result<Vec<u8>, String>,
}

/// Which file answers which question.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    sequence: u64,
    /// What it was called in the inbox, and what it is called in `processed/`.
    name: String,
    file: String,
    /// Tells it from another file of the same name.
    inode: u64,
}

/// A file that may be a letter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    modified: SystemTime,
    name: OsString,
    size: u64,
    inode: u64,
}

/// Waits for the answer to a question and takes it.
pub(super) async fn take(post: &Post, conversation: &str, sequence: u64) -> io::Result<Letter> {
    if let Some(letter) = recall(post, conversation, sequence)? {
        return Ok(letter);
    }
    let mut watch = Watch::default();
    let mut seen: Option<(Candidate, Instant)> = None;
    loop {
        post.prepare(&post.inbox)?;
        watch.look_at(&post.inbox);
        let pause = match oldest(post, conversation)? {
            None => None,
            Some(candidate) => {
                let since = match seen.take() {
                    Some((same, since)) if same == candidate => since,
                    _ => Instant::now(),
                };
                let left = left(post, &candidate, since);
                if left.is_zero()
                    && let Some(letter) = claim(post, conversation, sequence, &candidate)?
                {
                    return Ok(letter);
                }
                seen = Some((candidate, since));
                Some(left)
            }
        };
        watch.wait(pause).await;
    }
}

/// The last question of a conversation that was answered.
pub(super) fn taken(post: &Post, conversation: &str) -> Option<u64> {
    let note = note(post, conversation)?;
    is_there(post, &note).then_some(note.sequence)
}

/// Puts a reply into the inbox under a name that says whose it is.
pub(super) fn deliver(post: &Post, conversation: &str, sequence: u64, text: &str) -> io::Result<PathBuf> {
    post.prepare(&post.inbox)?;
    let stem = format!("{conversation}_seq{sequence:04}");
    let free = names(&stem, "txt").map(|name| post.inbox.join(name)).find(|path| !path.exists());
    let path = free.ok_or(io::ErrorKind::AlreadyExists)?;
    replace(&path, text.as_bytes(), Kind::Letters)?;
    Ok(path)
}

/// How long until a file counts as whole: it must not have changed for a while, by its own time or by ours. Its own may
/// lie in the future.
fn left(post: &Post, candidate: &Candidate, since: Instant) -> Duration {
    let age = SystemTime::now().duration_since(candidate.modified).unwrap_or_default().max(since.elapsed());
    let seems_whole = || {
        let bytes = read(&post.inbox.join(&candidate.name)).ok().and_then(Result::ok);
        bytes.is_some_and(reply::seems_whole)
    };
    // What is older than the longest wait need not be looked into.
    match age {
        age if age >= DOUBTFUL => Duration::ZERO,
        age if age < QUIET => QUIET - age,
        _ if seems_whole() => Duration::ZERO,
        age => DOUBTFUL - age,
    }
}

/// The oldest text file of the inbox that may be for this conversation.
fn oldest(post: &Post, conversation: &str) -> io::Result<Option<Candidate>> {
    let entries = match fs::read_dir(&post.inbox) {
        // Somebody removed it right now; it is made anew.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        entries => entries?,
    };
    let mut oldest: Option<Candidate> = None;
    for entry in entries {
        let Some(candidate) = entry.ok().and_then(candidate) else { continue };
        let older = oldest.as_ref().is_none_or(|known| candidate < *known);
        if older && !is_for_another(post, conversation, &candidate.name.to_string_lossy()) {
            oldest = Some(candidate);
        }
    }
    Ok(oldest)
}

fn candidate(entry: fs::DirEntry) -> Option<Candidate> {
    let name = entry.file_name();
    let hidden = name.as_encoded_bytes().starts_with(b".");
    let is_text = Path::new(&name).extension().and_then(OsStr::to_str)?.eq_ignore_ascii_case("txt");
    // Links are left alone, and hidden files are what editors keep for themselves.
    let found = entry.metadata().ok().filter(fs::Metadata::is_file)?;
    let modified = found.modified().ok()?;
    (is_text && !hidden).then(|| Candidate { modified, name, size: found.len(), inode: found.ino() })
}

/// A file that is called after a question of another conversation which still waits for its answer.
fn is_for_another(post: &Post, conversation: &str, name: &str) -> bool {
    let Some((other, _)) = name.split_once("_seq") else { return false };
    other != conversation && outbox::newest(post, other).is_some_and(|asked| taken(post, other) < Some(asked))
}

/// Takes a file, unless somebody else was quicker.
fn claim(
    post: &Post,
    conversation: &str,
    sequence: u64,
    candidate: &Candidate,
) -> io::Result<Option<Letter>> {
    let processed = post.inbox.join("processed");
    post.prepare(&processed)?;
    let name = &candidate.name;
    let path = Path::new(name);
    let part = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    for file in names(&part(path.file_stem()), &part(path.extension())) {
        if processed.join(&file).symlink_metadata().is_ok() {
            continue;
        }
        let shown = name.to_string_lossy().into_owned();
        let note = Note { sequence, name: shown, file, inode: candidate.inode };
        write_note(post, conversation, &note)?;
        match move_to_free(&post.inbox.join(name), &processed.join(&note.file)) {
            Ok(()) => {
                settle(post)?;
                return Ok(Some(open(post, note)));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => {
                fs::remove_file(note_path(post, conversation))?;
                return if error.kind() == io::ErrorKind::NotFound { Ok(None) } else { Err(error) };
            }
        }
    }
    Ok(None)
}

/// Waits until the disk has it that a letter was taken: one that a power cut puts back would be taken again.
fn settle(post: &Post) -> io::Result<()> {
    sync_names(&post.inbox.join("processed"))?;
    sync_names(&post.inbox)
}

/// The letter that was taken for a question by a process that did not live to record it.
fn recall(post: &Post, conversation: &str, sequence: u64) -> io::Result<Option<Letter>> {
    let taken = |note: &Note| note.sequence == sequence && is_there(post, note);
    let Some(note) = note(post, conversation).filter(taken) else { return Ok(None) };
    settle(post)?;
    Ok(Some(open(post, note)))
}

fn open(post: &Post, note: Note) -> Letter {
    let path = post.inbox.join("processed").join(&note.file);
    let bytes = read(&path).unwrap_or_else(|error| Err(format!("The reply file cannot be read: {error}")));
    Letter { name: note.name, bytes }
}

fn read(path: &Path) -> io::Result<Result<Vec<u8>, String>> {
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    if size > LONGEST {
        return Ok(Err(format!(
            "The reply file has {size} bytes, more than the limit of {LONGEST}; nothing of it was run"
        )));
    }
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(Ok(bytes))
}

fn is_there(post: &Post, note: &Note) -> bool {
    let found = fs::symlink_metadata(post.inbox.join("processed").join(&note.file));
    found.is_ok_and(|found| found.ino() == note.inode)
}

fn note(post: &Post, conversation: &str) -> Option<Note> {
    serde_json::from_slice(&fs::read(note_path(post, conversation)).ok()?).ok()
}

fn write_note(post: &Post, conversation: &str, note: &Note) -> io::Result<()> {
    let path = note_path(post, conversation);
    post.prepare(path.parent().unwrap_or(&post.inbox))?;
    replace(&path, &serde_json::to_vec(note).map_err(io::Error::other)?, Kind::Settings)
}

fn note_path(post: &Post, conversation: &str) -> PathBuf {
    State::of(&post.workspace).folder().join("mailbox/taken").join(format!("{conversation}.json"))
}

/// A name, then others like it, none longer than file systems take.
fn names(stem: &str, extension: &str) -> impl Iterator<Item = String> {
    let stem = &stem[..stem.floor_char_boundary(LONGEST_STEM)];
    let name = move |number: u32| match number {
        1 => format!("{stem}.{extension}"),
        _ => format!("{stem}-{number}.{extension}"),
    };
    (1..100_000).map(name)
}
