//! A model that plans: it is asked for the planner's object and its actions become calls. Start at [`Planner`].
//!
//! Nothing native is offered to it. A reply that is no plan, or not one that may run, has no calls at all: whoever asked
//! finds out with [`decide`] what was wrong with it, from the same words and so with the same result.

use super::{Action, Plan, PlanError, read, schema, validate};
use agent::{Call, CallId, Delta, Finish, Info, Model, Reply, Request};
use futures::stream::{BoxStream, StreamExt};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Says whether a command is rejected, whatever the sandbox would hold.
pub type Gate = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Why nothing of a reply may run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    #[error("{0}")]
    NotJson(String),
    /// It is JSON and no valid plan, in the contract's words.
    #[error("{0}")]
    Invalid(String),
}

pub struct Planner {
    model: Arc<dyn Model>,
    gate: Gate,
    schema: Arc<Value>,
}

impl Planner {
    pub fn new(model: Arc<dyn Model>, gate: Gate) -> Planner {
        Planner { model, gate, schema: Arc::new(schema()) }
    }
}

impl Model for Planner {
    fn info(&self) -> Info {
        self.model.info()
    }

    /// Where a conversation has no tools, its plans are not acted on.
    fn stream(&self, request: Request) -> BoxStream<'static, Delta> {
        let (gate, acts) = (self.gate.clone(), !request.tools.is_empty());
        let request = Request { tools: Arc::default(), schema: Some(self.schema.clone()), ..request };
        let heard = move |delta| match delta {
            Delta::Finished(reply) => Delta::Finished(Box::new(planned(*reply, &gate, acts))),
            other => other,
        };
        self.model.stream(request).map(heard).boxed()
    }
}

/// The plan of a reply, if all of it may run.
pub fn decide(reply: &str, gate: &Gate) -> Result<Plan, Unusable> {
    let plan = read(reply).map_err(|error| match error {
        PlanError::Json(fault) => Unusable::NotJson(fault.to_string()),
        other => Unusable::Invalid(other.to_string()),
    })?;
    validate(&plan, &**gate).map_err(Unusable::Invalid)?;
    Ok(plan)
}

/// The words stay as the model wrote them. Calls that it made in another way are not made: none were offered.
fn planned(reply: Reply, gate: &Gate, acts: bool) -> Reply {
    let plan = decide(&reply.text, gate).ok().filter(|_| acts);
    let calls: Vec<Call> = plan.iter().flat_map(|plan| &plan.actions).map(call).collect();
    let finish = match reply.finish {
        Finish::Stop | Finish::Calls if calls.is_empty() => Finish::Stop,
        Finish::Stop | Finish::Calls => Finish::Calls,
        other => other,
    };
    Reply { calls, finish, ..reply }
}

fn call(action: &Action) -> Call {
    let Action { tool, path, diff, command } = action;
    let given = [("path", path), ("diff", diff), ("command", command)];
    let given = given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?.into())));
    let arguments = Value::Object(given.collect::<Map<String, Value>>()).to_string();
    Call { id: CallId(String::new()), name: tool.clone(), arguments }
}
