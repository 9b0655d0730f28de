//! `cargo xtask run` and `install`: from a fresh clone to the program at work. Start from [`run`].

use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use crate::failure::Failure;
use crate::page::{self, Trouble};
use crate::workspace::Workspace;

pub const HELP: &str = "\
Build the page and the release binary, and start it.

Usage: cargo xtask run [ARGUMENTS]

Builds the page in page/ (with npm), then `cargo build --release -p app`, then starts `cinque web
ARGUMENTS` in the directory you are in. Without a key, the page offers a recorded demo; the same in the
terminal is `cinque demo`. Without npm, the binary is built without its page and says so.
The binary is then in the release directory of the target directory, ready for use.
";

pub const INSTALL_HELP: &str = "\
Build the page, and put `cinque` on your PATH.

Usage: cargo xtask install

Builds the page in page/ (with npm), then `cargo install --path crates/app`, which has the page in it.
Without npm, the binary is built without its page and says so.
";

pub fn install(workspace: &Workspace) -> Result<ExitCode, Failure> {
    build_page(workspace)?;
    workspace.build("install --locked --path crates/app")?;
    Ok(ExitCode::SUCCESS)
}

pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode, Failure> {
    build_page(workspace)?;
    workspace.build("build --release -p app")?;
    let program = workspace.release("cinque");
    // The program takes this process over, so that the terminal, signals and the exit code are its own.
    let error = Command::new(&program).arg("web").args(arguments).exec();
    Err(Failure::new(format!("{} could not be started: {error}", program.display())))
}

fn build_page(workspace: &Workspace) -> Result<(), Failure> {
    match page::build(workspace) {
        Ok(()) => Ok(()),
        Err(Trouble::Missing(what)) => {
            eprintln!("cargo xtask: {what}; going on without the page");
            Ok(())
        }
        Err(Trouble::Failed(failure)) => Err(failure),
    }
}
