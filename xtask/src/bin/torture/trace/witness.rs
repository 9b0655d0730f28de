//! Watches what a program does to files and puts the disk into a state in which a power cut may leave it. Start from
//! [`Witness`].
//!
//! A call counts when it has ended well; a sync is about what was there when it began. What was written is read back
//! from the file, so that it does not matter which of many calls wrote it. What cannot be seen is an error, never passed
//! over: the shared memory of SQLite is the only file that may be mapped, and it is rebuilt by whoever opens it first.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _, symlink};
use std::path::{Path, PathBuf};

use kit::Random;

use super::calls::text;
use super::platter::{Deed, File, Luck, Node, Platter};

pub(super) struct Witness {
    platter: Platter,
    roots: Vec<PathBuf>,
    /// The files by their numbers on the real disk.
    files: HashMap<u64, File>,
    /// The rights of those that were there from the beginning, which one that comes back has again.
    modes: HashMap<File, u32>,
    /// What the threads are about to do.
    begun: HashMap<i32, Begun>,
    /// What could not be seen.
    blind: Option<String>,
}

/// One call that changes something, between its beginning and its end.
enum Begun {
    /// Bytes go into this open file: at this place, or at its own.
    Write(i32, Option<usize>),
    /// What becomes of the file is not worth the understanding: it is looked at whole.
    Rewrite(i32),
    Resize(i32, usize),
    /// A file is opened by a path, which may have stood for nothing.
    Open(Option<PathBuf>, Emptied),
    Sync(i32, usize),
    Make(PathBuf),
    Remove(PathBuf),
    Move(PathBuf, PathBuf),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Emptied {
    Yes,
    No,
}

impl Witness {
    /// Looks at all that lies beneath the roots before anything happens.
    pub(super) fn look(roots: &[PathBuf]) -> io::Result<Self> {
        let (platter, files, modes, begun) =
            (Platter::new(roots), HashMap::new(), HashMap::new(), HashMap::new());
        let mut witness = Self { platter, roots: roots.to_vec(), files, modes, begun, blind: None };
        roots.iter().try_for_each(|root| witness.look_into(root))?;
        Ok(witness)
    }

    fn look_into(&mut self, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let found = fs::symlink_metadata(&path)?;
            let node = if found.is_dir() {
                Node::Folder
            } else if found.is_symlink() {
                Node::Link(fs::read_link(&path)?)
            } else {
                let file = self.platter.file(fs::read(&path)?);
                self.modes.insert(file, found.mode() & 0o7777);
                Node::File(*self.files.entry(found.ino()).or_insert(file))
            };
            self.platter.found(&path, node);
            if found.is_dir() {
                self.look_into(&path)?;
            }
        }
        Ok(())
    }

    pub(super) fn begins(&mut self, thread: i32, number: i64, values: [u64; 6]) {
        let [first, second, third, fourth, fifth, _] = values;
        let open = |value: u64| value as i32;
        let flags = |value: u64| value as i32;
        let here = libc::AT_FDCWD as u64;
        let path = |folder: u64, address: u64| self.path(thread, folder as i32, address);
        let begun = match number {
            libc::SYS_write | libc::SYS_writev => Some(Begun::Write(open(first), None)),
            libc::SYS_pwrite64 | libc::SYS_pwritev => Some(Begun::Write(open(first), Some(fourth as usize))),
            libc::SYS_pwritev2 | libc::SYS_fallocate | libc::SYS_sendfile => {
                Some(Begun::Rewrite(open(first)))
            }
            libc::SYS_copy_file_range => Some(Begun::Rewrite(open(third))),
            libc::SYS_ftruncate => Some(Begun::Resize(open(first), second as usize)),
            libc::SYS_fsync | libc::SYS_fdatasync => Some(Begun::Sync(open(first), self.platter.deeds())),
            libc::SYS_open => opening(path(here, first), flags(second)),
            libc::SYS_creat => opening(path(here, first), libc::O_CREAT | libc::O_TRUNC),
            libc::SYS_openat => opening(path(first, second), flags(third)),
            libc::SYS_openat2 => opening(path(first, second), flags(self.number(thread, third))),
            libc::SYS_mkdir => path(here, first).map(Begun::Make),
            libc::SYS_mkdirat => path(first, second).map(Begun::Make),
            libc::SYS_symlink => path(here, second).map(Begun::Make),
            libc::SYS_symlinkat => path(second, third).map(Begun::Make),
            libc::SYS_link => path(here, second).map(Begun::Make),
            libc::SYS_linkat => path(third, fourth).map(Begun::Make),
            libc::SYS_unlink | libc::SYS_rmdir => path(here, first).map(Begun::Remove),
            libc::SYS_unlinkat => path(first, second).map(Begun::Remove),
            libc::SYS_rename => moving(path(here, first), path(here, second)),
            libc::SYS_renameat | libc::SYS_renameat2 => moving(path(first, second), path(third, fourth)),
            libc::SYS_mmap if is_written(third, fourth) => {
                self.mapped(thread, open(fifth));
                None
            }
            _ => None,
        };
        if let Some(begun) = begun {
            self.begun.insert(thread, begun);
        }
    }

    /// The call of a thread has ended with this value, which is negative if it failed.
    pub(super) fn ends(&mut self, thread: i32, value: i64) {
        let Some(begun) = self.begun.remove(&thread) else { return };
        if value < 0 {
            return;
        }
        match begun {
            Begun::Write(open, at) => {
                let at = at.or_else(|| Some(position(thread, open)?.saturating_sub(value as usize)));
                self.written(thread, open, at, value as usize);
            }
            Begun::Rewrite(open) => self.rewritten(thread, open),
            Begun::Resize(open, length) => {
                if let Some(file) = self.file(thread, open) {
                    self.platter.do_deed(Deed::Resize { file, length });
                }
            }
            Begun::Open(made, emptied) => self.opened(thread, value as i32, made, emptied),
            Begun::Sync(open, deeds) => self.synced(thread, open, deeds),
            Begun::Make(path) => self.made(path),
            Begun::Remove(path) => self.platter.do_deed(Deed::Unname { path }),
            Begun::Move(from, to) => match self.platter.node(&from).cloned() {
                Some(node) if node != Node::Folder => self.platter.do_deed(Deed::Move { from, to, node }),
                _ => self.blind = Some(format!("{} is renamed", from.display())),
            },
        }
    }

    /// Puts the disk into a state in which it may be after the power went.
    pub(super) fn cut(self, luck: i32) -> io::Result<()> {
        if let Some(blind) = self.blind {
            return Err(io::Error::other(format!("what a power cut leaves is unknown: {blind}")));
        }
        let mut random = Random::new(u64::from(luck.cast_unsigned()));
        let luck = Luck::draw(&mut random, self.platter.deeds());
        let found = self.platter.cut(luck, &mut random);
        let aside = Aside::beside(&self.roots)?;
        for (path, node) in self.platter.seen().rev() {
            if fs::symlink_metadata(path).is_err() {
                continue;
            }
            match node {
                Node::File(file) => aside.take(*file, path)?,
                Node::Link(_) => fs::remove_file(path)?,
                Node::Folder if !found.names.contains_key(path) => fs::remove_dir_all(path)?,
                Node::Folder => {}
            }
        }
        let mut first: HashMap<File, &Path> = HashMap::new();
        for (path, node) in &found.names {
            match node {
                Node::Folder if path.is_dir() => {}
                Node::Folder => fs::create_dir(path)?,
                Node::Link(target) => symlink(target, path)?,
                Node::File(file) => match first.get(file) {
                    Some(other) => fs::hard_link(other, path)?,
                    None => {
                        first.insert(*file, path);
                        let is_back = aside.give_back(*file, path)?;
                        // A command may have changed what nobody was seen to change: what commands do is not seen.
                        if !is_back || self.platter.is_changed(*file) {
                            let mode = self.modes.get(file).copied().unwrap_or(0o600);
                            rewrite(path, found.files.get(*file).map_or(&[], Vec::as_slice), mode)?;
                        }
                    }
                },
            }
        }
        fs::remove_dir_all(&aside.0)
    }

    /// A path as the program means it; none if it lies elsewhere.
    fn path(&self, thread: i32, folder: i32, address: u64) -> Option<PathBuf> {
        let folder = match folder {
            libc::AT_FDCWD => fs::read_link(format!("/proc/{thread}/cwd")),
            open => fs::read_link(format!("/proc/{thread}/fd/{open}")),
        };
        let path = folder.ok()?.join(text(thread, address));
        let path = path.parent()?.canonicalize().ok()?.join(path.file_name()?);
        self.roots.iter().any(|root| path.starts_with(root)).then_some(path)
    }

    /// The number at an address of the program.
    fn number(&self, thread: i32, address: u64) -> u64 {
        let mut bytes = [0; 8];
        let memory = fs::File::open(format!("/proc/{thread}/mem"));
        let read = memory.and_then(|memory| memory.read_exact_at(&mut bytes, address));
        if read.is_ok() { u64::from_ne_bytes(bytes) } else { 0 }
    }

    /// The file that is open under this number, if it is one of those that are watched.
    fn file(&self, thread: i32, open: i32) -> Option<File> {
        let found = fs::metadata(format!("/proc/{thread}/fd/{open}")).ok()?;
        self.files.get(&found.ino()).copied().filter(|_| found.is_file())
    }

    fn written(&mut self, thread: i32, open: i32, at: Option<usize>, length: usize) {
        let (Some(file), Some(at)) = (self.file(thread, open), at) else { return };
        let mut bytes = vec![0; length];
        let source = fs::File::open(format!("/proc/{thread}/fd/{open}"));
        match source.and_then(|source| source.read_exact_at(&mut bytes, at as u64)) {
            Ok(()) => self.platter.do_deed(Deed::Write { file, at, bytes }),
            Err(error) => self.blind = Some(format!("what was written cannot be read: {error}")),
        }
    }

    fn rewritten(&mut self, thread: i32, open: i32) {
        let Some(file) = self.file(thread, open) else { return };
        if let Ok(bytes) = fs::read(format!("/proc/{thread}/fd/{open}")) {
            self.platter.do_deed(Deed::Resize { file, length: bytes.len() });
            self.platter.do_deed(Deed::Write { file, at: 0, bytes });
        }
    }

    fn opened(&mut self, thread: i32, open: i32, made: Option<PathBuf>, emptied: Emptied) {
        if let Some(path) = made {
            let Ok(found) = fs::metadata(format!("/proc/{thread}/fd/{open}")) else { return };
            let file = self.platter.file(Vec::new());
            self.files.insert(found.ino(), file);
            self.platter.do_deed(Deed::Name { path, node: Node::File(file) });
        } else if let (Emptied::Yes, Some(file)) = (emptied, self.file(thread, open)) {
            self.platter.do_deed(Deed::Resize { file, length: 0 });
        }
    }

    fn synced(&mut self, thread: i32, open: i32, deeds: usize) {
        match self.file(thread, open) {
            Some(file) => self.platter.sync_file(file, deeds),
            None => {
                if let Ok(folder) = fs::read_link(format!("/proc/{thread}/fd/{open}")) {
                    self.platter.sync_folder(&folder, deeds);
                }
            }
        }
    }

    /// A name is new: what it stands for tells the disk.
    fn made(&mut self, path: PathBuf) {
        let Ok(found) = fs::symlink_metadata(&path) else { return };
        let node = if found.is_dir() {
            Some(Node::Folder)
        } else if found.is_symlink() {
            fs::read_link(&path).ok().map(Node::Link)
        } else {
            self.files.get(&found.ino()).copied().map(Node::File)
        };
        match node {
            Some(node) => self.platter.do_deed(Deed::Name { path, node }),
            None => self.blind = Some(format!("{} came from nowhere", path.display())),
        }
    }

    fn mapped(&mut self, thread: i32, open: i32) {
        let Some(_) = self.file(thread, open) else { return };
        let path = fs::read_link(format!("/proc/{thread}/fd/{open}")).unwrap_or_default();
        if !path.to_string_lossy().ends_with("-shm") {
            self.blind = Some(format!("{} is mapped", path.display()));
        }
    }
}

/// Where files lie while their names are made anew: they keep their numbers, rights and times, as they do on a disk.
struct Aside(PathBuf);

impl Aside {
    fn beside(roots: &[PathBuf]) -> io::Result<Self> {
        let root = roots.first().ok_or(io::ErrorKind::InvalidInput)?;
        let folder = root.with_extension("aside");
        fs::create_dir(&folder)?;
        Ok(Self(folder))
    }

    fn take(&self, file: File, path: &Path) -> io::Result<()> {
        let place = self.0.join(file.to_string());
        // A second name of what lies there already would be left as it is.
        if place.exists() { fs::remove_file(path) } else { fs::rename(path, place) }
    }

    /// Says whether it was there to be given.
    fn give_back(&self, file: File, path: &Path) -> io::Result<bool> {
        match fs::rename(self.0.join(file.to_string()), path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            given => given.map(|()| true),
        }
    }
}

/// Gives a file these bytes; one that is not there is made with these rights.
fn rewrite(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    if fs::read(path).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    let file = fs::File::options().write(true).create(true).truncate(true).mode(mode).open(path)?;
    file.write_all_at(bytes, 0)
}

fn opening(path: Option<PathBuf>, flags: i32) -> Option<Begun> {
    let emptied = if flags & libc::O_TRUNC != 0 { Emptied::Yes } else { Emptied::No };
    let made = path.filter(|path| flags & libc::O_CREAT != 0 && fs::symlink_metadata(path).is_err());
    Some(Begun::Open(made, emptied))
}

fn moving(from: Option<PathBuf>, to: Option<PathBuf>) -> Option<Begun> {
    Some(Begun::Move(from?, to?))
}

/// Whether a mapping is one through which a file can be changed.
fn is_written(protection: u64, flags: u64) -> bool {
    protection & libc::PROT_WRITE as u64 != 0 && flags & libc::MAP_SHARED as u64 != 0
}

/// Where the next bytes of an open file go.
fn position(thread: i32, open: i32) -> Option<usize> {
    let told = fs::read_to_string(format!("/proc/{thread}/fdinfo/{open}")).ok()?;
    told.lines().find_map(|line| line.strip_prefix("pos:")?.trim().parse().ok())
}
