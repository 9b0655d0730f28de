//! All rooms and all connections of one server. Start at [`Lobby::enter`].

use crate::frame::{self, Close, ComeBack};
use crate::outbox::Outbox;
use crate::room::{Announce, Guest, Room, Seat};
use crate::shape::{ConversationRemoved, ConversationShape};
use agent::session::Open;
use agent::{Command, Desk, Hub, Id, Opened, Phase, Session, StoreError, Summary};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;

/// How long others' changes are gathered before the conversations are listed anew.
const LISTING: Duration = Duration::from_millis(300);
/// How often conversations that are at work elsewhere are looked at while nothing is heard.
const LOOK: Duration = Duration::from_secs(3);
/// Conversations that are told of when it is not known which of them changed.
const NEWEST: usize = 20;
/// How long runs may take to stop when the server does.
const STOPPING: Duration = Duration::from_secs(6);

#[derive(Clone)]
pub struct Lobby {
    pub hub: Hub,
    pub desk: Arc<dyn Desk>,
    rooms: Arc<Mutex<Rooms>>,
    crowd: Arc<Crowd>,
}

/// Rooms, some of which are just being opened.
type Rooms = HashMap<Id, Arc<OnceCell<Arc<Room>>>>;

/// Everybody who is connected, in a room or not.
#[derive(Default)]
struct Crowd {
    next: AtomicU64,
    outboxes: Mutex<HashMap<Guest, Arc<Outbox>>>,
}

impl Lobby {
    pub fn new(hub: Hub, desk: Arc<dyn Desk>) -> Lobby {
        Lobby { hub, desk, rooms: Arc::default(), crowd: Arc::default() }
    }

    /// The room of a conversation that there is.
    pub async fn enter(&self, id: &Id) -> Result<Seat, StoreError> {
        self.room(id, async { self.hub.open(Open::Resume(id.clone())).await }).await
    }

    /// The room of a conversation that begins now, unless it has begun already.
    pub async fn begin(&self, id: &Id, opened: Opened) -> Result<Seat, StoreError> {
        let open = async {
            match self.hub.open(Open::New { id: id.clone(), opened }).await {
                // Somebody else was first, here or in another process.
                Err(StoreError::Stale) => self.hub.open(Open::Resume(id.clone())).await,
                other => other,
            }
        };
        self.room(id, open).await
    }

    async fn room(
        &self,
        id: &Id,
        open: impl Future<Output = Result<Session, StoreError>>,
    ) -> Result<Seat, StoreError> {
        let cell = lock(&self.rooms).entry(id.clone()).or_default().clone();
        let room = cell.get_or_try_init(|| async {
            let (room, updates) = Room::open(&self.hub, self.desk.clone(), open.await?).await?;
            let room = Arc::new(room);
            let lobby = self.clone();
            tokio::spawn(room.clone().follow(updates, self.announcer(), move |room| lobby.release(room)));
            Ok(room)
        });
        match room.await {
            Ok(room) => Ok(room.seat()),
            Err(error) => {
                let mut rooms = lock(&self.rooms);
                let listed = rooms.get(id).is_some_and(|found| Arc::ptr_eq(found, &cell));
                // Whoever still waits here tries next, and what comes of it must be on the list.
                if listed && !cell.initialized() && Arc::strong_count(&cell) <= 2 {
                    rooms.remove(id);
                }
                Err(error)
            }
        }
    }

    /// Closes a room in which nobody is left and nothing happens; says whether it is closed. Two hold it even then: the
    /// list and its own task.
    fn release(&self, room: &Arc<Room>) -> bool {
        let mut rooms = lock(&self.rooms);
        let Some(cell) = rooms.get(room.session.id()) else { return true };
        // Before it is on the list it may already have rested; who opens it has not sat down yet.
        let Some(listed) = cell.get() else { return room.is_gone() };
        if !Arc::ptr_eq(listed, room) {
            return true;
        }
        // Somebody who has found the room but not yet sat down holds the cell.
        let empty = Arc::strong_count(room) <= 2 && Arc::strong_count(cell) == 1;
        let idle = room.is_gone() || empty && !room.session.acts();
        if idle {
            rooms.remove(room.session.id());
        }
        idle
    }

    /// Throws a conversation away, and its room with it.
    pub async fn remove(&self, id: &Id) -> Result<(), StoreError> {
        self.hub.remove(id).await?;
        let cell = lock(&self.rooms).remove(id);
        if let Some(room) = cell.as_ref().and_then(|cell| cell.get()) {
            room.close();
        }
        self.tell_removed(id);
        Ok(())
    }

    pub fn connect(&self, outbox: &Arc<Outbox>) -> Guest {
        let guest = self.crowd.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.crowd.outboxes).insert(guest, outbox.clone());
        guest
    }

    pub fn disconnect(&self, guest: Guest) {
        lock(&self.crowd.outboxes).remove(&guest);
    }

    /// Says goodbye to every client and stops what runs. What waits for a decision goes on waiting, for the next server.
    pub async fn close(&self) {
        let why = Close { error: None, come_back: ComeBack::Yes };
        lock(&self.crowd.outboxes).values().for_each(|outbox| outbox.finish(why.clone()));
        let rooms: Vec<Seat> =
            lock(&self.rooms).values().filter_map(|cell| cell.get()).map(|room| room.seat()).collect();
        let stop = rooms.iter().filter(|room| room.session.acts()).map(|room| stop(room));
        let _ = tokio::time::timeout(STOPPING, futures::future::join_all(stop)).await;
    }

    /// Tells everybody of conversations that another process changed. Rooms tell of their own.
    pub async fn watch_others(&self) {
        let mut changes = self.hub.changes();
        let mut known: HashMap<Id, (u64, Phase)> = HashMap::new();
        loop {
            // A process that dies writes nothing any more; only looking again tells.
            let busy = known.values().any(|(_, phase)| *phase == Phase::Busy);
            let heard =
                tokio::time::timeout(if busy { LOOK } else { Duration::MAX }, changes.changed()).await;
            if matches!(heard, Ok(Err(_))) {
                return;
            }
            tokio::time::sleep(LISTING).await;
            changes.borrow_and_update();
            if lock(&self.crowd.outboxes).is_empty() {
                known.clear();
            } else if let Ok(all) = self.hub.list().await {
                known = self.tell_others(&known, all);
            }
        }
    }

    /// Tells what is new of these conversations, and gives what is known of them now.
    fn tell_others(&self, known: &HashMap<Id, (u64, Phase)>, all: Vec<Summary>) -> HashMap<Id, (u64, Phase)> {
        let now: HashMap<Id, (u64, Phase)> =
            all.iter().map(|one| (one.conversation.clone(), (one.updated, one.status))).collect();
        let most = if known.is_empty() { NEWEST } else { usize::MAX };
        let news = all.into_iter().filter(|one| known.get(&one.conversation) != now.get(&one.conversation));
        for one in news.take(most) {
            if !lock(&self.rooms).contains_key(&one.conversation) {
                self.crowd.tell(&frame::call("ConversationChanged", &(ConversationShape::from(one),)));
            }
        }
        known.keys().filter(|id| !now.contains_key(*id)).for_each(|id| self.tell_removed(id));
        now
    }

    fn tell_removed(&self, id: &Id) {
        let removed = ConversationRemoved { id: id.to_string() };
        self.crowd.tell(&frame::call("ConversationRemoved", &(removed,)));
    }

    fn announcer(&self) -> Announce {
        let crowd = self.crowd.clone();
        Arc::new(move |conversation: &ConversationShape| {
            crowd.tell(&frame::call("ConversationChanged", &(conversation,)));
        })
    }
}

/// Stops a run, unless that would take a question from a person that the next server can still put.
async fn stop(room: &Room) {
    if room.look(|view| view.phase() != Phase::Busy || view.pending().next().is_some()) {
        return;
    }
    if let Ok(seq) = room.session.send(Command::Cancel).await {
        let _ = room.rests_after(seq).await;
    }
}

impl Crowd {
    fn tell(&self, text: &frame::Text) {
        lock(&self.outboxes).values().for_each(|outbox| outbox.push(text.clone()));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::world::{Fake, World};

    /// Its task may be quicker than whoever opens it.
    #[tokio::test]
    async fn a_room_that_rests_before_it_is_listed_is_not_closed() {
        let lobby = Lobby::new(World::new().hub(), Arc::new(Fake));
        let id = Id::try_from("0190c0de-0000-4000-8000-000000000001".to_owned()).unwrap();
        let opened = Fake.opened("web", None).unwrap();
        let session = lobby.hub.open(Open::New { id: id.clone(), opened }).await.unwrap();
        let (room, _updates) = Room::open(&lobby.hub, lobby.desk.clone(), session).await.unwrap();
        let room = Arc::new(room);
        let cell = lock(&lobby.rooms).entry(id).or_default().clone();
        assert!(!lobby.release(&room), "who opens it has not sat down yet");
        cell.set(room.clone()).ok().unwrap();
        assert!(!lobby.release(&room), "somebody has found it");
        drop(cell);
        assert!(lobby.release(&room), "nobody is there");
        assert!(lobby.release(&room), "and it is off the list");
    }
}
