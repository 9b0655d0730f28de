//! Files of our own, replaced whole or not at all. Start at [`replace`].
//!
//! What people's projects hold is written by the workspace, which keeps what it replaces; this is for settings, notes and
//! letters.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

/// What a file is to its readers, and so who they are and how much it would matter if it were lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// For its owner alone, and on the disk before it has its name.
    Settings,
    /// For its owner alone. A machine that loses its power may lose the newest.
    Notes,
    /// For whoever may read the folder, likewise.
    Letters,
}

/// Writes a file under another name, which only then becomes its own: nobody ever reads half of it.
pub fn replace(path: &Path, bytes: &[u8], kind: Kind) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    // Another process may be at the same file.
    name.push(format!(".{}.tmp", std::process::id()));
    let draft = path.with_file_name(name);
    // One that a crash left behind may have been made by anybody, with any rights.
    match fs::remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    write(&draft, bytes, kind).and_then(|()| fs::rename(&draft, path)).inspect_err(|_| {
        // Half a file would only be in the way; that it cannot be removed changes nothing.
        let _ = fs::remove_file(&draft);
    })
}

/// Makes a folder, and those above it, for their owner alone.
pub(crate) fn make_folders(folder: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).recursive(true).create(folder)
}

fn write(draft: &Path, bytes: &[u8], kind: Kind) -> io::Result<()> {
    let mode = if kind == Kind::Letters { 0o666 } else { 0o600 };
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(draft)?;
    file.write_all(bytes)?;
    if kind == Kind::Settings { file.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::Scratch;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_file_is_replaced_whole_with_the_rights_of_its_kind() {
        let scratch = Scratch::new();
        let path = scratch.join("file");
        for (kind, others) in [(Kind::Settings, 0), (Kind::Notes, 0), (Kind::Letters, 0o044)] {
            let text = format!("{kind:?}");
            replace(&path, text.as_bytes(), kind).unwrap();
            assert_eq!(scratch.read("file"), text);
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o077 & !0o022, others, "{kind:?}");
        }
        replace(&scratch.join("no/folder"), b"", Kind::Notes).unwrap_err();
        scratch.directory("taken");
        replace(&scratch.join("taken"), b"", Kind::Notes).unwrap_err();
        assert_eq!(scratch.files(), ["file"], "no draft remains");
    }
}
