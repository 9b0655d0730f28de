//! `cinque sandbox`: a command run as the agent would run it. Start at [`run`].

use crate::arguments::{Here, Sandbox};
use crate::exec::console::Signals;
use crate::exit::{Exit, Fault, write_if_read};
use crate::start::Start;
use crate::wiring;
use host::run::{Outcome, Program, Stream};
use host::sandbox::{Network, Wall};
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

/// A person can end it with Ctrl+C; this only keeps a forgotten one from living for ever.
const LIMIT: Duration = Duration::from_secs(24 * 60 * 60);

/// The exit code for a program that is not there.
const NOT_FOUND: i32 = 127;

pub fn run(here: Here, sandbox: Sandbox) -> Result<ExitCode, Fault> {
    let world = Start::new(&here)?.world()?;
    let shell = world.shell().map_err(Fault::error)?;
    if shell.wall != Wall::Full {
        aside!("warning: the wall is {}; see `cinque doctor`", shell.wall.words());
    }
    let is_line =
        matches!(&sandbox.command[..], [one] if one.to_string_lossy().contains(char::is_whitespace));
    let mut command = world.command(Program::Argv(sandbox.command), LIMIT);
    if sandbox.network {
        command.grants.network = Network::Granted;
    }
    // Whoever has stopped listening does not stop the command.
    let mut told = Ok(());
    let mut pass_on = |stream: Stream, bytes: &[u8]| match stream {
        Stream::Stdout if told.is_ok() => told = write_if_read(bytes),
        Stream::Stdout => {}
        Stream::Stderr => drop(std::io::stderr().write_all(bytes)),
    };
    let runtime = wiring::runtime()?;
    let finished = runtime.block_on(async {
        let mut signals = Signals::listen()?;
        Ok::<_, Fault>(shell.run(&command, &mut pass_on, signals.next()).await)
    })?;
    told?;
    if is_line && finished.outcome == Outcome::Exit(NOT_FOUND) {
        aside!("hint: for a line of shell: cinque sandbox -- bash -c 'LINE'");
    }
    match finished.outcome {
        Outcome::Exit(code) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))),
        Outcome::Cancelled => Ok(Exit::Interrupted.into()),
        Outcome::Timeout => Err(Fault::new(Exit::Bound, "the command ran for a day and was ended")),
        Outcome::Failed(why) => Err(Fault::error(format!("the command was not run: {why}"))),
    }
}
