//! Walls that stand before there is a command for them. Start at [`Spare`].
//!
//! Starting the program again and building the wall is most of what a call costs. So a wall in which a command left nothing
//! takes the next command that has the same rights; where it had to fall, another is built while the model thinks. Before a
//! command goes behind it, the confiner looks whether the wall still holds all that it must.

use std::collections::VecDeque;
use std::io::{self, PipeReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::process::Error;
use crate::sandbox::{MARK, Order, Spec, Wall};

/// So many walls wait at most: commands that run side by side have one each, and that is rare.
const KEPT: usize = 2;

/// Walls in waiting; by default none is kept. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Spare(Option<Arc<Mutex<VecDeque<Waiting>>>>);

/// The process that stands for a wall.
#[derive(Debug)]
pub(super) struct Confiner {
    pub process: Child,
    /// `None` once it has gone; the wall falls when this is closed.
    pub control: Option<UnixStream>,
}

/// A confiner that builds its wall and waits for an order.
#[derive(Debug)]
pub(super) struct Waiting {
    pub confiner: Confiner,
    pub stdout: PipeReader,
    pub stderr: PipeReader,
    /// What it was told to build.
    pub spec: Spec,
}

impl Spare {
    /// Keeps a wall in waiting from the first command on.
    pub fn kept() -> Spare {
        Spare(Some(Arc::default()))
    }

    /// A confiner that has got its order: one in waiting if its wall is the right one, or a new one.
    pub(super) fn begin(&self, confiner: &Path, spec: &Spec, order: &Order) -> Result<Waiting, Error> {
        while let Some(mut waiting) = self.slots().and_then(|mut slots| take(&mut slots, spec)) {
            if waiting.accept(order) {
                return Ok(waiting);
            }
            waiting.confiner.end();
        }
        Waiting::fresh(confiner, spec, order)
    }

    /// Where the walls of the next commands are, if any is kept. Who holds it lets others wait.
    pub(super) fn room(&self) -> Option<Room<'_>> {
        self.slots().map(Room)
    }

    fn slots(&self) -> Option<MutexGuard<'_, VecDeque<Waiting>>> {
        self.0.as_ref().map(|slots| slots.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn take(slots: &mut VecDeque<Waiting>, spec: &Spec) -> Option<Waiting> {
    let fitting = slots.iter().position(|waiting| waiting.spec == *spec)?;
    slots.remove(fitting)
}

/// Held while walls come to wait.
pub(super) struct Room<'a>(MutexGuard<'a, VecDeque<Waiting>>);

impl Room<'_> {
    /// A wall that has served comes back. The one that waited longest goes if there are too many.
    pub(super) fn keep(mut self, waiting: Waiting) {
        self.0.push_front(waiting);
        if self.0.len() > KEPT {
            self.0.pop_back().into_iter().for_each(|oldest| oldest.confiner.end());
        }
    }

    /// Begins with a wall if none waits. If that fails, the next command will say so.
    pub(super) fn fill(mut self, confiner: &Path, spec: &Spec) {
        // Only the full wall is the same for every call: without namespaces each has a temporary folder of its own.
        if spec.wall == Wall::Full && self.0.is_empty() {
            self.0.extend(Waiting::start(confiner, spec));
        }
    }
}

impl Waiting {
    /// A new confiner with its order.
    pub(super) fn fresh(confiner: &Path, spec: &Spec, order: &Order) -> Result<Waiting, Error> {
        let mut fresh = Waiting::start(confiner, spec)?;
        // A confiner that died at once cannot hear it; how it ended is found out by whoever watches it.
        fresh.confiner.tell(&order.to_bytes());
        Ok(fresh)
    }

    /// A new confiner that builds its wall.
    fn start(confiner: &Path, spec: &Spec) -> Result<Waiting, Error> {
        let (control, theirs) = UnixStream::pair()?;
        let (stdout, their_stdout) = io::pipe()?;
        let (stderr, their_stderr) = io::pipe()?;
        let process = std::process::Command::new(confiner)
            .arg(MARK)
            // The confiner itself needs no variable, and what it does not have cannot be read from it.
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(their_stdout)
            .stderr(their_stderr)
            .spawn()
            .map_err(|source| Error::Confiner { path: confiner.to_owned(), source })?;
        let mut confiner = Confiner { process, control: Some(control) };
        confiner.tell(&spec.to_bytes());
        Ok(Waiting { confiner, stdout, stderr, spec: spec.clone() })
    }

    /// Hands over an order.
    fn accept(&mut self, order: &Order) -> bool {
        !self.confiner.has_spoken() && self.confiner.tell(&order.to_bytes()).is_some()
    }
}

impl Confiner {
    /// `None` if it cannot hear it.
    pub fn tell(&mut self, bytes: &[u8]) -> Option<()> {
        self.control.as_mut()?.write_all(bytes).ok()
    }

    /// Before it has an order a confiner speaks only to say what went wrong; a new one will say it again if it still does.
    fn has_spoken(&self) -> bool {
        let Some(control) = &self.control else { return true };
        let fd = std::os::fd::AsRawFd::as_raw_fd(control);
        let mut heard = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        // SAFETY: the structure is valid; the call does not wait.
        unsafe { libc::poll(&raw mut heard, 1, 0) != 0 }
    }

    /// The wall falls, and its process is collected.
    pub fn end(mut self) {
        drop(self.control.take());
        let _ = self.process.wait();
    }
}
