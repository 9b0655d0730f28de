//! The dialect `auto`: the provider's own way of calling tools, and JSON for a model that turns out to have none.
//! Start at [`Auto`].
//!
//! Nothing is asked for a trial: the first request is the trial. What was found out is remembered in a file, so that it
//! happens once for each model.

use super::{Dialect, Enforcement, Spoken};
use agent::{Delta, Failure, FailureKind, Info, Model, Request};
use futures::stream::{self, BoxStream, StreamExt};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub struct Auto {
    native: Spoken,
    json: Arc<Spoken>,
    memory: Arc<Memory>,
}

/// What is known of one model.
struct Memory {
    name: String,
    /// Names of models that cannot call tools, one a line; without it nothing outlives the process.
    file: Option<PathBuf>,
    has_no_tools: AtomicBool,
}

impl Auto {
    pub fn new(model: Arc<dyn Model>, enforcement: Enforcement, file: Option<PathBuf>) -> Auto {
        let name = model.info().name;
        let known = file.as_ref().and_then(|file| fs::read_to_string(file).ok());
        let has_no_tools = known.is_some_and(|known| known.lines().any(|line| line == name));
        Auto {
            native: Spoken::new(model.clone(), Dialect::Native, enforcement),
            json: Arc::new(Spoken::new(model, Dialect::Json, enforcement)),
            memory: Arc::new(Memory { name, file, has_no_tools: AtomicBool::new(has_no_tools) }),
        }
    }
}

impl Model for Auto {
    fn info(&self) -> Info {
        self.native.info()
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Delta> {
        if self.memory.has_no_tools.load(Ordering::Relaxed) {
            return self.json.stream(request);
        }
        let (json, memory) = (self.json.clone(), self.memory.clone());
        let again = request.clone();
        let step = move |delta: Delta| match delta {
            Delta::Failed(failure) if lacks_tools(&failure) && !again.tools.is_empty() => {
                memory.remember();
                json.stream(again.clone())
            }
            other => stream::iter([other]).boxed(),
        };
        self.native.stream(request).flat_map(step).boxed()
    }
}

impl Memory {
    /// That it cannot be written down costs one more trial next time.
    fn remember(&self) {
        self.has_no_tools.store(true, Ordering::Relaxed);
        let Some(file) = &self.file else { return };
        let _ = file.parent().map(fs::create_dir_all);
        let opened = fs::File::options().create(true).append(true).open(file);
        let _ = opened.and_then(|mut file| writeln!(file, "{}", self.name));
    }
}

/// Whether a provider refused a request because its model cannot call tools. They say so only in words.
fn lacks_tools(failure: &Failure) -> bool {
    let words = failure.message.to_lowercase();
    let about = ["tool", "function call"].iter().any(|word| words.contains(word));
    let denied = ["not support", "unsupported", "not available", "no endpoints found"];
    failure.kind != FailureKind::Auth && about && denied.iter().any(|word| words.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_refusal_of_tools_counts() {
        for (kind, message, expected) in [
            (FailureKind::Refused, "registry/tiny does not support tools", true),
            (FailureKind::NotFound, "No endpoints found that support tool use", true),
            (FailureKind::Refused, "function calling is not supported by this model", true),
            (FailureKind::Refused, "this model does not support images", false),
            (FailureKind::Auth, "this key does not support tools", false),
            (FailureKind::Overloaded, "try again", false),
        ] {
            assert_eq!(lacks_tools(&Failure::new(kind, message)), expected, "{message}");
        }
    }
}
