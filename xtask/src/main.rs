//! `cargo xtask`: what one does with this repository. Start at [`main`], one arm a command.
//!
//! It uses the standard library alone, so that a newcomer's first build takes a moment. What is missing on
//! the machine is named, with the command that brings it; only the page's packages and, for root on a
//! Debian, the browser of its tests are fetched, and what `llama` and `schemathesis` try.

mod bench;
mod corpus;
mod failure;
mod fuzz;
mod llama;
mod page;
mod python;
mod run;
mod schemathesis;
mod shots;
mod test;
mod tidy;
mod torture;
mod workspace;

use std::env;
use std::process::ExitCode;

use failure::Failure;
use workspace::Workspace;

const HELP: &str = "\
Everything one does with this repository. Works from any directory inside it.

Usage: cargo xtask COMMAND [ARGUMENTS]

  run [ARGUMENTS]    Build the page and the release binary, and start it: `cinque web ARGUMENTS`.
  install            Build the page, and put `cinque` on your PATH.
  test [STEP...]     Check everything, as CI does: formatting, tidiness, lints, all tests.
  tidy               Check the habits that no compiler checks. Takes well under a second.
  bench [OPTIONS]    Measure the release binary against a minimal client, with goals.
  torture [FAULT...] Inject the faults of the plan into the built binary: kills, full disks, cut streams.
  shots              Make the pictures of the README from the program at work.
  corpus DIR [KIND]  Run folders of recorded cases against the built code.
  fuzz [TARGET...]   Feed hostile bytes to every reader of text that somebody else wrote.
  llama              Try the program with a real llama.cpp and a tiny model.
  schemathesis       Try the server's routes with what their document allows, and with what it does not.

`cargo xtask COMMAND --help` says more about a command.
";

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let command = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    match dispatch(&command, &rest) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("cargo xtask: {failure}");
            failure.code()
        }
    }
}

fn dispatch(command: &str, arguments: &[String]) -> Result<ExitCode, Failure> {
    let help = match command {
        "run" => run::HELP,
        "install" => run::INSTALL_HELP,
        "test" => test::HELP,
        "tidy" => tidy::HELP,
        "bench" => bench::HELP,
        "torture" => torture::HELP,
        "shots" => shots::HELP,
        "corpus" => corpus::HELP,
        "fuzz" => fuzz::HELP,
        "llama" => llama::HELP,
        "schemathesis" => schemathesis::HELP,
        "help" | "-h" | "--help" => return Ok(show(HELP)),
        "" => return Err(Failure::usage(format!("which command?\n\n{HELP}"))),
        other => return Err(Failure::usage(format!("there is no command `{other}`\n\n{HELP}"))),
    };
    if matches!(arguments.first().map(String::as_str), Some("-h" | "--help")) {
        return Ok(show(help));
    }
    let workspace = Workspace::find()?;
    match command {
        "run" => run::run(&workspace, arguments),
        "install" => run::install(&workspace),
        "test" => test::run(&workspace, arguments),
        "tidy" => tidy::run(&workspace, arguments),
        "torture" => torture::run(&workspace, arguments),
        "shots" => shots::run(&workspace, arguments),
        "corpus" => corpus::run(&workspace, arguments),
        "fuzz" => fuzz::run(&workspace, arguments),
        "llama" => llama::run(&workspace, arguments),
        "schemathesis" => schemathesis::run(&workspace, arguments),
        _ => bench::run(&workspace, arguments),
    }
}

fn show(text: &str) -> ExitCode {
    print!("{text}");
    ExitCode::SUCCESS
}
