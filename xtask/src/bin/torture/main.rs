//! The fault plan of `cargo xtask torture`. Start at [`main`]; the faults are in `plan.rs`, one row each.
//!
//! Every fault is injected from outside into the built program, against a scripted model. A run that breaks a promise
//! is told with the seed that repeats it. Nothing here runs without a bound on count and time.

mod approval;
mod belongings;
mod chunks;
mod commands;
mod database;
mod disk;
mod errand;
mod fault;
mod json;
mod kills;
mod laws;
mod model;
mod plan;
mod power;
mod report;
mod site;
mod soak;
mod stream;
mod terminal;
#[cfg(test)]
mod tests;
mod trace;
mod trial;
mod web;
mod world;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::thread;

use fault::{Effort, Fault, Found};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Output {
    Table,
    Json,
}

#[derive(Debug)]
struct Arguments {
    program: PathBuf,
    faults: Vec<String>,
    seed: u64,
    effort: Effort,
    /// Instead of as many as each fault asks for.
    runs: Option<u64>,
    output: Output,
}

fn main() -> ExitCode {
    let mut given = std::env::args().skip(1).peekable();
    if given.next_if(|first| first == trace::COMMAND).is_some() {
        return trace::run(&given.collect::<Vec<_>>());
    }
    let found = Arguments::read(given).and_then(|arguments| {
        let found = torture(&arguments)?;
        Ok((arguments.output, found))
    });
    match found {
        Ok((output, found)) => {
            match output {
                Output::Table => print!("{}", report::table(&found)),
                Output::Json => print!("{}", report::json_lines(&found)),
            }
            let good = found.iter().all(|found| found.verdict().is_good());
            if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(message) => {
            eprintln!("torture: {message}");
            ExitCode::from(2)
        }
    }
}

fn torture(arguments: &Arguments) -> Result<Vec<Found>, String> {
    let faults = chosen(&arguments.faults, arguments.effort)?;
    let program = arguments.program.canonicalize();
    let program = program.map_err(|error| format!("{}: {error}", arguments.program.display()))?;
    // A broken promise is a panic with its reason, which the report tells; the rest of the message is noise.
    std::panic::set_hook(Box::new(|_| {}));
    let inject = |fault: &'static Fault| {
        eprintln!("torture: {} {} ...", fault.id, fault.injects);
        let one = fault.inject(&program, arguments.seed, arguments.effort, arguments.runs);
        eprintln!("torture: {} {} after {:.1} s", fault.id, one.verdict().word(), one.took.as_secs_f64());
        one
    };
    let found = match arguments.effort {
        Effort::Short => {
            // No promise is about how fast a disk is, and a busy one makes a minute of what takes seconds. Where none can
            // be mounted it is done on the disk there is.
            let _memory = disk::Disk::for_everything(MEMORY);
            several_at_once(&faults, inject)
        }
        Effort::Long => faults.into_iter().map(inject).collect(),
    };
    soak::end();
    Ok(found)
}

/// How much may be written at once where only a few runs of each fault are wanted.
const MEMORY: u64 = 1 << 30;
/// How many faults are injected at once where only a few runs of each are wanted.
const AT_ONCE: usize = 4;

/// Injects faults at once that measure no time, and the others one after the other: most of the time of most faults is
/// spent waiting, all the more on a machine that has other things to do.
fn several_at_once(faults: &[&'static Fault], inject: impl Fn(&'static Fault) -> Found + Sync) -> Vec<Found> {
    let (alone, others): (Vec<&Fault>, Vec<&Fault>) = faults.iter().partition(|fault| fault.measures_time());
    let (queue, done) = (Mutex::new(others.into_iter()), Mutex::new(Vec::new()));
    let take = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let put = |found| done.lock().unwrap_or_else(PoisonError::into_inner).push(found);
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(fault) = take() {
                    put(inject(fault))
                }
            });
        }
    });
    alone.into_iter().for_each(|fault| put(inject(fault)));
    let mut found = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|found| faults.iter().position(|fault| fault.id == found.fault.id));
    found
}

/// The faults of these names in the order of the plan; without names, all that have runs of this kind.
fn chosen(names: &[String], effort: Effort) -> Result<Vec<&'static Fault>, String> {
    let all = || plan::FAULTS.iter();
    if let Some(unknown) = names.iter().find(|name| all().all(|fault| !fault.id.eq_ignore_ascii_case(name))) {
        let known: Vec<_> = all().map(|fault| fault.id).collect();
        return Err(format!("there is no fault `{unknown}`; there are {}", known.join(", ")));
    }
    let named = |fault: &&Fault| names.iter().any(|name| fault.id.eq_ignore_ascii_case(name));
    Ok(all()
        .filter(|fault| if names.is_empty() { fault.runs.usual(effort) > 0 } else { named(fault) })
        .collect())
}

impl Arguments {
    /// Later values win, so that a caller's defaults can stand before a person's arguments.
    fn read(given: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let (mut program, mut faults, mut seed, mut runs) = (None, Vec::new(), 1, None);
        let (mut effort, mut output) = (Effort::Long, Output::Table);
        let mut given = given.into_iter();
        while let Some(argument) = given.next() {
            let mut value = || given.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--program" => program = Some(PathBuf::from(value()?)),
                "--seed" => seed = number(&argument, &value()?)?,
                "--runs" => runs = Some(number(&argument, &value()?)?),
                "--short" => effort = Effort::Short,
                "--json" => output = Output::Json,
                option if option.starts_with('-') => {
                    return Err(format!("unknown option {option}; see `cargo xtask torture --help`"));
                }
                _ => faults.push(argument),
            }
        }
        let program = program.ok_or("start it with `cargo xtask torture`, which says what to torture")?;
        Ok(Self { program, faults, seed, effort, runs, output })
    }
}

fn number(option: &str, text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{option} needs a whole number, not `{text}`"))
}
