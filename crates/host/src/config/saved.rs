//! Rules that a person saved by saying "always", in a file of their own beside the configuration. Start from [`save`].
//!
//! They are kept apart so that no program ever rewrites the file that a person writes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::judge::{Rule, Rules};
use crate::whole::{Kind, Turn, replace};

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    #[serde(default)]
    policy: Rules,
}

#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error("cannot save the rule in {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} cannot be read, so no rule was added to it: {reason}", path.display())]
    Damaged { path: PathBuf, reason: String },
}

/// The file of saved rules beside a configuration file.
pub fn place(config: &Path) -> PathBuf {
    config.with_file_name("rules.toml")
}

/// Adds rules to what may run without asking. Says how many were not there yet.
pub fn save(path: &Path, rules: Vec<Rule>) -> Result<usize, SaveError> {
    add(path, |policy| {
        let fresh: Vec<Rule> = rules.into_iter().filter(|rule| !policy.allow.contains(rule)).collect();
        let count = fresh.len();
        policy.allow.extend(fresh);
        count
    })
}

/// Adds a folder in which file tools may change files without asking.
pub fn save_edits(path: &Path, folder: &Path) -> Result<usize, SaveError> {
    add(path, |policy| {
        let fresh = !policy.edits.iter().any(|known| known == folder);
        policy.edits.extend(fresh.then(|| folder.to_owned()));
        usize::from(fresh)
    })
}

/// The rules that were saved; none where they cannot be read.
pub fn read(path: &Path) -> Rules {
    let saved = fs::read_to_string(path).ok().and_then(|text| toml::from_str::<Saved>(&text).ok());
    saved.unwrap_or_default().policy
}

fn add(path: &Path, change: impl FnOnce(&mut Rules) -> usize) -> Result<usize, SaveError> {
    let failed = |source| SaveError::Io { path: path.to_owned(), source };
    let damaged = |reason: String| SaveError::Damaged { path: path.to_owned(), reason };
    let _turn = Turn::take(path).map_err(failed)?;
    let mut saved: Saved = match fs::read_to_string(path) {
        Ok(text) => toml::from_str(&text).map_err(|error| damaged(error.message().to_owned()))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Saved::default(),
        Err(error) => return Err(failed(error)),
    };
    let count = change(&mut saved.policy);
    let text = toml::to_string(&saved).map_err(|error| damaged(error.to_string()))?;
    replace(path, text.as_bytes(), Kind::Settings).map_err(failed)?;
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::Scratch;

    #[test]
    fn two_programs_that_save_at_once_lose_nothing() {
        let scratch = Scratch::new();
        let path = scratch.join("cinque/rules.toml");
        std::thread::scope(|scope| {
            for program in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for n in 0..10 {
                        assert_eq!(save_edits(path, Path::new(&format!("/{program}/{n}"))).unwrap(), 1);
                    }
                });
            }
        });
        assert_eq!(read(&path).edits.len(), 40);
    }
}
