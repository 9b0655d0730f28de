//! Runs folders of recorded cases against this crate and says how many it gets right. Start at [`KINDS`].
//!
//! The cases belong to other projects and are never copied into this one; they are only run against. What is
//! wrong with a case is printed, so is a closing figure, and the exit code is 1 when something is wrong.

mod patch;
mod paths;
mod shell;
mod sse;

use serde_json::Value;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
Usage: corpus DIR [KIND]

  DIR    A folder with one folder for each kind.
  KIND   shell, apply-patch, paths or sse; without it, all of them.
";

/// The error says that the corpus could not be read, not that a case is wrong.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Runs the cases of one folder and gives the number of those that are wrong.
type Kind = fn(&Path) -> Result<usize>;

const KINDS: &[(&str, Kind)] =
    &[("shell", shell::run), ("apply-patch", patch::run), ("paths", paths::run), ("sse", sse::run)];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, wanted) = match arguments.as_slice() {
        [folder] if !folder.starts_with('-') => (folder, None),
        [folder, kind] if KINDS.iter().any(|(name, _)| name == kind) => (folder, Some(kind)),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    let mut wrong = 0;
    for (name, run) in KINDS.iter().filter(|(name, _)| wanted.is_none_or(|wanted| wanted == name)) {
        println!("{name}");
        match run(&Path::new(folder).join(name)) {
            Ok(count) => wrong += count,
            Err(error) => {
                eprintln!("the corpus `{name}` cannot be read: {error}");
                return ExitCode::from(2);
            }
        }
    }
    ExitCode::from(u8::from(wrong > 0))
}

fn text(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// One JSON value.
fn json(path: &Path) -> Result<Value> {
    serde_json::from_str(&text(path)?).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// One JSON value a line.
fn rows(path: &Path) -> Result<Vec<Value>> {
    let row = |line: &str| {
        serde_json::from_str(line).map_err(|error| format!("{}: {error}", path.display()).into())
    };
    text(path)?.lines().map(row).collect()
}

/// A text of a row; empty where the row has none.
fn field<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_default()
}

/// The texts of a list in a row.
fn list<'a>(row: &'a Value, name: &str) -> impl Iterator<Item = &'a str> {
    row[name].as_array().into_iter().flatten().filter_map(Value::as_str)
}
