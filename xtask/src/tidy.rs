//! `cargo xtask tidy`: the habits that no compiler checks. Start from [`check`], a list of rules.
//!
//! Rules are functions from a [`Tree`] in memory to [`Problem`]s, so that tests need no disk. Sizes are
//! ratchets: what is larger than the rule says is listed in `exceptions.rs`, and the list only shrinks.
//! It never changes a file.

mod arrows;
mod docs;
mod exceptions;
mod functions;
mod manifest;
mod places;
mod ratchet;
mod sizes;
mod source;
#[cfg(test)]
mod tests;
mod tree;
mod words;

use std::fmt;
use std::process::ExitCode;

use crate::failure::Failure;
use crate::workspace::Workspace;
use exceptions::Exceptions;
use source::Source;
use tree::Tree;

pub const HELP: &str = "\
Check the habits that no compiler checks. Each finding says what to do about it.

Usage: cargo xtask tidy

  headers    Every Rust file begins with `//!`: what it is for and where to start.
  sizes      Files of at most 400 lines, functions of at most 70 (tests 120, the turn machine 60).
             What is larger is listed in xtask/src/tidy/exceptions.rs with its size, and the list only
             shrinks: growing fails, and so does shrinking without lowering the number.
  layout     No `mod.rs`.
  arrows     Which crate may depend on which, and the exact list of `agent`.
  words      No notes to self, no left-over debugging, no code in comments.
  places     No paths of somebody's machine, except in what tests read.
  docs       ARCHITECTURE.md has at most 150 lines; links and paths in documents lead somewhere.
";

/// Something to mend, and where.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    path: String,
    line: usize,
    /// What it is, and what to do.
    text: String,
}

pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode, Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::usage(format!("tidy takes no argument `{argument}`\n\n{HELP}")));
    }
    let count = report(workspace)?;
    Ok(if count == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints what there is to mend and gives the number of problems.
pub fn report(workspace: &Workspace) -> Result<usize, Failure> {
    let tree = Tree::read(workspace.root())?;
    let problems = check(&tree, &exceptions::LISTED);
    for problem in &problems {
        println!("{problem}");
    }
    match problems.len() {
        0 => println!("tidy: {} files, nothing to mend", tree.len()),
        1 => println!("tidy: {} files, 1 problem", tree.len()),
        count => println!("tidy: {} files, {count} problems", tree.len()),
    }
    Ok(problems.len())
}

fn check(tree: &Tree, exceptions: &Exceptions) -> Vec<Problem> {
    let sources: Vec<Source<'_>> = tree.rust().map(|(path, text)| Source::read(path, text)).collect();
    let mut problems = Vec::new();
    problems.extend(sources.iter().filter_map(header));
    problems.extend(tree.paths().filter_map(layout));
    problems.extend(sizes::files(&sources, exceptions));
    problems.extend(sizes::functions(&sources, exceptions));
    problems.extend(sources.iter().flat_map(words::check));
    problems.extend(arrows::check(tree));
    problems.extend(places::check(tree, &sources, exceptions));
    problems.extend(docs::check(tree));
    problems.sort();
    problems
}

fn header(source: &Source<'_>) -> Option<Problem> {
    let first = source.text.lines().next().unwrap_or_default();
    let said = first.strip_prefix("//!").map(str::trim);
    if said.is_some_and(|said| !said.is_empty()) {
        return None;
    }
    let text = "no `//!` header: say in the first line what the file is for, then where to start";
    Some(Problem::new(source.path, 1, text))
}

fn layout(path: &str) -> Option<Problem> {
    let folder = path.strip_suffix("/mod.rs")?;
    Some(Problem::new(path, 1, format!("a `mod.rs`: name it {folder}.rs, beside its folder")))
}

impl Problem {
    fn new(path: impl Into<String>, line: usize, text: impl Into<String>) -> Self {
        Self { path: path.into(), line, text: text.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.text)
    }
}
