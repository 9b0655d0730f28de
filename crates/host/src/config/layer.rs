//! Settings as they were written, before any of them acts: the raw side of the configuration. Start from [`Layer`].
//!
//! A layer is sparse: it has what one file, the environment or the flags say, each with its origin, and what was
//! wrong with it. The resolved side is `resolved.rs`.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use toml::Value;

use super::key::{Found, Key, Name, Repository};
use super::kind::Kind;
use crate::judge::Verdict;

/// What one source says.
#[derive(Debug, Clone, Default)]
pub struct Layer {
    author: Author,
    pub(super) settings: BTreeMap<Name, Vec<Setting>>,
    pub(super) problems: Vec<Problem>,
}

/// Who wrote a layer. A repository may say less than a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Author {
    #[default]
    Person,
    Repository,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    pub value: Value,
    pub origin: Origin,
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Origin {
    Default,
    File { path: PathBuf, line: usize },
    Variable { name: String },
    Flag { name: String },
}

/// Something wrong with the configuration, and where.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{origin}: {wrong}")]
pub struct Problem {
    pub origin: Origin,
    pub wrong: Wrong,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Wrong {
    #[error("there is no setting `{name}`{}", meant(.nearest))]
    Unknown { name: String, nearest: Option<String> },
    #[error("`{name}` {reason}")]
    Value { name: Name, reason: String },
    #[error("a repository may not set `{name}`: {reason}")]
    Reserved { name: Name, reason: &'static str },
    #[error("this is not TOML: {0}")]
    Syntax(String),
    #[error("the file cannot be read: {0}")]
    Unreadable(String),
    #[error("`{name}` needs `{needs}`")]
    Incomplete { name: Name, needs: &'static str },
    #[error("not used, because this folder is not trusted: look at it, then run `cinque trust`")]
    Untrusted,
    #[error("not used, because it has changed since it was trusted: look at it, then run `cinque trust`")]
    Changed,
}

impl Layer {
    pub fn of(author: Author) -> Layer {
        Layer { author, ..Layer::default() }
    }

    /// What is wrong with it.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// What it says, by name.
    pub fn settings(&self) -> impl Iterator<Item = (&Name, &Setting)> {
        self.settings.iter().flat_map(|(name, all)| all.iter().map(move |setting| (name, setting)))
    }

    /// The lowest layer: what the table of keys says.
    pub fn defaults() -> Layer {
        let mut layer = Layer::default();
        for key in super::keys::KEYS.iter().filter(|key| !key.default.is_empty()) {
            layer.put(Name::dotted(key.path), key, key.kind.read(key.default), Origin::Default);
        }
        layer
    }

    /// Adds what a flag says: `flag("--max-turns", "max_turns", "30")`.
    pub fn flag(&mut self, flag: &str, name: &str, text: &str) {
        self.read(Name::dotted(name), text, Origin::Flag { name: flag.to_owned() });
    }

    /// Adds a value that is written as text, or notes what is wrong with it.
    pub(super) fn read(&mut self, name: Name, text: &str, origin: Origin) {
        let Found::Key(key) = name.find() else {
            let nearest = name.nearest().map(|nearest| nearest.to_string());
            return self.note(origin, Wrong::Unknown { name: name.to_string(), nearest });
        };
        match (key.kind, key.kind.read(text)) {
            (kind, Value::Array(rules)) if kind.joins() => {
                for rule in rules {
                    self.put(name.clone(), key, rule, origin.clone());
                }
            }
            (_, value) => self.put(name, key, value, origin),
        }
    }

    /// Adds one value of a key, or notes why it is refused. Of rules there can be several, of all else the last
    /// counts.
    pub(super) fn put(&mut self, name: Name, key: &Key, value: Value, origin: Origin) {
        if let Err(reason) = self.permit(key, &value) {
            return self.note(origin, Wrong::Reserved { name, reason });
        }
        match key.kind.check(&value) {
            Ok(()) => self.settings.entry(name).or_default().push(Setting { value, origin }),
            Err(reason) => self.note(origin, Wrong::Value { name, reason }),
        }
    }

    pub(super) fn note(&mut self, origin: Origin, wrong: Wrong) {
        self.problems.push(Problem { origin, wrong });
    }

    /// Even a trusted repository cannot lead the agent out of itself, spend, or wave whole programs through.
    fn permit(&self, key: &Key, value: &Value) -> Result<(), &'static str> {
        match (self.author, key.repository, key.kind) {
            (Author::Person, ..) => Ok(()),
            (Author::Repository, Repository::MayNot(reason), _) => Err(reason),
            (Author::Repository, Repository::May, Kind::Folder) if !stays_inside(value) => {
                Err("the folder lies outside the repository")
            }
            (Author::Repository, Repository::May, Kind::Rules(Verdict::Allow)) if !is_narrow(value) => {
                Err("its rules must name at least two words, or be `exact`")
            }
            (Author::Repository, Repository::May, _) => Ok(()),
        }
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { path, line } => write!(f, "{}:{line}", path.display()),
            Origin::Variable { name } | Origin::Flag { name } => f.write_str(name),
        }
    }
}

fn meant(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |nearest| format!("; did you mean `{nearest}`?"))
}

/// By its words alone: whether a link on the way leads out is for whoever opens it to find.
fn stays_inside(folder: &Value) -> bool {
    let inward = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    folder.as_str().is_none_or(|folder| Path::new(folder).components().all(inward))
}

fn is_narrow(rule: &Value) -> bool {
    let words = rule.get("prefix").and_then(Value::as_array).map_or(0, Vec::len);
    let exact = rule.get("exact").and_then(Value::as_bool).unwrap_or_default();
    words >= 2 || exact
}
