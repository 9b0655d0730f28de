//! The conversation line by line, for screen readers and terminals that can do nothing else: the same chat, with lines
//! for keys and no live area.
//!
//! No cursor is moved and nothing is drawn twice: what is finished is printed, what is asked is asked in a line.

use super::Chat;
use crate::commands::{self, Argument, Line as Meant};
use crate::menu::Item;
use crate::style::Line;
use crate::{Error, safe};
use agent::event::{CallId, Said};
use std::io::Write;

#[derive(Debug, Default)]
pub(super) struct Plain {
    /// The call whose question was printed last.
    asked: Option<CallId>,
    /// The rule that was shown, and waits for its own answer.
    rule: Option<String>,
    /// What was said in a line that still stands on the screen, so that it is not printed again.
    typed: Option<String>,
    /// What a number chooses from.
    choices: Option<(Argument, Vec<String>)>,
    /// Answers that are on their way; the marker waits for them.
    awaited: usize,
    /// Whether the marker stands at the end of what was printed.
    prompted: bool,
}

/// What is listed to choose from.
const LISTED: usize = 20;
const KEYS: &str = "y approves, n declines, a always approves this, e and words decline with words. [y/n]";

impl Plain {
    pub(super) fn await_one(&mut self) {
        self.awaited += 1;
    }

    pub(super) fn got_one(&mut self) {
        self.awaited = self.awaited.saturating_sub(1);
    }

    /// Whether these words stand on the screen already.
    pub(super) fn shows(&mut self, said: &Said) -> bool {
        self.typed.take_if(|typed| *typed == said.text).is_some()
    }
}

impl<W: Write> Chat<W> {
    /// What a line means: an answer, a choice, a command, or words for the model.
    pub(super) async fn take_line(&mut self, line: &str) -> Result<(), Error> {
        self.draw_now();
        let waits = self.is_busy() || self.own.is_some();
        let Some(plain) = &mut self.plain else { return Ok(()) };
        plain.prompted = false;
        let text = line.trim();
        if plain.asked.is_some() {
            return self.answer(text).await;
        }
        if let Some((what, choices)) = plain.choices.take()
            && let Ok(number) = text.parse::<usize>()
        {
            match number.checked_sub(1).and_then(|at| choices.get(at)) {
                Some(name) => return self.chosen(what, name).await,
                None => self.talk.error("there is no such number in the list", "", &self.look),
            }
            plain.choices = Some((what, choices));
            return Ok(());
        }
        self.greet_once();
        if text.is_empty() {
            return Ok(());
        }
        let words = matches!(commands::parse(line), Meant::Words);
        if words && waits {
            self.talk.note("It is said once the agent is done.", &self.look);
        } else if words && !text.starts_with('!') {
            self.plain.iter_mut().for_each(|plain| plain.typed = Some(line.to_owned()));
        }
        self.submit(line.to_owned()).await
    }

    /// Ctrl+C stops what runs, or leaves.
    pub(super) async fn take_interrupt(&mut self) -> Result<(), Error> {
        if !self.stop_what_runs().await? {
            self.leaving = true;
        }
        Ok(())
    }

    async fn answer(&mut self, text: &str) -> Result<(), Error> {
        let Some(plain) = &mut self.plain else { return Ok(()) };
        let (first, words) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match (first.to_lowercase().as_str(), plain.rule.take()) {
            ("y" | "yes", Some(rule)) => self.save_rule(&rule).await,
            ("y" | "yes", None) => self.approve().await,
            ("a", None) => {
                match self.rule() {
                    Some(Ok(rule)) => {
                        let shown = safe::reveal(&rule);
                        self.talk.note(&format!("{}\n{shown}", self.rule_heading()), &self.look);
                        self.talk.note("Save this rule and approve? [y/n]", &self.look);
                        self.plain.iter_mut().for_each(|plain| plain.rule = Some(rule.clone()));
                    }
                    Some(Err(why)) => self.talk.error(&why, "", &self.look),
                    None => {}
                }
                Ok(())
            }
            ("n" | "no" | "e", None) => self.decline(words.to_owned()).await,
            ("o", None) if self.talk.has_folded_question() => {
                self.talk.expand(&self.look);
                Ok(())
            }
            // The question is put again.
            _ => {
                plain.asked = None;
                Ok(())
            }
        }
    }

    /// Lists what there is to choose from; a number chooses.
    pub(super) fn list(&mut self, what: Argument, items: &[Item]) {
        let Some(plain) = &mut self.plain else { return };
        let shown = &items[..items.len().min(LISTED)];
        plain.choices = Some((what, shown.iter().map(|item| item.name.clone()).collect()));
        if shown.is_empty() {
            self.talk.note("There is nothing to choose from.", &self.look);
            return self.greet_once();
        }
        let mut lines =
            vec![Line::from(format!("{} Its number; anything else stays here.", what.question()))];
        for (at, item) in shown.iter().enumerate() {
            let about = if item.about.is_empty() { String::new() } else { format!(" ({})", item.about) };
            lines.push(Line::from(format!(
                "{}. {}{}",
                at + 1,
                safe::single(item.shown()),
                safe::single(&about)
            )));
        }
        if items.len() > LISTED {
            lines.push(Line::from(format!("… {} more", items.len() - LISTED)));
        }
        self.talk.print(lines);
    }

    /// Prints what is finished, then the question or the marker that waits for a line.
    pub(super) fn print_lines(&mut self) -> Result<(), Error> {
        let finished = self.finished();
        let told = self
            .session
            .as_ref()
            .is_none_or(|session| self.view.next > self.sent && self.view.next >= session.recorded());
        let rests = told && (self.ask.current.is_some() || !self.is_busy()) && self.own.is_none();
        let several = self.several();
        let Some(plain) = &mut self.plain else { return Ok(()) };
        let mut text = String::new();
        if plain.prompted && !finished.is_empty() {
            text.push('\n');
            plain.prompted = false;
        }
        finished.iter().for_each(|line| text.push_str(&format!("{}\n", line.text())));
        if self.ask.current.is_some() && self.ask.current != plain.asked {
            several.iter().for_each(|line| text.push_str(&format!("{}\n", line.text().trim_start())));
            let all = if self.talk.has_folded_question() { "o shows all of it. " } else { "" };
            text.push_str(&format!("{all}{KEYS}\n"));
            (plain.prompted, plain.rule) = (false, None);
        }
        plain.asked.clone_from(&self.ask.current);
        if !plain.prompted && rests && plain.awaited == 0 && !self.leaving {
            text.push_str("❯ ");
            plain.prompted = true;
        }
        Ok(self.screen.say(&text)?)
    }
}
