//! What is submitted: words for the model, a slash command, or a command of the person's own.

use super::Chat;
use crate::Error;
use crate::commands::{self, Argument, Command as Slash, Line as Meant};
use crate::diff::{self, Purpose, View as DiffView};
use crate::safe;
use crate::status::count;
use crate::style::Line;
use agent::desk::{Changed, Restored};
use agent::event::Configured;
use agent::{Command, Id};
use std::io::Write;

/// Lines of a diff that are printed at once.
const DIFF: usize = 2000;

impl<W: Write> Chat<W> {
    pub(super) async fn submit(&mut self, text: String) -> Result<(), Error> {
        self.draw_now();
        match commands::parse(&text) {
            Meant::Command(command, argument) => {
                let argument = argument.to_owned();
                if !argument.is_empty() && command.argument() == Argument::None {
                    self.refuse_argument(&text);
                    return Ok(());
                }
                return self.carry_out(command, &argument).await;
            }
            Meant::Unknown { name, nearest } => {
                let hint = nearest
                    .map_or("/help lists the commands".to_owned(), |near| format!("Did you mean {near}?"));
                self.talk.error(&format!("Unknown command: {name}"), &hint, &self.look);
                return Ok(());
            }
            Meant::Words => {}
        }
        self.prompt.remember(&text);
        match text.trim().strip_prefix('!') {
            Some(command) if !command.trim().is_empty() && self.own.is_none() => {
                self.run_own(command.trim());
                Ok(())
            }
            _ if self.is_busy() || self.own.is_some() => {
                self.queue.push_back(text);
                Ok(())
            }
            _ => self.say(text).await,
        }
    }

    /// What follows a command that takes nothing was meant as something: as words, or as another command.
    fn refuse_argument(&mut self, text: &str) {
        let name = text.split_whitespace().next().unwrap_or_default();
        self.talk.error(&format!("{name} takes nothing after it"), "", &self.look);
        if self.plain.is_none() {
            self.prompt.set(text);
        }
    }

    async fn carry_out(&mut self, command: Slash, argument: &str) -> Result<(), Error> {
        let unsaid = matches!(
            command,
            Slash::Undo | Slash::Diff | Slash::Compact | Slash::Fork | Slash::Export | Slash::Usage
        ) && self.session.is_none();
        match command {
            _ if unsaid => self.talk.note("Nothing was said yet.", &self.look),
            Slash::Quit => self.leaving = true,
            Slash::Help => self.help(),
            Slash::Usage => self.usage(),
            Slash::Approvals => self.approvals(),
            Slash::Undo => self.undo(),
            Slash::Diff => self.collect_changes(),
            Slash::Export => self.export(argument),
            Slash::Compact => {
                self.send(Command::Shorten).await?;
                self.talk.note("What was said is summed up before the next reply.", &self.look);
            }
            Slash::Clear => self.clear().await?,
            Slash::Model if argument.is_empty() => self.pick(Argument::Model),
            Slash::Resume if argument.is_empty() => self.pick(Argument::Conversation),
            Slash::Profile if argument.is_empty() => self.pick(Argument::Profile),
            Slash::Model => self.chosen(Argument::Model, argument).await?,
            Slash::Resume => self.chosen(Argument::Conversation, argument).await?,
            Slash::Profile => self.chosen(Argument::Profile, argument).await?,
            Slash::Fork => self.chosen(Argument::Prompt, argument).await?,
        }
        Ok(())
    }

    /// Something was chosen, in a list or by its name.
    pub(super) async fn chosen(&mut self, what: Argument, name: &str) -> Result<(), Error> {
        self.draw_now();
        match what {
            Argument::Model => self.use_model(name).await,
            Argument::Conversation => {
                if self.is_busy() {
                    self.talk.error("the conversation is at work", "Esc stops it", &self.look);
                    return Ok(());
                }
                self.switch(name).await
            }
            Argument::Profile => self.use_profile(name).await,
            Argument::Prompt => self.fork(name).await,
            Argument::None | Argument::File => Ok(()),
        }
    }

    /// What was typed is what is told, though the provider in use may be added to it.
    async fn use_model(&mut self, typed: &str) -> Result<(), Error> {
        // A name alone is one of the provider that is in use.
        let own = self.model.split_once('/').map(|(provider, _)| format!("{provider}/{typed}"));
        let own = own.filter(|own| !typed.contains('/') && self.desk.missing(own).is_none());
        let name = own.as_deref().unwrap_or(typed);
        if let Some(failure) = self.desk.missing(name) {
            self.talk.error(&failure.message, &failure.hint, &self.look);
            return Ok(());
        }
        if self.session.is_some() {
            self.talk.named = Some(typed.to_owned());
            let configured = Configured { model: Some(name.to_owned()), ..Configured::default() };
            return self.send(Command::Configure(configured)).await;
        }
        self.model = name.to_owned();
        self.talk.note(&format!("Set model to {typed}"), &self.look);
        Ok(())
    }

    async fn use_profile(&mut self, name: &str) -> Result<(), Error> {
        match self.desk.opened(name, Some(&self.model)) {
            Err(why) => self.talk.error(&why, "", &self.look),
            Ok(_) => {
                self.stop_run().await?;
                self.drop_session();
                self.profile = name.to_owned();
                self.talk.note(&format!("Set profile to {name}; a new conversation begins"), &self.look);
            }
        }
        Ok(())
    }

    async fn switch(&mut self, name: &str) -> Result<(), Error> {
        let opened = match Id::try_from(name.to_owned()) {
            Ok(id) => self.resume(&id).await,
            Err(why) => Err(Error::Conversation(why)),
        };
        if let Err(error) = opened {
            self.talk.error(&error.to_string(), "/resume alone lists the conversations", &self.look);
        }
        Ok(())
    }

    async fn fork(&mut self, seq: &str) -> Result<(), Error> {
        let Some(session) = self.session.clone() else { return Ok(()) };
        if self.is_busy() {
            self.talk.error("the conversation is at work", "Esc stops it", &self.look);
            return Ok(());
        }
        let at = if seq.is_empty() { Some(self.view.next) } else { seq.parse().ok() };
        let Some(at) = at.filter(|at| (1..=self.view.next).contains(at)) else {
            let words = format!("{seq:?} is no record's number; they go from 1 to {}", self.view.next);
            self.talk.error(&words, "/fork alone copies all of it", &self.look);
            return Ok(());
        };
        let copy = self.hub.fork(session.id(), at, (self.names)()).await?;
        self.enter(copy).await?;
        self.talk.note(
            &format!("This is a copy; the conversation it was made from is {}", session.id()),
            &self.look,
        );
        Ok(())
    }

    async fn clear(&mut self) -> Result<(), Error> {
        self.stop_run().await?;
        self.drop_session();
        if self.plain.is_none() {
            self.screen.scroll_away()?;
        }
        self.talk.paper.take();
        self.talk.paper = crate::paper::Paper::new();
        self.greet();
        Ok(())
    }

    pub(super) fn undone(&mut self, undone: Result<Restored, String>) {
        match undone {
            Err(why) => self.talk.error(&why, "", &self.look),
            Ok(Restored { files, commands, done }) => {
                for file in &files {
                    if let Some(why) = &file.contested {
                        self.talk.error(&format!("{} was not put back: {why}", file.path), "", &self.look);
                    }
                }
                if files.is_empty() {
                    self.talk.note("Nothing was changed.", &self.look);
                }
                for file in files.iter().filter(|_| done) {
                    self.print_diff(&file.diff);
                }
                if !commands.is_empty() {
                    let ran = commands.join("; ");
                    let words = format!("Commands ran since, and what they changed stays: {ran}");
                    self.talk.note(&words, &self.look);
                }
            }
        }
    }

    pub(super) fn show_changes(&mut self, changes: Result<Vec<Changed>, String>) {
        let changes = match changes {
            Ok(changes) if changes.is_empty() => return self.talk.note("Nothing was changed.", &self.look),
            Ok(changes) => changes,
            Err(why) => return self.talk.error(&why, "", &self.look),
        };
        for Changed { diff, contested } in changes {
            if let Some(who) = contested {
                self.talk.note(&format!("{who}; this shows both:"), &self.look);
            }
            self.print_diff(&diff);
        }
    }

    fn print_diff(&mut self, diff: &str) {
        let view = DiffView { columns: self.look.columns, most: DIFF, purpose: Purpose::Read };
        let lines = diff::render(diff, view, &self.look.palette);
        self.talk.print(lines);
    }

    fn usage(&mut self) {
        let usage = self.view.usage;
        let cached =
            if usage.cached > 0 { format!(" ({} cached)", count(usage.cached)) } else { String::new() };
        let cost = self.desk.price(&self.model).map(|price| format!(", ${:.4}", price.of(&usage)));
        let words = format!(
            "prompts: {}, calls: {}, tokens: {} in{cached}, {} out{}",
            self.view.prompts,
            self.view.call_count,
            count(usage.input),
            count(usage.output),
            cost.unwrap_or_else(|| ", cost not known".into())
        );
        self.talk.note(&words, &self.look);
    }

    fn approvals(&mut self) {
        let waiting = self.view.pending().count();
        let rules = self.desk.rules();
        let mut words = format!("Calls that wait for you: {waiting}. Saved rules: {}.", rules.len());
        for rule in &rules {
            words.push_str(&format!("\n  {}", safe::reveal(rule)));
        }
        self.talk.note(&words, &self.look);
    }

    fn help(&mut self) {
        let palette = &self.look.palette;
        let mut lines = vec![Line::styled("Commands", palette.heading)];
        let row = |name: &str, about: &str| {
            let mut line = Line::styled(format!("  {name:<18}"), palette.accent);
            line.push(about, palette.text);
            crate::screen::fit(&line, self.look.columns)
        };
        lines.extend(commands::items().iter().map(|item| row(&item.name, &item.about)));
        lines.push(Line::new());
        let keys = if self.plain.is_some() { &LINES[..] } else { &KEYS[..] };
        lines.push(Line::styled("Keys", palette.heading));
        lines.extend(keys.iter().map(|(key, about)| row(key, about)));
        self.talk.print(lines);
    }
}

const KEYS: [(&str, &str); 12] = [
    ("Enter", "send; while the agent works, queue"),
    ("Ctrl+J Alt+Enter", "new line"),
    ("Esc", "stop the run; twice, clear the input"),
    ("Ctrl+C twice", "leave; also Ctrl+D on an empty line"),
    ("Up Down", "earlier messages; a queued one is fetched back"),
    ("Ctrl+A E U K W Y", "as in the shell; Alt+B F D by words"),
    ("Ctrl+_", "take the last change of the text back"),
    ("Ctrl+G", "edit the text in $EDITOR"),
    ("Ctrl+O", "show all of what was folded last"),
    ("Ctrl+L Ctrl+Z", "clear the screen; stop for a while"),
    ("@path", "complete a path"),
    ("!command", "run a command of your own"),
];

/// The same where lines are typed.
const LINES: [(&str, &str); 3] = [
    ("Enter", "send; while the agent works, queue"),
    ("Ctrl+C", "stop the run; else leave, as Ctrl+D does"),
    ("!command", "run a command of your own"),
];
