//! A model that is spoken to in a dialect. Start at [`Spoken`].

#[cfg(test)]
mod tests;

use super::{Dialect, Enforcement, rewrite, understand};
use crate::schema::demand;
use agent::{Delta, Failure, FailureKind, Info, Model, Request};
use futures::stream::{self, BoxStream, StreamExt};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Any model, in any dialect: the request is rewritten on its way in, the finished reply read on its way out. What
/// streams in between passes as it comes.
pub struct Spoken {
    model: Arc<dyn Model>,
    dialect: Dialect,
    enforcement: Enforcement,
    /// The provider would not take a schema; from then on it is said in words.
    refuses: Arc<AtomicBool>,
}

impl Spoken {
    pub fn new(model: Arc<dyn Model>, dialect: Dialect, enforcement: Enforcement) -> Spoken {
        Spoken { model, dialect, enforcement, refuses: Arc::default() }
    }

    /// Asks, and asks once more in words where the provider does not take the schema: that request was never answered.
    fn ask(&self, request: Request) -> BoxStream<'static, Delta> {
        if request.schema.is_none() {
            return self.model.stream(request);
        }
        let plain = in_words(&request, self.dialect);
        if self.refuses.load(Ordering::Relaxed) {
            return self.model.stream(plain);
        }
        let (model, refuses) = (self.model.clone(), self.refuses.clone());
        let step = move |delta: Delta| match delta {
            Delta::Failed(failure) if refuses_schema(&failure) => {
                refuses.store(true, Ordering::Relaxed);
                model.stream(plain.clone())
            }
            other => stream::iter([other]).boxed(),
        };
        self.model.stream(request).flat_map(step).boxed()
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
        self.ask(rewrite(request, dialect, self.enforcement)).map(heard).boxed()
    }
}

/// The request without an enforced schema. The other dialects have said what to write already.
fn in_words(request: &Request, dialect: Dialect) -> Request {
    let mut plain = Request { schema: None, ..request.clone() };
    if let (Dialect::Native, Some(schema)) = (dialect, &request.schema) {
        plain.instructions = format!("{}\n\n{}", request.instructions.trim_end(), demand(schema)).into();
    }
    plain
}

/// Whether a provider refused a request for its schema. They say so only in words.
fn refuses_schema(failure: &Failure) -> bool {
    let words = failure.message.to_lowercase();
    let about =
        ["schema", "response_format", "output_config", "output_format", "structured output", "mime type"];
    failure.kind == FailureKind::Refused && about.iter().any(|word| words.contains(word))
}
