//! `cargo xtask bench`: builds what is measured and what measures, and starts it. Start from [`run`].
//!
//! The measuring is a program of its own (`bin/bench`), because it must be built with optimisation and
//! needs crates that the other commands should not wait for.

use std::env;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::failure::Failure;
use crate::page::{self, Trouble};
use crate::workspace::Workspace;

pub const HELP: &str = "\
Measure the release binary against a minimal client that does the same work in the same run.

Usage: cargo xtask bench [--quick] [--json] [--keep] [--program PATH] [FILTER]

  FILTER          Only the figures whose name contains it (start, call, memory, token, page, ...).
  --quick         Fewer repetitions: about two minutes for all figures instead of five, with more noise.
  --json          One JSON object a line for each figure, and nothing else on standard output.
  --keep          Add this run to xtask/figures.jsonl, to be committed: the column `to last` compares with it.
  --program PATH  Measure this program instead of building one, for example an older release.

Instructions are counted by callgrind (Debian's valgrind), and do not depend on the load of the machine.
Figures are medians against a scripted model server that answers at once. The floor is a client of a
hundred lines that talks to the same server and starts the same commands. Conversations are kept in
TMPDIR, or in /var/tmp if that is not set: a file system in memory would make durable writes look free.
The exit code is 1 when a figure misses its goal or could not be measured.
";

pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode, Failure> {
    // Without a page or a browser the figures of the page say what is missing; the others do not need them.
    if let Err(Trouble::Failed(failure)) = page::build(workspace) {
        return Err(failure);
    }
    if !arguments.iter().any(|argument| argument == "--program") {
        workspace.build("build --release -p app")?;
    }
    workspace.build("build --release -p xtask --features bench --bin bench --bin floor")?;
    let mut command = Command::new(workspace.release("bench"));
    command.arg("--program").arg(workspace.release("cinque"));
    command.arg("--floor").arg(workspace.release("floor"));
    command.arg("--history").arg(workspace.root().join("xtask/figures.jsonl"));
    for argument in arguments {
        command.arg(argument);
        if argument == "--keep" {
            command.arg(commit(workspace)?);
        }
    }
    if let Ok(browser) = page::chromium() {
        command.env("CHROMIUM", browser);
    }
    let disk = Path::new("/var/tmp");
    if env::var_os("TMPDIR").is_none() && disk.is_dir() {
        command.env("TMPDIR", disk);
    }
    let error = command.exec();
    Err(Failure::new(format!("the benchmark could not be started: {error}")))
}

/// The commit that is measured, with its date.
fn commit(workspace: &Workspace) -> Result<String, Failure> {
    let asked =
        Command::new("git").args(["log", "-1", "--format=%h %cs"]).current_dir(workspace.root()).output();
    let answer = asked.ok().filter(|answer| answer.status.success());
    let answer = answer.ok_or_else(|| Failure::new("--keep needs git, to name the commit"))?;
    Ok(String::from_utf8_lossy(&answer.stdout).trim().to_owned())
}
