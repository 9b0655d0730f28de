//! A tool over file operations that is nothing but its name, its words and two functions. Start at [`Face`].

use super::{World, aside};
use agent::event::{Outcome, Spec};
use agent::{Access, Job, Tool};
use futures::future::{BoxFuture, FutureExt};
use serde_json::Value;
use std::sync::Arc;

pub(super) struct Face {
    spec: Spec,
    world: World,
    look: Look,
    act: Act,
    shares: bool,
    /// How a misuse is told, where not in the usual words.
    words: Option<fn(String) -> String>,
}

/// What a call would touch.
type Look = fn(&World, &Value) -> Result<Access, String>;
/// Carries a call out, on a thread that may wait.
type Act = fn(&World, &Job) -> Outcome;

impl Face {
    pub(super) fn new(world: &World, spec: Spec, look: Look, act: Act) -> Face {
        Face { spec, world: world.clone(), look, act, shares: false, words: None }
    }

    /// Lets its calls run beside others.
    pub(super) fn shared(self) -> Face {
        Face { shares: true, ..self }
    }

    pub(super) fn worded(self, words: fn(String) -> String) -> Face {
        Face { words: Some(words), ..self }
    }

    pub(super) fn boxed(self) -> Arc<dyn Tool> {
        Arc::new(self)
    }
}

impl Tool for Face {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn access(&self, arguments: &Value) -> Result<Access, String> {
        (self.look)(&self.world, arguments)
    }

    fn misused(&self, why: String) -> String {
        match self.words {
            Some(words) => words(why),
            None => format!("Error: the arguments of {} cannot be used: {why}", self.spec.name),
        }
    }

    fn shares(&self) -> bool {
        self.shares
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let (world, act) = (self.world.clone(), self.act);
        aside(move || act(&world, &job)).boxed()
    }
}
