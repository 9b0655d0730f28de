//! What a command printed on one stream: its head and tail in memory, the whole on disk once it is long.
//! Start from [`Captured`]. Memory is bounded by [`HEAD`] and [`TAIL`], disk by [`WHOLE`], whatever is printed.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::scratch::fresh;
use crate::trim::{Excerpt, Limit, Size, trim};

/// Bytes kept in memory from the start of the text. Shorter output never touches the disk.
const HEAD: usize = 256 << 10;
/// Bytes kept in memory from its end.
const TAIL: usize = 256 << 10;
/// Bytes kept on disk at most, for each stream: what comes later is counted and dropped, so that an endless `yes` fills no disk.
pub const WHOLE: u64 = 2 << 30;

/// One stream of a finished command.
#[derive(Debug, Default)]
pub struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: Size,
    whole: Option<PathBuf>,
}

impl Captured {
    /// Everything that was printed, counted.
    pub fn total(&self) -> Size {
        self.total
    }

    /// The file that holds the whole (up to [`WHOLE`] bytes), if it is not in memory. Removing it is the caller's business.
    pub fn whole(&self) -> Option<&Path> {
        self.whole.as_deref()
    }

    /// Puts the whole into a file, unless it is in one already, and says where. The name is one that is not there yet: a
    /// repository may bring links of names that can be guessed.
    pub fn save(&self, scratch: &Path) -> io::Result<PathBuf> {
        if let Some(path) = &self.whole {
            return Ok(path.clone());
        }
        let (mut file, path) = create(scratch)?;
        file.write_all(&self.head)?;
        let (first, second) = self.tail.as_slices();
        file.write_all(first)?;
        file.write_all(second)?;
        Ok(path)
    }

    /// The text, shortened to a limit. Bytes that are no text are shown as replacement characters.
    pub fn trimmed(&self, limit: Limit) -> String {
        trim(&self.excerpt(), limit)
    }

    /// At least the first so many characters, as far as they were kept; at most what memory and four bytes each hold.
    pub fn first(&self, characters: usize) -> String {
        let most = characters.saturating_mul(4);
        let mut bytes: Vec<u8> = self.head.clone();
        match &self.whole {
            None => bytes.extend(&self.tail),
            Some(path) if bytes.len() < most => {
                let mut whole = Vec::new();
                let read = File::open(path).and_then(|file| file.take(most as u64).read_to_end(&mut whole));
                // A file that is gone leaves what is in memory.
                if read.is_ok() {
                    bytes = whole;
                }
            }
            Some(_) => {}
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn excerpt(&self) -> Excerpt<'_> {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        if self.total.bytes == (self.head.len() + tail.len()) as u64 {
            let text = [self.head.as_slice(), &tail].concat();
            let text = String::from_utf8_lossy(&text).into_owned();
            return Excerpt::ends(text.into(), Size::default(), "".into());
        }
        // The windows may begin and end in the middle of a character, whose remains belong to what is missing.
        let (head, tail) = (whole_characters(&self.head), after_continuation(&tail));
        let (kept_head, kept_tail) = (Size::of(head), Size::of(tail));
        let between = |all: u64, head: u64, tail: u64| all.saturating_sub(head + tail);
        let missing = Size {
            bytes: between(self.total.bytes, kept_head.bytes, kept_tail.bytes),
            characters: between(self.total.characters, kept_head.characters, kept_tail.characters),
            newlines: between(self.total.newlines, kept_head.newlines, kept_tail.newlines),
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned().into();
        Excerpt::ends(text(head), missing, text(tail))
    }
}

/// Without an incomplete character at the end.
fn whole_characters(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    }
}

/// Without the end of a character that began before.
fn after_continuation(bytes: &[u8]) -> &[u8] {
    let skip = bytes.iter().take(3).take_while(|byte| *byte & 0xC0 == 0x80).count();
    &bytes[skip..]
}

/// Collects one stream while the command runs.
pub struct Capture {
    captured: Captured,
    file: Option<File>,
    scratch: PathBuf,
    most: u64,
}

impl Capture {
    pub fn new(scratch: &Path) -> Self {
        Self { captured: Captured::default(), file: None, scratch: scratch.to_owned(), most: WHOLE }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        let captured = &mut self.captured;
        let before = captured.total.bytes;
        captured.total.add(Size::of(bytes));
        let room = HEAD - captured.head.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        captured.head.extend(first);
        captured.tail.extend(rest);
        let excess = captured.tail.len().saturating_sub(TAIL);
        captured.tail.drain(..excess);
        if captured.total.bytes > HEAD as u64 {
            self.spill(before, bytes);
        }
    }

    /// Ends the collection.
    pub fn finish(self) -> Captured {
        self.captured
    }

    /// Writes to the file, which begins with what was only in memory so far. A full disk costs the whole, not the command.
    fn spill(&mut self, before: u64, bytes: &[u8]) {
        let room = self.most.saturating_sub(before).min(bytes.len() as u64) as usize;
        if self.captured.whole.is_none() {
            if let Ok((file, path)) = create(&self.scratch) {
                self.file = Some(file);
                self.captured.whole = Some(path);
            }
            let earlier = &self.captured.head[..(before as usize).min(self.captured.head.len())];
            write(&mut self.file, earlier);
        }
        write(&mut self.file, &bytes[..room]);
    }
}

fn write(to: &mut Option<File>, bytes: &[u8]) {
    if to.as_mut().is_some_and(|file| file.write_all(bytes).is_err()) {
        *to = None;
    }
}

fn create(scratch: &Path) -> io::Result<(File, PathBuf)> {
    let make = |path: &Path| OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    fresh(scratch, "output", make)
}

#[cfg(test)]
mod tests;
