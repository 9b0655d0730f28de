//! `cargo xtask corpus`: runs folders of recorded cases against the built code. Start from [`run`].
//!
//! The cases are other projects' and lie outside the repository; what runs them are examples: `corpus` of `host`, and
//! one of each door.

use std::path::Path;
use std::process::{Command, ExitCode};

use crate::failure::Failure;
use crate::workspace::Workspace;

/// The kinds that belong to a door, and what runs them.
const DOORS: [(&str, &str); 2] = [
    ("signalr", "run --quiet --release -p web --example signalr --"),
    ("terminal", "run --quiet --release -p terminal --example corpus-terminal --"),
];

pub const HELP: &str = "\
Run folders of recorded cases against the built code and print what is wrong, with figures.

Usage: cargo xtask corpus DIR [KIND]

  DIR    A folder with one folder for each kind.
  KIND   shell, apply-patch, paths, sse, signalr or terminal; without it, all of them.

  shell        Commands with a known verdict, as they stand and spelled in other ways. Nothing may be
               allowed that should be asked about, and at most 10 % of what is harmless may be asked.
  apply-patch  Patches with the files before and after.
  paths        Layouts with links, and paths that lead out of them.
  sse          Event streams, cut at every byte.
  signalr      Messages of the hub, valid and not.
  terminal     Text with escape sequences, and what is to be left of it.

The exit code is 1 when a case is wrong.
";

pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode, Failure> {
    let (folder, kind) = match arguments {
        [folder] => (folder, None),
        [folder, kind] => (folder, Some(kind)),
        _ => return Err(Failure::usage(format!("which folder?\n\n{HELP}"))),
    };
    // Cargo runs in the root of the repository, but the folder is meant from here.
    let folder = Path::new(folder).canonicalize();
    let folder = folder.map_err(|error| Failure::usage(format!("no such folder: {error}\n\n{HELP}")))?;
    for (door, example) in DOORS {
        if kind.is_none_or(|kind| kind == door) {
            let code = start(workspace.cargo(example).arg(folder.join(door)))?;
            if kind.is_some() || code != ExitCode::SUCCESS {
                return Ok(code);
            }
        }
    }
    start(workspace.cargo("run --quiet --release -p host --example corpus --").arg(folder).args(kind))
}

fn start(command: &mut Command) -> Result<ExitCode, Failure> {
    match command.status() {
        Ok(status) if status.success() => Ok(ExitCode::SUCCESS),
        Ok(status) => Ok(ExitCode::from(status.code().map_or(1, |code| code.clamp(1, 255) as u8))),
        Err(error) => Err(Failure::new(format!("cargo could not be started: {error}"))),
    }
}
