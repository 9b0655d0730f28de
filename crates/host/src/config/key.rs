//! What a key of the configuration is, and how one is found by its name. Start from [`Key`]; the table of all keys is
//! in `keys.rs`. Nothing here holds a value.

use std::fmt;

use super::keys::KEYS;
use super::kind::Kind;
use super::nearest;

/// A row of the table that everything about a key comes from: default, checks, variable, documentation.
#[derive(Debug)]
pub struct Key {
    /// Dotted; `*` stands for a name that the person chooses, such as a provider's.
    pub path: &'static str,
    pub kind: Kind,
    /// As one would write it in a variable; empty where the key is not set by default.
    pub default: &'static str,
    pub repository: Repository,
    /// One sentence for the documentation.
    pub about: &'static str,
}

/// Whether the configuration of a trusted repository may set a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repository {
    May,
    /// It may not, for this reason.
    MayNot(&'static str),
}

/// The full name of one setting: `shell.timeout`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(Vec<String>);

/// What a name stands for.
#[derive(Debug, Clone, Copy)]
pub enum Found {
    Key(&'static Key),
    /// It holds keys, but is none.
    Section,
    Nothing,
}

impl Key {
    /// The number of its row.
    pub fn row(&self) -> usize {
        KEYS.iter().position(|key| key.path == self.path).unwrap_or(KEYS.len())
    }

    fn segments(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('.')
    }

    /// The first `length` segments of its path, with the names that `name` chooses at the same places.
    fn filled(&self, length: usize, name: &Name) -> Option<Name> {
        let segments: Vec<&str> = self.segments().take(length).collect();
        let chosen = |at: usize| name.0.get(at).map_or("NAME", String::as_str);
        let fill = |(at, segment): (usize, &&str)| match *segment {
            "*" => chosen(at).to_owned(),
            other => other.to_owned(),
        };
        (segments.len() == length).then(|| Name(segments.iter().enumerate().map(fill).collect()))
    }
}

impl Name {
    pub fn root() -> Name {
        Name(Vec::new())
    }

    /// Reads `shell.timeout`; for names whose segments have no dots.
    pub fn dotted(text: &str) -> Name {
        Name(text.split('.').map(str::to_owned).collect())
    }

    /// The name that a variable such as `CINQUE_SHELL__TIMEOUT` sets; `None` for variables that are not ours.
    pub fn of_variable(variable: &str) -> Option<Name> {
        let rest = variable.strip_prefix(PREFIX)?;
        Some(Name(rest.split("__").map(str::to_ascii_lowercase).collect()))
    }

    /// The variable that sets this name.
    pub fn variable(&self) -> String {
        format!("{PREFIX}{}", self.0.join("__").to_ascii_uppercase())
    }

    pub fn child(&self, segment: &str) -> Name {
        Name(self.0.iter().map(String::as_str).chain([segment]).map(str::to_owned).collect())
    }

    pub fn segments(&self) -> &[String] {
        &self.0
    }

    pub fn find(&self) -> Found {
        let fits = |key: &Key| {
            let same = |(segment, own): (&str, &String)| segment == "*" || segment == own;
            key.segments().count() >= self.0.len() && key.segments().zip(&self.0).all(same)
        };
        let mut longer = KEYS.iter().filter(|key| fits(key)).peekable();
        let any = longer.peek().is_some();
        match longer.find(|key| key.segments().count() == self.0.len()) {
            _ if self.0.iter().any(String::is_empty) => Found::Nothing,
            Some(key) => Found::Key(key),
            None if any => Found::Section,
            None => Found::Nothing,
        }
    }

    /// The key or section that was probably meant.
    pub fn nearest(&self) -> Option<Name> {
        let lengths = |key: &'static Key| 1..=key.segments().count();
        let all = KEYS.iter().flat_map(|key| lengths(key).filter_map(|length| key.filled(length, self)));
        nearest::of(self, all)
    }
}

/// As TOML writes it, with quotes where they are needed.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        for (at, segment) in self.0.iter().enumerate() {
            let dot = if at == 0 { "" } else { "." };
            match segment.chars().all(bare) && !segment.is_empty() {
                true => write!(f, "{dot}{segment}")?,
                false => write!(f, "{dot}{}", toml::Value::from(segment.as_str()))?,
            }
        }
        Ok(())
    }
}

const PREFIX: &str = "CINQUE_";
