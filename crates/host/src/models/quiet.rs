//! A model whose replies tell no secrets: a provider knows the key that it was asked with, and a model what it has read
//! elsewhere. Start from [`quiet`].
//!
//! Only words are changed, and only those that are recorded. Calls are left alone: what is written into a file or run must
//! be what the model wrote.

use crate::config::Redactor;
use crate::tools::World;
use agent::{Delta, Info, Model, Reply, Request};
use futures::stream::{BoxStream, StreamExt};
use std::sync::Arc;

/// The model without the secrets that the tools of this world do not tell either.
pub fn quiet(model: Arc<dyn Model>, world: &World) -> Arc<dyn Model> {
    Arc::new(Quiet { model, secrets: world.secrets.clone() })
}

struct Quiet {
    model: Arc<dyn Model>,
    secrets: Redactor,
}

impl Model for Quiet {
    fn info(&self) -> Info {
        self.model.info()
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Delta> {
        let secrets = self.secrets.clone();
        let quieted = move |delta| match delta {
            Delta::Finished(reply) => Delta::Finished(Box::new(quieted(*reply, &secrets))),
            other => other,
        };
        self.model.stream(request).map(quieted).boxed()
    }
}

fn quieted(reply: Reply, secrets: &Redactor) -> Reply {
    let clean = |text: &str| secrets.redact(text).into_owned();
    Reply { text: clean(&reply.text), reasoning: clean(&reply.reasoning), ..reply }
}
