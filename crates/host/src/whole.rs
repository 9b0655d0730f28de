//! Files of our own, replaced whole or not at all. Start at [`replace`].
//!
//! What people's projects hold is written by the workspace, which keeps what it replaces; this is for settings, notes and
//! letters. Nothing here gives a file its name before its bytes are on the disk: a machine that loses its power would
//! find the name and not the bytes.

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// What a file is to its readers, and so who they are and whether the newest may be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// For its owner alone, and there for good once it is written.
    Settings,
    /// For whoever may read the folder, likewise.
    Letters,
    /// The same, but a machine that loses its power may go back to an earlier one: it shows what stands elsewhere.
    Views,
}

/// Writes a file under another name, which only then becomes its own: nobody ever reads half of it.
pub fn replace(path: &Path, bytes: &[u8], kind: Kind) -> io::Result<()> {
    place(path, bytes, kind, |draft| fs::rename(draft, path))
}

/// The same where there is no file yet; one that another process has just made stays, and is an error.
pub(crate) fn add(path: &Path, bytes: &[u8], kind: Kind) -> io::Result<()> {
    place(path, bytes, kind, |draft| move_to_free(draft, path))
}

/// Waits until nobody else changes a file of ours, and keeps others from it until it is dropped. For whoever reads the
/// file to write it again: what another process adds in between would be lost.
pub(crate) struct Turn {
    _lock: File,
}

impl Turn {
    /// Makes the folder of the file as well.
    pub(crate) fn take(path: &Path) -> io::Result<Turn> {
        make_folders(above(path), Kind::Settings)?;
        let lock = File::create(path.with_extension("lock"))?;
        lock.lock()?;
        Ok(Turn { _lock: lock })
    }
}

/// Makes a folder, and those above it. What is kept in it must not be lost with it.
pub(crate) fn make_folders(folder: &Path, kind: Kind) -> io::Result<()> {
    if folder.is_dir() || folder == Path::new("") {
        return Ok(());
    }
    make_folders(above(folder), kind)?;
    let mode = if kind == Kind::Settings { 0o700 } else { 0o777 };
    match DirBuilder::new().mode(mode).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists || !folder.is_dir() => Err(error),
        _ => sync_names(above(folder)),
    }
}

/// Renames a file, and replaces none. A file system that cannot promise that is looked at right before.
pub(crate) fn move_to_free(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) if to.symlink_metadata().is_ok() => {
            Err(io::ErrorKind::AlreadyExists.into())
        }
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => fs::rename(from, to),
        moved => Ok(moved?),
    }
}

/// Waits until the disk has the names in a folder as they are now. Some file systems cannot promise that and are used
/// all the same, such as those that a virtual machine shares with its host.
pub(crate) fn sync_names(folder: &Path) -> io::Result<()> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    match synced.as_ref().err().and_then(Errno::from_io_error) {
        Some(Errno::BADF | Errno::INVAL | Errno::NOTSUP) => Ok(()),
        _ => synced,
    }
}

fn place(
    path: &Path,
    bytes: &[u8],
    kind: Kind,
    name_it: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let draft = draft(path);
    let is_later = kind == Kind::Views && path.exists();
    // One that a crash left behind may have been made by anybody, with any rights.
    match fs::remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    write(&draft, bytes, kind).and_then(|()| name_it(&draft)).inspect_err(|_| {
        // Half a file would only be in the way; that it cannot be removed changes nothing.
        let _ = fs::remove_file(&draft);
    })?;
    if is_later { Ok(()) } else { sync_names(above(path)) }
}

/// What a file is called until it is whole. Another process may be at the same file.
fn draft(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

fn write(draft: &Path, bytes: &[u8], kind: Kind) -> io::Result<()> {
    let mode = if kind == Kind::Settings { 0o600 } else { 0o666 };
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(draft)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// The folder that something lies in.
fn above(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
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
        for (kind, others) in [(Kind::Settings, 0), (Kind::Letters, 0o044), (Kind::Views, 0o044)] {
            let text = format!("{kind:?}");
            replace(&path, text.as_bytes(), kind).unwrap();
            assert_eq!(scratch.read("file"), text);
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o077 & !0o022, others, "{kind:?}");
        }
        replace(&scratch.join("no/folder"), b"", Kind::Settings).unwrap_err();
        scratch.directory("taken");
        replace(&scratch.join("taken"), b"", Kind::Settings).unwrap_err();
        assert_eq!(scratch.files(), ["file"], "no draft remains");
    }

    #[test]
    fn a_folder_whose_names_cannot_be_synced_is_used_all_the_same() {
        // The kernel's own file system has no way to do it.
        sync_names(Path::new("/proc/self/task")).unwrap();
        sync_names(Path::new("/nowhere")).unwrap_err();
    }

    #[test]
    fn a_file_that_is_there_stays_where_one_is_only_added() {
        let scratch = Scratch::new();
        let path = scratch.join("folder/inner/file");
        make_folders(path.parent().unwrap(), Kind::Settings).unwrap();
        assert_eq!(fs::metadata(scratch.join("folder")).unwrap().permissions().mode() & 0o777, 0o700);
        add(&path, b"first", Kind::Settings).unwrap();
        let refused = add(&path, b"second", Kind::Settings).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(scratch.read("folder/inner/file"), "first");
        assert_eq!(scratch.files(), ["folder/inner/file"], "no draft remains");
        make_folders(&path, Kind::Settings).unwrap_err();
    }
}
