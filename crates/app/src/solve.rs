//! `cinque solve`: the door for scripts and CI. Start at [`run`]. The loop itself is [`host::solve`].
//!
//! With `--json` stdout carries the one result object and nothing else, however the run ended.

mod annotate;
mod report;
mod show;

use crate::arguments::{Here, Solve};
use crate::exec::check_model;
use crate::exec::console::Signals;
use crate::exit::{Exit, Fault, one_place, print_if_read};
use crate::paint::visible;
use crate::start::Start;
use crate::wiring::{self, Wiring};
use futures::future::{BoxFuture, FutureExt};
use host::dialect::json::SCHEMA;
use host::profiles;
use host::solve::snapshot::Most;
use host::solve::{Budget, Ending, Halt, Snapshot, Solved, Task};
use host::workspace::Workspace;
use report::Report;
use std::time::{Duration, Instant};

pub fn run(here: Here, solve: Solve) -> Result<Exit, Fault> {
    if solve.schema {
        return print_if_read(SCHEMA.trim_end()).map(|()| Exit::Done);
    }
    let began = Instant::now();
    let started = checked(&here, &solve).and_then(|()| Start::with_flags(&here, solve.layer()));
    let ended = started.and_then(|start| carry_out(&start, &solve).map(|ended| (start, ended)));
    let (start, Ended { solved, patch }) = match ended {
        Ok(ended) => ended,
        Err(fault) if solve.json => {
            print_if_read(&json(&Solved::not_begun(Ending::Usage, &fault.message))?)?;
            return Ok(fault.report());
        }
        Err(fault) => return Err(fault),
    };
    let exit = exit(solved.ending);
    let report = Report { solved: &solved, solve: &solve, exit, took: began.elapsed(), patch };
    // A report that cannot be written must not cost the result.
    tell(&start, &solve, &solved)?;
    report.write(&start.models().default_model())?;
    Ok(exit)
}

/// Prints the result of a run whose arguments could not be read.
pub fn refuse(error: &clap::Error) {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    let message = first.strip_prefix("error: ").unwrap_or(first);
    // The exit code says it too, and nothing better can be done about a stdout that is gone.
    let _ = json(&Solved::not_begun(Ending::Usage, message)).and_then(|line| print_if_read(&line));
}

struct Ended {
    solved: Solved,
    /// What changed in the folder, if anybody wants to know.
    patch: Option<String>,
}

/// The contract's words for arguments that make no sense.
fn checked(here: &Here, solve: &Solve) -> Result<(), Fault> {
    if solve.description.as_deref().is_none_or(|text| text.trim().is_empty()) {
        return Err(Fault::usage("Task description is required"));
    }
    match &here.directory {
        Some(folder) if folder.as_os_str().to_string_lossy().trim().is_empty() => {
            Err(Fault::usage("Working directory is required"))
        }
        Some(folder) if !folder.is_dir() => {
            Err(Fault::usage(format!("Working directory not found: {}", folder.display())))
        }
        _ => solve.check_files(),
    }
}

fn carry_out(start: &Start, solve: &Solve) -> Result<Ended, Fault> {
    let models = start.models();
    let task = task(start, solve, &models.default_model());
    let runtime = wiring::runtime()?;
    runtime.block_on(async {
        // What is refused is refused before a model is looked for.
        if let Some(solved) = host::solve::refusal(&task, &start.world()?.gate()) {
            return Ok(Ended { solved, patch: None });
        }
        check_model(start, &models)?;
        let wiring = Wiring::new(start, models, None)?;
        let mut workshop = wiring.workshop(wiring.opened(profiles::SOLVE, &wiring.model));
        if solve.wants_patch() {
            workshop = workshop.comparing(snapshot(start)?);
        }
        let mut show = show::Show::new();
        let halt = halt(start.config.max_time)?;
        let solved = workshop.solve(&task, &mut |step| show.step(step), halt).await;
        let solved = solved.map_err(Fault::error)?;
        wiring.tidy_up();
        let patch = workshop.patch().transpose().map_err(Fault::error)?;
        Ok(Ended { solved, patch })
    })
}

fn task(start: &Start, solve: &Solve, model: &str) -> Task {
    let config = &start.config;
    Task {
        description: solve.description.clone().unwrap_or_default(),
        max_iterations: config.solve.max_iterations,
        test: solve.test.clone().filter(|test| !test.trim().is_empty()),
        fresh: solve.fresh,
        dry_run: solve.dry_run,
        budget: Budget {
            tokens: config.max_tokens_total,
            cost: config.max_cost,
            price: config.max_cost.and_then(|_| config.price(model)),
        },
    }
}

fn snapshot(start: &Start) -> Result<Snapshot, Fault> {
    let workspace = Workspace::open(&start.directory).map_err(Fault::error)?;
    Snapshot::take(&workspace, Most::ASKED).map_err(Fault::error)
}

/// Ready when somebody wants the run to stop, or its time is up.
fn halt(limit: Option<Duration>) -> Result<BoxFuture<'static, Halt>, Fault> {
    let mut signals = Signals::listen()?;
    Ok(async move {
        let out_of_time = async {
            match limit {
                Some(limit) => tokio::time::sleep(limit).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = signals.next() => Halt::Interrupted,
            () = out_of_time => Halt::OutOfTime(limit.unwrap_or_default().as_secs_f64()),
        }
    }
    .boxed())
}

fn exit(ending: Ending) -> Exit {
    match ending {
        Ending::Done => Exit::Done,
        Ending::Usage => Exit::Usage,
        Ending::Model => Exit::Model,
        Ending::Bound => Exit::Bound,
        Ending::TestsFailed => Exit::Check,
        Ending::Refused => Exit::Refused,
        Ending::Cancelled => Exit::Interrupted,
    }
}

/// Says what came of it: to programs on stdout alone, to people on both. Where both are one place and would say the same,
/// it is said once.
fn tell(start: &Start, solve: &Solve, solved: &Solved) -> Result<(), Fault> {
    let in_ci = start.variable("CI").is_some_and(|ci| !matches!(ci.trim(), "" | "0" | "false"));
    let annotation = in_ci.then(|| annotate::line(solve, solved));
    if solve.json {
        annotation.iter().for_each(|line| aside!("{line}"));
        return print_if_read(&json(solved)?);
    }
    annotation.iter().try_for_each(|line| print_if_read(line))?;
    if !(one_place() && solved.error.as_ref() == Some(&solved.summary)) {
        print_if_read(&visible(&solved.summary))?;
    }
    if let Some(error) = &solved.error {
        Fault::new(exit(solved.ending), error).report();
    }
    Ok(())
}

/// The fields in the order in which they are documented.
fn json(solved: &Solved) -> Result<String, Fault> {
    serde_json::to_string(solved).map_err(Fault::error)
}
