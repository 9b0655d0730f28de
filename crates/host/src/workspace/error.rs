//! Everything that can go wrong with a file of the workspace, as one enum.
//!
//! The variants are the interface: a tool's face matches on them and writes its own words. The `Display` texts are a sane default that says
//! what was refused and what to do instead. A text never contains the bytes of a file, and paths in it are escaped so that a name cannot forge a line.

use std::io;
use std::path::{Path, PathBuf};

use super::path::quoted;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("the path is empty: name a file or folder in the workspace")]
    Blank,
    #[error("the path {} contains a NUL character, which no file name can", quoted(path))]
    Nul { path: PathBuf },
    #[error("{} is outside the workspace: use a path inside it, and no link that leads out", quoted(path))]
    Outside { path: PathBuf },
    #[error("{} is protected from tools ({rule}): change it yourself if it must change", quoted(path))]
    Protected { path: PathBuf, rule: &'static str },
    #[error("{} does not exist", quoted(path))]
    Missing { path: PathBuf },
    #[error("{} already exists", quoted(path))]
    Exists { path: PathBuf },
    #[error("{} is {kind}, not a regular file", quoted(path))]
    NotAFile { path: PathBuf, kind: Kind },
    #[error("{} is not a folder", quoted(path))]
    NotAFolder { path: PathBuf },
    #[error("the links at {} lead in a circle", quoted(path))]
    Loop { path: PathBuf },
    #[error("{} is a binary file: it cannot be shown or edited as text", quoted(path))]
    Binary { path: PathBuf },
    #[error("{} is not valid UTF-8: editing it as text would damage it", quoted(path))]
    NotUtf8 { path: PathBuf },
    #[error(
        "{} has {size} bytes, more than the limit of {limit}: work on a part of it with a command",
        quoted(path)
    )]
    TooLarge { path: PathBuf, size: u64, limit: u64 },
    #[error("{} changed since it was read: read it again", quoted(path))]
    Changed { path: PathBuf },
    #[error("line numbers must be 1 or more")]
    LineZero,
    #[error("end line {end} is before start line {start}")]
    LinesBackwards { start: u64, end: u64 },
    #[error("start line {start} exceeds the file's length ({total} lines)")]
    LinesBeyond { start: u64, total: u64 },
    #[error("invalid pattern: {0}")]
    Pattern(String),
    #[error("the earlier content of {} is no longer kept, so it cannot be put back", quoted(path))]
    Forgotten { path: PathBuf },
    #[error("cancelled")]
    Cancelled,
    #[error("another process is changing this workspace and did not finish in time: try again")]
    Busy,
    #[error(
        "changing the files failed ({cause}) and putting them back failed too ({source}): the journal is kept and the next start mends it"
    )]
    Unfinished { cause: Box<Error>, source: Box<Error> },
    #[error("cannot {doing} {}: {source}", quoted(path))]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
}

/// What stands at a path when it is not a regular file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Folder,
    Link,
    Pipe,
    Socket,
    Device,
    Other,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Kind::Folder => "a folder",
            Kind::Link => "a symbolic link",
            Kind::Pipe => "a pipe",
            Kind::Socket => "a socket",
            Kind::Device => "a device",
            Kind::Other => "something else",
        })
    }
}

impl From<rustix::fs::FileType> for Kind {
    fn from(kind: rustix::fs::FileType) -> Kind {
        use rustix::fs::FileType;
        match kind {
            FileType::Directory => Kind::Folder,
            FileType::Symlink => Kind::Link,
            FileType::Fifo => Kind::Pipe,
            FileType::Socket => Kind::Socket,
            FileType::CharacterDevice | FileType::BlockDevice => Kind::Device,
            _ => Kind::Other,
        }
    }
}

/// Gives an [`io::Error`] the words around it: `file.sync().doing("write", path)?`.
pub(crate) trait Doing<T> {
    fn doing(self, doing: &'static str, path: &Path) -> Result<T, Error>;
}

impl<T, E: Into<io::Error>> Doing<T> for Result<T, E> {
    fn doing(self, doing: &'static str, path: &Path) -> Result<T, Error> {
        self.map_err(|error| Error::Io { doing, path: path.to_owned(), source: error.into() })
    }
}
