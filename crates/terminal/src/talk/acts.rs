//! How calls are printed: the question before, the answer, what came of them.

use super::{Look, OUTPUT, Running, Talk, question, text_lines};
use crate::block::{Block, FOLD, State};
use crate::deed::{Deed, Ended};
use crate::diff::{self, Purpose, View};
use crate::safe;
use crate::style::{Line, Style};
use crate::wrap::{self, Hang};
use agent::event::*;

/// Lines of a diff that are printed once it was applied; a question shows all of it.
const DIFF: usize = 24;

/// What stands above a call that nobody was asked about.
const BY_MODE: &str = "✓ approved (by the approval mode)";

/// Bytes of a command that may stand in one line.
const TITLE: usize = 2000;

/// Something that was printed in part, as it was.
#[derive(Debug, Clone)]
pub(super) enum Whole {
    Thought(String),
    Command { command: String, ended: Ended },
    Diff(String),
    Question(Call),
}

impl Talk {
    /// Prints all of what was printed in part last.
    pub fn expand(&mut self, look: &Look) -> bool {
        let Look { palette, columns } = look;
        let lines = match self.folded.take() {
            None => return false,
            Some(Whole::Thought(text)) => {
                let mut thought = crate::stream::Stream::default();
                thought.push(&text);
                thought.plain(*columns, palette.fit(palette.dim.italic()))
            }
            Some(Whole::Command { command, ended }) => block(&command, &ended).whole(*columns, palette),
            Some(Whole::Question(call)) => question::body(&call, look),
            Some(Whole::Diff(text)) => {
                let view = View { columns: *columns, most: usize::MAX, purpose: Purpose::Read };
                diff::render(&text, view, palette)
            }
        };
        self.print(lines);
        true
    }

    pub fn has_folded(&self) -> bool {
        self.folded.is_some()
    }

    /// Whether a question was printed in part.
    pub fn has_folded_question(&self) -> bool {
        matches!(self.folded, Some(Whole::Question(_)))
    }

    /// Whether the question about this call is what was printed last.
    pub fn asked_last(&self, call: &CallId) -> bool {
        self.asked.as_ref() == Some(call)
    }

    pub(super) fn judged(&mut self, judged: &Judged, look: &Look) {
        let Judged { call, verdict, by, reason, .. } = judged;
        let mode = if *by == By::Mode { " (by the approval mode)" } else { "" };
        match verdict {
            Verdict::Ask => self.question(call, reason, look),
            // Nobody saw the call, so it is printed in full with what came of it.
            Verdict::Approve if *by == By::Mode => {
                self.answers.insert(call.clone(), BY_MODE.to_owned());
            }
            Verdict::Approve => self.answer(call, "✓ approved", look.palette.good, look),
            Verdict::Decline if reason.trim().is_empty() => {
                self.answer(call, &format!("✗ declined{mode}"), look.palette.bad, look);
            }
            Verdict::Decline => {
                self.answer(call, &format!("✗ declined: {}", safe::single(reason)), look.palette.bad, look);
            }
            Verdict::Allow | Verdict::Forbid => {}
        }
    }

    /// What wants to run, its arguments, and why it asks, in the scrollback, where it can be read at leisure.
    fn question(&mut self, id: &CallId, reason: &str, look: &Look) {
        let Some(call) = self.calls.iter().find(|call| call.id == *id).cloned() else { return };
        let (lines, hidden) = question::lines(&call, reason, look);
        if hidden > 0 {
            self.folded = Some(Whole::Question(call));
        }
        self.paper.gap();
        self.paper.print(lines);
        self.asked = Some(id.clone());
    }

    fn answer(&mut self, id: &CallId, words: &str, style: Style, look: &Look) {
        self.answers.insert(id.clone(), words.to_owned());
        let mut line = Line::styled(format!("  {words}"), style);
        if self.asked.as_ref() == Some(id) {
            self.paper.print(text_lines(&line, look));
            return;
        }
        if let Some(call) = self.calls.iter().find(|call| call.id == *id) {
            line.push(&format!("  {}", title(&Deed::of(call))), look.palette.dim);
        }
        // What comes of it stands right below.
        self.paper.gap();
        self.paper.print([crate::screen::fit(&line, look.columns)]);
        self.asked = Some(id.clone());
    }

    /// A line that belongs to the question above.
    pub fn answer_note(&mut self, words: &str, look: &Look) {
        let line = Line::styled(format!("  {}", safe::single(words)), look.palette.dim);
        self.paper.print(text_lines(&line, look));
    }

    /// What a person's own command printed.
    pub fn own(&mut self, command: &str, ended: Ended, look: &Look) {
        let lines = self.commands(&[command.to_owned()], &[ended], false, look);
        self.print(lines);
    }

    pub(super) fn started(&mut self, id: &CallId) {
        let known = self.calls.iter().find(|call| call.id == *id);
        let deed = known.map_or(Deed::Other { name: String::new(), about: String::new() }, Deed::of);
        if !self.running.iter().any(|running| running.call == *id) {
            self.running.push(Running { call: id.clone(), deed, output: String::new() });
        }
    }

    pub(super) fn progress(&mut self, id: &CallId, text: &str) {
        self.started(id);
        let Some(running) = self.running.iter_mut().find(|running| running.call == *id) else { return };
        running.output.push_str(text);
        let surplus = running.output.len().saturating_sub(OUTPUT);
        if surplus > OUTPUT {
            running.output.drain(..running.output.ceil_char_boundary(surplus));
        }
    }

    pub(super) fn ran(&mut self, id: &CallId, outcome: &Outcome, look: &Look) {
        self.running.retain(|running| running.call != *id);
        let answer = self.answers.remove(id);
        let Some(call) = self.calls.iter().find(|call| call.id == *id).cloned() else { return };
        let deed = Deed::of(&call);
        let follows = self.asked.as_ref() == Some(id);
        let mut lines = match (&outcome.status, &deed) {
            (Status::Declined, _) if answer.is_some() => Vec::new(),
            (Status::Done | Status::Failed | Status::TimedOut, Deed::Commands(commands)) => {
                self.commands(commands, &deed.ended(outcome), follows, look)
            }
            (Status::Done, Deed::Change { .. }) => self.changed(outcome, &deed, follows, look),
            (Status::Done, Deed::Other { .. }) => vec![bullet(&deed, look)],
            (_, _) => unhappy(outcome, &deed, follows, look),
        };
        if answer.as_deref() == Some(BY_MODE) {
            lines.insert(0, Line::styled(format!("  {BY_MODE}"), look.palette.good));
        }
        if let Some(whole) = &outcome.detail.whole {
            lines.push(Line::styled(format!("  all of it: {}", safe::single(whole)), look.palette.dim));
        }
        if follows {
            self.paper.print(lines);
            self.paper.gap();
            self.asked = None;
        } else if !lines.is_empty() {
            self.print(lines);
        }
    }

    fn commands(&mut self, commands: &[String], ends: &[Ended], follows: bool, look: &Look) -> Vec<Line> {
        let Look { palette, columns } = look;
        let mut lines = Vec::new();
        for (command, ended) in commands.iter().zip(ends) {
            let block = block(command, ended);
            lines.extend(match follows && commands.len() == 1 {
                true => block.answer(FOLD, *columns, palette),
                false => block.folded(FOLD, *columns, palette),
            });
            if ended.output.trim_end().lines().count() > FOLD || block.hides_command(FOLD, *columns) {
                self.folded = Some(Whole::Command { command: command.clone(), ended: ended.clone() });
            }
        }
        lines
    }

    fn changed(&mut self, outcome: &Outcome, deed: &Deed, follows: bool, look: &Look) -> Vec<Line> {
        let told = told(outcome);
        let said = Line::styled(format!("  {}", safe::single(&told)), look.palette.dim);
        match &outcome.detail.diff {
            Some(diff) if !follows => {
                let view = View { columns: look.columns, most: DIFF, purpose: Purpose::Read };
                if diff.lines().count() > DIFF {
                    self.folded = Some(Whole::Diff(diff.clone()));
                }
                diff::render(diff, view, &look.palette)
            }
            _ if follows => vec![said],
            _ => vec![bullet(deed, look), said],
        }
    }
}

fn block<'a>(command: &'a str, ended: &'a Ended) -> Block<'a> {
    let state = if ended.failed { State::Failed } else { State::Succeeded };
    Block { command, output: &ended.output, state, note: ended.note.as_deref() }
}

/// What came of a call that did not do what it was to do.
fn unhappy(outcome: &Outcome, deed: &Deed, follows: bool, look: &Look) -> Vec<Line> {
    let style = match outcome.status {
        Status::Interrupted => look.palette.warning,
        Status::Cancelled => look.palette.dim,
        _ => look.palette.bad,
    };
    let words = match outcome.status {
        Status::Cancelled => "stopped".to_owned(),
        Status::Declined => "declined".to_owned(),
        _ => told(outcome),
    };
    let hang = Hang { first: Line::from("  "), rest: Line::from("  ") };
    let mut lines = if follows { Vec::new() } else { vec![bullet(deed, look)] };
    for part in safe::plain(&words).lines().take(FOLD) {
        lines.extend(wrap::words(&Line::styled(part, style), look.columns, &hang));
    }
    lines
}

/// The words of an outcome for a person; some tools answer in JSON.
fn told(outcome: &Outcome) -> String {
    let value: serde_json::Value = serde_json::from_str(&outcome.text).unwrap_or_default();
    let field = |name: &str| value.get(name).and_then(serde_json::Value::as_str).map(str::to_owned);
    let words = field("message").or_else(|| field("error")).unwrap_or_else(|| outcome.text.clone());
    words.trim_start_matches("Error: ").trim_end().to_owned()
}

fn bullet(deed: &Deed, look: &Look) -> Line {
    if let Deed::Change { change, path, .. } = deed
        && !path.is_empty()
    {
        return crate::screen::fit(&diff::heading(*change, path, &look.palette), look.columns);
    }
    let style = if matches!(deed, Deed::Commands(_)) { look.palette.accent } else { look.palette.dim };
    crate::screen::fit(&Line::styled(title(deed), style), look.columns)
}

/// A call in one line.
pub fn title(deed: &Deed) -> String {
    match deed {
        // It may be all that a person sees of what is to run.
        Deed::Commands(commands) => format!("$ {}", revealed(&commands.join(" ; "))),
        Deed::Change { path, .. } => format!("change {}", safe::single(path)),
        Deed::Other { name, about } => format!("• {} {}", safe::single(name), safe::single(about)),
    }
}

/// The beginning of what is to run, on one line.
fn revealed(source: &str) -> String {
    let head = source.get(..source.floor_char_boundary(TITLE)).unwrap_or_default();
    let more = if head.len() < source.len() { "…" } else { "" };
    safe::reveal(head.trim_end()).replace('\n', "⏎") + more
}
