//! Limits with a list of exceptions that only shrinks. Start from [`ratchet`].

use super::Problem;
use super::exceptions::Exception;

/// Something that was measured.
pub(super) struct Measured {
    /// As in the list of exceptions.
    pub(super) name: String,
    pub(super) path: String,
    pub(super) line: usize,
    pub(super) size: usize,
    pub(super) limit: usize,
}

/// Where the list stands, for problems about entries without a file.
const LIST: &str = "xtask/src/tidy/exceptions.rs";

/// What breaks its limit or does not fit its entry in the list. Sizes are lines of `kind`s.
pub(super) fn ratchet(kind: &str, measured: &[Measured], listed: &[Exception]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for one in measured {
        let entry = listed.iter().find(|entry| entry.name == one.name);
        let Measured { name, size, limit, .. } = one;
        let text = match entry.map(|entry| entry.lines) {
            None if size <= limit => continue,
            Some(allowed) if *size == allowed && size > limit => continue,
            None => {
                format!("{kind} `{name}` has {size} lines, at most {limit}: split it where its ideas part")
            }
            Some(allowed) if *size > allowed => {
                format!(
                    "{kind} `{name}` grew from {allowed} to {size} lines: the list only shrinks, split it"
                )
            }
            Some(_) if size <= limit => {
                format!("{kind} `{name}` fits now with {size} lines: remove it from {LIST}")
            }
            Some(allowed) => {
                format!("{kind} `{name}` shrank from {allowed} to {size} lines: lower its number in {LIST}")
            }
        };
        problems.push(Problem::new(&one.path, one.line, text));
    }
    let gone = listed.iter().filter(|entry| measured.iter().all(|one| one.name != entry.name));
    problems.extend(gone.map(|entry| {
        Problem::new(LIST, 1, format!("{kind} `{}` does not exist: remove it from the list", entry.name))
    }));
    problems
}
