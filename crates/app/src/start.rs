//! What the program finds when it starts: the folder, the environment, the configuration. Start at [`Start::new`].
//!
//! The environment is read here and nowhere else, but for what colours (`paint.rs`) depend on. What is found goes on as
//! small structs.

use crate::arguments::Here;
use crate::exit::{Exit, Fault};
use host::config::{self, Config, Layer, Loaded, Places, Redactor, Secrets, Settings, Sources};
use host::mailbox::Post;
use host::models::Models;
use host::tools::{ApiLimits, World, WorldSettings};
use host::trim::Limit;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

#[derive(Clone)]
pub struct Start {
    pub directory: PathBuf,
    pub environment: Vec<(OsString, OsString)>,
    pub places: Places,
    pub config: Config,
    pub settings: Settings,
}

impl Start {
    pub fn new(here: &Here) -> Result<Start, Fault> {
        Start::with_flags(here, Layer::default())
    }

    /// Resolves the configuration once, with what the command line says on top.
    pub fn with_flags(here: &Here, mut flags: Layer) -> Result<Start, Fault> {
        if let Some(model) = &here.model {
            flags.flag("--model", "model", model);
        }
        if let Some(dialect) = &here.dialect {
            flags.flag("--dialect", "dialect", dialect);
        }
        let directory = directory(here)?;
        let environment = environment();
        let places = Places::find(&environment);
        let sources = Sources {
            read: &config::read_file,
            places: &places,
            workspace: &directory,
            environment: &environment,
            flags,
        };
        let Loaded { config, settings, warnings, .. } =
            config::load(sources).map_err(|error| Fault::new(Exit::Usage, error.to_string()))?;
        warnings.iter().for_each(|warning| aside!("warning: {warning}"));
        Ok(Start { directory, environment, places, config, settings })
    }

    pub fn models(&self) -> Models {
        let memory = self.places.trusted.as_ref().map(|list| list.with_file_name("no-tools.txt"));
        Models::new(&self.config, |name| self.variable(name)).remembering(memory).with_mailbox(self.post())
    }

    /// Where a person who is the model finds and puts letters.
    pub fn post(&self) -> Post {
        Post::new(&self.config.mailbox, &self.directory, self.redactor())
    }

    /// Opens the workspace with all that the configuration says of it.
    pub fn world(&self) -> Result<World, Fault> {
        self.world_at(&self.directory)
    }

    /// Opens another folder in the same way.
    pub fn world_at(&self, directory: &Path) -> Result<World, Fault> {
        let Config { shell, api, .. } = &self.config;
        let settings = WorldSettings {
            variables: self.environment.clone(),
            rules: self.config.policy.clone(),
            timeout: shell.timeout,
            shown: Limit { lines: shell.output_lines, bytes: shell.output_bytes },
            secrets: self.redactor(),
            api: ApiLimits { lines: api.read_lines, items: api.list_items, matches: api.search_matches },
        };
        World::open(directory, settings).map_err(Fault::error)
    }

    pub fn variable(&self, name: &str) -> Option<String> {
        let (_, value) = self.environment.iter().find(|(own, _)| own == name)?;
        value.to_str().map(str::to_owned)
    }

    pub fn redactor(&self) -> Redactor {
        let (settings, environment) = (self.settings.clone(), self.environment.clone());
        // Secrets that cannot be searched for are too many or too large to be any; nothing is blotted out then.
        let gather = move || Secrets::gather(&settings, &environment).unwrap_or_default();
        Arc::new(LazyLock::new(Box::new(gather)))
    }
}

pub fn environment() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

/// The folder to work in, as it is really called.
pub fn directory(here: &Here) -> Result<PathBuf, Fault> {
    let given = here.directory.as_deref().unwrap_or(Path::new("."));
    let unusable = |why: &str| Fault::usage(format!("the directory {} {why}", given.display()));
    match given.canonicalize().and_then(|path| Ok((path.metadata()?.is_dir(), path))) {
        Ok((true, path)) => Ok(path),
        Ok((false, _)) => Err(unusable("is not a directory")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(unusable("does not exist")),
        Err(error) => Err(unusable(&format!("cannot be used: {error}"))),
    }
}
