//! Which paths outside the workspace one call may be granted for writing. Start from [`writable`].
//!
//! A person agrees to what is shown, so a grant must be no wider than its words sound: what holds the workspace, a home,
//! the system, or names whose content acts later is refused, and a narrower path is asked for.

use std::path::{Component, Path, PathBuf};

use super::names::{PROTECTED, fold};
use super::paths::{Guard, Protected, of_home, of_system};

/// Whatever lies in them belongs to the system.
const SYSTEM: &[&str] = &[
    "bin",
    "boot",
    "dev",
    "etc",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "nix",
    "proc",
    "run",
    "sbin",
    "sys",
    "usr",
    "System",
    "Library",
    "Applications",
];

/// They hold what belongs to many; what lies in them may be granted.
const SHARED: &[&str] = &[
    "/tmp", "/var/tmp", "/var", "/home", "/root", "/opt", "/srv", "/mnt", "/media", "/private", "/Users",
    "/Volumes",
];

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Ungranted {
    #[error("a blank path cannot be made writable: name a folder or file")]
    Blank,
    #[error("{0} cannot be made writable: it does not exist. Name an existing folder or file")]
    Missing(String),
    #[error("{0} cannot be made writable: it holds {1}. Name a narrower path")]
    Wide(String, &'static str),
    #[error("{0} cannot be made writable: it belongs to the system")]
    System(String),
    #[error("{0} cannot be made writable: {1} is protected, since its content acts later or is secret")]
    Protected(String, String),
}

/// The real path that may be granted, or `None` for one in the workspace, which is writable anyway.
pub fn writable(text: &str, workspace: &Path, home: Option<&Path>) -> Result<Option<PathBuf>, Ungranted> {
    if text.trim().is_empty() {
        return Err(Ungranted::Blank);
    }
    let named = match (text.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => workspace.join(text),
    };
    let path = named.canonicalize().map_err(|_| Ungranted::Missing(text.to_owned()))?;
    let home = home.map(|home| home.canonicalize().unwrap_or_else(|_| home.to_owned()));
    if let Ok(inside) = path.strip_prefix(workspace)
        && path != workspace
    {
        return match Guard::new(workspace, home.as_deref()).judge(inside) {
            Protected::No => Ok(None),
            _ => Err(Ungranted::Protected(text.to_owned(), inside.display().to_string())),
        };
    }
    refuse(text, &path, workspace, home.as_deref()).map_or(Ok(Some(path)), Err)
}

fn refuse(text: &str, path: &Path, workspace: &Path, home: Option<&Path>) -> Option<Ungranted> {
    let text = text.to_owned();
    if path == workspace {
        return Some(Ungranted::Wide(text, "the whole workspace, which is writable but for protected names"));
    }
    if path == Path::new("/") {
        return Some(Ungranted::Wide(text, "the whole machine"));
    }
    if workspace.starts_with(path) {
        return Some(Ungranted::Wide(text, "the workspace"));
    }
    if home.is_some_and(|home| home.starts_with(path)) {
        return Some(Ungranted::Wide(text, "a whole home"));
    }
    if SHARED.iter().any(|shared| path == Path::new(shared)) {
        return Some(Ungranted::Wide(text, "what belongs to others too"));
    }
    let first = path.components().nth(1);
    if first.is_some_and(|first| SYSTEM.iter().any(|name| first.as_os_str() == *name)) {
        return Some(Ungranted::System(text));
    }
    acts_later(path, home).map(|name| Ungranted::Protected(text, name))
}

/// The protected name that the path is, lies in or holds.
fn acts_later(path: &Path, home: Option<&Path>) -> Option<String> {
    let parts: Vec<String> = path
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .map(|part| fold(part.as_os_str()))
        .collect();
    let within = |name: &&&str| {
        let wanted: Vec<&str> = name.split('/').collect();
        parts.windows(wanted.len()).any(|window| window.iter().zip(&wanted).all(|(part, name)| part == name))
    };
    let named = PROTECTED.iter().find(within).copied();
    let git = parts.iter().any(|part| part == ".git").then_some(".git");
    let held = PROTECTED.iter().find(|name| path.join(name).symlink_metadata().is_ok()).copied();
    let touches = |special: &PathBuf| special.starts_with(path) || path.starts_with(special);
    let special = home.into_iter().flat_map(of_home).chain(of_system()).find(touches);
    let special = special.map(|special| special.display().to_string());
    named.or(git).or(held).map(str::to_owned).or(special)
}

#[cfg(test)]
mod tests;
