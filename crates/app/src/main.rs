//! The binary `cinque`: a table of contents. Each door is one arm of the match below.

#![warn(clippy::print_stderr)]

#[macro_use]
mod aside;

mod apply;
mod arguments;
mod config;
mod demo;
mod desk;
mod doctor;
mod exec;
mod exit;
mod logs;
mod mailbox;
mod models;
mod outfile;
mod paint;
mod policy;
mod sample;
mod sandbox;
mod solve;
mod start;
mod terminal;
mod trust;
mod undo;
mod web;
mod wiring;

use arguments::{Arguments, Door, Solve};
use clap::CommandFactory;
use exit::Fault;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A confiner must become one before anything else has happened in the process.
    host::sandbox::confine_if_asked();
    let arguments = Arguments::read().unwrap_or_else(|error| refuse(&error));
    open(arguments).unwrap_or_else(|fault| fault.report().into())
}

/// Help ends with exit code 0, a mistake with 2. Who asked `solve` for JSON gets its result object for that as well.
fn refuse(error: &clap::Error) -> ! {
    if error.use_stderr() && Solve::wants_json(std::env::args_os()) {
        solve::refuse(error);
    }
    error.exit()
}

fn open(arguments: Arguments) -> Result<ExitCode, Fault> {
    let Arguments { door, here, exec, plain } = arguments;
    if let (None, Some(prompt)) = (&door, &exec.prompt) {
        refuse_misspelled(prompt)?;
    }
    let exit = match door {
        None if terminal::fits(&exec) => terminal::run(here, exec, plain)?,
        None => exec::run(here, exec)?,
        Some(Door::Exec(run)) => exec::run(here, run)?,
        Some(Door::Web(web)) => web::run(here, web, web::Browser::Opened)?,
        Some(Door::Serve(web)) => web::run(here, web, web::Browser::LeftAlone)?,
        Some(Door::Mailbox(door)) => mailbox::run(here, door)?,
        Some(Door::Solve(task)) => solve::run(here, *task)?,
        Some(Door::Log(log)) => logs::run(here, log)?,
        Some(Door::Undo(undo)) => undo::run(here, undo)?,
        Some(Door::Apply(apply)) => apply::run(here, apply)?,
        Some(Door::Policy(policy)) => policy::run(here, policy)?,
        Some(Door::Sandbox(sandbox)) => return sandbox::run(here, sandbox),
        Some(Door::Models { json }) => models::run(here, json)?,
        Some(Door::Doctor) => doctor::run(here)?,
        Some(Door::Trust(trust)) => trust::run(here, trust)?,
        Some(Door::Config(door)) => config::run(here, door)?,
        Some(Door::Demo(demo)) => demo::run(demo)?,
    };
    Ok(exit.into())
}

/// A single word that is a command but for one letter was hardly meant for the model.
fn refuse_misspelled(word: &str) -> Result<(), Fault> {
    let commands = Arguments::command();
    let mut names = commands.get_subcommands().map(clap::Command::get_name);
    match names.find(|name| host::config::distance(word, name) == 1) {
        Some(name) => Err(Fault::usage(format!("there is no command `{word}`; did you mean `{name}`?"))
            .hint(format!("to say it to the model: cinque exec {word}"))),
        None => Ok(()),
    }
}
