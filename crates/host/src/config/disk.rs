//! Where the files of the configuration lie, and how they are really read. Start from [`Places`] and [`read_file`].

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Reads a file whole; `None` where there is none. Handed in, so that tests need no disk.
pub type Read<'a> = &'a dyn Fn(&Path) -> io::Result<Option<Vec<u8>>>;

/// A person's own files. Without a home there are none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    pub config: Option<PathBuf>,
    pub trusted: Option<PathBuf>,
    /// What was typed at terminals.
    pub typed: Option<PathBuf>,
}

impl Places {
    pub fn find(variables: &[(OsString, OsString)]) -> Places {
        // The XDG specification says that relative paths are to be ignored.
        let value = |name: &str| variables.iter().find(|(own, _)| own == name).map(|(_, value)| value);
        let folder = |name: &str| value(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let beneath_home = |path: &str| folder("HOME").map(|home| home.join(path));
        let config = folder("XDG_CONFIG_HOME").or_else(|| beneath_home(".config"));
        let state = folder("XDG_STATE_HOME").or_else(|| beneath_home(".local/state"));
        Places {
            config: config.map(|folder| folder.join("cinque/config.toml")),
            trusted: state.as_ref().map(|folder| folder.join("cinque/trusted.json")),
            typed: state.map(|folder| folder.join("cinque/history.json")),
        }
    }
}

/// The real [`Read`].
pub fn read_file(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    // A repository may have put a pipe here, which would be waited for without end.
    if !found.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 1 MiB"));
    }
    Ok(Some(bytes))
}

const LARGEST: u64 = 1024 * 1024;
