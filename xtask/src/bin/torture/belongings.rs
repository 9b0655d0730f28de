//! Files of the program's own beside the database, and several of a person's at once: how each comes to be written, and
//! what may be found of it afterwards. Start from [`BELONGINGS`].
//!
//! What is checked has two halves, which are compared: what the program said, and what is there. Whatever goes wrong in
//! between, what it said was kept is there, what was there before is not lost, and nothing is there in part.

mod letters;
mod lists;
mod runs;

use std::collections::HashMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use kit::{Cinque, Outcome, Reply, Scratch, Server};

use crate::fault::words;
use crate::trace::{self, Change, Plan};
use crate::trial::{Bench, Trial, has_ended, wait_until};

/// Something that is written whole.
pub struct Belonging {
    pub what: &'static str,
    /// What lies there before, in front of which model.
    prepare: fn(&Trial, Earlier) -> Owner,
    /// A run that writes it while something goes wrong.
    write: fn(&Owner, Plan) -> Written,
    /// Fails unless what is there is whole, and is what was said.
    check: fn(&Owner, &Written),
}

pub const BELONGINGS: &[Belonging] = &[
    Belonging {
        what: "several files of a patch",
        prepare: lists::patched,
        write: lists::apply,
        check: lists::check_patch,
    },
    Belonging {
        what: "a trusted folder",
        prepare: lists::trusting,
        write: lists::trust,
        check: lists::check_trust,
    },
    Belonging {
        what: "a saved rule",
        prepare: lists::ruled,
        write: lists::save_rule,
        check: lists::check_rules,
    },
    Belonging { what: "the token", prepare: lists::served, write: lists::serve, check: lists::check_token },
    Belonging {
        what: letters::WHAT,
        prepare: letters::prepare,
        write: letters::exchange,
        check: letters::check,
    },
    Belonging {
        what: "the memory of solve",
        prepare: runs::planned,
        write: runs::solve,
        check: runs::check_memory,
    },
    Belonging { what: "what was typed", prepare: runs::typed, write: runs::talk, check: runs::check_history },
];

/// Whether there was something of the kind before the run that is disturbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Earlier {
    Nothing,
    Something,
}

/// Whose they are: a program in its folder, and its model.
pub struct Owner {
    bench: Bench,
    server: Server,
    earlier: Earlier,
}

/// What a run that writes has done and said.
pub struct Written {
    pub outcome: Outcome,
    pub changes: Vec<Change>,
    /// Whether a person, or the model, could rely on it.
    pub told: bool,
}

/// Each of them, without and with something before.
pub fn all() -> impl Iterator<Item = (&'static Belonging, Earlier)> + Clone {
    let with = |earlier| BELONGINGS.iter().map(move |belonging| (belonging, earlier));
    with(Earlier::Nothing).chain(with(Earlier::Something))
}

impl Belonging {
    /// How many changes to files a whole run makes.
    pub fn moments(&self, trial: &Trial, earlier: Earlier) -> u64 {
        static COUNTS: Mutex<Option<HashMap<(&str, Earlier), u64>>> = Mutex::new(None);
        let known = || COUNTS.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (self.what, earlier);
        if let Some(count) = known().get_or_insert_default().get(&key) {
            return *count;
        }
        let (owner, written) = self.written(trial, earlier, Plan::Count);
        assert!(written.told, "{}: without a fault all is well: {:?}", self.what, written.outcome);
        (self.check)(&owner, &written);
        let count = written.changes.len() as u64;
        known().get_or_insert_default().insert(key, count);
        count
    }

    /// Writes it under a plan and compares what was said with what is there.
    pub fn disturb(&self, trial: &Trial, earlier: Earlier, plan: Plan) -> Written {
        let (owner, written) = self.written(trial, earlier, plan);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (self.check)(&owner, &written))) {
            let (what, last, outcome) = (self.what, written.changes.last(), &written.outcome);
            panic!("{what}, {earlier:?}, {plan:?} after {last:?}: {}\n{outcome:?}", words(&*panic));
        }
        written
    }

    fn written(&self, trial: &Trial, earlier: Earlier, plan: Plan) -> (Owner, Written) {
        let owner = (self.prepare)(trial, earlier);
        let written = (self.write)(&owner, plan);
        let said = format!("{}{}", written.outcome.stdout, written.outcome.stderr);
        assert!(!said.contains("torture: ") && !said.contains("panicked"), "{}: {said}", self.what);
        (owner, written)
    }
}

impl Owner {
    fn new(trial: &Trial, server: Server, earlier: Earlier) -> Owner {
        Owner { bench: trial.bench(&server), server, earlier }
    }

    /// Without a model.
    fn alone(trial: &Trial, earlier: Earlier) -> Owner {
        let work = Scratch::new();
        let cinque = Cinque::new(trial.program, &work);
        Owner { bench: Bench { work, cinque }, server: Server::play::<Reply>([]), earlier }
    }

    fn had_something(&self) -> bool {
        self.earlier == Earlier::Something
    }

    /// A run that ends by itself and has kept its word if it ends well.
    fn write(&self, plan: Plan, arguments: &[&str], input: &str) -> Written {
        let (command, report) = self.bench.traced(plan, arguments);
        let outcome = command.env("CINQUE_APPROVE", "auto").stdin(input).run();
        Written { told: outcome.code() == Some(0), changes: trace::report(&report), outcome }
    }

    /// A run that does not end by itself: it is killed once it has said a line, if nothing else ends it before.
    fn write_until_told(&self, plan: Plan, arguments: &[&str]) -> Written {
        let (command, report) = self.bench.traced(plan, arguments);
        let running = command.spawn();
        let told = || running.stdout().ends_with('\n');
        let children = format!("/proc/{0}/task/{0}/children", running.id());
        let traced = || fs::read_to_string(&children).unwrap_or_default().trim().parse::<i32>().ok();
        // A tracer without a child has ended, or has just begun.
        let begun = wait_until(PATIENCE, || traced().is_some() || has_ended(running.id()));
        let settled = wait_until(PATIENCE, || told() || traced().is_none());
        assert!(begun && settled, "it neither says something nor ends: {}", running.stderr());
        if let Some(traced) = traced() {
            // SAFETY: it touches no memory; the process is the tracer's child, which it has not waited for.
            unsafe { libc::kill(traced, libc::SIGKILL) };
        }
        let outcome = running.wait();
        Written { told: outcome.stdout.ends_with('\n'), changes: trace::report(&report), outcome }
    }
}

const PATIENCE: Duration = Duration::from_secs(30);
