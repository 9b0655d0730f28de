//! What a line that was typed means: an answer, a choice, a command, or words for the model.

use super::Plain;
use crate::Error;
use crate::commands::{self, Command as Slash, Line as Meant};
use crate::safe;
use crate::style::Line;
use agent::event::{CallId, Configured};
use agent::view::CallState;
use agent::{Command, OpenCall};

/// Conversations that are listed to choose from.
const LISTED: usize = 20;

impl Plain {
    /// Whether to go on.
    pub(super) async fn take_line(&mut self, line: &str) -> Result<bool, Error> {
        self.prompted = false;
        let text = line.trim();
        if let Some(call) = self.asked.clone() {
            self.answer(call, text).await?;
            return Ok(true);
        }
        if !self.choices.is_empty() && self.chosen(text).await? {
            return Ok(true);
        }
        match commands::parse(line) {
            Meant::Command(Slash::Quit, _) => return Ok(false),
            Meant::Command(command, argument) => self.carry_out(command, argument).await?,
            Meant::Unknown { name, .. } => {
                self.talk.error(&format!("Unknown command: {name}"), "/help lists the commands", &self.look);
            }
            Meant::Words if text.is_empty() => {}
            Meant::Words => {
                self.typed = Some(line.to_owned());
                self.say(line).await?;
            }
        }
        Ok(true)
    }

    fn waiting(&self, call: &CallId) -> Option<&OpenCall> {
        self.view.calls.iter().find(|open| open.call.id == *call)
    }

    async fn answer(&mut self, call: CallId, text: &str) -> Result<(), Error> {
        let (first, words) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let first = first.to_lowercase();
        match (first.as_str(), std::mem::take(&mut self.rule)) {
            ("y" | "yes", true) => self.save_rule(call).await,
            ("y" | "yes", false) => self.approve(call).await,
            ("a", false) => {
                self.show_rule(&call);
                Ok(())
            }
            ("n" | "no" | "e", false) => {
                self.send(Command::Decline { call, words: words.trim().to_owned() }).await
            }
            // The question is put again.
            _ => {
                self.asked = None;
                Ok(())
            }
        }
    }

    async fn approve(&mut self, call: CallId) -> Result<(), Error> {
        let digest = self.waiting(&call).and_then(|open| match &open.state {
            CallState::Pending { digest, .. } => Some(digest.clone()),
            _ => None,
        });
        self.send(Command::Approve { call, digest }).await
    }

    /// The rule is saved only after it was shown.
    fn show_rule(&mut self, call: &CallId) {
        match self.waiting(call).map(|open| self.door.desk.rule(&open.call)) {
            Some(Ok(rule)) => {
                let shown = safe::reveal(&rule);
                self.talk.note(&format!("From now on, without asking:\n{shown}"), &self.look);
                self.talk.note("Save this rule and approve? [y/n]", &self.look);
                self.rule = true;
            }
            Some(Err(why)) => self.talk.error(&why, "", &self.look),
            None => {}
        }
    }

    async fn save_rule(&mut self, call: CallId) -> Result<(), Error> {
        match self.waiting(&call).map(|open| self.door.desk.save_rule(&open.call)) {
            Some(Ok(())) => self.approve(call).await?,
            Some(Err(why)) => self.talk.error(&why, "", &self.look),
            None => {}
        }
        Ok(())
    }

    async fn carry_out(&mut self, command: Slash, argument: &str) -> Result<(), Error> {
        match command {
            Slash::Help => {
                let names = "/model NAME, /resume, /compact, /approvals, /quit";
                self.talk.note(&format!("Commands in plain lines: {names}"), &self.look);
            }
            Slash::Model if !argument.is_empty() => self.use_model(argument).await?,
            Slash::Resume => self.list().await?,
            Slash::Compact => {
                self.send(Command::Shorten).await?;
                self.talk.note("What was said is summed up before the next reply.", &self.look);
            }
            Slash::Approvals => {
                let rules = self.door.desk.rules();
                let words = format!("Saved rules: {}\n{}", rules.len(), rules.join("\n"));
                self.talk.note(&words, &self.look);
            }
            _ => self.talk.error(
                "this command is not there in plain lines",
                "/help lists those that are",
                &self.look,
            ),
        }
        Ok(())
    }

    async fn use_model(&mut self, name: &str) -> Result<(), Error> {
        if let Some(failure) = self.door.desk.missing(name) {
            self.talk.error(&failure.message, &failure.hint, &self.look);
            return Ok(());
        }
        if self.session.is_none() && !self.begin_conversation().await? {
            return Ok(());
        }
        let configured = Configured { model: Some(name.to_owned()), ..Configured::default() };
        self.send(Command::Configure(configured)).await
    }

    /// Lists the conversations; a number chooses one.
    pub(super) async fn list(&mut self) -> Result<(), Error> {
        let mut listed = self.door.hub.list().await?;
        listed.retain(|summary| summary.prompts > 0);
        listed.truncate(LISTED);
        let mut lines =
            vec![Line::from("Go on with which conversation? Its number; anything else stays here.")];
        for (at, summary) in listed.iter().enumerate() {
            let topic = safe::single(&summary.topic);
            lines.push(Line::from(format!("{}. {topic} ({})", at + 1, summary.conversation)));
        }
        match listed.is_empty() {
            true => self.talk.note("There is no earlier conversation in this folder.", &self.look),
            false => self.talk.print(lines),
        }
        self.choices = listed.into_iter().map(|summary| summary.conversation).collect();
        Ok(())
    }

    /// Whether the line was a number of the list.
    async fn chosen(&mut self, text: &str) -> Result<bool, Error> {
        let choices = std::mem::take(&mut self.choices);
        let Ok(number) = text.parse::<usize>() else { return Ok(false) };
        match number.checked_sub(1).and_then(|at| choices.get(at)) {
            Some(id) => {
                self.talk.restart();
                self.resume(id.clone()).await?;
            }
            None => {
                self.talk.error("there is no such number in the list", "", &self.look);
                self.choices = choices;
            }
        }
        Ok(true)
    }
}
