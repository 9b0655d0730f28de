//! A conversation as it is read: the fold from what happens to what is printed. Start at [`Talk::take`].
//!
//! The order on the screen is the order of the log: reasoning, text, commands, final text. Nothing is printed twice and
//! nothing is lost, whether it was streamed, came whole, or was recorded long ago. What is still in progress is
//! [`Talk::live`]. It decides nothing and sends nothing.

mod acts;
mod live;
mod question;

pub use acts::title;

use crate::deed::Deed;
use crate::paper::Paper;
use crate::safe;
use crate::stream::Stream;
use crate::style::{Line, Palette};
use crate::wrap::{self, Hang};
use acts::Whole;
use agent::Update;
use agent::event::*;
use std::collections::HashMap;

/// What lines are made for.
#[derive(Debug, Clone)]
pub struct Look {
    pub palette: Palette,
    pub columns: usize,
}

#[derive(Debug)]
pub struct Talk {
    pub paper: Paper,
    reply: Stream,
    thought: Stream,
    /// The calls of the last reply.
    calls: Vec<Call>,
    running: Vec<Running>,
    /// The call whose question was printed last, with nothing after it but the answer.
    asked: Option<CallId>,
    /// What people said about calls that have no outcome yet.
    answers: HashMap<CallId, String>,
    /// Whether the last reply had words.
    worded: bool,
    /// Whether what comes is a summary, which is for the model.
    sums_up: bool,
    notice: Option<String>,
    /// What the person typed for the model that is about to be set.
    pub named: Option<String>,
    /// What was printed in part, the last one last.
    folded: Option<Whole>,
}

#[derive(Debug)]
struct Running {
    call: CallId,
    deed: Deed,
    output: String,
}

/// How lines of a reply stand to what was printed last.
#[derive(Debug, Clone, Copy)]
enum Joint {
    Apart,
    Within,
}

/// Rows of reasoning, and of a person's own words, that are printed.
const THOUGHT: usize = 8;
const SAID: usize = 24;
/// Output of a running call that is kept to be shown.
const OUTPUT: usize = 16 * 1024;

impl Default for Talk {
    fn default() -> Talk {
        Talk {
            paper: Paper::new(),
            reply: Stream::default(),
            thought: Stream::default(),
            calls: Vec::new(),
            running: Vec::new(),
            asked: None,
            answers: HashMap::new(),
            worded: false,
            sums_up: false,
            notice: None,
            named: None,
            folded: None,
        }
    }
}

impl Talk {
    /// Forgets the conversation; what is to be printed still is.
    pub fn restart(&mut self) {
        let paper = std::mem::take(&mut self.paper);
        *self = Talk { paper, ..Talk::default() };
    }

    /// Takes what happened next.
    pub fn take(&mut self, update: &Update, look: &Look) {
        match update {
            Update::Record(record) => self.record(&record.event, look),
            Update::Reasoning { .. } | Update::Text { .. } if self.sums_up => self.notice = None,
            Update::Reasoning { offset, text } => {
                if *offset == 0 {
                    self.thought = Stream::default();
                }
                self.notice = None;
                self.thought.push(text);
            }
            Update::Text { offset, text } => {
                if *offset == 0 && !self.reply.is_empty() {
                    self.finish_reply(look);
                }
                self.notice = None;
                self.finish_thought(look);
                self.reply.push(text);
            }
            Update::Progress { call, text, .. } => self.progress(call, text),
            Update::Retrying { after_millis, failure } => self.retry(*after_millis, failure, look),
            Update::Rested => self.notice = None,
            Update::Broken(why) => self.error(why, "", look),
        }
    }

    /// Prints the blocks of a reply in progress that are complete. Only where a frame is drawn: what is shown as in
    /// progress stays so until then, wherever the terminal has put it.
    pub fn settle(&mut self, look: &Look) {
        let joint = self.joint();
        let settled = self.reply.settle(look.columns, &look.palette);
        self.print_reply(settled, joint);
    }

    /// Prints words of the program's own, such as the answer to a slash command.
    pub fn note(&mut self, text: &str, look: &Look) {
        let line = Line::styled(safe::plain(text).trim_end(), look.palette.dim);
        let lines = text_lines(&line, look);
        self.print(lines);
    }

    pub fn error(&mut self, message: &str, hint: &str, look: &Look) {
        let mut lines =
            text_lines(&Line::styled(format!("Error: {}", safe::plain(message)), look.palette.bad), look);
        if !hint.is_empty() {
            lines.extend(text_lines(&Line::styled(safe::plain(hint), look.palette.dim), look));
        }
        self.print(lines);
    }

    /// Prints a block of its own; what comes after a question is no longer its answer.
    pub fn print(&mut self, lines: Vec<Line>) {
        self.asked = None;
        self.paper.block(lines);
    }

    fn record(&mut self, event: &Event, look: &Look) {
        match event {
            Event::Said(said) => self.said(&said.text, look),
            Event::Asked { summary_of, .. } => self.sums_up = summary_of.is_some(),
            Event::Replied(reply) => self.replied(reply, look),
            Event::Judged(judged) => self.judged(judged, look),
            Event::Started { call } => self.started(call),
            Event::Ran { call, outcome } => self.ran(call, outcome, look),
            Event::Compacted(compacted) => self.compacted(compacted, look),
            Event::Configured(Configured { model: Some(model), .. }) => {
                let typed = self.named.take().filter(|typed| model.ends_with(typed.as_str()));
                self.note(&format!("Set model to {}", typed.as_ref().unwrap_or(model)), look);
            }
            Event::Failed { failure, partial } => self.failed(failure, partial, look),
            Event::Stopped { reason } => self.stopped(*reason, look),
            Event::Undone { paths, .. } => self.note(&format!("Put back: {}", paths.join(", ")), look),
            _ => {}
        }
    }

    fn said(&mut self, text: &str, look: &Look) {
        let Look { palette, columns } = look;
        self.finish_partial(look);
        let hang = Hang { first: Line::styled("❯ ", palette.accent.bold()), rest: Line::from("  ") };
        let body = safe::plain(text);
        let mut lines = Vec::new();
        for (at, line) in body.trim_end().split('\n').enumerate() {
            let first = if at == 0 { hang.first.clone() } else { hang.rest.clone() };
            let hang = Hang { first, rest: hang.rest.clone() };
            lines.extend(wrap::words(&Line::styled(line, palette.strong), *columns, &hang));
        }
        let hidden = lines.len().saturating_sub(SAID);
        lines.truncate(SAID);
        if hidden > 0 {
            lines.push(Line::styled(format!("  ... ({hidden} more lines)"), palette.dim));
        }
        self.print(lines);
    }

    fn replied(&mut self, reply: &Reply, look: &Look) {
        if self.thought.is_empty() && !reply.reasoning.is_empty() && self.reply.is_empty() {
            self.thought.push(&reply.reasoning);
        }
        self.reply.correct(&reply.text);
        self.finish_partial(look);
        self.calls.clone_from(&reply.calls);
        self.worded = !reply.text.trim().is_empty();
        match reply.finish {
            Finish::Length => self.note("(cut off at the model's length limit)", look),
            Finish::Filtered => self.note("(cut off by the provider's filter)", look),
            _ => {}
        }
    }

    fn failed(&mut self, failure: &Failure, partial: &str, look: &Look) {
        if self.reply.is_empty() && !self.sums_up {
            self.reply.push(partial);
        }
        self.sums_up = false;
        self.finish_partial(look);
        if failure.kind != FailureKind::Cancelled {
            self.error(&failure.message, &failure.hint, look);
        }
    }

    fn retry(&mut self, after_millis: u64, failure: &Failure, look: &Look) {
        let began = !self.reply.is_empty();
        self.finish_partial(look);
        if began {
            self.note("(the reply broke off and is asked for again)", look);
        }
        let pause = after_millis as f64 / 1000.0;
        // A provider's words may be longer than the line.
        self.notice = Some(format!("trying again in {pause} s: {}", failure.message));
    }

    fn stopped(&mut self, reason: Stop, look: &Look) {
        self.finish_partial(look);
        self.running.clear();
        match reason {
            Stop::Done if !self.worded => self.print(vec![Line::from("Done.")]),
            Stop::Done | Stop::Failed => {}
            Stop::Cancelled => self.print(vec![Line::styled("Stopped", look.palette.warning)]),
            Stop::Bound => {
                let words =
                    "Stopped: the bound on model calls or the budget was reached. Say something to go on.";
                let lines = text_lines(&Line::styled(words, look.palette.warning), look);
                self.print(lines);
            }
        }
        self.worded = false;
    }

    fn compacted(&mut self, compacted: &Compacted, look: &Look) {
        self.sums_up = false;
        self.note(
            match compacted.summary {
                Some(_) => "Summed up what was said before, to make room.",
                None => "Left old output out of what the model is shown, to make room.",
            },
            look,
        );
    }

    fn finish_partial(&mut self, look: &Look) {
        self.finish_thought(look);
        self.finish_reply(look);
        self.notice = None;
    }

    fn finish_thought(&mut self, look: &Look) {
        if self.thought.is_empty() {
            return;
        }
        let thought = std::mem::take(&mut self.thought);
        let whole = Whole::Thought(thought.text().to_owned());
        let style = look.palette.dim.italic();
        let mut lines = thought.plain(look.columns, look.palette.fit(style));
        let hidden = lines.len().saturating_sub(THOUGHT);
        if hidden > 1 {
            lines.truncate(THOUGHT);
            lines.push(Line::styled(format!("... ({hidden} more lines)"), look.palette.dim));
            self.folded = Some(whole);
        }
        self.print(lines);
    }

    fn finish_reply(&mut self, look: &Look) {
        let joint = self.joint();
        let reply = std::mem::take(&mut self.reply);
        self.print_reply(reply.finish(look.columns, &look.palette), joint);
    }

    fn joint(&self) -> Joint {
        if self.reply.goes_on() { Joint::Within } else { Joint::Apart }
    }

    fn print_reply(&mut self, lines: Vec<Line>, joint: Joint) {
        match joint {
            _ if lines.is_empty() => {}
            Joint::Apart => self.print(lines),
            Joint::Within => self.paper.go_on(lines),
        }
    }
}

/// A line broken to the width, also at its own line ends.
pub fn text_lines(line: &Line, look: &Look) -> Vec<Line> {
    let style = line.spans.first().map(|span| span.style).unwrap_or_default();
    let text = line.text();
    let broken = text.split('\n').map(|part| Line::styled(part, style));
    broken.flat_map(|part| wrap::words(&part, look.columns, &Hang::default())).collect()
}

#[cfg(test)]
mod tests;
