//! What a model is told about a reply that could not be read. Start at [`Misread`].
//!
//! A dialect's reader turns such a reply into a call of this tool, so that the log has it, the model is told in the same
//! place as everything else, and nothing of it runs. It belongs into the toolbox of every conversation that is not
//! native; it is never shown to the model.

use agent::{Access, Call, CallId, Job, Outcome, Reach, Spec, Tool};
use futures::future::{BoxFuture, FutureExt, ready};
use serde_json::{Value, json};

/// The tool's name.
pub const MISREAD: &str = "parse_error";

#[derive(Debug)]
pub struct Misread {
    spec: Spec,
}

impl Default for Misread {
    fn default() -> Misread {
        let spec = Spec {
            name: MISREAD.to_owned(),
            description: "Says what could not be read of a reply. Not for calling.".to_owned(),
            parameters: json!({ "type": "object", "properties": { "text": { "type": "string" } } }),
        };
        Misread { spec }
    }
}

impl Tool for Misread {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn access(&self, _arguments: &Value) -> Result<Access, String> {
        Ok(Access::new(Reach::Nothing))
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let text = job.arguments.get("text").and_then(Value::as_str).unwrap_or("no reason is known");
        let told = format!("Error: this could not be read, so nothing of it was run: {text}");
        ready(Outcome::failed(told)).boxed()
    }

    fn shares(&self) -> bool {
        true
    }
}

pub(crate) fn misread(text: String) -> Call {
    Call {
        id: CallId(String::new()),
        name: MISREAD.to_owned(),
        arguments: json!({ "text": text }).to_string(),
    }
}
