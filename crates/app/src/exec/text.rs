//! A run for people: progress on stderr, the answer alone on stdout. Start at [`Text`].

use super::{Show, console};
use crate::paint::{Paint, visible};
use agent::event::{By, Call, Event, Outcome, Reply, Status, Verdict};
use agent::{Session, Update, View};
use std::io::Write;

/// Lines of a command's output that are shown; the rest is counted.
const LINES: usize = 10;

pub struct Text {
    paint: Paint,
    /// The calls of the last reply, to say what an outcome belongs to.
    calls: Vec<Call>,
}

impl Text {
    pub fn new() -> Text {
        Text { paint: Paint::for_stderr(), calls: Vec::new() }
    }

    fn record(&mut self, event: &Event, view: &View) {
        match event {
            Event::Asked { .. } if view.turns == 1 => eprintln!("{}", self.paint.dim("thinking…")),
            Event::Replied(reply) => self.reply(reply),
            Event::Judged(judged) if judged.by == By::Policy && judged.verdict == Verdict::Forbid => {
                eprintln!("{} {}", self.paint.red("refused:"), visible(&judged.reason));
            }
            Event::Started { call } => {
                if let Some(call) = self.calls.iter().find(|known| known.id == *call) {
                    eprintln!("{}", self.paint.bold(&headline(call)));
                }
            }
            Event::Ran { call, outcome } => self.outcome(call, outcome),
            Event::Compacted(compacted) => {
                let how = if compacted.summary.is_some() { "summed up" } else { "left out in part" };
                eprintln!(
                    "{}",
                    self.paint.dim(&format!("the conversation grew too long: its beginning was {how}"))
                );
            }
            _ => {}
        }
    }

    fn reply(&mut self, reply: &Reply) {
        self.calls.clone_from(&reply.calls);
        if !reply.calls.is_empty() && !reply.text.trim().is_empty() {
            eprintln!("{}", visible(reply.text.trim()));
        }
    }

    fn outcome(&self, id: &agent::event::CallId, outcome: &Outcome) {
        if let Some(diff) = &outcome.detail.diff {
            eprintln!("{}", self.paint.diff(&visible(diff)));
            return;
        }
        let name = self.calls.iter().find(|call| call.id == *id).map_or("", |call| call.name.as_str());
        let text = visible(outcome.text.trim_end());
        let shown = if outcome.status == Status::Done && name != "shell" { 0 } else { LINES };
        let lines: Vec<&str> = text.lines().collect();
        for line in lines.iter().take(shown) {
            let line = format!("  {line}");
            let failed = outcome.status != Status::Done;
            eprintln!("{}", if failed { self.paint.red(&line) } else { self.paint.dim(&line) });
        }
        match lines.len().saturating_sub(shown) {
            0 => {}
            more if shown == 0 => eprintln!("{}", self.paint.dim(&format!("  {more} lines"))),
            more => eprintln!("{}", self.paint.dim(&format!("  … {more} more lines"))),
        }
    }
}

impl Show for Text {
    fn begin(&mut self, session: &Session) {
        eprintln!("{}", self.paint.dim(&format!("conversation {}", session.id())));
    }

    fn update(&mut self, update: &Update, view: &View) {
        match update {
            Update::Record(record) => self.record(&record.event, view),
            Update::Retrying { after_millis, failure } => {
                let pause = *after_millis as f64 / 1000.0;
                eprintln!(
                    "{} {}; trying again in {pause} s",
                    self.paint.red("model:"),
                    visible(&failure.message)
                );
            }
            Update::Text { .. } | Update::Reasoning { .. } | Update::Progress { .. } | Update::Broken(_) => {}
        }
    }

    fn end(&mut self, view: &View, answer: &str) {
        if view.phase() == agent::Phase::Done {
            let mut out = std::io::stdout().lock();
            // A reader that has gone away has all that it wanted.
            let _ = writeln!(out, "{}", answer.trim_end()).and_then(|()| out.flush());
        }
        if view.phase() == agent::Phase::Bound {
            eprintln!(
                "{}",
                self.paint.red("stopped: a bound was reached (--max-turns, --max-tokens-total, --max-cost)")
            );
        }
        eprintln!("{}", self.paint.dim(&usage(view)));
    }
}

/// What the run used, and what it cost where that is known.
fn usage(view: &View) -> String {
    let agent::event::Usage { input, output, cached, .. } = view.run_usage;
    let cached = if cached > 0 { format!(" ({cached} cached)") } else { String::new() };
    let cost = host::prices::price(&view.model).map(|price| format!(", ${:.4}", price.of(&view.run_usage)));
    format!("tokens: {input} in{cached}, {output} out{}", cost.unwrap_or_default())
}

fn headline(call: &Call) -> String {
    let arguments = serde_json::from_str::<serde_json::Value>(&call.arguments).unwrap_or_default();
    let text = |name: &str| arguments.get(name).and_then(serde_json::Value::as_str).map(str::to_owned);
    match (call.name.as_str(), text("command"), text("path")) {
        ("shell", Some(command), _) => format!("$ {}", visible(&command)),
        (name, _, Some(path)) => format!("{} {}", visible(name), visible(&path)),
        (name, ..) => format!("{}{}", visible(name), visible(&console::readable(&call.arguments))),
    }
}
