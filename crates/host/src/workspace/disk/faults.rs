//! A disk that fails, for tests: the n-th change, or every change from the n-th on, or the death of the process at the n-th.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// What happens at the chosen step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// This one change fails, later ones work again: a full disk.
    Once,
    /// This change and all after it fail: a dead disk.
    FromHere,
    /// The process is killed before the change, as by the kernel.
    Kill,
}

#[derive(Default)]
pub(crate) struct Faults {
    plan: Option<(u64, Fault)>,
    meddler: Option<(u64, Box<dyn Fn() + Send + Sync>)>,
    steps: AtomicU64,
}

impl Faults {
    pub(crate) fn at(step: u64, fault: Fault) -> Faults {
        Faults { plan: Some((step, fault)), ..Faults::default() }
    }

    /// No fault, but somebody else does something right before a step.
    pub(crate) fn meddling(step: u64, act: impl Fn() + Send + Sync + 'static) -> Faults {
        Faults { meddler: Some((step, Box::new(act))), ..Faults::default() }
    }

    /// How many changes were tried so far.
    pub(crate) fn steps(&self) -> u64 {
        self.steps.load(Ordering::SeqCst)
    }

    pub(crate) fn step(&self) -> io::Result<()> {
        let now = self.steps.fetch_add(1, Ordering::SeqCst);
        if let Some((step, act)) = &self.meddler
            && *step == now
        {
            act();
        }
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        match self.plan {
            Some((step, Fault::Once)) if step == now => Err(full()),
            Some((step, Fault::FromHere)) if step <= now => Err(full()),
            Some((step, Fault::Kill)) if step == now => {
                let own = rustix::process::getpid();
                let _ = rustix::process::kill_process(own, rustix::process::Signal::KILL);
                unreachable!("SIGKILL returned")
            }
            _ => Ok(()),
        }
    }
}

impl std::fmt::Debug for Faults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Faults").field("plan", &self.plan).field("steps", &self.steps).finish_non_exhaustive()
    }
}
