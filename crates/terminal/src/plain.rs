//! The conversation line by line, for screen readers and terminals that can do nothing else. Start at [`run`].
//!
//! No cursor is moved and nothing is drawn twice: what is finished is printed, what is asked is asked in a line.

mod line;

use crate::guard;
use crate::screen::Size;
use crate::style::{Line, Palette};
use crate::talk::{Look, Talk};
use crate::{Begin, Door, Error};
use agent::event::{CallId, Event, Said};
use agent::session::Open;
use agent::{Command, Id, SendError, Session, Update, Updates, View};
use std::io::{BufRead, Write};
use tokio::sync::mpsc;

struct Plain {
    door: Door,
    look: Look,
    talk: Talk,
    view: View,
    session: Option<Session>,
    updates: Option<Updates>,
    /// The last record that this person's commands made.
    sent: u64,
    /// The call whose question was printed last.
    asked: Option<CallId>,
    /// Whether the rule that would be saved was shown, and waits for its own answer.
    rule: bool,
    /// What was said in a line that still stands on the screen, so that it is not printed again.
    typed: Option<String>,
    /// The conversations that a number chooses from.
    choices: Vec<Id>,
    /// Whether the marker stands at the end of what was printed.
    prompted: bool,
}

pub async fn run(door: Door) -> Result<(), Error> {
    let columns = guard::window().map_or(80, |Size { columns, .. }| columns);
    let look = Look { palette: Palette::none(), columns };
    let plain = Plain {
        look,
        talk: Talk::default(),
        view: View::default(),
        session: None,
        updates: None,
        sent: 0,
        asked: None,
        rule: false,
        typed: None,
        choices: Vec::new(),
        prompted: false,
        door,
    };
    plain.talk_on().await
}

impl Plain {
    async fn talk_on(mut self) -> Result<(), Error> {
        self.begin().await?;
        let mut lines = lines();
        let mut interrupts = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
        loop {
            self.print()?;
            tokio::select! {
                line = lines.recv() => match line {
                    Some(line) => if !self.take_line(&line).await? { return Ok(()) },
                    None => return Ok(()),
                },
                update = next(&mut self.updates) => match update {
                    Some(update) => self.take(&update?),
                    None => return Err(Error::Conversation("the conversation was closed".into())),
                },
                _ = interrupts.recv() => match self.is_busy() {
                    true => self.send(Command::Cancel).await?,
                    false => return Ok(()),
                },
            }
        }
    }

    async fn begin(&mut self) -> Result<(), Error> {
        let model = self.door.desk.model();
        match self.door.settings.begin.clone() {
            Begin::Resume(id) => self.resume(id).await?,
            Begin::New => self.greet(&model),
            Begin::Choose => {
                self.greet(&model);
                self.list().await?;
            }
        }
        if let Some(prompt) = self.door.settings.prompt.take() {
            self.say(&prompt).await?;
        }
        Ok(())
    }

    fn greet(&mut self, model: &str) {
        let effort = self.door.settings.effort.as_ref();
        let effort = effort.map(|effort| format!(" with reasoning effort: {effort}")).unwrap_or_default();
        self.talk.print(vec![Line::from(format!("Using model: {model}{effort}"))]);
    }

    async fn resume(&mut self, id: Id) -> Result<(), Error> {
        let session = self.door.hub.open(Open::Resume(id)).await?;
        let (mut updates, past) = (session.follow(0), session.recorded());
        self.view = View::default();
        self.greet(&session.start().model);
        while self.view.next < past {
            match updates.next().await.transpose()? {
                Some(update) => self.take(&update),
                None => break,
            }
        }
        (self.session, self.updates) = (Some(session), Some(updates));
        Ok(())
    }

    /// Whether the log has not told yet what came of the last command.
    fn is_untold(&self) -> bool {
        self.session.is_some() && self.view.next <= self.sent
    }

    fn is_busy(&self) -> bool {
        let Some(session) = &self.session else { return false };
        self.is_untold() || self.view.active && !session.was_left(&self.view)
    }

    fn take(&mut self, update: &Update) {
        if let Update::Record(record) = update {
            self.view.apply(&record.event);
            if let Event::Said(said) = &record.event
                && self.typed.take_if(|typed| *typed == said.text).is_some()
            {
                return;
            }
        }
        self.talk.take(update, &self.look);
    }

    /// Prints what is finished, then the question or the marker that waits for a line.
    fn print(&mut self) -> Result<(), Error> {
        let finished = self.talk.paper.take();
        let mut out = std::io::stdout().lock();
        if self.prompted && !finished.is_empty() {
            writeln!(out)?;
            self.prompted = false;
        }
        for line in &finished {
            writeln!(out, "{}", line.text())?;
        }
        let pending = self.view.pending().next().map(|open| open.call.id.clone());
        if pending.is_some() && pending != self.asked {
            let keys =
                "y approves, n declines, a always approves this, e and words decline with words. [y/n]";
            writeln!(out, "{keys}")?;
            (self.prompted, self.rule) = (false, false);
        }
        self.asked = pending;
        if !self.prompted && !self.is_untold() && (self.asked.is_some() || !self.is_busy()) {
            write!(out, "❯ ")?;
            self.prompted = true;
        }
        Ok(out.flush()?)
    }

    async fn say(&mut self, text: &str) -> Result<(), Error> {
        if self.session.is_none() && !self.begin_conversation().await? {
            return Ok(());
        }
        self.send(Command::Say(Said { text: text.to_owned(), context: None })).await
    }

    /// Begins a conversation, unless its model cannot be asked.
    async fn begin_conversation(&mut self) -> Result<bool, Error> {
        let desk = &self.door.desk;
        if let Some(failure) = desk.missing(&desk.model()) {
            self.talk.error(&failure.message, &failure.hint, &self.look);
            return Ok(false);
        }
        let opened = desk.opened(&self.door.settings.profile, None).map_err(Error::Conversation)?;
        let session = self.door.hub.open(Open::New { id: (self.door.names)(), opened }).await?;
        self.updates = Some(session.follow(0));
        self.session = Some(session);
        Ok(true)
    }

    async fn send(&mut self, command: Command) -> Result<(), Error> {
        let Some(session) = self.session.clone() else { return Ok(()) };
        match session.send(command).await {
            Ok(seq) => self.sent = self.sent.max(seq),
            Err(SendError::Refused(_)) => {}
            Err(error) => self.talk.error(&error.to_string(), "", &self.look),
        }
        Ok(())
    }
}

async fn next(updates: &mut Option<Updates>) -> Option<Result<Update, agent::StoreError>> {
    match updates {
        Some(updates) => updates.next().await,
        None => std::future::pending().await,
    }
}

/// The lines that are typed, read on a thread of its own: a read of a terminal cannot be given up.
fn lines() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(8);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    receiver
}
