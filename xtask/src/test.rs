//! `cargo xtask test`: every check in one command, the one CI runs. Start from [`STEPS`].
//!
//! A failed step does not hide the next one, except that nothing is checked after code that does not
//! compile. What cannot be checked on this machine is skipped aloud, and is a failure in CI.

mod probe;
mod report;
#[cfg(test)]
mod tests;
mod tmux;

use std::env;
use std::ffi::OsStr;
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::page::{self, Trouble};
use crate::tidy;
use crate::torture;
use crate::workspace::Workspace;

pub const HELP: &str = "\
Check everything, as CI does.

Usage: cargo xtask test [STEP...]

  fmt      Formatting (cargo fmt --check).
  tidy     Headers, sizes, arrows between crates, links: see `cargo xtask tidy --help`.
  page     The page: types, tests of its logic, its build, which the binary embeds.
  build    Does all of it compile, tests included?
  clippy   Lints, with warnings denied.
  test     All tests of all crates. Those of `app` run the built binary against a scripted server; those of
           the terminal door need tmux, which is installed where we may.
  torture  A few runs of every fault of `cargo xtask torture`.
  browser  The page in Chromium, against the built binary and a scripted server.

Without STEP all of them run, and a table at the end says how each went. With the variable CI set, a
step or test that this machine cannot run is a failure; tests learn it from REFUSE_SKIPS=1.
";

/// What the tests of the sandbox look at: with it set, a test that cannot run must fail.
const REFUSE_SKIPS: &str = "REFUSE_SKIPS";

struct Step {
    name: &'static str,
    work: Work,
    /// The part of the toolchain that a machine may lack.
    component: Option<&'static str>,
    on_failure: OnFailure,
}

enum Work {
    /// The arguments of cargo.
    Cargo(&'static str),
    /// The same, after telling what this machine lets tests try.
    Tests(&'static str),
    Tidy,
    /// The page by itself, which `build` embeds.
    Page,
    /// The short version of every fault.
    Torture,
    /// The page in a browser.
    Browser,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OnFailure {
    GoOn,
    /// The steps after this one would only repeat its errors.
    Stop,
}

/// How a step went.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    Skipped(String),
    /// A step before it failed in a way that makes this one pointless.
    NotReached,
}

/// Whether a skip may pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Skips {
    Tolerated,
    Refused,
}

/// One line of the table at the end.
struct Line {
    step: &'static str,
    outcome: Outcome,
    took: Duration,
}

// The crates of the benchmark and the torture are behind features; their code is checked and tested like all other code.
const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        work: Work::Cargo("fmt --all --check"),
        component: Some("rustfmt"),
        on_failure: OnFailure::GoOn,
    },
    Step { name: "tidy", work: Work::Tidy, component: None, on_failure: OnFailure::GoOn },
    Step { name: "page", work: Work::Page, component: None, on_failure: OnFailure::GoOn },
    Step {
        name: "build",
        work: Work::Cargo("test --workspace --features xtask/bench,xtask/torture --no-run"),
        component: None,
        on_failure: OnFailure::Stop,
    },
    Step {
        name: "clippy",
        work: Work::Cargo(
            "clippy --workspace --all-targets --features xtask/bench,xtask/torture -- -D warnings",
        ),
        component: Some("clippy"),
        on_failure: OnFailure::GoOn,
    },
    Step {
        name: "test",
        work: Work::Tests("test --workspace --features xtask/bench,xtask/torture --no-fail-fast"),
        component: None,
        on_failure: OnFailure::GoOn,
    },
    Step { name: "torture", work: Work::Torture, component: None, on_failure: OnFailure::GoOn },
    Step { name: "browser", work: Work::Browser, component: None, on_failure: OnFailure::GoOn },
];

pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode, Failure> {
    let steps = chosen(STEPS, arguments)?;
    let skips = skips(env::var_os("CI").as_deref());
    let lines = carry_out(&steps, |step| perform(workspace, step, skips));
    print!("\n{}", report::table(&lines, skips));
    let good = lines.iter().all(|line| passes(&line.outcome, skips));
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The steps with the given names, in their own order; all of them if no name is given.
fn chosen<'a>(steps: &'a [Step], names: &[String]) -> Result<Vec<&'a Step>, Failure> {
    if let Some(unknown) = names.iter().find(|name| steps.iter().all(|step| step.name != *name)) {
        return Err(Failure::usage(format!("there is no step `{unknown}`\n\n{HELP}")));
    }
    let wanted = |step: &&Step| names.is_empty() || names.iter().any(|name| name == step.name);
    Ok(steps.iter().filter(wanted).collect())
}

/// Takes the steps in order until one fails that all others rest on.
fn carry_out(steps: &[&Step], mut perform: impl FnMut(&Step) -> Outcome) -> Vec<Line> {
    let mut stopped = false;
    let mut lines = Vec::new();
    for step in steps {
        let begun = Instant::now();
        let outcome = if stopped { Outcome::NotReached } else { perform(step) };
        stopped |= outcome == Outcome::Failed && step.on_failure == OnFailure::Stop;
        lines.push(Line { step: step.name, outcome, took: begun.elapsed() });
    }
    lines
}

fn perform(workspace: &Workspace, step: &Step, skips: Skips) -> Outcome {
    println!("\n==> {}", heading(step));
    if let Some(component) = step.component.filter(|_| !has_component(workspace, step.name)) {
        let why = format!("no {component}: rustup component add {component}");
        println!("SKIPPED: {why}");
        return Outcome::Skipped(why);
    }
    match step.work {
        Work::Cargo(arguments) => cargo_outcome(workspace, arguments, skips),
        Work::Tests(arguments) => {
            println!("{}", probe::namespaces().told(skips));
            println!("{}", tmux::provide(skips));
            cargo_outcome(workspace, arguments, skips)
        }
        Work::Tidy => tidy_outcome(workspace),
        Work::Torture => torture_outcome(workspace),
        Work::Page => page_outcome(page::test(workspace).and_then(|()| page::build(workspace))),
        Work::Browser => page_outcome(
            page::script(workspace, &["npm", "run", "--silent", "browser"]).and_then(page::finish),
        ),
    }
}

fn heading(step: &Step) -> String {
    match step.work {
        Work::Cargo(arguments) | Work::Tests(arguments) => format!("{}: cargo {arguments}", step.name),
        Work::Tidy => format!("{}: cargo xtask tidy", step.name),
        Work::Torture => format!("{}: cargo xtask torture --short", step.name),
        Work::Page => format!("{}: npm test and npm run build in page/", step.name),
        Work::Browser => format!("{}: npm run browser in page/", step.name),
    }
}

fn cargo_outcome(workspace: &Workspace, arguments: &str, skips: Skips) -> Outcome {
    let mut cargo = workspace.cargo(arguments);
    if skips == Skips::Refused {
        cargo.env(REFUSE_SKIPS, "1");
    }
    match cargo.status() {
        Ok(status) if status.success() => Outcome::Passed,
        Ok(_) => Outcome::Failed,
        Err(error) => {
            eprintln!("cargo could not be started: {error}");
            Outcome::Failed
        }
    }
}

fn tidy_outcome(workspace: &Workspace) -> Outcome {
    match tidy::report(workspace) {
        Ok(0) => Outcome::Passed,
        Ok(_) => Outcome::Failed,
        Err(failure) => {
            eprintln!("{failure}");
            Outcome::Failed
        }
    }
}

fn torture_outcome(workspace: &Workspace) -> Outcome {
    let tortured = torture::command(workspace, &["--short".to_owned()]).and_then(|mut command| {
        command.status().map_err(|error| Failure::new(format!("the torture could not be started: {error}")))
    });
    match tortured {
        Ok(status) if status.success() => Outcome::Passed,
        Ok(_) => Outcome::Failed,
        Err(failure) => {
            eprintln!("{failure}");
            Outcome::Failed
        }
    }
}

fn page_outcome(done: Result<(), Trouble>) -> Outcome {
    match done {
        Ok(()) => Outcome::Passed,
        Err(Trouble::Missing(what)) => {
            println!("SKIPPED: {what}");
            Outcome::Skipped(what)
        }
        Err(Trouble::Failed(failure)) => {
            eprintln!("{failure}");
            Outcome::Failed
        }
    }
}

fn has_component(workspace: &Workspace, subcommand: &str) -> bool {
    let mut asked = workspace.cargo(&format!("{subcommand} --version"));
    let status = asked.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// CI systems set `CI`, most of them to `true`.
fn skips(ci: Option<&OsStr>) -> Skips {
    match ci.map(|value| value.to_string_lossy().to_lowercase()).as_deref() {
        None | Some("" | "0" | "false" | "no") => Skips::Tolerated,
        Some(_) => Skips::Refused,
    }
}

fn passes(outcome: &Outcome, skips: Skips) -> bool {
    match outcome {
        Outcome::Passed => true,
        Outcome::Skipped(_) => skips == Skips::Tolerated,
        Outcome::Failed | Outcome::NotReached => false,
    }
}
