//! `cargo xtask shots`: the pictures of the README, made from the program at work. Start from [`PICTURES`].

use std::process::ExitCode;

use crate::failure::Failure;
use crate::page::{self, Trouble};
use crate::workspace::Workspace;

pub const HELP: &str = "\
Make the pictures in docs/pictures from the program at work.

Usage: cargo xtask shots

Builds the page and the program, lets it talk to a scripted model, and takes pictures of what is seen.
Needs Node.js and Chromium. Look at the pictures before you commit them.
";

/// What takes the pictures of each door.
const PICTURES: &[Picture] = &[Picture { door: "page", take: take_page }];

struct Picture {
    door: &'static str,
    take: fn(&Workspace) -> Result<(), Trouble>,
}

pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode, Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::usage(format!("shots takes no argument `{argument}`\n\n{HELP}")));
    }
    for picture in PICTURES {
        println!("==> {}", picture.door);
        (picture.take)(workspace).map_err(|trouble| match trouble {
            Trouble::Missing(what) => Failure::new(what),
            Trouble::Failed(failure) => failure,
        })?;
    }
    Ok(ExitCode::SUCCESS)
}

fn take_page(workspace: &Workspace) -> Result<(), Trouble> {
    let command = page::script(workspace, &["node", "tools/shots.mjs", "../docs/pictures"])?;
    page::finish(command)
}
