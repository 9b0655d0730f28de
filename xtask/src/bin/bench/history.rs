//! Figures of earlier commits, one run a line, in a file of the repository: a change that costs something shows in its
//! review. Start from [`History::read`]. Lines are only ever added.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use kit::serde_json::{self, Map, Value, json};

use crate::figure::Measured;

/// What was kept, the last value of each figure.
#[derive(Debug, Default)]
pub struct History {
    path: PathBuf,
    last: Map<String, Value>,
}

impl History {
    /// A file that is not there has no history.
    pub fn read(path: &Path) -> Result<Self, String> {
        let mut history = Self { path: path.to_owned(), last: Map::new() };
        for (number, line) in fs::read_to_string(path).unwrap_or_default().lines().enumerate() {
            let kept: Value = serde_json::from_str(line)
                .map_err(|error| format!("{} line {}: {error}", path.display(), number + 1))?;
            let figures = kept.get("figures").and_then(Value::as_object);
            history
                .last
                .extend(figures.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
        }
        Ok(history)
    }

    /// How the value stands to the one that was kept last.
    pub fn ratio(&self, one: &Measured) -> Option<f64> {
        let before = self.last.get(one.name)?.as_f64().filter(|before| *before > 0.0)?;
        Some(one.value.as_ref().ok()? / before)
    }

    /// Adds a line with everything that was measured.
    pub fn keep(&self, commit: &str, machine: &str, measured: &[Measured]) -> Result<(), String> {
        let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
        let figures: Map<_, _> = measured
            .iter()
            .filter_map(|one| Some((one.name.to_owned(), json!(rounded(*one.value.as_ref().ok()?)))))
            .collect();
        let line = json!({"commit": commit, "machine": machine, "figures": figures});
        let told = |error: std::io::Error| format!("{}: {error}", self.path.display());
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&self.path).map_err(told)?;
        file.write_all(format!("{line}\n").as_bytes()).map_err(told)
    }
}
