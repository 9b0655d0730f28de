//! Rounds of a session: a letter goes out, a reply comes in, its commands run. Start at [`Rounds::until_done`].

use super::clipboard::{self, Clipboard};
use super::console;
use super::session::State;
use crate::arguments::Letters;
use crate::exec::console::{Answer, Signals, ask, digest};
use crate::exit::{Exit, Fault};
use crate::start::Start;
use agent::event::{Event, Failure, Reply};
use agent::view::CallState;
use agent::{Approve, Command, Id, OpenCall, Phase, Record, SendError, Session, Update, Updates, View};
use host::mailbox::{Post, notice};
use std::path::PathBuf;

/// What the model is told of a command that had to be asked about while nobody was there.
pub const NOBODY: &str = "nobody was there to ask";

pub struct Rounds {
    session: Session,
    updates: Updates,
    signals: Signals,
    post: Post,
    clipboard: Clipboard,
    view: View,
    state: State,
    failure: Option<Failure>,
    /// Until this record is seen, the view does not yet know what was sent.
    from: u64,
    /// Whether the person was told of the letter that waits.
    announced: bool,
    /// Nothing more happens by itself.
    rested: bool,
    approve: Approve,
}

impl Rounds {
    pub fn new(start: &Start, letters: &Letters, session: Session) -> Result<Rounds, Fault> {
        Ok(Rounds {
            updates: session.follow(0),
            signals: Signals::listen()?,
            post: start.post(),
            clipboard: Clipboard::new(letters),
            session,
            view: View::default(),
            state: State::default(),
            failure: None,
            from: 0,
            announced: false,
            rested: false,
            approve: start.config.approve,
        })
    }

    pub fn id(&self) -> &Id {
        self.session.id()
    }

    pub fn task(&self) -> &str {
        &self.state.task
    }

    pub async fn send(&mut self, command: Command) -> Result<(), Fault> {
        match self.session.send(command).await {
            Ok(seq) => self.from = seq,
            // Somebody else was first, from another door; what they decided stands.
            Err(SendError::Refused(_)) => self.from = self.session.recorded().saturating_sub(1),
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Takes in what happened before, without a word, and gives the number of the last letter.
    pub async fn recall(&mut self) -> Result<u64, Fault> {
        let before = self.session.recorded();
        while self.view.next < before {
            match self.updates.next().await.transpose()? {
                Some(Update::Record(record)) => {
                    self.view.apply(&record.event);
                    self.state.apply(&record);
                }
                Some(_) => {}
                None => break,
            }
        }
        self.state.sequence = self.post.last_sequence(self.id().as_str()).unwrap_or(1);
        Ok(self.state.sequence)
    }

    /// Carries the session on until it is complete, or cannot go on, or the person leaves.
    pub async fn until_done(&mut self) -> Result<Exit, Fault> {
        loop {
            if self.view.next > self.from {
                if let Some(exit) = self.ended()? {
                    return Ok(exit);
                }
                if let Some(open) = self.question() {
                    if !self.put(&open).await? {
                        return self.leave();
                    }
                    continue;
                }
            }
            let waits = self.announced;
            tokio::select! {
                update = self.updates.next() => match update.transpose()? {
                    Some(Update::Broken(why)) => return Err(Fault::error(why)),
                    Some(update) => self.take(update)?,
                    None => return Err(Fault::error("the conversation was closed")),
                },
                () = self.signals.next() => return self.leave(),
                reply = self.clipboard.reply(), if waits => self.paste(&reply)?,
            }
        }
    }

    fn ended(&mut self) -> Result<Option<Exit>, Fault> {
        match self.view.phase() {
            Phase::Done => {
                console::complete(self.state.done.as_deref().unwrap_or_default())?;
                Ok(Some(Exit::Done))
            }
            Phase::Failed => {
                let failure = self.failure.take();
                let (message, hint) =
                    failure.map(|failure| (failure.message, failure.hint)).unwrap_or_default();
                Err(Fault::error(message).hint(hint).hint("go on with `cinque mailbox resume`"))
            }
            Phase::Cancelled => {
                console::line("The session was stopped from elsewhere.")?;
                self.leave().map(Some)
            }
            Phase::Bound => {
                console::line("The session has used up its budget.")?;
                Ok(Some(Exit::Bound))
            }
            Phase::New | Phase::Busy | Phase::Waiting | Phase::Interrupted => Ok(None),
        }
    }

    /// The session stays as it is: nothing is recorded, so that it goes on where it was left.
    fn leave(&self) -> Result<Exit, Fault> {
        console::line("Left. Go on with: cinque mailbox resume")?;
        Ok(Exit::Interrupted)
    }

    /// The call that everything waits for: calls run in order, so it is the first one.
    fn question(&self) -> Option<OpenCall> {
        // What a mode decides waits only for a moment.
        if self.approve != Approve::Ask && !self.rested {
            return None;
        }
        let first = self.view.calls.first()?;
        matches!(first.state, CallState::Pending { .. }).then(|| first.clone())
    }

    /// Puts a call to the person. Says false if they leave instead of answering.
    async fn put(&mut self, open: &OpenCall) -> Result<bool, Fault> {
        let call = open.call.id.clone();
        let decision = tokio::select! {
            answer = ask(open, None) => match answer {
                Some(Answer::Yes | Answer::Always) => Command::Approve { call, digest: digest(open) },
                Some(Answer::No) => Command::Decline { call, words: String::new() },
                None => Command::Decline { call, words: NOBODY.to_owned() },
            },
            () = self.signals.next() => return Ok(false),
        };
        self.send(decision).await?;
        Ok(true)
    }

    fn take(&mut self, update: Update) -> Result<(), Fault> {
        self.rested = update == Update::Rested;
        match update {
            Update::Record(record) => self.record(&record),
            Update::Reasoning { .. } => {
                self.announce()?;
                self.state.save(&self.post, self.session.id())
            }
            _ => Ok(()),
        }
    }

    fn record(&mut self, record: &Record) -> Result<(), Fault> {
        match &record.event {
            Event::Asked { .. } => self.announced = false,
            Event::Replied(reply) => self.reply(reply)?,
            Event::Failed { failure, .. } => self.failure = Some(failure.clone()),
            _ => {}
        }
        self.view.apply(&record.event);
        if let Some(told) = self.state.apply(record) {
            console::result(told)?;
        }
        self.state.save(&self.post, self.session.id())
    }

    fn reply(&mut self, reply: &Reply) -> Result<(), Fault> {
        let said = |name: &str| reply.opaque.as_ref()?.get(name)?.as_str().map(str::to_owned);
        // A reply that lay there already may be taken before its letter was heard of.
        if !self.announced
            && let Some(outbox) = said("outbox")
        {
            self.announced_as(vec![self.post.outbox.join(outbox)])?;
        }
        self.announced = false;
        if let Some(inbox) = said("inbox") {
            console::line(&format!("Processing: {}", inbox.replace('\n', "␊")))?;
        }
        Ok(())
    }

    fn announce(&mut self) -> Result<(), Fault> {
        let files = self.post.waiting(self.session.id().as_str());
        if files.is_empty() || self.announced { Ok(()) } else { self.announced_as(files) }
    }

    fn announced_as(&mut self, files: Vec<PathBuf>) -> Result<(), Fault> {
        self.announced = true;
        self.state.sequence = self.post.last_sequence(self.session.id().as_str()).unwrap_or(1);
        console::write(&notice(&files))?;
        let texts: Vec<String> = files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect();
        if let Some(said) = self.clipboard.copy(&texts) {
            console::line(&said)?;
        }
        Ok(())
    }

    fn paste(&mut self, reply: &str) -> Result<(), Fault> {
        let delivered = self.post.deliver(self.session.id().as_str(), reply);
        delivered.map(drop).map_err(|error| clipboard::not_delivered(&self.post.inbox, &error))
    }
}
