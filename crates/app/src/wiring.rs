//! Puts the parts together: the store, the tools, the models, the hub. Start at [`Wiring::new`].

use crate::arguments::Here;
use crate::exit::Fault;
use crate::start::{Start, directory};
use agent::session::Open;
use agent::{Hub, Id, Opened, Parts, Policy, Profile, Session, Store, Summary, Toolbox};
use host::config::Dialect;
use host::dialect::Misread;
use host::models::Models;
use host::state::State;
use host::store::Sqlite;
use host::workspace::{Keep, Workspace};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

pub struct Wiring {
    pub directory: PathBuf,
    pub store: Arc<Sqlite>,
    hub: Hub,
    profile: Profile,
    toolbox: Toolbox,
    model: String,
}

impl Wiring {
    /// The standard profile as the configuration has it. A schema is what answers should satisfy.
    pub fn new(
        start: &Start,
        models: Models,
        schema: Option<Arc<serde_json::Value>>,
    ) -> Result<Wiring, Fault> {
        let model = models.default_model();
        Wiring::with_models(start, schema, model, Arc::new(move |name: &str| models.make(name)))
    }

    /// Like `new`, with the models handed in.
    pub fn with_models(
        start: &Start,
        schema: Option<Arc<serde_json::Value>>,
        model: String,
        make: MakeModel,
    ) -> Result<Wiring, Fault> {
        let directory = start.directory.clone();
        let store = Arc::new(Sqlite::open(&State::prepare(&directory).map_err(Fault::error)?)?);
        let config = &start.config;
        let profile = Profile {
            max_turns: config.max_turns,
            context: config.context,
            max_tokens: config.max_tokens_total,
            max_cost: config.max_cost,
            price: start.price(&model),
            ..Profile::standard()
        };
        let Profile { read, write, run, .. } = profile;
        let policy = Policy { read, write, run, approve: config.approve };
        let mut tools = host::tools::of(&profile.tools, &start.world()?);
        // Where calls are spoken as text, what could not be read is told to the model by a tool of its own.
        if matches!(config.dialect, Dialect::Json | Dialect::Text) {
            tools.push(Arc::new(Misread::default()));
        }
        let toolbox = Toolbox::new(tools, policy);
        let parts = (profile.clone(), toolbox.clone());
        let outfit: agent::Outfit = Arc::new(move |_, model| Parts {
            model: make(model),
            toolbox: parts.1.clone(),
            profile: parts.0.clone(),
            schema: schema.clone(),
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

    /// The conversations, the one that changed last first.
    pub async fn list(&self) -> Result<Vec<Summary>, Fault> {
        Ok(self.store.list().await?)
    }

    /// The conversation that changed last.
    pub async fn newest(&self) -> Result<Id, Fault> {
        let newest = self.list().await?.into_iter().next();
        let Summary { conversation, .. } =
            newest.ok_or_else(|| Fault::usage("there is no conversation in this folder to go on with"))?;
        Ok(conversation)
    }
}

pub type MakeModel = Arc<dyn Fn(&str) -> Arc<dyn agent::Model> + Send + Sync>;

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
