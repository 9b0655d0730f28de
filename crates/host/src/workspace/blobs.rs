//! What writes replaced, kept for undo: content-addressed, compressed, bounded. Start from [`Blobs`].
//!
//! A blob is named by the hash of its content and checked against it when read, so a damaged or planted one is never put into a file. Blobs
//! are only ever added, until `prune` drops the oldest.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use rustix::fs::{self, AtFlags, Dir as Listing, Mode, OFlags};
use serde::{Deserialize, Serialize};

use super::disk::{Dir, Disk, exists, open_dir, read_file};
use super::error::{Doing, Error};

/// The BLAKE3 hash of a content, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Hash([u8; 32]);

/// How much of the past is kept.
#[derive(Debug, Clone, Copy)]
pub struct Keep {
    /// All blobs together, compressed. What is younger than `at_least` goes only when nothing else is left to drop.
    pub bytes: u64,
    /// A blob older than this goes in any case.
    pub at_most: Duration,
    /// A blob younger than this stays if the size allows it at all.
    pub at_least: Duration,
}

impl Default for Keep {
    fn default() -> Keep {
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);
        Keep { bytes: 512 << 20, at_most: 30 * DAY, at_least: DAY }
    }
}

/// What pruning did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Contents that can no longer be put back, oldest first.
    pub dropped: Vec<Hash>,
    /// Bytes of disk that they held.
    pub bytes: u64,
    /// How many of them were younger than [`Keep::at_least`]: the bound on size left no choice.
    pub young: usize,
}

/// The folder of blobs. Callers that add or prune hold the workspace's lock.
pub(crate) struct Blobs<'a> {
    pub(crate) dir: OwnedFd,
    pub(crate) disk: &'a Disk,
}

impl Hash {
    pub fn of(bytes: &[u8]) -> Hash {
        Hash(*blake3::hash(bytes).as_bytes())
    }

    pub(crate) fn from_hasher(hasher: &blake3::Hasher) -> Hash {
        Hash(*hasher.finalize().as_bytes())
    }

    /// The folder and the name of the blob, as git lays out its objects.
    fn spread(&self) -> (OsString, OsString) {
        let mut folder = self.to_string();
        let name = folder.split_off(2);
        (folder.into(), name.into())
    }
}

impl Blobs<'_> {
    /// Keeps `bytes` unless they are kept already.
    pub(crate) fn put(&self, hash: Hash, bytes: &[u8]) -> Result<(), Error> {
        self.try_put(hash, bytes).doing("keep", Path::new("the earlier content"))
    }

    fn try_put(&self, hash: Hash, bytes: &[u8]) -> io::Result<()> {
        let (folder, name) = hash.spread();
        let dir = self.disk.make_dir(self.dir.as_fd(), &folder, 0o700)?;
        if exists(&dir, &name)? {
            // A content that is replaced once more is young again.
            return self.disk.touch(dir.as_fd(), &name);
        }
        // The lock makes the temporary name ours; one that a dead process left is cleared first.
        self.clear()?;
        let mut file = self.disk.create(self.dir.as_fd(), OsStr::new(TEMPORARY), 0o600)?;
        self.disk.write(&mut file, &zstd::bulk::compress(bytes, LEVEL)?)?;
        self.disk.sync(&file)?;
        // The name is not synced: on a power cut at this moment undo may lose one content, and every change would wait for two folders.
        self.disk.rename_into(self.dir.as_fd(), OsStr::new(TEMPORARY), dir.as_fd(), &name)
    }

    /// Removes what a process left that died while it kept something.
    pub(crate) fn clear(&self) -> io::Result<()> {
        self.disk.unlink(self.dir.as_fd(), OsStr::new(TEMPORARY))
    }

    /// The content with this hash, if it is still kept and undamaged. At most `limit` bytes are unpacked.
    pub(crate) fn get(&self, hash: Hash, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let (folder, name) = hash.spread();
        let packed = match open_dir(self.dir.as_fd(), &folder) {
            Ok(dir) => read_file(dir.as_fd(), &name)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let Some(packed) = packed else { return Ok(None) };
        let mut bytes = Vec::new();
        let unpacked = zstd::Decoder::new(packed.as_slice())
            .and_then(|unpack| unpack.take(limit).read_to_end(&mut bytes));
        Ok((unpacked.is_ok() && Hash::of(&bytes) == hash).then_some(bytes))
    }

    /// Drops what is too old, then the oldest of the rest until the bound on size holds.
    pub(crate) fn prune(&self, keep: &Keep, now: SystemTime) -> io::Result<Pruned> {
        let mut kept = self.list()?;
        kept.sort_by_key(|blob| (blob.modified, blob.hash));
        let mut total: u64 = kept.iter().map(|blob| blob.bytes).sum();
        let mut pruned = Pruned::default();
        for blob in kept {
            let age = now.duration_since(blob.modified).unwrap_or_default();
            if age <= keep.at_most && total <= keep.bytes {
                break;
            }
            let (folder, name) = blob.hash.spread();
            self.disk.unlink(open_dir(self.dir.as_fd(), &folder)?.as_fd(), &name)?;
            total -= blob.bytes;
            pruned.bytes += blob.bytes;
            pruned.young += usize::from(age < keep.at_least);
            pruned.dropped.push(blob.hash);
        }
        Ok(pruned)
    }

    fn list(&self) -> io::Result<Vec<Kept>> {
        let mut found = Vec::new();
        for folder in names(self.dir.as_fd())? {
            let Ok(dir) = open_dir(self.dir.as_fd(), &folder) else { continue };
            for name in names(dir.as_fd())? {
                let spelled = format!("{}{}", folder.to_string_lossy(), name.to_string_lossy());
                let Ok(hash) = spelled.parse() else { continue };
                let stat = fs::statat(&dir, &name, AtFlags::SYMLINK_NOFOLLOW)?;
                found.push(Kept {
                    hash,
                    bytes: u64::try_from(stat.st_size).unwrap_or_default(),
                    modified: modified(&stat),
                });
            }
        }
        Ok(found)
    }
}

const TEMPORARY: &str = "new";

/// Source text shrinks to about a quarter at this level, at some 300 MB a second.
const LEVEL: i32 = 3;

struct Kept {
    hash: Hash,
    bytes: u64,
    modified: SystemTime,
}

fn names(dir: Dir<'_>) -> io::Result<Vec<OsString>> {
    use std::os::unix::ffi::OsStrExt;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let listing = Listing::read_from(fs::openat(dir, ".", flags, Mode::empty())?)?;
    let mut names = Vec::new();
    for entry in listing {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(OsStr::from_bytes(name).to_owned());
        }
    }
    Ok(names)
}

#[allow(clippy::unnecessary_cast, reason = "the widths differ between systems")]
fn modified(stat: &fs::Stat) -> SystemTime {
    let seconds = u64::try_from(stat.st_mtime as i64).unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

impl From<Hash> for String {
    fn from(hash: Hash) -> String {
        hash.to_string()
    }
}

impl TryFrom<String> for Hash {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Hash, &'static str> {
        text.parse()
    }
}

impl FromStr for Hash {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Hash, &'static str> {
        let hash = blake3::Hash::from_hex(text).map_err(|_| "a hash is 64 hexadecimal digits")?;
        Ok(Hash(*hash.as_bytes()))
    }
}

#[cfg(test)]
mod tests;
