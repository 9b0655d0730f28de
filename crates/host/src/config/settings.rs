//! All layers on top of each other, with the origin of every value. Start from [`Settings::merge`].
//!
//! Here raw becomes resolved: [`Settings::resolve`] is the only way to a [`Config`].

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use toml::{Table, Value};

use super::key::{Found, Key, Name};
use super::layer::{Layer, Origin, Problem, Setting, Wrong};
use super::resolved::Config;
use crate::wire::Known;

/// Every value that was set, the one that counts last. Rules of all layers count.
#[derive(Debug, Clone)]
pub struct Settings(BTreeMap<Name, Vec<Setting>>);

/// All that is wrong with the configuration. Nothing may start before it is put right.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct ConfigError(pub Vec<Problem>);

impl Settings {
    /// Puts layers on top of each other; later ones win.
    pub fn merge(layers: impl IntoIterator<Item = Layer>) -> Result<Settings, ConfigError> {
        let mut merged: BTreeMap<Name, Vec<Setting>> = BTreeMap::new();
        let mut problems = Vec::new();
        for layer in layers {
            for (name, settings) in layer.settings {
                merged.entry(name).or_default().extend(settings);
            }
            problems.extend(layer.problems);
        }
        let settings = Settings(merged);
        problems.extend(settings.incomplete());
        if problems.is_empty() { Ok(settings) } else { Err(ConfigError(problems)) }
    }

    /// The values that count, as the types that the program works with.
    pub fn resolve(&self) -> Result<Config, ConfigError> {
        let mut root = Table::new();
        for (name, key, settings) in self.iter() {
            let (last, value) = match (key.kind, settings) {
                (kind, [.., last]) if kind.joins() => {
                    (last, Value::Array(settings.iter().map(|rule| rule.value.clone()).collect()))
                }
                (_, [.., last]) => (last, last.value.clone()),
                (_, []) => continue,
            };
            insert(&mut root, name, value)
                .map_err(|reason| ConfigError::about(name, &last.origin, reason))?;
        }
        // Every value has passed the check of its kind, so this fails only where table and types disagree.
        Config::deserialize(root)
            .map_err(|error| ConfigError::about(&Name::root(), &Origin::Default, error.message().to_owned()))
    }

    /// Each name with its key and all its settings, in the order of the table of keys.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Name, &'static Key, &[Setting])> {
        let with_key = |(name, settings)| match Name::find(name) {
            Found::Key(key) => Some((name, key, Vec::as_slice(settings))),
            _ => None,
        };
        let mut all: Vec<_> = self.0.iter().filter_map(with_key).collect();
        all.sort_by_cached_key(|(name, key, _)| (section(key), name.segments().get(1).cloned(), key.row()));
        all.into_iter()
    }

    /// What was begun with a name of the person's own and lacks something.
    fn incomplete(&self) -> Vec<Problem> {
        let entries: BTreeSet<Name> = self.0.keys().filter_map(entry).collect();
        let mut problems = Vec::new();
        for entry in entries {
            let [section, own, ..] = entry.segments() else { continue };
            let needs: &[&str] = match section.as_str() {
                "providers" if Known::find(own).is_none() => &["base_url"],
                "prices" => &["input", "output"],
                _ => &[],
            };
            let missing = needs.iter().find(|needed| !self.0.contains_key(&entry.child(needed)));
            let origin = self.origin_beneath(&entry);
            if section == "providers" && !is_provider(own) {
                let reason = "must have a name of letters, digits, `-` and `_`".to_owned();
                problems.push(Problem { origin, wrong: Wrong::Value { name: entry, reason } });
            } else if let Some(needs) = missing {
                problems.push(Problem { origin, wrong: Wrong::Incomplete { name: entry, needs } });
            }
        }
        problems
    }

    fn origin_beneath(&self, entry: &Name) -> Origin {
        let beneath = self.0.iter().find(|(name, _)| name.segments().starts_with(entry.segments()));
        beneath
            .and_then(|(_, settings)| settings.last())
            .map_or(Origin::Default, |setting| setting.origin.clone())
    }
}

impl ConfigError {
    fn about(name: &Name, origin: &Origin, reason: String) -> ConfigError {
        let wrong = Wrong::Value { name: name.clone(), reason };
        ConfigError(vec![Problem { origin: origin.clone(), wrong }])
    }
}

/// The row of the first key of a key's section, so that a person's own entries stay together.
fn section(key: &Key) -> usize {
    let name = |path: &'static str| path.split_once(".*").map_or(path, |(section, _)| section);
    let first = |other: &Key| name(other.path) == name(key.path);
    super::keys::KEYS.iter().position(first).unwrap_or_default()
}

/// `providers.acme` for `providers.acme.base_url`.
fn entry(name: &Name) -> Option<Name> {
    match name.segments() {
        [section, own, _, ..] if section == "providers" || section == "prices" => {
            Some(Name::root().child(section).child(own))
        }
        _ => None,
    }
}

/// What can stand before the slash of `PROVIDER/MODEL`.
fn is_provider(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

fn insert(table: &mut Table, name: &Name, value: Value) -> Result<(), String> {
    let Some((last, sections)) = name.segments().split_last() else { return Ok(()) };
    let mut table = table;
    for section in sections {
        let inner = table.entry(section.clone()).or_insert_with(|| Value::Table(Table::new()));
        table = inner.as_table_mut().ok_or("is both a value and a section")?;
    }
    table.insert(last.clone(), value);
    Ok(())
}
