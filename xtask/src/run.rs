//! `cargo xtask run`: from a fresh clone to the program at work. Start from [`run`].

use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use crate::failure::Failure;
use crate::workspace::Workspace;

pub const HELP: &str = "\
Build the release binary and show it at work.

Usage: cargo xtask run [ARGUMENTS]

Runs `cargo build --release -p app`, then `cinque demo ARGUMENTS` in the directory you are in: a small
project with a failing test, mended before your eyes. It needs no key and no network of its own.
The binary is then in the release directory of the target directory, ready for use.
";

pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode, Failure> {
    workspace.build("build --release -p app")?;
    let program = workspace.release("cinque");
    // The program takes this process over, so that the terminal, signals and the exit code are its own.
    let error = Command::new(&program).arg("demo").args(arguments).exec();
    Err(Failure::new(format!("{} could not be started: {error}", program.display())))
}
