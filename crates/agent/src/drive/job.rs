//! One call of a tool, from its start to its outcome. Start at [`carry_out`].

use crate::event::{Call, Outcome, Status};
use crate::tool::{Cancel, Job, Progress, Toolbox, parse_arguments};
use futures::future::FutureExt;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

/// How long a tool that was told to end may take before it is dropped.
const GRACE: Duration = Duration::from_secs(5);

/// Runs one call to its outcome, whatever the tool does.
pub(super) async fn carry_out(
    toolbox: &Toolbox,
    call: &Call,
    digest: String,
    progress: Progress,
    cancel: Cancel,
) -> Outcome {
    let (tool, arguments) = match (toolbox.find(&call.name), parse_arguments(call)) {
        (Some(tool), Ok(arguments)) => (tool, arguments),
        (None, _) => return Outcome::failed(format!("Error: there is no tool named {:?}.", call.name)),
        (_, Err(text)) => return Outcome::failed(text),
    };
    if toolbox.assess(call).map(|now| now.digest) != Ok(digest) {
        return Outcome::failed("Error: what was ruled on is not what would run now; it was not run.");
    }
    let run = AssertUnwindSafe(tool.run(Job { arguments, progress, cancel: cancel.clone() })).catch_unwind();
    let overdue = async {
        cancel.cancelled().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        ran = run => ran.unwrap_or_else(|panic| Outcome::failed(format!("Error: the tool failed inside: {}", words(&*panic)))),
        () = overdue => Outcome::of(Status::Cancelled, "Error: cancelled; it did not end when told to."),
    }
}

fn words(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it panicked")
}
