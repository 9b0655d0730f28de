//! A model that is spoken to in a dialect. Start at [`Spoken`].

#[cfg(test)]
mod tests;

use super::{Dialect, Enforcement, rewrite, understand};
use agent::{Delta, Info, Model, Request};
use futures::stream::{BoxStream, StreamExt};
use std::sync::Arc;

/// Any model, in any dialect: the request is rewritten on its way in, the finished reply read on its way out. What
/// streams in between passes as it comes.
pub struct Spoken {
    model: Arc<dyn Model>,
    dialect: Dialect,
    enforcement: Enforcement,
}

impl Spoken {
    pub fn new(model: Arc<dyn Model>, dialect: Dialect, enforcement: Enforcement) -> Spoken {
        Spoken { model, dialect, enforcement }
    }
}

impl Model for Spoken {
    fn info(&self) -> Info {
        self.model.info()
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Delta> {
        let (dialect, tools) = (self.dialect, request.tools.clone());
        let heard = move |delta| match delta {
            Delta::Finished(reply) => Delta::Finished(Box::new(understand(dialect, *reply, &tools))),
            other => other,
        };
        self.model.stream(rewrite(request, dialect, self.enforcement)).map(heard).boxed()
    }
}
