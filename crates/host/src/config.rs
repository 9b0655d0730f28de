//! The configuration: what it may say, who may say it, and what counts in the end. Start from [`load`].
//!
//! Layers, later ones win: defaults, the person's file, the file of a trusted folder, the environment, flags. A
//! [`Layer`] is what was written, a [`Config`] is what acts; between them stand the checks of one table, [`KEYS`].
//! Nothing here reads the process's environment or arguments, and nothing of a folder acts before the folder is
//! trusted.

use std::ffi::OsString;
use std::path::Path;

mod disk;
mod environment;
mod file;
mod key;
mod keys;
mod kind;
mod layer;
mod nearest;
mod provider;
mod resolved;
mod saved;
mod secrets;
mod settings;
mod show;
#[cfg(test)]
mod tests;
mod trust;

pub use disk::{Places, Read, read_file};
pub use key::{Found, Key, Name, Repository};
pub use keys::KEYS;
pub use kind::Kind;
pub use layer::{Author, Layer, Origin, Problem, Setting, Wrong};
pub use nearest::distance;
pub use provider::Provider;
pub use resolved::{Api, Config, Dialect, Mailbox, Shell, Solve, Web};
pub use saved::{SaveError, place as saved_rules, read as read_rules, save, save_edits};
pub use secrets::{Redactor, Secrets, SecretsError};
pub use settings::{ConfigError, Settings};
pub use show::{Row, markdown};
pub use trust::{ACTING, CONFIG, Snapshot, Standing, Trust, TrustError};

/// A file that shows the most useful settings, for people to begin with.
pub const SAMPLE: &str = include_str!("config/sample.toml");

/// All that the configuration is made of.
pub struct Sources<'a> {
    pub read: Read<'a>,
    pub places: &'a Places,
    /// The folder to work in, by its real path.
    pub workspace: &'a Path,
    pub environment: &'a [(OsString, OsString)],
    pub flags: Layer,
}

#[derive(Debug, Clone)]
pub struct Loaded {
    pub config: Config,
    /// Where each value came from.
    pub settings: Settings,
    /// What a person should know and nothing has to stop for.
    pub warnings: Vec<Problem>,
    /// Whether the folder's own configuration acts; where it does not, a door can ask.
    pub standing: Standing,
}

pub fn load(sources: Sources<'_>) -> Result<Loaded, ConfigError> {
    let (environment, mut warnings) = environment::parse(sources.environment);
    let own = sources.places.config.as_deref().map(|path| person(path, sources.read)).unwrap_or_default();
    let (standing, repository) = repository(&sources, &mut warnings);
    let saved = sources.places.config.as_deref().map(|path| person(&saved_rules(path), sources.read));
    let layers = [Layer::defaults(), own, saved.unwrap_or_default(), repository, environment, sources.flags];
    let settings = Settings::merge(layers)?;
    Ok(Loaded { config: settings.resolve()?, settings, warnings, standing })
}

/// What a folder's configuration would say if it were trusted, for a person to look at first.
pub fn preview(folder: &Path, snapshot: &Snapshot) -> Layer {
    let path = folder.join(CONFIG);
    match snapshot.file(CONFIG) {
        Some(bytes) => parse(&path, bytes, Author::Repository),
        None => Layer::of(Author::Repository),
    }
}

fn person(path: &Path, read: Read<'_>) -> Layer {
    match read(path) {
        Ok(Some(bytes)) => parse(path, &bytes, Author::Person),
        Ok(None) => Layer::default(),
        Err(error) => {
            let mut layer = Layer::default();
            layer.note(top(path), Wrong::Unreadable(error.to_string()));
            layer
        }
    }
}

fn repository(sources: &Sources<'_>, warnings: &mut Vec<Problem>) -> (Standing, Layer) {
    let path = sources.workspace.join(CONFIG);
    let snapshot = match Snapshot::take(sources.workspace, sources.read) {
        Ok(snapshot) => snapshot,
        Err(error) => {
            warnings.push(Problem { origin: top(&path), wrong: Wrong::Unreadable(error.to_string()) });
            return (Standing::Untrusted, Layer::default());
        }
    };
    let standing = standing(sources, &snapshot, warnings);
    let wrong = match standing {
        Standing::Trusted => return (standing, preview(sources.workspace, &snapshot)),
        Standing::Changed => Wrong::Changed,
        Standing::Empty | Standing::Untrusted => Wrong::Untrusted,
    };
    if snapshot.file(CONFIG).is_some() {
        warnings.push(Problem { origin: top(&path), wrong });
    }
    (standing, Layer::default())
}

/// A list of trusted folders that cannot be read trusts nobody.
fn standing(sources: &Sources<'_>, snapshot: &Snapshot, warnings: &mut Vec<Problem>) -> Standing {
    let Some(path) = &sources.places.trusted else {
        return Trust::default().standing(sources.workspace, snapshot);
    };
    let trust = Trust::read(path, sources.read).unwrap_or_else(|error| {
        warnings.push(Problem { origin: top(path), wrong: Wrong::Unreadable(error.to_string()) });
        Trust::default()
    });
    trust.standing(sources.workspace, snapshot)
}

fn parse(path: &Path, bytes: &[u8], author: Author) -> Layer {
    match std::str::from_utf8(bytes) {
        Ok(text) => file::parse(path, text, author),
        Err(error) => {
            let line = bytes.iter().take(error.valid_up_to()).filter(|byte| **byte == b'\n').count() + 1;
            let mut layer = Layer::of(author);
            let origin = Origin::File { path: path.to_owned(), line };
            layer.note(origin, Wrong::Unreadable("it is not UTF-8".to_owned()));
            layer
        }
    }
}

fn top(path: &Path) -> Origin {
    Origin::File { path: path.to_owned(), line: 1 }
}
