//! The benchmark of `cargo xtask bench`. Start at [`main`]; the figures are in `rows.rs`, one row each.
//!
//! Every figure is measured for the program and, in turns with it, for the floor. Nothing here may take
//! longer than the budget: what is not done by then is reported as such.

mod api;
mod chat;
mod crowd;
mod figure;
mod history;
mod machine;
mod mailbox;
mod page;
mod process;
mod program;
mod report;
mod rows;
mod samples;
mod served;
#[cfg(test)]
mod tests;
mod web;
mod window;
mod wires;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use figure::{Figure, Measured};
use history::History;
use program::Program;

/// How long a program may take for its first conversation.
const WARM_UP: Duration = Duration::from_secs(5);

/// How much is repeated, and how long all of it may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effort {
    Full,
    Quick,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Output {
    Table,
    Json,
}

#[derive(Debug)]
struct Arguments {
    program: PathBuf,
    floor: PathBuf,
    effort: Effort,
    output: Output,
    filter: String,
    /// What earlier commits measured.
    history: PathBuf,
    /// The commit under whose name this run is added to the history, if it is.
    keep: Option<String>,
}

fn main() -> ExitCode {
    match Arguments::read(std::env::args().skip(1)).and_then(|arguments| run(&arguments)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::from(2)
        }
    }
}

/// Says whether everything is as it should be.
fn run(arguments: &Arguments) -> Result<bool, String> {
    let history = History::read(&arguments.history)?;
    let machine = machine::described();
    let measured = measure(arguments, &machine)?;
    match arguments.output {
        Output::Table => print!("{}", report::table(&measured, &history)),
        Output::Json => print!("{}", report::json_lines(&measured)),
    }
    if let Some(commit) = &arguments.keep {
        history.keep(commit, &machine, &measured)?;
    }
    Ok(measured.iter().all(|measured| measured.verdict().is_good()))
}

/// All there are, in the order of the table.
fn figures() -> impl Iterator<Item = &'static Figure> {
    rows::FIGURES.iter().chain(web::FIGURES).chain(api::FIGURES)
}

fn measure(arguments: &Arguments, machine: &str) -> Result<Vec<Measured>, String> {
    // A whole name is that figure alone; `token` would else be asked for in vain beside `token-alone`.
    let named = figures().any(|figure| figure.name == arguments.filter);
    let wanted = |figure: &&Figure| match named {
        true => figure.name == arguments.filter,
        false => figure.name.contains(&arguments.filter),
    };
    let chosen: Vec<&Figure> = figures().filter(wanted).collect();
    if chosen.is_empty() {
        let names: Vec<_> = figures().map(|figure| figure.name).collect();
        return Err(format!("no figure is called `{}`; there are {}", arguments.filter, names.join(", ")));
    }
    let count = u32::try_from(chosen.len()).unwrap_or(u32::MAX);
    let end = Instant::now() + arguments.effort.budget() * count;
    let mut program = Program::new(&arguments.program, end);
    let mut floor = Program::new(&arguments.floor, end).into_floor();
    for program in [&mut floor, &mut program] {
        program.end_runs_at(Instant::now() + WARM_UP);
        rows::warm_up(program).map_err(|fault| format!("{} does not work: {fault}", program.name()))?;
    }
    eprintln!("bench: {machine}");
    let mut measured = Vec::new();
    for (index, figure) in chosen.iter().enumerate() {
        eprintln!("bench: {} ...", figure.title);
        // What earlier figures did not use is there for the later ones.
        let left = end.saturating_duration_since(Instant::now());
        let share = left / u32::try_from(chosen.len() - index).unwrap_or(1);
        measured.push(figure.measure(&mut program, &mut floor, arguments.effort, share));
    }
    Ok(measured)
}

impl Effort {
    /// For each figure; most need far less, and leave the rest to the few that need more.
    fn budget(self) -> Duration {
        match self {
            Self::Full => Duration::from_secs(30),
            Self::Quick => Duration::from_secs(15),
        }
    }
}

impl Arguments {
    /// Later values win, so that a caller's defaults can stand before a person's arguments.
    fn read(given: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let (mut program, mut floor, mut history, mut keep) = (None, None, PathBuf::new(), None);
        let (mut effort, mut output, mut filter) = (Effort::Full, Output::Table, None);
        let mut given = given.into_iter();
        while let Some(argument) = given.next() {
            match argument.as_str() {
                "--program" | "--floor" => {
                    let path = given.next().ok_or_else(|| format!("{argument} needs a path"))?;
                    let place = if argument == "--floor" { &mut floor } else { &mut program };
                    *place = Some(PathBuf::from(path));
                }
                "--history" => history = PathBuf::from(given.next().ok_or("--history needs a path")?),
                "--keep" => keep = Some(given.next().ok_or("--keep needs the name of a commit")?),
                "--quick" => effort = Effort::Quick,
                "--json" => output = Output::Json,
                option if option.starts_with('-') => {
                    return Err(format!("unknown option {option}; see `cargo xtask bench --help`"));
                }
                _ if filter.is_some() => return Err(format!("one filter at a time, not also `{argument}`")),
                _ => filter = Some(argument),
            }
        }
        let (Some(program), Some(floor)) = (program, floor) else {
            return Err("start it with `cargo xtask bench`, which says what to measure".to_owned());
        };
        Ok(Self { program, floor, effort, output, filter: filter.unwrap_or_default(), history, keep })
    }
}
