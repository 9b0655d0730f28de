//! Where in the workspace a command may create things by itself, and where only the [`warden`](super::warden) may do it
//! for it. Start from [`Zones`].
//!
//! The kernel can forbid creating anything in a directory, but not creating one name in it. So the directories that
//! could hold a protected name (the workspace's root, `.git`) are closed by landlock, the directories in them that
//! exist when the command starts are open, and everything in between is asked of the warden, who looks at names.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::paths::{Guard, Protected};
use super::{Spec, Wall};

/// Beyond this many directories the rest is left to the warden, which is slower but not wrong.
const MOST_OPEN: usize = 2000;

pub struct Zones {
    workspace: PathBuf,
    guard: Guard,
    /// Directories in which anything may be created, relative to the workspace.
    open: HashSet<PathBuf>,
    /// Files in closed directories that may be written, relative to the workspace.
    files: Vec<PathBuf>,
    /// Temporary and granted folders that contain the workspace or a secret: they are closed too, since rights add up
    /// on the way down and would open these.
    around: Vec<PathBuf>,
    /// The other temporary and granted paths.
    beside: Vec<PathBuf>,
    /// Secrets, as they are on the disk.
    masked: Vec<PathBuf>,
}

/// What may be done with a name in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is not in the workspace, or in a temporary folder: the kernel decides.
    Outside,
    /// It is in an open directory: the kernel decides.
    Kernel,
    /// The warden does it.
    Warden,
    /// The warden makes it or removes it as an empty directory, but nothing else.
    Hollow,
    /// Nobody does it.
    Refuse,
}

impl Zones {
    /// Of a wall that masks these secrets.
    pub fn of(spec: &Spec, guard: Guard, masked: Vec<PathBuf>) -> Self {
        let holds_secret = |path: &PathBuf| {
            // With the full wall secrets are hidden by mounts.
            spec.wall != Wall::Full && masked.iter().any(|secret| secret.starts_with(path))
        };
        // A grant inside the workspace says nothing new, and must not open what is protected there.
        let granted = spec.writable.iter().filter(|path| !path.starts_with(&spec.workspace));
        let granted = temporary(spec).chain(granted.cloned());
        let (around, beside) =
            granted.partition(|path| spec.workspace.starts_with(path) || holds_secret(path));
        let mut zones = Self {
            workspace: spec.workspace.clone(),
            guard,
            open: HashSet::new(),
            files: Vec::new(),
            around,
            beside,
            masked,
        };
        zones.look(Path::new(""));
        zones
    }

    /// Directories that are open to the command, as absolute paths.
    pub fn open(&self) -> impl Iterator<Item = PathBuf> {
        let inside = self.open.iter().map(|relative| self.workspace.join(relative));
        inside.chain(self.beside.iter().cloned())
    }

    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.files.iter().map(|relative| self.workspace.join(relative))
    }

    /// Directories that are closed: writable, but nothing is created in them without the warden.
    pub fn closed(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.workspace.as_path()).chain(self.around.iter().map(PathBuf::as_path))
    }

    pub fn masked(&self) -> &[PathBuf] {
        &self.masked
    }

    /// Judges making, replacing or removing `name` in `directory`, which is where the kernel says it is.
    pub fn judge(&self, directory: &Path, name: &[u8]) -> Verdict {
        let name = OsStr::from_bytes(name);
        let path = directory.join(name);
        let holds = |held: &PathBuf| held.starts_with(&path);
        if self.touches_secret(&path) || holds(&self.workspace) {
            return Verdict::Refuse;
        }
        // This comes first because the call's own temporary folder may lie in the agent's state, in the workspace.
        if self.beside.iter().any(|path| directory.starts_with(path)) {
            return Verdict::Outside;
        }
        let Ok(relative) = directory.strip_prefix(&self.workspace) else {
            let inside = self.around.iter().any(|path| directory.starts_with(path));
            return if inside { Verdict::Warden } else { Verdict::Outside };
        };
        if relative.ancestors().any(|ancestor| self.open.contains(ancestor)) {
            return Verdict::Kernel;
        }
        match self.guard.judge(&relative.join(name)) {
            Protected::No => Verdict::Warden,
            Protected::Ancestor => Verdict::Hollow,
            Protected::Repository | Protected::Yes => Verdict::Refuse,
        }
    }

    /// It is a secret, lies in one, or holds one, which moving it would bring under another name.
    fn touches_secret(&self, path: &Path) -> bool {
        let touches = |secret: &PathBuf| path.starts_with(secret) || secret.starts_with(path);
        self.masked.iter().any(touches)
    }

    fn look(&mut self, relative: &Path) {
        let entries = fs::read_dir(self.workspace.join(relative)).into_iter().flatten().flatten();
        for entry in entries.take(MOST_OPEN) {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let path = relative.join(entry.file_name());
            if self.touches_secret(&self.workspace.join(&path)) {
                continue;
            }
            match self.guard.judge(&path) {
                Protected::Ancestor | Protected::Repository if kind.is_dir() => self.look(&path),
                Protected::No if kind.is_dir() => _ = self.open.insert(path),
                Protected::No if kind.is_file() => self.files.push(path),
                _ => {}
            }
        }
    }
}

/// Where a command may create anything because nothing there is meant to last.
fn temporary(spec: &Spec) -> impl Iterator<Item = PathBuf> {
    let places = match spec.wall {
        Wall::Full => vec!["/tmp".into(), "/var/tmp".into(), "/dev".into(), spec.temp.clone()],
        _ => vec![spec.temp.clone(), "/dev/shm".into()],
    };
    // One may be a link to another, and rights belong to what it leads to.
    places.into_iter().filter_map(|place: PathBuf| place.canonicalize().ok())
}

#[cfg(test)]
mod tests;
