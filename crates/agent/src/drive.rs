//! The only place of the core that waits. A [`Driver`] acts for one conversation: it takes commands from its inbox,
//! carries out the effects that the turn hands out, in order, and feeds back what came of them.
//!
//! It decides nothing about the conversation; that is [`Turn`]'s business. It holds no lock while it waits.

mod ask;
mod job;
mod letter;

use crate::event::*;
use crate::feed::{Feed, Update};
use crate::log::{Chain, Line};
use crate::model::Delta;
use crate::outfit::{Ground, Parts};
use crate::store::{Claim, Id, Store, StoreError, Summary};
use crate::tool::{Cancel, Progress};
use crate::transcript::Transcript;
use crate::turn::{Effect, Input, Turn};
use crate::view::{Phase, View};
use ask::{Ask, spread};
use job::carry_out;
pub(crate) use letter::Letter;
pub use letter::SendError;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

/// Milliseconds after which whoever wrote a record has surely taken the right to act on it.
pub(crate) const SETTLED: u64 = 2000;
/// How long nothing is heard of a run that somebody else drives before it is worth a look: whoever acts may be gone.
const SILENT: Duration = Duration::from_millis(SETTLED);

pub(crate) struct Driver {
    id: Id,
    ground: Ground,
    parts: Parts,
    model: String,
    turn: Turn,
    transcript: Transcript,
    chain: Chain,
    created: u64,
    feed: Arc<Feed>,
    /// Held while this process acts for the conversation.
    claim: Option<Claim>,
    /// Something was wanted here that was left to whoever acted then.
    wish: bool,
    /// When something was last recorded, here or elsewhere.
    heard: Instant,
    ask: Ask,
    jobs: JoinSet<(CallId, Outcome)>,
    halt: watch::Sender<bool>,
    /// Events that could not be recorded because the store was broken; they are offered again.
    unrecorded: Option<Vec<Event>>,
}

/// What woke the driver.
enum Wake {
    Letter(Option<Letter>),
    Delta(Option<Delta>),
    Ran(CallId, Outcome),
    Changed,
    Silence,
}

impl Driver {
    /// Writes the first records of a conversation, each with when it happened.
    pub(crate) async fn found(
        store: &dyn Store,
        id: &Id,
        now: u64,
        events: impl IntoIterator<Item = (u64, Event)>,
    ) -> Result<(), StoreError> {
        let (mut chain, mut view) = (Chain::START, View::default());
        let mut seal = |(at, event)| {
            view.apply(&event);
            chain.seal(at, event)
        };
        let lines: Vec<Line> = events.into_iter().map(&mut seal).collect();
        let created = lines.first().map_or(now, |first| first.record.at);
        let summary = Summary::of(id, &view, &chain, created, now);
        store.append(id, lines, summary).await
    }

    pub(crate) fn new(
        id: Id,
        ground: Ground,
        feed: Arc<Feed>,
        parts: Parts,
        lines: Vec<Line>,
        view: View,
        chain: Chain,
    ) -> Driver {
        let mut transcript =
            Transcript::new(id.as_str(), parts.schema.clone()).recalling(parts.profile.recall);
        lines.iter().for_each(|line| transcript.apply(&line.record.event));
        Driver {
            ground,
            model: view.model.clone(),
            turn: Turn::new(view, parts.profile.clone(), parts.toolbox.clone()),
            created: lines.first().map_or(0, |line| line.record.at),
            parts,
            transcript,
            chain,
            feed,
            id,
            claim: None,
            wish: false,
            heard: Instant::now(),
            ask: Ask::No,
            jobs: JoinSet::new(),
            halt: watch::Sender::new(false),
            unrecorded: None,
        }
    }

    /// Acts for the conversation until nobody is left to send commands and nothing is under way.
    pub(crate) async fn run(mut self, mut inbox: mpsc::Receiver<Letter>) {
        let mut changes = self.ground.store.changes();
        self.look_after().await;
        let mut open = true;
        loop {
            self.rest().await;
            if !open && self.turn.rests() {
                return;
            }
            let wake = tokio::select! {
                biased;
                letter = inbox.recv(), if open => Wake::Letter(letter),
                delta = self.ask.next() => Wake::Delta(delta),
                Some(ran) = self.jobs.join_next() => match ran {
                    Ok((call, outcome)) => Wake::Ran(call, outcome),
                    // Jobs catch their panics and are never aborted one by one.
                    Err(_) => continue,
                },
                Ok(()) = changes.changed() => Wake::Changed,
                () = sleep_until(self.heard + SILENT), if self.is_driven_elsewhere() => Wake::Silence,
            };
            match wake {
                Wake::Letter(None) => open = false,
                Wake::Letter(Some(letter)) => self.take_letter(letter).await,
                Wake::Delta(Some(delta)) => self.take_delta(delta).await,
                Wake::Delta(None) => self.begin_stream(),
                Wake::Ran(call, outcome) => self.take_outcome(call, outcome).await,
                Wake::Changed => self.hear_others().await,
                Wake::Silence => self.look_after().await,
            }
        }
    }

    /// Settles what a process left that died, if nobody acts for the conversation; goes on with it if it was to do what
    /// is wanted here.
    async fn look_after(&mut self) {
        self.heard = Instant::now();
        let wish = self.wish;
        if self.take_claim() {
            self.feed_turn(if wish { Input::Go } else { Input::Recover }).await;
        }
    }

    /// Whether a run is under way that this process neither drives nor knows to be left by all.
    fn is_driven_elsewhere(&self) -> bool {
        let under_way = match self.turn.view().phase() {
            Phase::Busy => true,
            // Whoever drove it may have had other rules about what waits for a person.
            Phase::Waiting => self.wish,
            _ => false,
        };
        under_way && self.claim.is_none() && self.unrecorded.is_none() && !self.feed.left()
    }

    async fn take_delta(&mut self, delta: Delta) {
        match delta {
            Delta::Text(text) => self.feed.text(&text),
            Delta::Reasoning(text) => self.feed.reasoning(&text),
            Delta::Finished(reply) => {
                self.ask = Ask::No;
                self.feed_turn(Input::Replied(*reply)).await;
            }
            Delta::Failed(failure) => {
                self.ask = Ask::No;
                let partial = self.feed.take_partial();
                let again = failure.clone();
                let effects = self.turn.on(Input::Failed { failure, partial });
                if let Some(Effect::Ask { after, .. }) = effects.first() {
                    let after_millis = after.as_millis() as u64;
                    self.feed.notify(Update::Retrying { after_millis, failure: again });
                }
                self.carry(effects).await;
            }
        }
    }

    async fn take_outcome(&mut self, call: CallId, outcome: Outcome) {
        match &mut self.unrecorded {
            Some(unrecorded) => unrecorded.push(Event::Ran { call, outcome }),
            None => self.feed_turn(Input::Ran { call, outcome }).await,
        }
    }

    async fn feed_turn(&mut self, input: Input) {
        let effects = self.turn.on(input);
        self.carry(effects).await;
    }

    /// Carries effects out in order. Where the store refuses, the turn plans anew and the rest is dropped.
    async fn carry(&mut self, effects: Vec<Effect>) {
        let mut queue = VecDeque::from(effects);
        while let Some(effect) = queue.pop_front() {
            match effect {
                Effect::Record(events) => match self.commit(&events, 0).await {
                    Ok(()) => {}
                    Err(StoreError::Stale) => match self.reread().await {
                        Ok(view) => queue = self.turn.on(Input::Refused { offered: events, view }).into(),
                        Err(error) => return self.give_up(error, events),
                    },
                    Err(error) => return self.give_up(error, events),
                },
                Effect::Ask { after, summary_of } => {
                    self.ask = Ask::after(spread(after, &self.id), summary_of)
                }
                Effect::Run { call, digest } => self.start(call, digest),
                Effect::Halt => queue.extend(self.halt()),
            }
        }
    }

    /// The log cannot be written: nothing more may happen, but nothing that happened is forgotten.
    fn give_up(&mut self, error: StoreError, unrecorded: Vec<Event>) {
        self.ask = Ask::No;
        self.unrecorded = Some(unrecorded);
        self.hold(None);
        self.feed.notify(Update::Broken(error.to_string()));
    }

    /// Appends events to the log. `ahead` says how many of them the view does not know yet.
    async fn commit(&mut self, events: &[Event], ahead: usize) -> Result<(), StoreError> {
        let at = (self.ground.clock)();
        let mut chain = self.chain;
        let lines: Vec<Line> = events.iter().map(|event| chain.seal(at, event.clone())).collect();
        let summary = if ahead == 0 {
            Summary::of(&self.id, self.turn.view(), &chain, self.created, at)
        } else {
            let mut view = self.turn.view().clone();
            events.iter().for_each(|event| view.apply(event));
            Summary::of(&self.id, &view, &chain, self.created, at)
        };
        self.ground.store.append(&self.id, lines.clone(), summary).await?;
        self.chain = chain;
        self.heard = Instant::now();
        for line in lines {
            self.transcript.apply(&line.record.event);
            self.feed.push(line.record);
        }
        Ok(())
    }

    /// Takes in what others wrote, when this machine has planned nothing on top.
    async fn catch_up(&mut self) -> Result<usize, StoreError> {
        let lines = self.ground.store.load(&self.id, self.chain.next).await?;
        for line in &lines {
            self.follow(line)?;
            self.turn.hear(&line.record.event);
        }
        self.wish &= self.turn.view().active;
        Ok(lines.len())
    }

    /// Takes in what others wrote after they were first, and gives the fold of all that stands there, for the turn to
    /// plan again on top of it.
    async fn reread(&mut self) -> Result<Box<View>, StoreError> {
        let mut view = View::default();
        for line in self.ground.store.load(&self.id, 0).await? {
            if line.record.seq >= self.chain.next {
                self.follow(&line)?;
                self.turn.hear(&line.record.event);
            }
            view.apply(&line.record.event);
        }
        Ok(Box::new(view))
    }

    fn follow(&mut self, line: &Line) -> Result<(), StoreError> {
        self.chain.follow(line).map_err(|damage| StoreError::Damaged { id: self.id.clone(), damage })?;
        self.heard = Instant::now();
        self.transcript.apply(&line.record.event);
        self.feed.push(line.record.clone());
        Ok(())
    }

    async fn hear_others(&mut self) {
        match self.catch_up().await {
            Ok(0) => {}
            Ok(_) if self.claim.is_some() => self.feed_turn(Input::Go).await,
            Ok(_) => {}
            Err(error) => self.feed.notify(Update::Broken(error.to_string())),
        }
    }

    /// Gives the right to act back when there is nothing to do. Whoever spoke in the last moment and found the right
    /// still taken is heard here.
    async fn rest(&mut self) {
        while self.claim.is_some() && self.turn.rests() {
            self.hold(None);
            match self.catch_up().await {
                Ok(heard) if heard > 0 && self.take_claim() => self.feed_turn(Input::Go).await,
                Ok(_) => return self.feed.notify(Update::Rested),
                Err(error) => return self.feed.notify(Update::Broken(error.to_string())),
            }
        }
    }

    fn take_claim(&mut self) -> bool {
        match self.ground.store.claim(&self.id) {
            Ok(claim) => self.hold(claim),
            Err(error) => self.feed.notify(Update::Broken(error.to_string())),
        }
        self.claim.is_some()
    }

    fn hold(&mut self, claim: Option<Claim>) {
        self.wish &= claim.is_none();
        self.claim = claim;
        self.feed.set_acting(self.claim.is_some());
    }

    fn begin_stream(&mut self) {
        self.outfit_for_model();
        self.feed.take_partial();
        let request = match self.ask {
            Ask::Later(_, Some(before)) => self.transcript.summary_request(before),
            _ => self.transcript.request(),
        };
        self.ask = Ask::Streaming(self.parts.model.stream(request));
    }

    fn outfit_for_model(&mut self) {
        let view = self.turn.view();
        if let Some(opened) = view.opened.as_ref().filter(|_| view.model != self.model) {
            self.parts.model = (self.ground.outfit)(opened, &view.model).model;
            self.model = view.model.clone();
        }
    }

    fn start(&mut self, call: Call, digest: String) {
        if self.jobs.is_empty() {
            self.halt = watch::Sender::new(false);
        }
        let cancel = Cancel::when(self.halt.subscribe());
        let progress = Progress(Some((self.feed.clone(), call.id.clone())));
        let (toolbox, clock) = (self.parts.toolbox.clone(), self.ground.clock.clone());
        self.jobs.spawn(async move {
            let began = clock();
            let mut outcome = carry_out(&toolbox, &call, digest, progress, cancel).await;
            outcome.detail.millis = Some(clock().saturating_sub(began));
            (call.id, outcome)
        });
    }

    fn halt(&mut self) -> Vec<Effect> {
        self.halt.send_replace(true);
        if matches!(self.ask, Ask::No) {
            return Vec::new();
        }
        self.ask = Ask::No;
        let partial = self.feed.take_partial();
        let failure = Failure::new(FailureKind::Cancelled, "stopped by the person");
        self.turn.on(Input::Failed { failure, partial })
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.feed.close();
    }
}
