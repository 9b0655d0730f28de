//! A run for people: progress on stderr, the answer alone on stdout. Start at [`Text`].

use super::cache::Cache;
use super::live::{Live, Shown};
use super::{Ending, Show, console};
use crate::aside;
use crate::exit::{Exit, Fault, print_if_read};
use crate::paint::{Paint, visible};
use agent::event::{Call, CallId, Event, Outcome, Status, Usage};
use agent::{Session, Update, View};

/// Lines of a command's output that are shown; the rest is counted.
const LINES: usize = 10;

pub struct Text {
    paint: Paint,
    /// The calls of the last reply, to say what an outcome belongs to.
    calls: Vec<Call>,
    /// The call whose heading was printed last.
    heading: Option<CallId>,
    cache: Cache,
    live: Live,
}

impl Text {
    pub fn new() -> Text {
        Text {
            paint: Paint::for_stderr(),
            calls: Vec::new(),
            heading: None,
            cache: Cache::default(),
            live: Live::new(),
        }
    }

    fn record(&mut self, event: &Event, view: &View) {
        if let Some(note) = self.cache.note(event) {
            aside!("{}", self.paint.dim(&note));
        }
        match event {
            // For whoever watches; in a file it says nothing.
            Event::Asked { .. } if view.turns == 1 && self.live.is_on() => {
                aside!("{}", self.paint.dim("thinking…"));
            }
            Event::Replied(reply) => {
                self.calls.clone_from(&reply.calls);
                let shown = self.live.replied(&reply.text);
                if !shown && !reply.calls.is_empty() && !reply.text.trim().is_empty() {
                    aside!("{}", visible(reply.text.trim()));
                }
            }
            Event::Started { call } => self.head(call),
            Event::Ran { call, outcome } => {
                self.head(call);
                match self.live.ran() {
                    Shown::Nothing => self.outcome(call, outcome),
                    Shown::Output => self.ending(outcome),
                }
            }
            Event::Compacted(compacted) => {
                let how = if compacted.summary.is_some() { "summed up" } else { "left out in part" };
                let words = format!("the conversation grew too long: its beginning was {how}");
                aside!("{}", self.paint.dim(&words));
            }
            _ => {}
        }
    }

    /// Says which call the next lines are about, unless the last heading did.
    fn head(&mut self, id: &CallId) {
        if self.heading.as_ref() != Some(id)
            && let Some(call) = self.calls.iter().find(|known| known.id == *id)
        {
            aside!("{}", self.paint.bold(&headline(call)));
            self.heading = Some(id.clone());
        }
    }

    /// How a command ended whose output was shown as it came.
    fn ending(&self, outcome: &Outcome) {
        let head = format!("  {}", visible(outcome.text.lines().next().unwrap_or_default()));
        let failed = outcome.status != Status::Done;
        aside!("{}", if failed { self.paint.red(&head) } else { self.paint.dim(&head) });
        self.whole(outcome);
    }

    fn whole(&self, outcome: &Outcome) {
        if let Some(whole) = &outcome.detail.whole {
            aside!("{}", self.paint.dim(&format!("  all of it: {}", visible(whole))));
        }
    }

    fn outcome(&self, id: &CallId, outcome: &Outcome) {
        if let Some(diff) = &outcome.detail.diff {
            aside!("{}", self.paint.diff(&visible(diff)));
            return;
        }
        let name = self.calls.iter().find(|call| call.id == *id).map_or("", |call| call.name.as_str());
        if outcome.status == Status::Done && name != "shell" {
            return;
        }
        let text = visible(outcome.text.trim_end());
        let lines: Vec<&str> = text.lines().collect();
        for line in lines.iter().take(LINES) {
            let line = format!("  {line}");
            let failed = outcome.status != Status::Done;
            aside!("{}", if failed { self.paint.red(&line) } else { self.paint.dim(&line) });
        }
        if lines.len() > LINES {
            aside!("{}", self.paint.dim(&format!("  … {} more lines", lines.len() - LINES)));
        }
        self.whole(outcome);
    }
}

impl Show for Text {
    fn begin(&mut self, session: &Session) {
        aside!("{}", self.paint.dim(&format!("conversation {}", session.id())));
    }

    fn recall(&mut self, update: &Update) {
        if let Update::Record(record) = update
            && let Event::Replied(reply) = &record.event
        {
            self.calls.clone_from(&reply.calls);
        }
    }

    fn update(&mut self, update: &Update, view: &View) {
        match update {
            Update::Record(record) => self.record(&record.event, view),
            Update::Retrying { after_millis, failure } => {
                self.live.forget();
                let pause = *after_millis as f64 / 1000.0;
                let message = visible(&failure.message);
                aside!("{} {message}; trying again in {pause} s", self.paint.red("model:"));
            }
            Update::Text { offset, text } => self.live.text(*offset, text),
            Update::Progress { call, text, .. } if self.live.is_on() => {
                self.head(call);
                self.live.output(text);
            }
            // What a wire without a network has to say is for the person: where its letter lies.
            Update::Reasoning { text, .. } if view.model == host::profiles::MAILBOX_MODEL => {
                aside::write(text)
            }
            Update::Reasoning { .. } | Update::Progress { .. } => {}
            Update::Rested | Update::Broken(_) => {}
        }
    }

    fn end(&mut self, ending: &Ending<'_>) -> Result<(), Fault> {
        let Ending { exit, answer, usage, cost, notes, .. } = ending;
        let unsaid = matches!(exit, Exit::Done | Exit::Check) && !self.live.has_shown(answer);
        let told = if unsaid { print_if_read(answer.trim_end()) } else { Ok(()) };
        for note in *notes {
            aside!("{}", self.paint.red(&visible(note)));
        }
        aside!("{}", self.paint.dim(&spent(usage, *cost)));
        told
    }
}

/// What the run used, and what it cost where that is known.
fn spent(usage: &Usage, cost: Option<f64>) -> String {
    let Usage { input, output, cached, .. } = usage;
    let cached = if *cached > 0 { format!(" ({cached} cached)") } else { String::new() };
    let cost = cost.map(|cost| format!(", ${cost:.4}"));
    format!("tokens: {input} in{cached}, {output} out{}", cost.unwrap_or_default())
}

fn headline(call: &Call) -> String {
    let arguments = serde_json::from_str::<serde_json::Value>(&call.arguments).unwrap_or_default();
    let text = |name: &str| arguments.get(name).and_then(serde_json::Value::as_str).map(str::to_owned);
    let listed = arguments.get("commands").and_then(serde_json::Value::as_array).map(|commands| {
        commands.iter().filter_map(serde_json::Value::as_str).collect::<Vec<_>>().join(" ; ")
    });
    match (call.name.as_str(), text("command").or(listed), text("path")) {
        ("shell", Some(command), _) => format!("$ {}", visible(&command)),
        (name, _, Some(path)) => format!("{} {}", visible(name), visible(&path)),
        (name, ..) => format!("{} {}", visible(name), visible(&console::readable(&call.arguments))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent::event::CallId;

    #[test]
    fn a_call_is_told_in_a_line() {
        for (name, arguments, told) in [
            ("shell", r#"{"command":"ls"}"#, "$ ls"),
            ("shell", r#"{"commands":["ls","pwd"]}"#, "$ ls ; pwd"),
            ("read", r#"{"path":"a"}"#, "read a"),
            ("other", r#"{"pattern":"x"}"#, "other pattern: x"),
        ] {
            let (id, name) = (CallId("c".into()), name.to_owned());
            assert_eq!(headline(&Call { id, name, arguments: arguments.into() }), told);
        }
    }
}
