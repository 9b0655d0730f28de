//! Tools as the core sees them. Start at [`Tool`]; [`Toolbox`] is the set that one conversation has.
//!
//! A tool receives a [`Job`] and nothing else: no session, no log, no policy. What the model should learn of a failure
//! is an [`Outcome`], never an error beside it.

use crate::event::{Call, Outcome, Spec};
use crate::feed::Feed;
use crate::log::Hash;
use crate::policy::{Access, Policy, Ruling};
use futures::future::BoxFuture;
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::watch;

/// Something the model may call.
///
/// `access` must be quick, must change nothing and must tell the truth for exactly the arguments that `run` gets; an
/// `Err` is a message to the model about arguments that make no sense. `run` must end soon after its job is cancelled,
/// and dropping its future must leave nothing running.
pub trait Tool: Send + Sync {
    fn spec(&self) -> &Spec;
    fn access(&self, arguments: &Value) -> Result<Access, String>;
    fn run(&self, job: Job) -> BoxFuture<'static, Outcome>;
    /// What the model reads about arguments that `access` gave an `Err` for. A face with texts of its own words it itself.
    fn misused(&self, why: String) -> String {
        format!("Error: the arguments of {} cannot be used: {why}", self.spec().name)
    }
    /// Whether calls of this tool may run beside others that say the same.
    fn shares(&self) -> bool {
        false
    }
    /// The outcome of a call that touches nothing and says no more than its arguments do. It is recorded in one piece with
    /// its start, so that no crash comes between and leaves it unknown; `run` is not called then.
    fn outright(&self, _arguments: &Value) -> Option<Outcome> {
        None
    }
}

/// One call to carry out.
#[derive(Debug, Clone)]
pub struct Job {
    pub arguments: Value,
    /// Output as it comes, for people; it never reaches the model.
    pub progress: Progress,
    pub cancel: Cancel,
}

impl Job {
    /// A job that nobody watches or cancels.
    pub fn unwatched(arguments: Value) -> Job {
        Job { arguments, progress: Progress(None), cancel: Cancel::never() }
    }
}

/// Where a tool writes what it shows while it runs.
#[derive(Clone)]
pub struct Progress(pub(crate) Option<(Arc<Feed>, crate::event::CallId)>);

impl Progress {
    pub fn write(&self, text: &str) {
        if let Some((feed, call)) = &self.0 {
            feed.progress(call, text);
        }
    }
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Progress")
    }
}

/// Tells a tool to end. Cheap to clone; waiting on it is safe to drop.
#[derive(Debug, Clone)]
pub struct Cancel(Option<watch::Receiver<bool>>);

impl Cancel {
    pub fn never() -> Cancel {
        Cancel(None)
    }

    pub(crate) fn when(receiver: watch::Receiver<bool>) -> Cancel {
        Cancel(Some(receiver))
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.as_ref().is_some_and(|receiver| *receiver.borrow())
    }

    /// Returns once the call is to end.
    pub async fn cancelled(&self) {
        match self.0.clone() {
            None => std::future::pending().await,
            // An error means that whoever could cancel is gone, and that is a reason to end as well.
            Some(mut receiver) => {
                let _ = receiver.wait_for(|cancelled| *cancelled).await;
            }
        }
    }
}

/// The tools of one conversation, with the policy that rules over them.
#[derive(Clone)]
pub struct Toolbox {
    tools: Vec<Arc<dyn Tool>>,
    policy: Policy,
}

/// What is known of a call before it runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    pub ruling: Ruling,
    /// Whether only a person may agree.
    pub personal: bool,
    /// Binds a person's approval to exactly this call.
    pub digest: String,
}

impl Toolbox {
    pub fn new(tools: Vec<Arc<dyn Tool>>, policy: Policy) -> Toolbox {
        Toolbox { tools, policy }
    }

    pub fn specs(&self) -> Vec<Spec> {
        self.tools.iter().map(|tool| tool.spec().clone()).collect()
    }

    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name == name)
    }

    pub(crate) fn shares(&self, call: &Call) -> bool {
        self.find(&call.name).is_some_and(|tool| tool.shares())
    }

    pub(crate) fn outright(&self, call: &Call) -> Option<Outcome> {
        self.find(&call.name)?.outright(&parse_arguments(call).ok()?)
    }

    /// What the policy says of a call; an `Err` is what to tell the model about a call that cannot be made.
    pub fn assess(&self, call: &Call) -> Result<Assessment, String> {
        let tool = self.find(&call.name).ok_or_else(|| self.unknown(&call.name))?;
        let arguments = parse_arguments(call)?;
        let access = tool.access(&arguments).map_err(|why| tool.misused(why))?;
        let ruling = self.policy.rule(&access);
        Ok(Assessment { ruling, personal: access.personal, digest: digest(call, &access) })
    }

    fn unknown(&self, name: &str) -> String {
        let names: Vec<&str> = self.tools.iter().map(|tool| tool.spec().name.as_str()).collect();
        let name: String = name.chars().take(80).collect();
        format!("Error: there is no tool named {name:?}. The tools are: {}.", names.join(", "))
    }
}

/// The arguments of a call as an object. Models write nothing at all where a tool needs no arguments.
pub(crate) fn parse_arguments(call: &Call) -> Result<Value, String> {
    let text = call.arguments.trim();
    if text.is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(format!("Error: the arguments of {} must be a JSON object.", call.name)),
        Err(error) => Err(format!("Error: the arguments of {} are not valid JSON: {error}.", call.name)),
    }
}

fn digest(call: &Call, access: &Access) -> String {
    let bound = serde_json::json!([call.name, call.arguments, access.binds]);
    Hash::of(bound.to_string().as_bytes()).to_string()
}
