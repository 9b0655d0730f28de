//! `cargo xtask fuzz`: libFuzzer on the targets of `fuzz/`. Start from [`run`].
//!
//! Programs, found inputs and what was learnt lie in the target directory; in the repository are only the laws and small
//! seeds. cargo-fuzz builds, with its sanitisers off, because they need an unstable compiler and look for mistakes that
//! safe code does not make.

mod report;
#[cfg(test)]
mod tests;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::failure::Failure;
use crate::workspace::Workspace;
use report::Line;

pub const HELP: &str = "\
Feed hostile bytes to every reader of text that somebody else wrote.

Usage: cargo xtask fuzz [TARGET...] [--seconds N]

  anthropic openai responses gemini   Streams of each wire, cut anywhere: one result, one end.
  sse        Server-sent events, cut anywhere.
  patch      Patches of every format: planned whole or refused.
  text json  The dialects in which calls are spoken as words.
  hub        Messages of the web page's hub.
  shell      The judge of commands.
  sanitiser  What models, files and commands may show on a terminal.
  config     The configuration, a person's and a folder's.

  --seconds N  How long each target is tried; 60 where nothing is said.

Without TARGET all of them run, one after the other. It needs cargo-fuzz and a C++ compiler, and says so.
What was learnt is kept in the target directory, so that the next run goes on from there. The exit code
is 1 when a law of `fuzz/src` is broken; the input is then kept and named.
";

const SEEDS: &str = "fuzz/seeds";
const PROGRAM: &str = "target";

/// Seconds for one input. The slowest seed takes a few milliseconds.
const PATIENCE: u32 = 10;

pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode, Failure> {
    let known = targets(workspace)?;
    let wish = Wish::read(arguments, &known)?;
    check_tools(workspace)?;
    let program = build(workspace)?;
    let mut lines = Vec::new();
    for target in &wish.targets {
        lines.push(attempt(workspace, &program, target, wish.seconds)?);
    }
    print!("\n{}", report::table(&lines));
    let good = lines.iter().all(|line| line.broken.is_none());
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[derive(Debug, PartialEq)]
struct Wish {
    targets: Vec<String>,
    seconds: u32,
}

impl Wish {
    fn read(arguments: &[String], known: &[String]) -> Result<Self, Failure> {
        let mut wish = Self { targets: Vec::new(), seconds: 60 };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            if argument == "--seconds" {
                let number = arguments.next().and_then(|number| number.parse().ok());
                let positive = number.filter(|seconds| *seconds > 0);
                wish.seconds =
                    positive.ok_or_else(|| Failure::usage(format!("--seconds needs a number\n\n{HELP}")))?;
            } else if known.contains(argument) {
                wish.targets.push(argument.clone());
            } else {
                return Err(Failure::usage(format!("there is no target `{argument}`\n\n{HELP}")));
            }
        }
        if wish.targets.is_empty() {
            wish.targets = known.to_vec();
        }
        Ok(wish)
    }
}

/// The names of all targets: each has a folder of seeds.
fn targets(workspace: &Workspace) -> Result<Vec<String>, Failure> {
    let folder = workspace.root().join(SEEDS);
    let told = |error| Failure::new(format!("{}: {error}", folder.display()));
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(told)? {
        names.push(entry.map_err(told)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn check_tools(workspace: &Workspace) -> Result<(), Failure> {
    let answers = |mut command: Command| {
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    if !answers(workspace.cargo("fuzz --version")) {
        return Err(Failure::new("cargo-fuzz is missing: cargo install cargo-fuzz --locked"));
    }
    let mut compiler = Command::new("c++");
    compiler.arg("--version");
    if !answers(compiler) {
        return Err(Failure::new(
            "a C++ compiler is missing, libFuzzer is built with it: apt-get install g++",
        ));
    }
    Ok(())
}

/// Where programs, inputs and findings lie.
fn products(workspace: &Workspace) -> PathBuf {
    workspace.products().join("fuzz")
}

/// Builds the one program of all targets.
fn build(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let mut cargo = workspace.cargo("fuzz build --sanitizer none --codegen-units 16 --target-dir");
    cargo.arg(products(workspace)).arg(PROGRAM);
    match cargo.status() {
        Ok(status) if status.success() => {}
        Ok(_) => return Err(Failure::new("the targets could not be built, see above")),
        Err(error) => return Err(Failure::new(format!("cargo could not be started: {error}"))),
    }
    // cargo-fuzz puts it beneath the name of the machine's kind.
    let kinds = fs::read_dir(products(workspace)).into_iter().flatten().flatten();
    let mut programs = kinds.map(|kind| kind.path().join("release").join(PROGRAM));
    programs
        .find(|program| program.is_file())
        .ok_or_else(|| Failure::new(format!("cargo-fuzz has built no program `{PROGRAM}`")))
}

fn attempt(workspace: &Workspace, program: &Path, target: &str, seconds: u32) -> Result<Line, Failure> {
    println!("\n==> {target}, {seconds} seconds");
    let learnt = folder(&products(workspace).join("corpus").join(target))?;
    let found = folder(&products(workspace).join("found").join(target))?;
    let mut command = Command::new(program);
    command.env("FUZZ_TARGET", target);
    command.arg(format!("-max_total_time={seconds}")).arg(format!("-timeout={PATIENCE}"));
    command.args(["-print_final_stats=1", "-max_len=8192", "-rss_limit_mb=2048"]);
    // A path that ends in a slash is a folder to libFuzzer.
    command.arg(format!("-artifact_prefix={}/", found.display()));
    command.arg(&learnt).arg(workspace.root().join(SEEDS).join(target));
    let told = |error| Failure::new(format!("`{target}` could not be started: {error}"));
    let mut child = command.stderr(Stdio::piped()).spawn().map_err(told)?;
    let mut line = Line::new(target);
    // What breaks a law is shown as it is, and need not be UTF-8.
    for bytes in child.stderr.take().into_iter().flat_map(|pipe| BufReader::new(pipe).split(b'\n')) {
        let bytes = bytes.map_err(told)?;
        let text = String::from_utf8_lossy(&bytes);
        if line.hear(&text) {
            eprintln!("{text}");
        }
    }
    let status = child.wait().map_err(told)?;
    if !status.success() && line.broken.is_none() {
        line.broken = Some("it ended early, see above".to_owned());
    }
    Ok(line)
}

fn folder(path: &Path) -> Result<PathBuf, Failure> {
    fs::create_dir_all(path).map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    Ok(path.to_owned())
}
