//! `cargo xtask torture`: builds what is tortured and what tortures, and starts it. Start from [`run`].
//!
//! The torture is a program of its own (`bin/torture`), because it needs crates that the other commands should not
//! wait for.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use crate::failure::Failure;
use crate::workspace::Workspace;

pub const HELP: &str = "\
Inject faults into the built binary and see what is left of its promises.

Usage: cargo xtask torture [FAULT...] [--short] [--runs N] [--seed N] [--json] [--program PATH]

  FAULT           Only these faults, by their ids (K1, D1, ...); without, all but those on demand (X1).
  --short         A few runs of each in half a minute, in memory: what `cargo xtask test` does.
  --runs N        So many runs of each fault instead of its own number.
  --seed N        Run i of a fault has the seed N + i; a broken run is told with its seed (1).
  --json          One JSON object a line for each fault, and nothing else on standard output.
  --program PATH  Torture this program instead of building one.

N3 cuts the streams of the corpus as well whose folder CINQUE_CORPORA names, as `cargo xtask corpus` takes it.
The table says what was injected, how often, what was found and what was promised; docs/reliability.md says more.
The exit code is 1 when a promise was broken. What this machine cannot do is skipped aloud.
";

pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode, Failure> {
    let error = command(workspace, arguments)?.exec();
    Err(Failure::new(format!("the torture could not be started: {error}")))
}

/// The torture of the binary for development, which is built first unless another is named.
pub fn command(workspace: &Workspace, arguments: &[String]) -> Result<Command, Failure> {
    if !arguments.iter().any(|argument| argument == "--program") {
        workspace.build("build -p app")?;
    }
    workspace.build("build -p xtask --features torture --bin torture")?;
    let mut command = Command::new(workspace.debug("torture"));
    command.arg("--program").arg(workspace.debug("cinque")).args(arguments);
    Ok(command)
}
