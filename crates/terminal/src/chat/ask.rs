//! A call that waits for the person: the keys that decide it. What it would do stands in the scrollback above.
//!
//! Keys pressed before the question was on the screen are no answer to it, and whoever is in the middle of typing goes on
//! typing until they pause.

mod held;

use super::Chat;
use crate::Error;
use crate::deed::Deed;
use crate::keys::{Code, Key};
use crate::prompt::{Act, Prompt};
use crate::safe;
use crate::style::{Line, Style};
use crate::wrap::{self, Hang};
use agent::event::CallId;
use agent::view::CallState;
use agent::{Command, OpenCall};
use held::Held;
use std::io::Write;
use std::time::Duration;
use tokio::time::Instant;

#[derive(Debug, Default)]
pub(super) struct Ask {
    pub(super) current: Option<CallId>,
    step: Step,
    /// Whether the person has seen it.
    pub(super) shown: bool,
    /// Whether the person has stopped typing something else.
    armed: bool,
    /// Whether the person went into the input: until what stands there is sent or taken away, keys are for it.
    edits: bool,
    /// Whether words were begun, or gone on with, though the question was there.
    begun: bool,
    held: Option<Held>,
    /// Whether the person has decided it here.
    answered: bool,
    /// When it took the place of one that was decided elsewhere.
    replaced: Option<Instant>,
}

#[derive(Debug, Default)]
enum Step {
    #[default]
    Decide,
    /// The rule that `a` would save.
    Rule(Result<String, String>),
    /// The words that go with a no; what stood in the input before is kept.
    Words { draft: String },
}

impl Ask {
    /// Looks whether a key that is pressed now would be an answer, by what is typed and when the last key was pressed.
    fn arm(&mut self, input: &Prompt, last: Option<Instant>, now: Instant) {
        self.edits &= !input.is_empty();
        self.begun &= !input.is_empty();
        let paused = has_passed(if self.begun { HESITATION } else { PAUSE }, last, now);
        self.armed |= match self.replaced {
            // A key that was meant for the one before it, or for words about that, is no answer to this one.
            Some(at) => !self.edits && paused && has_passed(PAUSE, Some(at), now),
            None => input.is_empty() || !self.edits && paused,
        };
    }
}

/// A person who pressed a key this short a while ago is typing, not answering.
const PAUSE: Duration = Duration::from_millis(350);
/// Whoever types words beside a question may look for a letter this long: the y of a slow "why" is no answer.
const HESITATION: Duration = Duration::from_millis(700);

impl<W: Write> Chat<W> {
    /// Looks which call waits now. One that was decided elsewhere is gone.
    pub(super) fn look_for_question(&mut self) -> Result<(), Error> {
        let first = self.view.pending().next().map(|open| open.call.id.clone());
        if first == self.ask.current {
            return Ok(());
        }
        if let Step::Words { draft } = std::mem::take(&mut self.ask.step) {
            self.prompt.set(&draft);
        }
        let replaced = (self.ask.current.is_some() && !self.ask.answered).then(Instant::now);
        self.ask = Ask { current: first, replaced, ..Ask::default() };
        if self.ask.current.is_some() {
            self.notify("cinque asks for your approval", Duration::ZERO)?;
        }
        self.draw_now();
        Ok(())
    }

    fn waiting(&self) -> Option<&OpenCall> {
        let id = self.ask.current.as_ref()?;
        self.view.calls.iter().find(|open| open.call.id == *id)
    }

    /// Whether the key was about the question.
    pub(super) async fn key_for_question(&mut self, key: Key) -> Result<bool, Error> {
        if self.ask.current.is_none() {
            return Ok(false);
        }
        if let Some(was) = self.key_after_held(key).await? {
            return Ok(was);
        }
        self.ask.arm(&self.prompt, self.clock.key, Instant::now());
        if !self.ask.shown || !self.ask.armed {
            let stray = matches!(key.code, Code::Char(_) | Code::Enter) && !key.with.ctrl && !key.with.alt;
            return Ok(stray && self.ask.replaced.is_some() && self.prompt.is_empty());
        }
        match &self.ask.step {
            Step::Decide => Ok(self.key_decides(key)),
            Step::Rule(_) => Ok(self.key_for_rule(key)),
            Step::Words { .. } => self.key_for_words(key).await,
        }
    }

    fn key_decides(&mut self, key: Key) -> bool {
        let letter = match key.code {
            // What stands in the input can be sent; it waits until the run is over.
            Code::Enter | Code::Tab => return self.prompt.is_empty(),
            Code::Char(c) if !key.with.ctrl && !key.with.alt => c,
            // These look at what is there and change nothing.
            Code::Char('l' | 'o' | 'z') if key.with.ctrl => return false,
            // Whoever moves about in the input, or fetches something back into it, is about to type there.
            _ => {
                (self.ask.armed, self.ask.edits) = (false, true);
                return false;
            }
        };
        match letter.to_ascii_lowercase() {
            'y' | 'n' => self.hold(letter),
            'a' => {
                self.ask.step = self.rule().map_or(Step::Decide, Step::Rule);
                self.print_rule_that_does_not_fit();
            }
            'e' => {
                let draft = self.prompt.editor.take();
                self.prompt.clear();
                self.ask.step = Step::Words { draft };
            }
            // The first letter of words, and with it the next ones; a command or a path may take any time.
            other => {
                self.ask.edits |= self.prompt.is_empty() && matches!(other, '/' | '@' | '!');
                self.words_began();
                return false;
            }
        }
        self.draw_now();
        true
    }

    fn words_began(&mut self) {
        self.ask.step = Step::Decide;
        (self.ask.armed, self.ask.begun) = (false, true);
        self.hint("y, n, a or e decides", Duration::from_secs(2));
    }

    /// Pastes with what was typed right before it; what is typed next goes with it too.
    pub(super) fn paste_beside_question(&mut self, text: &str) {
        if self.ask.held.is_some() {
            self.begin_words();
        }
        self.prompt.paste(text);
        if matches!(self.ask.step, Step::Decide) {
            (self.ask.armed, self.ask.begun) = (false, true);
            self.clock.key = Some(Instant::now());
        }
    }

    /// A rule is never saved that was seen in part.
    fn print_rule_that_does_not_fit(&mut self) {
        if let Step::Rule(Ok(rule)) = &self.ask.step
            && self.ask_lines().len() >= self.screen.size().rows.saturating_sub(1)
        {
            let rule = safe::reveal(rule).replace('\n', ", ");
            self.talk.answer_note(&format!("{} {rule}", self.rule_heading()), &self.look);
        }
    }

    /// The rule is saved only after it was shown. Whoever goes on typing began a word with the a, which then stands in
    /// the input.
    fn key_for_rule(&mut self, key: Key) -> bool {
        let seen = self.clock.key.is_none_or(|key| self.clock.drawn > key);
        match key.code {
            Code::Char(_) if key.with.ctrl || key.with.alt => return !key.with.ctrl,
            Code::Char(letter @ ('y' | 'Y' | 'n' | 'N')) if seen => self.hold(letter),
            Code::Char(_) => {
                self.begin_words();
                return false;
            }
            Code::Esc => {
                self.ask.step = Step::Decide;
                self.draw_now();
            }
            _ => return !key.with.ctrl,
        }
        true
    }

    async fn key_for_words(&mut self, key: Key) -> Result<bool, Error> {
        if key.code == Code::Esc {
            self.back_to_decide();
            return Ok(true);
        }
        if key.code == Code::Enter && self.prompt.whole().trim().is_empty() {
            self.decline(String::new()).await?;
            return Ok(true);
        }
        match self.prompt.key(key, self.look.columns) {
            Act::Submit(words) => self.decline(words).await?,
            Act::Done => {}
            Act::Unused(_) => return Ok(false),
        }
        self.draw_now();
        Ok(true)
    }

    fn back_to_decide(&mut self) {
        if let Step::Words { draft } = std::mem::take(&mut self.ask.step) {
            self.prompt.set(&draft);
        }
        self.draw_now();
    }

    /// The rule that would let calls like this one run from now on.
    pub(super) fn rule(&self) -> Option<Result<String, String>> {
        self.waiting().map(|open| self.desk.rule(&open.call))
    }

    /// Rules for commands hold wherever they run; others name the folder that they are for.
    pub(super) fn rule_heading(&self) -> &'static str {
        match self.waiting().map(|open| Deed::of(&open.call)) {
            Some(Deed::Commands(_)) => "From now on, without asking, in every folder:",
            _ => "From now on, without asking:",
        }
    }

    pub(super) async fn save_rule(&mut self, rule: &str) -> Result<(), Error> {
        match self.waiting().map(|open| self.desk.save_rule(&open.call)) {
            Some(Ok(())) => {
                let rule = rule.lines().collect::<Vec<_>>().join(", ");
                self.talk.answer_note(&format!("always from now on: {rule}"), &self.look);
                self.approve().await?;
            }
            Some(Err(why)) => self.talk.error(&why, "", &self.look),
            None => {}
        }
        Ok(())
    }

    pub(super) async fn approve(&mut self) -> Result<(), Error> {
        let Some(open) = self.waiting() else { return Ok(()) };
        let digest = match &open.state {
            CallState::Pending { digest, .. } => Some(digest.clone()),
            _ => None,
        };
        let call = open.call.id.clone();
        self.ask.answered = true;
        self.send(Command::Approve { call, digest }).await
    }

    pub(super) async fn decline(&mut self, words: String) -> Result<(), Error> {
        self.back_to_decide();
        let Some(call) = self.ask.current.clone() else { return Ok(()) };
        self.ask.answered = true;
        self.send(Command::Decline { call, words: words.trim().to_owned() }).await
    }

    /// Whether the next key decides, and not words.
    pub(super) fn is_asked_for_a_key(&self) -> bool {
        self.ask.current.is_some() && !matches!(self.ask.step, Step::Words { .. })
    }

    /// Whether keys are for the input though a question is open.
    pub(super) fn edits_beside_question(&self) -> bool {
        self.ask.edits && !self.prompt.is_empty()
    }

    /// Whether the question holds all that it is about by itself.
    pub(super) fn is_asked_for_a_rule(&self) -> bool {
        matches!(self.ask.step, Step::Rule(_))
    }

    /// All of it in one row, for a window that has no more: the keys, then what they are about.
    pub(super) fn ask_row(&self) -> Line {
        let (keys, about) = match &self.ask.step {
            Step::Decide => ("y n a e", self.title()),
            Step::Rule(Ok(rule)) => ("y n", format!("always: {}", safe::reveal(rule).replace('\n', ", "))),
            Step::Rule(Err(why)) => ("n", safe::single(why).into_owned()),
            Step::Words { .. } => ("Enter Esc", "Why not?".into()),
        };
        let mut row = Line::styled(keys, self.look.palette.accent.bold());
        row.push(&format!("  {about}"), self.look.palette.text);
        row
    }

    /// What can be pressed, and what it would mean.
    pub(super) fn ask_lines(&self) -> Vec<Line> {
        if self.ask.current.is_none() {
            return Vec::new();
        }
        let palette = &self.look.palette;
        let keys = |choices: &[(&str, &str)]| {
            let mut line = Line::new();
            for (key, meaning) in choices {
                line.push(key, palette.accent.bold());
                // A key stays with what it means where a line is broken.
                line.push(&format!("\u{a0}{meaning}  "), palette.text);
            }
            let hang = Hang { first: Line::from("  "), rest: Line::from("  ") };
            let rows = wrap::words(&line, self.look.columns, &hang);
            rows.into_iter().map(plain_blanks).collect::<Vec<Line>>()
        };
        match &self.ask.step {
            Step::Decide => {
                let mut choices =
                    vec![("y", "approve"), ("n", "decline"), ("a", "always"), ("e", "decline with words")];
                if self.talk.has_folded_question() {
                    choices.push(("Ctrl+O", "show all of it"));
                }
                let mut lines = keys(&choices);
                lines.splice(0..0, self.several());
                if self.edits_beside_question() {
                    lines.extend(
                        self.indented("once what you edit is sent (Enter) or taken away", palette.dim),
                    );
                }
                lines
            }
            Step::Rule(Ok(rule)) => {
                let mut lines = self.indented(self.rule_heading(), palette.warning);
                let hang = Hang { first: Line::from("    "), rest: Line::from("    ") };
                let rules = safe::reveal_lines(rule.trim_end(), palette);
                lines.extend(rules.iter().flat_map(|rule| wrap::cells(rule, self.look.columns, &hang)));
                lines.extend(keys(&[("y", "save this rule and approve"), ("n", "back")]));
                lines
            }
            Step::Rule(Err(why)) => {
                let mut lines = self.indented(&safe::single(why), palette.warning);
                lines.extend(keys(&[("n", "back")]));
                lines
            }
            Step::Words { .. } => {
                let mut lines = self.indented("Why not? The model reads what you write.", palette.warning);
                lines.extend(keys(&[("Enter", "decline"), ("Esc", "back")]));
                lines
            }
        }
    }

    /// Where several calls wait, or other things were printed since, which of them is asked about.
    pub(super) fn several(&self) -> Vec<Line> {
        let (count, palette) = (self.view.pending().count(), &self.look.palette);
        let words = match count {
            0 => return Vec::new(),
            1 if self.ask.current.as_ref().is_none_or(|call| self.talk.asked_last(call)) => {
                return Vec::new();
            }
            1 => "This is about:".to_owned(),
            _ => format!("{count} calls wait; this is about:"),
        };
        let mut lines = self.indented(&words, palette.warning);
        lines.push(Line::styled(format!("  {}", self.title()), palette.text));
        lines
    }

    fn indented(&self, words: &str, style: Style) -> Vec<Line> {
        let hang = Hang { first: Line::from("  "), rest: Line::from("  ") };
        wrap::words(&Line::styled(words, style), self.look.columns, &hang)
    }

    /// The call that is asked about, in one line.
    fn title(&self) -> String {
        let deed = self.waiting().map(|open| Deed::of(&open.call));
        deed.map_or_else(String::new, |deed| crate::talk::title(&deed))
    }
}

/// Whether so much time has passed since then, if it ever was.
fn has_passed(pause: Duration, since: Option<Instant>, now: Instant) -> bool {
    since.is_none_or(|since| now.saturating_duration_since(since) >= pause)
}

fn plain_blanks(mut line: Line) -> Line {
    for span in &mut line.spans {
        span.text = span.text.replace('\u{a0}', " ");
    }
    line
}

#[cfg(test)]
mod tests;
