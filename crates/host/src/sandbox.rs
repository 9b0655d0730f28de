//! The wall around a command: what it may read, write and reach, whatever its source says.
//!
//! Start from [`Wall`] (what this machine can do, found by [`probe`](crate::run::probe)) and [`Spec`] (what a command may do).
//! The binary runs itself again as the confiner: `main` calls [`confine_if_asked`] before anything else, and a process
//! that was started with the private mark reads a [`Spec`] from its standard input, builds the wall, then reads an
//! [`Order`] and runs that behind it as PID 1's child; another one with the same rights may follow if it left nothing. The wall is built in a process of its own because namespaces,
//! landlock and seccomp can be put on but not taken off.
//!
//! What the full wall holds: writing anywhere but the workspace, the private `/tmp` and what is granted; the protected
//! names of [`names`] in the workspace, whether they exist or not; reading the secrets of [`paths`] and the agent's own
//! state; the network and every UNIX socket outside; other processes; and whatever a command leaves running.
//! What it does not hold: repositories nested in the workspace (their own `.git` is not protected, and git in the root
//! looks into those that are registered there, so it should run only hardened); what a protected name leads to, if it is a link to something
//! that does not exist yet; the contents of the workspace itself; bugs of the kernel.
//!
//! This module must never make the wall thinner to make a command work: what cannot be set up is an error that the
//! agent sees, and a weaker wall is only ever chosen beforehand, by name.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

mod grant;
pub mod names;
pub mod paths;
mod spec;

#[cfg(target_os = "linux")]
mod confine;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod init;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(target_os = "linux")]
mod sys;
#[cfg(target_os = "linux")]
mod traces;
#[cfg(target_os = "linux")]
mod warden;
#[cfg(target_os = "linux")]
mod zones;

#[cfg(any(target_os = "macos", test))]
mod seatbelt;
#[cfg(not(target_os = "linux"))]
mod supervise;

pub use grant::{Ungranted, writable};
pub(crate) use spec::{Order, Report, Spec, TERMINATE};

/// The first argument that makes the binary a confiner. It is no secret: a confiner can do nothing that its caller
/// could not, since it only ever gives rights up.
pub(crate) const MARK: &str = "\u{1}cinque-confine";

/// How much stands between a command and the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wall {
    /// Nothing but supervision: the command is ended with all its children, but may read, write and reach everything.
    None,
    /// Landlock and seccomp, without namespaces.
    Landlock,
    /// macOS: a seatbelt profile.
    Seatbelt,
    /// Namespaces, a read-only root, landlock and seccomp.
    Full,
}

/// Whether one command may reach the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Network {
    #[default]
    Denied,
    Granted,
}

/// What one call may do beyond the usual, as shown in its approval.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    pub network: Network,
    /// Existing paths outside the workspace that may be written.
    pub writable: Vec<PathBuf>,
    /// Masked paths that may be read.
    pub readable: Vec<PathBuf>,
}

impl Wall {
    /// The walls that this system may know, the strongest first.
    pub(crate) fn candidates() -> &'static [Wall] {
        if cfg!(target_os = "linux") {
            &[Wall::Full, Wall::Landlock]
        } else if cfg!(target_os = "macos") {
            &[Wall::Seatbelt]
        } else {
            &[]
        }
    }

    /// What stands, in words for a person.
    pub fn words(self) -> &'static str {
        match self {
            Wall::Full => "full: namespaces, read-only root, landlock and seccomp",
            Wall::Landlock => "partial: landlock and seccomp, no namespaces",
            Wall::Seatbelt => "seatbelt profile",
            Wall::None => "none: commands are only supervised",
        }
    }

    /// What does not stand, in words for a person: these are the reasons to ask before a command runs.
    pub fn gaps(self) -> &'static [&'static str] {
        match self {
            Wall::Full => &[],
            Wall::Landlock => &[
                "other processes and their command lines can be seen",
                "the agent's own state in .cinque can be read",
                "the host's temporary files, /dev/shm and System V objects are shared",
                "modes, owners and times of files outside the workspace can be changed where the user may",
                "before Linux 6.12 signals can be sent to the user's other processes",
                "the number of processes is not limited",
            ],
            Wall::Seatbelt => &[
                "protected paths are held by name; the profile was written for macOS 14 and 15",
                "processes that leave the process group may outlive the call",
            ],
            Wall::None => &["reads, writes, the network and other processes are open to every command"],
        }
    }
}

/// The very first statement of `main`: a process started as a confiner never returns from here.
///
/// It runs before any runtime, logger or argument parser, so that the confiner has one thread and no open files.
pub fn confine_if_asked() {
    let mut arguments = std::env::args_os();
    let marked = |argument: Option<OsString>| argument.as_deref() == Some(OsStr::new(MARK));
    if marked(arguments.nth(1)) {
        std::process::exit(confine());
    }
}

#[cfg(target_os = "linux")]
use confine::confine;
#[cfg(not(target_os = "linux"))]
use supervise::confine;
