//! The configuration for people and programs to look at: `config show`, and the documentation of all keys. Start from
//! [`Settings::rows`] and [`markdown`]. What is secret is never in what they return.

use std::fmt::Write;

use serde::Serialize;
use toml::Value;

use super::key::{Key, Name, Repository};
use super::keys::KEYS;
use super::kind::Kind;
use super::layer::{Origin, Setting};
use super::settings::Settings;

/// One value that counts, and where it came from. As JSON it is a line of `config show --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    pub key: String,
    pub value: Value,
    pub origin: Origin,
    /// Where this key was set too, to no effect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<Origin>,
}

impl Settings {
    /// Every value that counts, in the order of the table of keys.
    pub fn rows(&self) -> Vec<Row> {
        self.iter().flat_map(|(name, key, settings)| rows(name, key, settings)).collect()
    }
}

/// A line of `config show`: `shell.timeout = 60  # from .cinque/config.toml:3`.
impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} = {}  # {}", self.key, self.value, self.origin)?;
        for (at, origin) in self.overrides.iter().rev().enumerate() {
            write!(f, "{} {origin}", if at == 0 { ", not" } else { " or" })?;
        }
        Ok(())
    }
}

/// The table of all keys as Markdown, for the documentation.
pub fn markdown() -> String {
    let mut text = "| key | value | default | variable | what it does |\n|---|---|---|---|---|\n".to_owned();
    for key in KEYS {
        let cells = [code(key.path), kind(key), default(key), variable(key), about(key)];
        let cells = cells.map(|cell| cell.replace('|', "\\|"));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

fn rows(name: &Name, key: &Key, settings: &[Setting]) -> Vec<Row> {
    let row = |setting: &Setting, overrides: Vec<Origin>| Row {
        key: name.to_string(),
        value: shown(key, &setting.value),
        origin: setting.origin.clone(),
        overrides,
    };
    match (key.kind, settings) {
        (kind, rules) if kind.joins() => rules.iter().map(|rule| row(rule, Vec::new())).collect(),
        (_, [earlier @ .., last]) => {
            // That a default is not used says nothing.
            let set = earlier
                .iter()
                .map(|setting| setting.origin.clone())
                .filter(|origin| *origin != Origin::Default);
            vec![row(last, set.collect())]
        }
        (_, []) => Vec::new(),
    }
}

/// Addresses may carry a user and a password before the host.
fn shown(key: &Key, value: &Value) -> Value {
    match (key.kind, value.as_str()) {
        (Kind::Secret, _) => Value::from("[set]"),
        (Kind::Url, Some(url)) => Value::from(without_password(url)),
        _ => value.clone(),
    }
}

fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    match host.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://[set]@{host}{path}"),
        None => url.to_owned(),
    }
}

fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{text}`") }
}

fn kind(key: &Key) -> String {
    match key.kind {
        Kind::Choice(choices) => choices.iter().map(|choice| code(choice)).collect::<Vec<_>>().join(", "),
        other => other.expected(),
    }
}

fn default(key: &Key) -> String {
    code(key.default)
}

/// Names of models and headers have letters that no variable has.
fn variable(key: &Key) -> String {
    match key.path.split_once(".*") {
        Some(("prices", _)) | Some((_, ".headers.*")) => String::new(),
        _ => code(&Name::dotted(key.path).variable().replace('*', "NAME")),
    }
}

fn about(key: &Key) -> String {
    match key.repository {
        Repository::May => key.about.to_owned(),
        Repository::MayNot(_) => format!("{} Not in a repository.", key.about),
    }
}
