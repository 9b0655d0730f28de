//! How long files and functions may be. Start from [`files`] and [`functions`].

use std::collections::BTreeMap;

use super::Problem;
use super::exceptions::Exceptions;
use super::functions::functions as functions_of;
use super::ratchet::{Measured, ratchet};
use super::source::Source;

const FILE: usize = 400;
const FUNCTION: usize = 70;
const TEST: usize = 120;
/// The loop of the agent is what a newcomer reads first; no function of it is longer than a screen.
const TURN: (&str, usize) = ("crates/agent/src/turn.rs", 60);

pub(super) fn files(sources: &[Source<'_>], exceptions: &Exceptions) -> Vec<Problem> {
    let measured: Vec<_> = sources
        .iter()
        .map(|source| Measured {
            name: source.path.to_owned(),
            path: source.path.to_owned(),
            line: 1,
            size: source.text.lines().count(),
            limit: FILE,
        })
        .collect();
    ratchet("file", &measured, exceptions.files)
}

pub(super) fn functions(sources: &[Source<'_>], exceptions: &Exceptions) -> Vec<Problem> {
    // Several functions of a file may share a name; the longest stands for all.
    let mut longest: BTreeMap<String, Measured> = BTreeMap::new();
    for source in sources {
        for function in functions_of(source) {
            let name = format!("{}::{}", source.path, function.name);
            let limit = match source.path {
                _ if function.test => TEST,
                path if path == TURN.0 => TURN.1,
                _ => FUNCTION,
            };
            let (path, line, size) = (source.path.to_owned(), function.line, function.lines);
            let one = Measured { name: name.clone(), path, line, size, limit };
            let over = |one: &Measured| one.size as isize - one.limit as isize;
            if longest.get(&name).is_none_or(|known| over(known) < over(&one)) {
                longest.insert(name, one);
            }
        }
    }
    let measured: Vec<_> = longest.into_values().collect();
    ratchet("function", &measured, exceptions.functions)
}
