//! What came of a command, as the outbox says it. Start at [`Told`].
//!
//! The tools of the mailbox's profile write their outcomes in this form. What the core says itself of a call (declined,
//! refused, interrupted), and what the tools of other profiles say, is put into it by [`told`].

use agent::Call;
use serde_json::Value;

const OUTPUT: &str = "\n  Output: ";
const ERROR: &str = "Error: ";
/// The core's words for a call that a person declined; what they said about it follows on the next line.
const DECLINED: &str = "User declined permission to execute this function.";

/// The result of one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub ok: bool,
    /// The command's name as it is written in a tag.
    pub kind: String,
    pub summary: String,
    pub output: Option<String>,
}

impl Told {
    pub fn render(&self) -> String {
        let Told { ok, kind, summary, output } = self;
        let mark = if *ok { "OK" } else { "FAILED" };
        let output = output.as_ref().map(|output| format!("{OUTPUT}{output}")).unwrap_or_default();
        format!("[{mark}] {kind}: {summary}{output}")
    }
}

/// What a call came to, from the text that its outcome has.
pub fn told(call: &Call, text: &str) -> Told {
    let kind = call.name.to_uppercase();
    let marked = |mark: &str| text.strip_prefix(&format!("[{mark}] {kind}: "));
    match (marked("OK"), marked("FAILED")) {
        (Some(rest), _) => own(call, true, kind, rest),
        (_, Some(rest)) => own(call, false, kind, rest),
        _ => foreign(call, kind, text),
    }
}

fn own(call: &Call, ok: bool, kind: String, rest: &str) -> Told {
    // Only a command has output, and its own text may look like any: it is looked for behind it.
    let command = argument(call, "command").map(|command| command.len());
    let found = command.and_then(|skip| Some(skip + rest.get(skip..)?.find(OUTPUT)?));
    let (summary, output) = match found {
        Some(at) => (&rest[..at], Some(rest[at + OUTPUT.len()..].to_owned())),
        None => (rest, None),
    };
    Told { ok, kind, summary: summary.to_owned(), output }
}

fn foreign(call: &Call, kind: String, text: &str) -> Told {
    let failed = |summary: String| Told { ok: false, kind: kind.clone(), summary, output: None };
    if let Some(error) = text.strip_prefix(ERROR) {
        let Some(words) = error.strip_prefix(DECLINED) else { return failed(error.to_owned()) };
        let what = match (argument(call, "command"), argument(call, "path")) {
            (Some(command), _) => format!("Command not approved: {command}"),
            (None, Some(path)) => format!("Call not approved: '{path}'"),
            (None, None) => "Call not approved".to_owned(),
        };
        let why = words.strip_prefix('\n').map(|words| format!(" ({words})")).unwrap_or_default();
        return failed(format!("{what}{why}"));
    }
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let ok = first.strip_prefix("exit code ").is_none_or(|code| code == "0");
    let output = Some(rest.trim_end_matches('\n')).filter(|rest| !rest.is_empty()).map(str::to_owned);
    Told { ok, kind, summary: first.to_owned(), output }
}

/// An argument of a call that has it, as it is written.
fn argument(call: &Call, name: &str) -> Option<String> {
    let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
    arguments.get(name)?.as_str().map(str::to_owned)
}
