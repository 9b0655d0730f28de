//! What happens in the conversation, taken in the order of its log; and what a person's own command prints.

use super::{BATCH, Chat};
use crate::Error;
use crate::block::{Block, State};
use crate::deed::Ended;
use crate::style::Line;
use agent::event::{Event, Outcome, Said, Status, Stop};
use agent::session::Open;
use agent::{Command, Id, Record, SendError, Session, StoreError, Update, Updates, View};
use futures::FutureExt;
use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// Records of an earlier conversation that are shown; the rest is counted.
const SHOWN: u64 = 160;
/// A run of which somebody who looks elsewhere is told that it is over: by then they do not wait for it any more.
const LONG: Duration = Duration::from_secs(3);

/// A command of the person's own that runs.
pub(super) struct Own {
    pub(super) command: String,
    pub(super) output: Arc<Mutex<Printed>>,
    pub(super) task: JoinHandle<()>,
}

/// What it printed so far, bounded.
#[derive(Debug, Default)]
pub(super) struct Printed {
    text: String,
    dropped: usize,
}

/// Output of a person's own command that is kept.
const PRINTED: usize = 1024 * 1024;

impl Printed {
    pub(super) fn push(&mut self, text: &str) {
        if self.text.len() + text.len() <= PRINTED && self.dropped == 0 {
            self.text.push_str(text);
        } else {
            self.dropped += text.len();
        }
    }
}

type Next = Option<Result<Update, StoreError>>;

/// What happens next; never, while there is no conversation.
pub(super) async fn next(updates: &mut Option<Updates>) -> Next {
    match updates {
        Some(updates) => updates.next().await,
        None => std::future::pending().await,
    }
}

impl<W: Write> Chat<W> {
    /// Takes what happened, and what else has happened by now.
    pub(super) fn take_updates(&mut self, first: Next) -> Result<(), Error> {
        let mut next = first;
        for _ in 0..BATCH {
            match next {
                None => return Err(Error::Conversation("the conversation was closed".into())),
                Some(update) => self.take_update(&update?)?,
            }
            let Some(Some(more)) = self.updates.as_mut().map(|updates| updates.next().now_or_never()) else {
                break;
            };
            next = more;
        }
        Ok(())
    }

    pub(super) fn take_update(&mut self, update: &Update) -> Result<(), Error> {
        if let Update::Record(record) = update {
            self.view.apply(&record.event);
            self.model.clone_from(&self.view.model);
            self.prompt.forget_supplies();
        }
        if !self.stands_there(update) {
            self.talk.take(update, &self.look);
        }
        match update {
            Update::Text { text, .. } | Update::Reasoning { text, .. } | Update::Progress { text, .. } => {
                self.draw_soon(text.len());
            }
            Update::Record(record) => {
                if matches!(record.event, Event::Stopped { .. }) {
                    self.notify("cinque is done", LONG)?;
                }
                self.draw_now();
            }
            Update::Rested => self.look_whether_left(),
            _ => self.draw_now(),
        }
        self.look_whether_busy();
        self.look_for_question()
    }

    /// Whether what happened is that the person said what they still see.
    fn stands_there(&mut self, update: &Update) -> bool {
        let Update::Record(record) = update else { return false };
        match (&record.event, &mut self.plain) {
            (Event::Said(said), Some(plain)) => plain.shows(said),
            _ => false,
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        let Some(session) = &self.session else { return false };
        self.view.next <= self.sent || self.view.active && !session.was_left(&self.view)
    }

    /// A run whose process ended is not taken up again by itself; the person is told so.
    fn look_whether_left(&mut self) {
        let left = self.session.as_ref().is_some_and(|session| session.was_left(&self.view));
        if left && !self.is_busy() && self.left.replace(self.view.next) != Some(self.view.next) {
            self.talk.note("The program ended before this run did. Say something to go on.", &self.look);
            self.draw_now();
        }
    }

    fn look_whether_busy(&mut self) {
        match (self.is_busy(), self.clock.busy) {
            (true, None) => self.clock.busy = Some(Instant::now()),
            (false, Some(_)) => self.clock.busy = None,
            _ => {}
        }
    }

    /// What was queued is said once the conversation rests.
    pub(super) async fn go_on(&mut self) -> Result<(), Error> {
        if self.queue.is_empty() || self.is_busy() || self.own.is_some() {
            return Ok(());
        }
        // After a run that did not end well the person may want to say something else first.
        if matches!(self.view.stop, Some(Stop::Cancelled | Stop::Failed)) && self.prompt.is_empty() {
            let text = self.queue.drain(..).collect::<Vec<_>>().join("\n");
            self.prompt.set(&text);
            self.draw_now();
        } else if let Some(text) = self.queue.pop_front() {
            self.say(text).await?;
        }
        Ok(())
    }

    pub(super) async fn say(&mut self, text: String) -> Result<(), Error> {
        if self.session.is_none() && !self.found().await? {
            self.prompt.set(&text);
            return Ok(());
        }
        self.send(Command::Say(Said { text, context: None })).await
    }

    /// Begins a conversation, unless its model cannot be asked.
    async fn found(&mut self) -> Result<bool, Error> {
        if let Some(failure) = self.desk.missing(&self.model) {
            self.talk.error(&failure.message, &failure.hint, &self.look);
            self.draw_now();
            return Ok(false);
        }
        let opened = match self.desk.opened(&self.profile, Some(&self.model)) {
            Ok(opened) => opened,
            Err(why) => {
                self.talk.error(&why, "", &self.look);
                self.draw_now();
                return Ok(false);
            }
        };
        let session = self.hub.open(Open::New { id: (self.names)(), opened }).await?;
        self.updates = Some(session.follow(0));
        self.session = Some(session);
        Ok(true)
    }

    pub(super) async fn send(&mut self, command: Command) -> Result<(), Error> {
        let Some(session) = self.session.clone() else { return Ok(()) };
        let words = if let Command::Say(said) = &command { said.text.clone() } else { String::new() };
        match session.send(command).await {
            Ok(seq) => self.sent = self.sent.max(seq),
            // Decided, stopped or finished elsewhere in the meantime: what happened is shown anyway.
            Err(SendError::Refused(_)) => {}
            Err(error) => {
                // It may have been removed elsewhere; then there is nothing left to be said to.
                self.talk.error(&error.to_string(), "/clear begins a new conversation", &self.look);
                if self.prompt.is_empty() && self.plain.is_none() {
                    self.prompt.set(&words);
                }
            }
        }
        self.look_whether_busy();
        self.draw_now();
        Ok(())
    }

    /// Forgets the conversation; the next words begin a new one.
    pub(super) fn drop_session(&mut self) {
        (self.session, self.updates, self.view) = (None, None, View::default());
        (self.sent, self.left) = (0, None);
        self.queue.clear();
        self.clock.busy = None;
        self.ask = super::Ask::default();
        self.talk.restart();
        self.prompt.forget_supplies();
    }

    /// Goes on with an earlier conversation and shows it.
    pub(super) async fn resume(&mut self, id: &Id) -> Result<(), Error> {
        let session = self.hub.open(Open::Resume(id.clone())).await?;
        self.enter(session).await
    }

    pub(super) async fn enter(&mut self, session: Session) -> Result<(), Error> {
        self.drop_session();
        self.view = session.start().clone();
        let end = self.view.next;
        let mut next = end.saturating_sub(SHOWN);
        let mut updates = session.follow(next);
        let mut last = VecDeque::new();
        while next < end {
            let Some(update) = updates.next().await.transpose()? else { break };
            if let Update::Record(record) = update {
                next = record.seq + 1;
                last.push_back(record);
            }
        }
        self.model.clone_from(&self.view.model);
        if let Some(opened) = &self.view.opened {
            self.profile.clone_from(&opened.profile);
        }
        self.greet();
        self.recall(last);
        (self.session, self.updates) = (Some(session), Some(updates));
        self.look_whether_left();
        self.look_whether_busy();
        self.look_for_question()
    }

    /// Shows what was, from something said on; where a run is longer than what is shown, from a reply on.
    fn recall(&mut self, mut records: VecDeque<Arc<Record>>) {
        let whole = records.front().is_none_or(|record| record.seq == 0);
        let begins = |kind: fn(&Event) -> bool| records.iter().position(|record| kind(&record.event));
        let said = begins(|event| matches!(event, Event::Said(_)));
        let from = said.or_else(|| begins(|event| matches!(event, Event::Replied(_)))).unwrap_or(0);
        if !whole {
            records.drain(..from);
        }
        if let Some(first) = records.front().filter(|_| !whole) {
            let words = format!("… {} earlier records; `cinque log show` shows all", first.seq);
            self.talk.note(&words, &self.look);
        }
        for record in records {
            self.talk.take(&Update::Record(record), &self.look);
        }
    }

    pub(super) fn own_lines(&self) -> Vec<Line> {
        let Some(own) = &self.own else { return Vec::new() };
        let printed = own.output.lock().unwrap_or_else(PoisonError::into_inner);
        let block = Block { command: &own.command, output: &printed.text, state: State::Running, note: None };
        block.tail(6, self.look.columns, &self.look.palette)
    }

    /// A person's own command has ended.
    pub(super) fn own_ended(&mut self, outcome: &Outcome) {
        let Some(own) = self.own.take() else { return };
        let failed = outcome.status != Status::Done;
        let Printed { text, dropped } =
            std::mem::take(&mut *own.output.lock().unwrap_or_else(PoisonError::into_inner));
        let note = match (failed, dropped) {
            (true, _) => Some(outcome.text.clone()),
            (false, 0) => None,
            (false, _) => Some(format!("{dropped} bytes more were printed")),
        };
        self.talk.own(&own.command, Ended { output: text, note, failed }, &self.look);
        self.prompt.forget_supplies();
        self.draw_now();
    }
}
