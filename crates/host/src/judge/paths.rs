//! Where a path leads, judged by its spelling alone. Start from [`Path::new`]. Links are not seen
//! here: the sandbox is what holds, this only explains and warns.

mod pattern;
mod secret;

use super::expand::{NAME, UNKNOWN};
use crate::sandbox::names::{PROTECTED, fold};
use crate::sandbox::paths::{HOME_SECRETS, HOME_STARTUP};
use pattern::{begins, is_pattern};
use std::ffi::OsStr;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    anchor: Anchor,
    parts: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
    Root,
    Home,
    /// The working directory, or that many steps above it.
    Here(usize),
}

/// What lies there, as far as writing or deleting is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Inside the workspace.
    Inside,
    /// The workspace itself, or its version history.
    Whole,
    Temporary,
    /// A device that swallows or repeats: `/dev/null`, `/dev/stdout`.
    Harmless,
    Device,
    /// `/dev/tcp/…`: bash opens a connection.
    Socket,
    /// `/`, `/etc`, `/usr`…
    System,
    /// The home directory itself.
    Home,
    /// Elsewhere beyond the workspace.
    Outside,
    /// Settings by which a later command or tool would act.
    Protected,
    Unknown,
}

impl Path {
    /// Reads `text`; `workspace` and `home` are absolute paths, where they are known.
    pub fn new(text: &str, workspace: Option<&str>, home: Option<&str>) -> Path {
        let full = in_full(text, home);
        let text = full.as_str();
        let (anchor, rest) = if let Some(rest) = workspace.and_then(|top| beneath(text, top)) {
            (Anchor::Here(0), rest)
        } else if let Some(rest) = home.and_then(|top| beneath(text, top)) {
            (Anchor::Home, rest)
        } else if let Some(rest) = text.strip_prefix('/') {
            (Anchor::Root, rest)
        } else if let Some(rest) = text.strip_prefix('~') {
            (Anchor::Home, rest.split_once('/').map_or("", |(_, rest)| rest))
        } else {
            (Anchor::Here(0), text)
        };
        let mut path = Path { anchor, parts: Vec::new() };
        rest.split('/').for_each(|part| path.step(part));
        path.recognise_home();
        path
    }

    /// This path seen from `base`, if it is relative.
    pub fn seen_from(&self, base: &Path) -> Path {
        let Anchor::Here(up) = self.anchor else {
            return self.clone();
        };
        let mut path = base.clone();
        for _ in 0..up {
            path.step("..");
        }
        self.parts.iter().for_each(|part| path.step(part));
        path.recognise_home();
        path
    }

    fn step(&mut self, part: &str) {
        match part {
            "" | "." => {}
            ".." if self.parts.pop().is_some() => {}
            ".." => match &mut self.anchor {
                Anchor::Root => {}
                Anchor::Home => {
                    self.anchor = Anchor::Root;
                    self.parts.push("home".to_owned());
                }
                Anchor::Here(up) => *up += 1,
            },
            _ => self.parts.push(part.to_owned()),
        }
    }

    /// What lies beneath the usual places for homes is somebody's home as well.
    fn recognise_home(&mut self) {
        if self.anchor != Anchor::Root {
            return;
        }
        let skip = match self.parts.first().map(String::as_str) {
            Some("root") => 1,
            Some("home" | "Users") if self.parts.len() >= 2 => 2,
            _ => return,
        };
        self.anchor = Anchor::Home;
        self.parts.drain(..skip);
    }

    /// Whether it is a folder beneath the working directory, or beside it: not itself.
    pub fn strays(&self) -> bool {
        matches!(self.anchor, Anchor::Here(up) if up > 0 || !self.parts.is_empty())
    }

    pub fn place(&self) -> Place {
        let parts: Vec<&str> = self.parts.iter().map(String::as_str).collect();
        match (self.anchor, parts.as_slice()) {
            (_, parts) if is_protected(parts) => Place::Protected,
            (Anchor::Home, []) => Place::Home,
            (Anchor::Home, [part]) if wide(part) => Place::Home,
            (Anchor::Home, parts) if acts_in_home(parts) => Place::Protected,
            (Anchor::Home, _) => Place::Outside,
            (Anchor::Root, ["dev", "tcp" | "udp", ..]) => Place::Socket,
            (Anchor::Root, ["dev", "null" | "stdout" | "stderr" | "stdin" | "tty" | "zero" | "full"]) => {
                Place::Harmless
            }
            (Anchor::Root, ["dev", "fd", part]) if part.chars().all(|c| c.is_ascii_digit()) => {
                Place::Harmless
            }
            (Anchor::Root, ["dev", "shm", ..] | ["tmp" | "private", _, ..] | ["var", "tmp", _, ..]) => {
                Place::Temporary
            }
            (Anchor::Root, ["dev", ..]) => Place::Device,
            (Anchor::Root, [] | ["tmp"]) => Place::System,
            (Anchor::Root, [part, ..]) if wide(part) || SYSTEM.contains(part) => Place::System,
            (Anchor::Root, _) => Place::Outside,
            (Anchor::Here(0), []) => Place::Whole,
            (Anchor::Here(0), [".git", ..]) => Place::Whole,
            (Anchor::Here(0), [part]) if wide(part) => Place::Whole,
            (Anchor::Here(0), [part, ..]) if part.starts_with([UNKNOWN, NAME]) => Place::Unknown,
            (Anchor::Here(0), _) => Place::Inside,
            (Anchor::Here(_), _) => Place::Outside,
        }
    }
}

/// The path with `~` written out, where that is known, and without steps back.
pub(super) fn in_full(text: &str, home: Option<&str>) -> String {
    let text = match (text.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => text.to_owned(),
    };
    if !text.starts_with('/') {
        return text;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            _ => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// What is left of `text` beneath `top`.
fn beneath<'a>(text: &'a str, top: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(top.trim_end_matches('/'))?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Whether a name of the one table lies anywhere in the path.
fn is_protected(parts: &[&str]) -> bool {
    // Every name of the table has a dot, which most parts of a path have not.
    let may_begin = |part: &str| part.contains('.') || !part.is_ascii() || is_pattern(part);
    let spelled =
        |parts: &[&str]| -> Vec<String> { parts.iter().map(|part| fold(OsStr::new(part))).collect() };
    parts.iter().enumerate().any(|(at, part)| {
        may_begin(part) && {
            let rest = spelled(&parts[at..]);
            PROTECTED.iter().any(|entry| begins(&rest, entry))
        }
    })
}

/// Whether a path in a home is, lies in or holds what a login or a program obeys later, or a secret.
fn acts_in_home(parts: &[&str]) -> bool {
    let holds = |entry: &str| {
        let names: Vec<&str> = entry.split('/').take(parts.len()).collect();
        parts.len() < entry.split('/').count() && begins(parts, &names.join("/"))
    };
    HOME_STARTUP.iter().chain(HOME_SECRETS).any(|entry| begins(parts, entry) || holds(entry))
}

fn wide(part: &str) -> bool {
    matches!(part, "*" | ".*" | "**" | "?*" | "*.*" | "{*,.*}")
}

#[rustfmt::skip]
const SYSTEM: &[&str] = &[
    "bin", "boot", "etc", "lib", "lib32", "lib64", "opt", "proc", "run", "sbin", "srv", "sys", "usr", "var",
    "home", "Users", "System", "Library", "Applications", "Volumes", "media", "mnt", "nix", "private",
];
