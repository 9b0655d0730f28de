//! Puts the parts together: the store, the profiles with their tools, the models, the hub. Start at [`Wiring::new`].

mod bench;

use crate::arguments::Here;
use crate::exit::Fault;
use crate::sample;
use crate::start::{Start, directory};
use agent::memory::Memory;
use agent::session::Open;
use agent::{Hub, Id, Opened, Parts, Phase, Session, Store, Summary};
use bench::Bench;
use host::models::Models;
use host::solve::Workshop;
use host::state::State;
use host::store::Sqlite;
use host::tools::World;
use host::workspace::{Keep, Workspace};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// So much of an id must be named at least.
const SHORTEST: usize = 4;

pub struct Wiring {
    pub directory: PathBuf,
    pub store: Arc<Sqlite>,
    pub hub: Hub,
    pub world: World,
    pub model: String,
    bench: Arc<Bench>,
    outfit: agent::Outfit,
}

impl Wiring {
    /// The profiles as the configuration has them. A schema is what answers should satisfy.
    pub fn new(
        start: &Start,
        models: Models,
        schema: Option<Arc<serde_json::Value>>,
    ) -> Result<Wiring, Fault> {
        let model = models.default_model();
        let make = move |name: &str| sample::model(name).unwrap_or_else(|| models.make(name));
        Wiring::with_models(start, schema, model, Arc::new(make))
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
        let world = start.world()?;
        let bench = Arc::new(Bench::new(start.clone(), world.clone()));
        let outfit: agent::Outfit = Arc::new({
            let bench = bench.clone();
            move |opened, model| {
                let profile = bench.profile(&opened.profile, model);
                Parts {
                    model: bench.model(&profile, make(model)),
                    toolbox: bench.toolbox(&profile, model, Path::new(&opened.directory)),
                    profile,
                    schema: schema.clone(),
                }
            }
        });
        let hub = Hub::new(store.clone(), Arc::new(now), outfit.clone());
        Ok(Wiring { directory, store, hub, world, model, bench, outfit })
    }

    /// Makes hubs whose conversations nobody keeps: they are gone with it. All of them share one model, and so its
    /// connections.
    pub fn passing_hubs(&self, profile: &str) -> impl Fn() -> Hub + use<> {
        let parts = (self.outfit)(&self.opened(profile, &self.model), &self.model);
        let outfit: agent::Outfit = Arc::new(move |_, _| parts.clone());
        move || Hub::new(Arc::new(Memory::default()), Arc::new(now), outfit.clone())
    }

    /// How a conversation of a profile opens now.
    pub fn opened(&self, profile: &str, model: &str) -> Opened {
        self.opened_in(&self.directory, profile, model)
    }

    /// The same, in another folder.
    pub fn opened_in(&self, directory: &Path, profile: &str, model: &str) -> Opened {
        let profile = self.bench.profile(profile, model);
        Opened {
            instructions: host::instructions::render(&profile.name, directory, &today()),
            tools: self.bench.toolbox(&profile, model, directory).specs(),
            profile: profile.name,
            model: model.to_owned(),
            directory: directory.to_string_lossy().into_owned(),
            forked_from: None,
        }
    }

    /// Begins a conversation that opens exactly as given.
    pub async fn begin_as(&self, opened: Opened) -> Result<Session, Fault> {
        Ok(self.hub.open(Open::New { id: new_id(), opened }).await?)
    }

    /// A workshop for one run of the solve door, which becomes a conversation of its own.
    pub fn workshop(&self, opened: Opened) -> Workshop {
        Workshop::new(self.hub.clone(), new_id(), opened, &self.world)
    }

    pub async fn begin(&self, profile: &str) -> Result<Session, Fault> {
        self.begin_as(self.opened(profile, &self.model)).await
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

/// A name for a new conversation; newer ones sort later.
pub fn new_id() -> Id {
    Id::try_from(uuid::Uuid::now_v7().to_string()).expect("a UUID is hexadecimal digits and dashes")
}

/// The conversation that is meant, by its id or by the beginning of it if no other begins so.
pub async fn named(store: &Sqlite, text: &str) -> Result<Id, Fault> {
    let names = if text.len() >= SHORTEST { store.names().await? } else { Vec::new() };
    let mut meant = names.iter().filter(|name| name.starts_with(text));
    match (meant.next(), meant.next()) {
        (Some(name), None) => parse_id(name),
        (Some(first), Some(_)) if first != text => {
            Err(Fault::usage(format!("several conversations begin with {text}"))
                .hint("`cinque log list` shows them; name more of its id"))
        }
        _ => parse_id(text),
    }
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

/// A run that nobody drives any more was interrupted, whatever its last record says.
pub fn as_it_is(store: &Sqlite, mut summary: Summary) -> Summary {
    if summary.status == Phase::Busy && store.claim(&summary.conversation).is_ok_and(|claim| claim.is_some())
    {
        summary.status = Phase::Interrupted;
    }
    summary
}
