//! One conversation as its readers share it. Start at [`Room::open`]: one reader follows the session, tells every record
//! once, and hands the same text to all clients in the room.
//!
//! The room decides nothing and never waits for a client. What a client missed is read from the store.

mod partial;

use crate::frame::{self, Text};
use crate::outbox::Outbox;
use crate::shape::{ConversationShape, ModelRetry, StatusShape};
use crate::teller::{INTERRUPTED, Teller, When};
use agent::{Desk, Event, Hub, Phase, Session, StoreError, Update, Updates, View};
use partial::Partial;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// What sending one text to one client costs, about. Pieces of a reply wait this long for each client in the room before
/// the next one is sent, so that a full room does not take the whole machine.
const COST: Duration = Duration::from_micros(20);
/// A pause shorter than this is none.
const SHORTEST: Duration = Duration::from_millis(2);

/// Pieces are never held back longer than this.
const LONGEST: Duration = Duration::from_millis(60);

/// Tells of a conversation whose line in the list changed.
pub type Announce = Arc<dyn Fn(&ConversationShape) + Send + Sync>;

/// The number of a connection.
pub type Guest = u64;

pub struct Room {
    pub session: Session,
    hub: Hub,
    desk: Arc<dyn Desk>,
    state: Mutex<State>,
    stand: watch::Sender<Stand>,
    left: Arc<Notify>,
}

struct State {
    teller: Teller,
    partial: Partial,
    guests: Vec<(Guest, Arc<Outbox>)>,
    announced: Option<ConversationShape>,
    /// The run under way was left behind by a process that ended.
    left: bool,
}

/// How a conversation stands, for whoever waits for it to rest.
#[derive(Debug, Clone, Default)]
pub struct Stand {
    /// The number of the next record.
    next: u64,
    /// What that was when the conversation last rested.
    rested: u64,
    failure: Option<(u64, String)>,
    /// How often the log could not be written, and why.
    broken: (u64, String),
    gone: bool,
}

/// A place in a room; the room stays open for it.
pub struct Seat {
    room: Option<Arc<Room>>,
    left: Arc<Notify>,
}

impl Room {
    /// Folds what stands in the log. The room follows the session once [`Room::follow`] runs.
    pub async fn open(
        hub: &Hub,
        desk: Arc<dyn Desk>,
        session: Session,
    ) -> Result<(Room, Updates), StoreError> {
        let mut teller = Teller::new(session.id().as_str(), desk.clone());
        for line in hub.read(session.id(), 0).await? {
            teller.hear(&line.record);
        }
        let updates = session.follow(teller.view.next);
        let stand = Stand { rested: rested(&teller.view, 0), ..Stand::default() };
        let left = session.was_left(&teller.view);
        let mut state =
            State { teller, partial: Partial::default(), guests: Vec::new(), announced: None, left };
        state.announced = (state.teller.view.prompts > 0).then(|| state.conversation());
        let room = Room {
            hub: hub.clone(),
            desk,
            session,
            state: Mutex::new(state),
            stand: watch::Sender::new(stand),
            left: Arc::default(),
        };
        Ok((room, updates))
    }

    pub fn seat(self: &Arc<Room>) -> Seat {
        Seat { room: Some(self.clone()), left: self.left.clone() }
    }

    /// Tells what happens until nobody is in the room and nothing happens any more; `leave` then says whether the room
    /// may close.
    pub async fn follow(
        self: Arc<Room>,
        mut updates: Updates,
        announce: Announce,
        leave: impl Fn(&Arc<Room>) -> bool,
    ) {
        loop {
            let update = tokio::select! {
                update = updates.next() => update,
                () = self.left.notified() => {
                    if leave(&self) { return };
                    continue;
                }
            };
            match update {
                None => break,
                Some(Ok(update)) => {
                    let rested = update == Update::Rested;
                    self.take(update, &announce).await;
                    if rested && leave(&self) {
                        return;
                    }
                }
                Some(Err(error)) => self.break_off(error.to_string()),
            }
        }
        self.close();
        leave(&self);
    }

    /// Lets a client in: it gets the reply in progress and the pending questions now, and everything that happens later.
    pub fn enter(&self, guest: Guest, outbox: &Arc<Outbox>) -> u64 {
        let mut state = self.state();
        state.guests.retain(|(other, _)| *other != guest);
        state.welcome(guest, outbox);
        state.teller.view.next
    }

    /// Tells a client everything from a seq on, then lets it in, without gap or repeat. Gives the next seq.
    pub async fn catch_up(&self, guest: Guest, outbox: &Arc<Outbox>, from: u64) -> Result<u64, StoreError> {
        self.leave(guest);
        let mut teller = Teller::new(self.session.id().as_str(), self.desk.clone());
        loop {
            // What is told next, the reply in progress above all, must find room.
            outbox.calm().await;
            {
                let mut state = self.state();
                let known = state.teller.view.next;
                if outbox.is_ended() {
                    return Ok(known);
                }
                if from >= known || teller.view.next == known {
                    state.guests.retain(|(other, _)| *other != guest);
                    state.welcome(guest, outbox);
                    return Ok(known);
                }
            }
            for line in self.hub.read(self.session.id(), teller.view.next).await? {
                // What the room has not told yet, it will tell.
                if line.record.seq >= self.next() {
                    break;
                }
                if line.record.seq < from {
                    teller.hear(&line.record);
                    continue;
                }
                // One record may be told in several texts, each as large as the record.
                for text in teller.tell(&line.record, When::Again) {
                    outbox.calm().await;
                    outbox.push(text);
                }
            }
        }
    }

    pub fn leave(&self, guest: Guest) {
        self.state().guests.retain(|(other, _)| *other != guest);
    }

    /// The number that the next record to be told has.
    pub fn next(&self) -> u64 {
        self.state().teller.view.next
    }

    pub fn conversation(&self) -> ConversationShape {
        self.state().conversation()
    }

    /// Looks at the fold of the log.
    pub fn look<T>(&self, at: impl FnOnce(&View) -> T) -> T {
        at(&self.state().teller.view)
    }

    /// Begins to wait for the conversation to rest after a record. An `Err` says why the run failed.
    pub fn rests_after(&self, seq: u64) -> impl Future<Output = Result<(), String>> + use<> {
        let mut stand = self.stand.subscribe();
        let broken = stand.borrow().broken.0;
        async move {
            let found =
                stand.wait_for(|stand| stand.rested > seq || stand.broken.0 > broken || stand.gone).await;
            let Ok(stand) = found else { return Ok(()) };
            match &stand.failure {
                Some((at, message)) if *at > seq => Err(message.clone()),
                _ if stand.broken.0 > broken => Err(stand.broken.1.clone()),
                _ if stand.gone => Err("The conversation was removed.".to_owned()),
                _ => Ok(()),
            }
        }
    }

    /// Waits until a record was told.
    pub async fn heard(&self, seq: u64) {
        let mut stand = self.stand.subscribe();
        // An error means that the room is closing, where nothing more is told.
        let _ = stand.wait_for(|stand| stand.next > seq || stand.gone).await;
    }

    pub fn is_gone(&self) -> bool {
        self.stand.borrow().gone
    }

    /// Ends the room because its conversation is no more.
    pub fn close(&self) {
        self.state().guests.clear();
        self.stand.send_modify(|stand| stand.gone = true);
        self.left.notify_one();
    }

    async fn take(&self, update: Update, announce: &Announce) {
        let pause = match update {
            Update::Record(record) => {
                let changed = self.take_record(&record);
                if let Some(conversation) = changed {
                    announce(&conversation);
                }
                return;
            }
            Update::Retrying { after_millis, failure } => {
                let id = self.session.id().as_str();
                let retry = ModelRetry { conversation_id: id, after_millis, message: &failure.message };
                let mut state = self.state();
                state.partial.restart();
                state.send(&frame::call("ModelRetry", &(retry,)));
                return;
            }
            Update::Rested => {
                let changed = self.take_rest();
                changed.iter().for_each(|conversation| announce(conversation));
                return;
            }
            Update::Broken(why) => return self.break_off(why),
            delta => self.take_delta(&delta),
        };
        self.breathe(pause).await;
    }

    /// Lets clients read before the next piece is made: what comes meanwhile comes in one piece then, which is less work
    /// for everybody. A few that lag do not hold up the others.
    async fn breathe(&self, pause: Duration) {
        if pause >= SHORTEST {
            tokio::time::sleep(pause).await;
        }
        let mut waited = pause;
        while waited < LONGEST && self.state().lags() {
            tokio::time::sleep(SHORTEST).await;
            waited += SHORTEST;
        }
    }

    fn take_record(&self, record: &agent::Record) -> Option<ConversationShape> {
        let mut state = self.state();
        state.partial.settle(&record.event);
        for text in state.teller.tell(record, When::Now) {
            state.send(&text);
        }
        // What changes nothing about the run does not drive it either.
        let idle = matches!(record.event, Event::Configured(_) | Event::Undone { .. } | Event::Noted { .. });
        let left = if idle { state.left } else { self.session.was_left(&state.teller.view) };
        let (view, failure) = (&state.teller.view, state.teller.failure.clone());
        let failure = failure.filter(|_| view.phase() == Phase::Failed);
        self.stand.send_modify(|stand| {
            stand.next = view.next;
            stand.rested = rested(view, stand.rested);
            stand.failure = failure;
        });
        self.set_left(&mut state, left)
    }

    /// Nothing is left to do here without a person, perhaps because whoever did it is gone.
    fn take_rest(&self) -> Option<ConversationShape> {
        let mut state = self.state();
        let left = self.session.was_left(&state.teller.view);
        self.set_left(&mut state, left)
    }

    /// Tells everybody who is here, or waits for the run, once it is left. Gives the conversation's line in the list if it
    /// is another one now.
    fn set_left(&self, state: &mut State, left: bool) -> Option<ConversationShape> {
        if left && !state.left {
            state.send(&state.teller.interrupted());
            let next = state.teller.view.next;
            self.stand.send_modify(|stand| {
                stand.rested = next;
                stand.failure = Some((next, INTERRUPTED.to_owned()));
            });
        }
        state.left = left;
        state.news()
    }

    fn take_delta(&self, delta: &Update) -> Duration {
        let mut state = self.state();
        if let Some(text) = state.partial.take(self.session.id().as_str(), delta) {
            state.send(&text);
        }
        COST * u32::try_from(state.guests.len()).unwrap_or(u32::MAX)
    }

    fn break_off(&self, why: String) {
        self.stand.send_modify(|stand| stand.broken = (stand.broken.0 + 1, why));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn send(&self, text: &Text) {
        self.guests.iter().for_each(|(_, outbox)| outbox.push(text.clone()));
    }

    /// Whether most clients have not read yet what they were sent.
    fn lags(&self) -> bool {
        let behind = self.guests.iter().filter(|(_, outbox)| outbox.waits()).count();
        behind * 2 > self.guests.len()
    }

    fn welcome(&mut self, guest: Guest, outbox: &Arc<Outbox>) {
        let id = self.teller.conversation().id;
        self.partial.texts(&id).into_iter().for_each(|text| outbox.push(text));
        self.teller.view.pending().for_each(|open| outbox.push(self.teller.question(open)));
        if self.left {
            outbox.push(self.teller.interrupted());
        }
        self.guests.push((guest, outbox.clone()));
    }

    fn conversation(&self) -> ConversationShape {
        let mut conversation = self.teller.conversation();
        if self.left {
            conversation.status = StatusShape::Interrupted;
        }
        conversation
    }

    /// The conversation's line in the list, if people would want to see it anew. What grows with every record is not worth
    /// it alone.
    fn news(&mut self) -> Option<ConversationShape> {
        let now = self.conversation();
        let same = self.announced.as_ref().is_some_and(|then| {
            (then.status, then.pending, &then.topic, &then.model)
                == (now.status, now.pending, &now.topic, &now.model)
        });
        if same {
            return None;
        }
        self.announced = Some(now.clone());
        Some(now)
    }
}

fn rested(view: &View, before: u64) -> u64 {
    if view.phase() == Phase::Busy { before } else { view.next }
}

impl std::ops::Deref for Seat {
    type Target = Arc<Room>;

    fn deref(&self) -> &Arc<Room> {
        self.room.as_ref().expect("a seat has its room until it is dropped")
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // The room looks at who is left, so it must not find this seat still taken.
        drop(self.room.take());
        self.left.notify_one();
    }
}
