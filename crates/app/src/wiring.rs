//! Puts the parts together: settings from flags and environment, the store, the hub. Start at [`Wiring::new`].
//!
//! The only file that reads the environment, once; what it finds goes on as small structs.

use crate::arguments::Here;
use crate::exit::Fault;
use agent::session::Open;
use agent::{Approve, Hub, Id, Opened, Parts, Policy, Profile, Session, Store, Summary, Toolbox};
use host::models::Models;
use host::state::State;
use host::store::Sqlite;
use host::tools::World;
use host::workspace::{Keep, Workspace};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// What a run may differ in.
#[derive(Debug, Clone)]
pub struct Choice {
    pub approve: Approve,
    pub max_turns: u32,
    pub max_tokens: Option<u64>,
    pub max_cost: Option<f64>,
    pub schema: Option<Arc<serde_json::Value>>,
}

impl Choice {
    pub fn new(approve: Approve, max_turns: u32) -> Choice {
        Choice { approve, max_turns, max_tokens: None, max_cost: None, schema: None }
    }
}

pub struct Wiring {
    pub directory: PathBuf,
    pub store: Arc<Sqlite>,
    hub: Hub,
    profile: Profile,
    toolbox: Toolbox,
    model: String,
}

impl Wiring {
    pub fn new(here: &Here, choice: Choice) -> Result<Wiring, Fault> {
        let models = Arc::new(Models::from_environment(|name| std::env::var(name).ok()));
        let model = here.model.clone().unwrap_or_else(|| models.default_model());
        Wiring::with_models(here, choice, model, Arc::new(move |name: &str| models.make(name)))
    }

    /// Like `new`, with the models handed in.
    pub fn with_models(here: &Here, choice: Choice, model: String, make: MakeModel) -> Result<Wiring, Fault> {
        let directory = directory(here)?;
        let store = Arc::new(Sqlite::open(&State::prepare(&directory).map_err(Fault::error)?)?);
        let profile = Profile {
            max_turns: choice.max_turns,
            max_tokens: choice.max_tokens,
            max_cost: choice.max_cost,
            price: host::prices::price(&model),
            ..Profile::standard()
        };
        let policy =
            Policy { read: profile.read, write: profile.write, run: profile.run, approve: choice.approve };
        let world = World::open(&directory, std::env::vars_os()).map_err(Fault::error)?;
        let toolbox = Toolbox::new(host::tools::of(&profile.tools, &world), policy);
        let parts = (profile.clone(), toolbox.clone());
        let outfit: agent::Outfit = Arc::new(move |_, model| Parts {
            model: make(model),
            toolbox: parts.1.clone(),
            profile: parts.0.clone(),
            schema: choice.schema.clone(),
        });
        let hub = Hub::new(store.clone(), Arc::new(now), outfit);
        Ok(Wiring { directory, store, hub, profile, toolbox, model })
    }

    /// Begins a conversation that opens exactly as given.
    pub async fn begin_as(&self, opened: Opened) -> Result<Session, Fault> {
        let id = Id::try_from(uuid::Uuid::now_v7().to_string()).map_err(Fault::error)?;
        Ok(self.hub.open(Open::New { id, opened }).await?)
    }

    pub async fn begin(&self) -> Result<Session, Fault> {
        let opened = Opened {
            profile: self.profile.name.clone(),
            model: self.model.clone(),
            directory: self.directory.to_string_lossy().into_owned(),
            instructions: host::instructions::render(&self.directory, &today()),
            tools: self.toolbox.specs(),
            forked_from: None,
        };
        self.begin_as(opened).await
    }

    pub async fn resume(&self, id: Id) -> Result<Session, Fault> {
        Ok(self.hub.open(Open::Resume(id)).await?)
    }

    /// Drops what was kept for undo and of output for too long or too much of. That it cannot is no reason to fail.
    pub fn tidy_up(&self) {
        State::of(&self.directory).prune_output(SystemTime::now());
        let _ = Workspace::open(&self.directory)
            .and_then(|workspace| workspace.prune(&Keep::default(), SystemTime::now()));
    }

    /// The conversation that changed last.
    pub async fn newest(&self) -> Result<Id, Fault> {
        let newest = self.store.list().await?.into_iter().next();
        let Summary { conversation, .. } =
            newest.ok_or_else(|| Fault::usage("there is no conversation in this folder to go on with"))?;
        Ok(conversation)
    }
}

pub type MakeModel = Arc<dyn Fn(&str) -> Arc<dyn agent::Model> + Send + Sync>;

/// The folder to work in, as it is really called.
pub fn directory(here: &Here) -> Result<PathBuf, Fault> {
    let given = here.directory.as_deref().unwrap_or(Path::new("."));
    let unusable = |why: &str| Fault::usage(format!("the directory {} {why}", given.display()));
    match given.canonicalize() {
        Ok(path) if path.is_dir() => Ok(path),
        Ok(_) => Err(unusable("is not a directory")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(unusable("does not exist")),
        Err(error) => Err(unusable(&format!("cannot be used: {error}"))),
    }
}

/// Opens the store for looking at, without making one where there is none.
pub fn store_to_read(here: &Here) -> Result<Option<Sqlite>, Fault> {
    let directory = directory(here)?;
    if !State::of(&directory).database().exists() {
        return Ok(None);
    }
    Ok(Some(Sqlite::open(&State::prepare(&directory).map_err(Fault::error)?)?))
}

/// A runtime for one door: the doors wait for little, so one thread serves.
pub fn runtime() -> Result<tokio::runtime::Runtime, Fault> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Fault::error)
}

pub fn parse_id(text: &str) -> Result<Id, Fault> {
    Id::try_from(text.to_owned()).map_err(Fault::usage)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// The date in words that the model reads, in local time.
fn today() -> String {
    jiff::Zoned::now().strftime("%Y-%m-%d %H:%M %:z").to_string()
}
