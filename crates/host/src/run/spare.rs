//! A confiner that was started before there is a command for it. Start at [`Spare`].
//!
//! Starting the program again is a good part of what a call costs. So when one command has ended, the confiner of the next one is
//! started; it waits for its specification and has done nothing yet, so whatever the next command may do is still open.

use std::io::{self, PipeReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::process::Error;
use crate::sandbox::{MARK, Spec};

/// At most one confiner in waiting; by default none is kept. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Spare(Option<Arc<Mutex<Option<Waiting>>>>);

/// A confiner that reads its specification from `control`. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Waiting {
    pub confiner: Child,
    pub control: UnixStream,
    pub stdout: PipeReader,
    pub stderr: PipeReader,
}

impl Spare {
    /// Keeps a confiner in waiting from the first command on.
    pub fn kept() -> Spare {
        Spare(Some(Arc::default()))
    }

    /// A confiner that has got its specification: the one in waiting, or a new one.
    pub(super) fn begin(&self, confiner: &Path, spec: &Spec) -> Result<Waiting, Error> {
        let bytes = spec.to_bytes();
        if let Some(mut waiting) = self.slot().and_then(|mut slot| slot.take()) {
            if waiting.control.write_all(&bytes).is_ok() {
                return Ok(waiting);
            }
            waiting.end();
        }
        let mut fresh = Waiting::start(confiner)?;
        // A confiner that died at once cannot hear it; how it ended is found out by whoever watches it.
        let _ = fresh.control.write_all(&bytes);
        Ok(fresh)
    }

    /// Starts a confiner for the next command. If that fails, the next command will say so.
    pub(super) fn prepare(&self, confiner: &Path) {
        if self.slot().is_none_or(|slot| slot.is_some()) {
            return;
        }
        if let Ok(waiting) = Waiting::start(confiner)
            && let Some(surplus) = self.slot().and_then(|mut slot| slot.replace(waiting))
        {
            surplus.end();
        }
    }

    fn slot(&self) -> Option<MutexGuard<'_, Option<Waiting>>> {
        self.0.as_ref().map(|slot| slot.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Waiting {
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
        Ok(Waiting { confiner: child, control, stdout, stderr })
    }

    /// Without a specification it ends at once when the connection does.
    fn end(mut self) {
        drop(self.control);
        let _ = self.confiner.wait();
    }
}
