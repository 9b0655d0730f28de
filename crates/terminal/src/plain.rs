//! The conversation line by line, for screen readers and terminals that can do nothing else. Start at [`run`].
//!
//! No cursor is moved and nothing is drawn twice: what is finished is printed, what is asked is asked in a line.

use crate::guard;
use crate::screen::Size;
use crate::style::{Line, Palette};
use crate::talk::{Look, Talk};
use crate::{Begin, Door, Error};
use agent::event::{CallId, Said};
use agent::session::Open;
use agent::view::CallState;
use agent::{Command, SendError, Session, Update, Updates, View};
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
        match self.door.settings.begin.clone() {
            Begin::Resume(id) => {
                let session = self.door.hub.open(Open::Resume(id)).await?;
                let (mut updates, past) = (session.follow(0), session.recorded());
                while self.view.next < past {
                    match updates.next().await.transpose()? {
                        Some(update) => self.take(&update),
                        None => break,
                    }
                }
                (self.session, self.updates) = (Some(session), Some(updates));
            }
            Begin::New | Begin::Choose => {
                let effort = self.door.settings.effort.as_ref();
                let effort =
                    effort.map(|effort| format!(" with reasoning effort: {effort}")).unwrap_or_default();
                self.talk.print(vec![Line::from(format!("Using model: {}{effort}", self.door.desk.model()))]);
            }
        }
        if let Some(prompt) = self.door.settings.prompt.take() {
            self.say(&prompt).await?;
        }
        Ok(())
    }

    fn is_busy(&self) -> bool {
        let Some(session) = &self.session else { return false };
        self.view.next <= self.sent || self.view.active && !session.was_left(&self.view)
    }

    fn take(&mut self, update: &Update) {
        if let Update::Record(record) = update {
            self.view.apply(&record.event);
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
            writeln!(out, "y approves, n declines, e and words decline with words. [y/n]")?;
            self.prompted = false;
        }
        self.asked = pending;
        if !self.prompted && (self.asked.is_some() || !self.is_busy()) {
            write!(out, "❯ ")?;
            self.prompted = true;
        }
        Ok(out.flush()?)
    }

    /// Whether to go on.
    async fn take_line(&mut self, line: &str) -> Result<bool, Error> {
        self.prompted = false;
        let text = line.trim();
        if let Some(call) = self.asked.clone() {
            let decision = self.decision(call, text);
            match decision {
                Some(command) => self.send(command).await?,
                None => self.asked = None,
            }
            return Ok(true);
        }
        match text {
            "" => {}
            "/quit" => return Ok(false),
            _ => self.say(line).await?,
        }
        Ok(true)
    }

    fn decision(&self, call: CallId, text: &str) -> Option<Command> {
        let (first, words) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match first.to_lowercase().as_str() {
            "y" | "yes" => {
                let open = self.view.calls.iter().find(|open| open.call.id == call);
                let digest = open.and_then(|open| match &open.state {
                    CallState::Pending { digest, .. } => Some(digest.clone()),
                    _ => None,
                });
                Some(Command::Approve { call, digest })
            }
            "n" | "no" | "e" => Some(Command::Decline { call, words: words.trim().to_owned() }),
            _ => None,
        }
    }

    async fn say(&mut self, text: &str) -> Result<(), Error> {
        if self.session.is_none() {
            let desk = &self.door.desk;
            if let Some(failure) = desk.missing(&desk.model()) {
                self.talk.error(&failure.message, &failure.hint, &self.look);
                return Ok(());
            }
            let opened = desk.opened(&self.door.settings.profile, None).map_err(Error::Conversation)?;
            let session = self.door.hub.open(Open::New { id: (self.door.names)(), opened }).await?;
            self.updates = Some(session.follow(0));
            self.session = Some(session);
        }
        self.send(Command::Say(Said { text: text.to_owned(), context: None })).await
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
