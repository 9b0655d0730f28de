//! No paths of somebody's machine in what is published. Start from [`check`].

use super::Problem;
use super::exceptions::Exceptions;
use super::source::Source;
use super::tree::{Tree, is_for_tests};

/// The first parts of paths that mean one machine only.
const PLACES: &[&str] = &["home", "root", "work", "Users"];
const LIST: &str = "xtask/src/tidy/exceptions.rs";

pub(super) fn check(tree: &Tree, sources: &[Source<'_>], exceptions: &Exceptions) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (path, text) in tree.texts().filter(|(path, _)| !is_for_tests(path)) {
        let source = sources.iter().find(|source| source.path == path);
        let is_test = |line: usize| source.is_some_and(|source| source.is_test_line(line));
        let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
        let found = lines.filter_map(|(line, text)| Some((line, place(text)?)));
        let mut found = found.filter(|(line, _)| !is_test(*line)).peekable();
        if !exceptions.places.contains(&path) {
            problems.extend(found.map(|(line, place)| {
                let text = format!(
                    "`{place}` is a path of one machine: name it by a variable or relative to something"
                );
                Problem::new(path, line, text)
            }));
        } else if found.peek().is_none() {
            let text = format!("no path of a machine is left here: remove the file from {LIST}");
            problems.push(Problem::new(path, 1, text));
        }
    }
    let gone = exceptions.places.iter().filter(|path| tree.text(path).is_none());
    problems.extend(gone.map(|path| Problem::new(LIST, 1, format!("`{path}` does not exist: remove it"))));
    problems
}

/// The first such path of a line: absolute, beneath one of the places, and not a part of a longer path.
fn place(line: &str) -> Option<&str> {
    line.match_indices('/').find_map(|(at, _)| {
        let before = line[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || "_-.~/*)}>$]".contains(c)) {
            return None;
        }
        let rest = &line[at + 1..];
        let first =
            PLACES.iter().find(|place| rest.strip_prefix(**place).is_some_and(|r| r.starts_with('/')))?;
        let end = rest.find(|c: char| c.is_whitespace() || "\"'`),;:<>".contains(c)).unwrap_or(rest.len());
        (end > first.len() + 1).then(|| &line[at..at + 1 + end])
    })
}
