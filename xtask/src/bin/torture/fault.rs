//! One fault of the plan: how it is injected, how often, and what must hold. Start from [`Fault`].
//!
//! A run is a function that panics when a promise is broken. Run `i` gets the seed `seed + i`, so that any run can be
//! repeated alone.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::trial::Trial;

/// How many broken runs are kept with their reasons; after as many, the fault is given up.
const BROKEN: usize = 10;
/// After so many runs a person is told how far it is.
const PROGRESS: u64 = 100;

pub struct Fault {
    /// Its name in the plan.
    pub id: &'static str,
    pub injects: &'static str,
    pub promise: &'static str,
    pub runs: Runs,
    pub measure: Option<Measure>,
    pub run: fn(&Trial) -> Seen,
}

/// How often a fault is injected; 0 is only on demand.
pub struct Runs {
    pub short: u64,
    pub long: u64,
}

/// The number that the runs give, of which the largest counts.
pub struct Measure {
    pub what: &'static str,
    pub unit: &'static str,
    pub most: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    Short,
    Long,
}

/// What one run saw, if all that was promised held.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    Held,
    Value(f64),
    /// This machine cannot do it.
    Skipped(String),
}

/// What became of one fault.
pub struct Found {
    pub fault: &'static Fault,
    pub runs: u64,
    /// How many there should have been.
    pub planned: u64,
    pub largest: Option<f64>,
    pub broken: Vec<Broken>,
    pub skipped: Option<String>,
    pub took: Duration,
}

/// A run in which a promise was broken.
pub struct Broken {
    pub seed: u64,
    pub why: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Met,
    Missed,
    Skipped,
}

impl Fault {
    pub fn inject(&'static self, program: &Path, seed: u64, effort: Effort, runs: Option<u64>) -> Found {
        let planned = runs.unwrap_or(self.runs.usual(effort)).max(1);
        let begun = Instant::now();
        let mut found = Found {
            fault: self,
            runs: 0,
            planned,
            largest: None,
            broken: Vec::new(),
            skipped: None,
            took: Duration::ZERO,
        };
        for index in 0..planned {
            let over = index > 0 && begun.elapsed() > effort.budget();
            if over || found.broken.len() >= BROKEN || found.skipped.is_some() {
                break;
            }
            found.runs += 1;
            if found.runs.is_multiple_of(PROGRESS) {
                eprintln!("torture: {} {} of {planned} runs", self.id, found.runs);
            }
            let trial = Trial { program, seed: seed.wrapping_add(index), effort };
            match catch_unwind(AssertUnwindSafe(|| (self.run)(&trial))) {
                Ok(Seen::Held) => {}
                Ok(Seen::Value(value)) => {
                    found.largest = Some(found.largest.map_or(value, |known| known.max(value)));
                }
                Ok(Seen::Skipped(why)) => found.skipped = Some(why),
                Err(panic) => {
                    eprintln!("torture: {} broke with --seed {}", self.id, trial.seed);
                    found.broken.push(Broken { seed: trial.seed, why: words(&*panic) });
                }
            }
        }
        found.took = begun.elapsed();
        found
    }
}

impl Fault {
    /// Whether what else happens on the machine disturbs its figure.
    pub fn measures_time(&self) -> bool {
        self.measure.as_ref().is_some_and(|measure| measure.unit == "ms")
    }
}

impl Runs {
    pub fn usual(&self, effort: Effort) -> u64 {
        match effort {
            Effort::Short => self.short,
            Effort::Long => self.long,
        }
    }
}

impl Found {
    pub fn verdict(&self) -> Verdict {
        let too_much = match (&self.fault.measure, self.largest) {
            (Some(measure), Some(largest)) => largest > measure.most,
            _ => false,
        };
        match self.skipped {
            Some(_) => Verdict::Skipped,
            None if too_much || !self.broken.is_empty() => Verdict::Missed,
            None => Verdict::Met,
        }
    }
}

impl Verdict {
    pub fn is_good(self) -> bool {
        self != Self::Missed
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Missed => "MISSED",
            Self::Skipped => "SKIPPED",
        }
    }
}

impl Effort {
    /// After this long no further run of a fault begins; the report says how many there were.
    fn budget(self) -> Duration {
        match self {
            Self::Short => Duration::from_secs(10),
            Self::Long => Duration::from_secs(60 * 60),
        }
    }
}

/// What a broken promise said.
pub fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked without words").to_owned()
}
