//! Where each profile gets its bounds, its tools and its model. Start at [`Bench`].

use crate::sample;
use crate::start::Start;
use agent::{Approve, Policy, Profile, Stance, Toolbox};
use host::config::{Config, Dialect};
use host::dialect::{MISREAD, Misread};
use host::models::quiet;
use host::profiles::{self, MAILBOX_MODEL};
use host::tools::World;
use std::path::Path;
use std::sync::Arc;

pub struct Bench {
    start: Start,
    world: World,
}

impl Bench {
    pub fn new(start: Start, world: World) -> Bench {
        Bench { start, world }
    }

    /// A profile with the bounds of the configuration. A conversation whose profile is not known here (any more) goes
    /// on with the standard one.
    pub fn profile(&self, name: &str, model: &str) -> Profile {
        let config = &self.start.config;
        let own = profiles::find(name).unwrap_or_else(Profile::standard);
        let read_only = own.name == "api" && config.api.read_only;
        // A person who carries every letter is the bound themselves, and the chat remembers what was said.
        let (max_turns, context) = match model {
            MAILBOX_MODEL => (u32::MAX, usize::MAX),
            _ => (config.max_turns, config.context(model)),
        };
        Profile {
            write: if read_only { Stance::Forbid } else { own.write },
            max_turns,
            context,
            max_tokens: config.max_tokens_total,
            max_cost: config.max_cost,
            price: config.price(model),
            ..own
        }
    }

    /// A model as a profile asks it.
    pub fn model(&self, profile: &Profile, model: Arc<dyn agent::Model>) -> Arc<dyn agent::Model> {
        let model = quiet(model, &self.world);
        match profile.name.as_str() {
            profiles::SOLVE => host::solve::planner(model, &self.world),
            _ => model,
        }
    }

    /// The tools of a profile over the folder that a conversation was opened in.
    pub fn toolbox(&self, profile: &Profile, model: &str, directory: &Path) -> Toolbox {
        let Profile { read, write, run, .. } = *profile;
        let config = &self.start.config;
        let solves = profile.name == profiles::SOLVE;
        // The planner's loop has nobody to ask.
        let approve = match config.approve {
            Approve::Ask if solves => Approve::Never,
            approve => approve,
        };
        let mut tools =
            self.world_of(profile, directory).map_or(Vec::new(), |world| host::tools::of(profile, &world));
        // Where calls are spoken as text, what could not be read is told to the model by a tool of its own.
        let as_text = matches!(config.dialect, Dialect::Json | Dialect::Text) || model == MAILBOX_MODEL;
        if as_text && !solves && !profile.tools.iter().any(|name| name == MISREAD) {
            tools.push(Arc::new(Misread::default()));
        }
        Toolbox::new(tools, Policy { read, write, run, approve })
    }

    /// Only the demo's copies are another folder than this one: a log may come from anywhere, and must not lead the tools
    /// elsewhere. A copy that is no more has nothing left to work on.
    fn world_of(&self, profile: &Profile, directory: &Path) -> Option<World> {
        let world = match sample::is_copy(directory) {
            false => self.world.clone(),
            true => self.start.world_at(directory).ok()?,
        };
        let Config { mailbox, solve, .. } = &self.start.config;
        Some(match profile.name.as_str() {
            profiles::MAILBOX => {
                world.with_timeout(mailbox.command_timeout).with_characters(mailbox.output_limit)
            }
            profiles::SOLVE => world.with_timeout(solve.command_timeout),
            _ => world,
        })
    }
}
