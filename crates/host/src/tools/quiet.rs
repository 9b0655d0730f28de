//! A tool that tells no secrets: whatever its outcome says passes the redactor before the model or the log sees it.

use crate::config::Redactor;
use agent::event::{Outcome, Spec};
use agent::{Access, Job, Tool};
use futures::future::{BoxFuture, FutureExt};
use serde_json::Value;
use std::sync::Arc;

pub(super) struct Quiet {
    pub tool: Arc<dyn Tool>,
    pub secrets: Redactor,
}

impl Tool for Quiet {
    fn spec(&self) -> &Spec {
        self.tool.spec()
    }

    fn access(&self, arguments: &Value) -> Result<Access, String> {
        self.tool.access(arguments)
    }

    fn misused(&self, why: String) -> String {
        self.tool.misused(why)
    }

    fn shares(&self) -> bool {
        self.tool.shares()
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let (run, secrets) = (self.tool.run(job), self.secrets.clone());
        async move { quieted(run.await, &secrets) }.boxed()
    }

    fn outright(&self, arguments: &Value) -> Option<Outcome> {
        self.tool.outright(arguments).map(|outcome| quieted(outcome, &self.secrets))
    }
}

fn quieted(mut outcome: Outcome, secrets: &Redactor) -> Outcome {
    outcome.text = secrets.redact(&outcome.text).into_owned();
    outcome.detail.diff = outcome.detail.diff.map(|diff| secrets.redact(&diff).into_owned());
    outcome
}
