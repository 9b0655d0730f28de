//! What a run works with. Start at [`Workshop`].

use super::run::Run;
use super::snapshot::{Most, SnapshotError};
use super::{Brief, Halt, Snapshot, SolveError, Solved, Step, Task, memory, refusal};
use crate::dialect::json::{Gate, Planner};
use crate::tools::{self, World, WorldError, WorldSettings};
use crate::{instructions, profiles};
use agent::memory::Memory as MemoryStore;
use agent::session::Open;
use agent::{Approve, Hub, Id, Model, Opened, Parts, Policy, Profile, Toolbox};
use futures::future::BoxFuture;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// A folder with its planner, ready for one run.
pub struct Workshop {
    hub: Hub,
    id: Id,
    opened: Opened,
    world: World,
    gate: Gate,
    folder: PathBuf,
    before: Option<Snapshot>,
}

impl Workshop {
    /// A workshop whose log nobody keeps.
    pub fn open(
        directory: &Path,
        model: Arc<dyn Model>,
        settings: WorldSettings,
    ) -> Result<Workshop, WorldError> {
        let world = World::open(directory, settings)?;
        let profile = profiles::find(profiles::SOLVE).unwrap_or_else(Profile::standard);
        let policy =
            Policy { read: profile.read, write: profile.write, run: profile.run, approve: Approve::Never };
        let toolbox = Toolbox::new(tools::of(&profile, &world), policy);
        let folder = world.workspace.root().to_owned();
        let opened = Opened {
            instructions: instructions::render(&profile.name, &folder, ""),
            tools: toolbox.specs(),
            profile: profile.name.clone(),
            model: model.info().name,
            directory: folder.to_string_lossy().into_owned(),
            forked_from: None,
        };
        let parts = Parts { model: planner(model, &world), toolbox, profile, schema: None };
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
        let hub =
            Hub::new(Arc::new(MemoryStore::default()), Arc::new(now), Arc::new(move |_, _| parts.clone()));
        let id = Id::try_from("solve".to_owned()).map_err(std::io::Error::other)?;
        Ok(Workshop::new(hub, id, opened, &world))
    }

    /// A workshop whose run becomes the conversation `id` of a hub that knows the solve profile.
    pub fn new(hub: Hub, id: Id, opened: Opened, world: &World) -> Workshop {
        let folder = world.workspace.root().to_owned();
        Workshop { hub, id, opened, gate: world.gate(), world: world.clone(), folder, before: None }
    }

    /// Compares with this snapshot of the folder afterwards, instead of with one of its own.
    pub fn comparing(self, before: Snapshot) -> Workshop {
        Workshop { before: Some(before), ..self }
    }

    /// What changed in the folder since the given snapshot, as a patch.
    pub fn patch(&self) -> Option<Result<String, SnapshotError>> {
        self.before.as_ref().map(Snapshot::patch)
    }

    /// The conversation that the run becomes.
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// Runs a task to its end. `halt` ends it early, in good order.
    pub async fn solve(
        &self,
        task: &Task,
        watch: &mut (dyn FnMut(Step<'_>) + Send),
        halt: BoxFuture<'_, Halt>,
    ) -> Result<Solved, SolveError> {
        if let Some(refused) = refusal(task, &self.gate) {
            return Ok(refused);
        }
        let earlier = match task.fresh {
            true => memory::Memory::default(),
            false => memory::load(&self.folder, &task.description),
        };
        let brief =
            Brief { task: task.clone(), directory: self.opened.directory.clone(), memory: earlier.shown() };
        self.play(&brief, watch, halt).await
    }

    /// Runs what a run was given once, or is given now.
    pub async fn play(
        &self,
        brief: &Brief,
        watch: &mut (dyn FnMut(Step<'_>) + Send),
        halt: BoxFuture<'_, Halt>,
    ) -> Result<Solved, SolveError> {
        let mut opened = self.opened.clone();
        if brief.task.dry_run {
            opened.tools.clear();
        }
        let instructions = opened.instructions.clone();
        let own = match self.before {
            None if !brief.task.dry_run => Snapshot::take(&self.world.workspace, Most::USUAL).ok(),
            _ => None,
        };
        let session = self.hub.open(Open::New { id: self.id.clone(), opened }).await?;
        let run = Run::new(session, brief, &instructions, &self.gate, &self.folder, watch, halt);
        let before = self.before.as_ref().or(own.as_ref());
        let changed = || before.and_then(|before| before.changed_files(&self.world.secrets).ok());
        run.finish(&changed).await
    }
}

/// A model as the solve profile asks it.
pub fn planner(model: Arc<dyn Model>, world: &World) -> Arc<dyn Model> {
    Arc::new(Planner::new(model, world.gate()))
}
