//! A wall that was built before there is a command for it. Start at [`Spare`].
//!
//! Starting the program again and building the wall is most of what a call costs. So when one command has ended, the wall of
//! the next one is built, like the last one's; a command that needs another one gets a new one. Before a command goes
//! behind it, the confiner looks whether the wall still holds all that it must.

use std::collections::VecDeque;
use std::io::{self, PipeReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::process::Error;
use crate::sandbox::{MARK, Order, Spec, Wall};

/// So many walls wait at most: one for the next command, and one for a command that comes before another is built.
const KEPT: usize = 2;

/// Walls in waiting; by default none is kept. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Spare(Option<Arc<Mutex<VecDeque<Waiting>>>>);

/// A confiner that reads its orders from `control`. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Waiting {
    pub confiner: Child,
    pub control: UnixStream,
    pub stdout: PipeReader,
    pub stderr: PipeReader,
    /// What it was told to build.
    spec: Option<Spec>,
}

impl Spare {
    /// Keeps a wall in waiting from the first command on.
    pub fn kept() -> Spare {
        Spare(Some(Arc::default()))
    }

    /// A confiner that has got its order: the one in waiting if its wall is the right one, or a new one.
    pub(super) fn begin(&self, confiner: &Path, spec: &Spec, order: &Order) -> Result<Waiting, Error> {
        if let Some(mut waiting) = self.slots().and_then(|mut slots| slots.pop_front()) {
            if waiting.accept(spec, order) {
                return Ok(waiting);
            }
            waiting.end();
        }
        Waiting::fresh(confiner, spec, order)
    }

    /// Where the wall of the next command goes, if one is kept. Who holds it lets others wait.
    pub(super) fn room(&self) -> Option<Room<'_>> {
        self.slots().map(Room)
    }

    fn slots(&self) -> Option<MutexGuard<'_, VecDeque<Waiting>>> {
        self.0.as_ref().map(|slots| slots.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Held while the wall of the next command is begun.
pub(super) struct Room<'a>(MutexGuard<'a, VecDeque<Waiting>>);

impl Room<'_> {
    /// Begins with walls until there are enough. If that fails, the next command will say so.
    pub(super) fn fill(mut self, confiner: &Path, spec: &Spec) {
        while self.0.len() < KEPT {
            let Ok(mut waiting) = Waiting::start(confiner) else { return };
            waiting.build(spec);
            self.0.push_back(waiting);
        }
    }
}

impl Waiting {
    /// A new confiner with its order.
    pub(super) fn fresh(confiner: &Path, spec: &Spec, order: &Order) -> Result<Waiting, Error> {
        let mut fresh = Waiting::start(confiner)?;
        // A confiner that died at once cannot hear it; how it ended is found out by whoever watches it.
        let _ = fresh.control.write_all(&[spec.to_bytes(), order.to_bytes()].concat());
        Ok(fresh)
    }

    fn start(confiner: &Path) -> Result<Waiting, Error> {
        let (control, theirs) = UnixStream::pair()?;
        let (stdout, their_stdout) = io::pipe()?;
        let (stderr, their_stderr) = io::pipe()?;
        let child = std::process::Command::new(confiner)
            .arg(MARK)
            // The confiner itself needs no variable, and what it does not have cannot be read from it.
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(their_stdout)
            .stderr(their_stderr)
            .spawn()
            .map_err(|source| Error::Confiner { path: confiner.to_owned(), source })?;
        Ok(Waiting { confiner: child, control, stdout, stderr, spec: None })
    }

    /// Only the full wall is the same for every call: without namespaces each has a temporary folder of its own.
    fn build(&mut self, spec: &Spec) {
        if spec.wall == Wall::Full && self.control.write_all(&spec.to_bytes()).is_ok() {
            self.spec = Some(spec.clone());
        }
    }

    /// Hands over an order, if it fits what was built.
    fn accept(&mut self, spec: &Spec, order: &Order) -> bool {
        let bytes = match &self.spec {
            None => [spec.to_bytes(), order.to_bytes()].concat(),
            Some(built) if built == spec && !self.has_spoken() => order.to_bytes(),
            Some(_) => return false,
        };
        self.control.write_all(&bytes).is_ok()
    }

    /// Before it has an order a confiner speaks only to say what went wrong; a new one will say it again if it still does.
    fn has_spoken(&self) -> bool {
        let fd = std::os::fd::AsRawFd::as_raw_fd(&self.control);
        let mut heard = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        // SAFETY: the structure is valid; the call does not wait.
        unsafe { libc::poll(&raw mut heard, 1, 0) != 0 }
    }

    /// Without an order it ends at once when the connection does.
    fn end(mut self) {
        drop(self.control);
        let _ = self.confiner.wait();
    }
}
