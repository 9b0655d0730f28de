//! What is left of a command when others write in the very moment in which it is recorded, or when it cannot be recorded.

use super::*;
use crate::store::{Claim, Page, Summary};
use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A store in which something comes between this process and the log, once for each deed.
#[derive(Clone, Default)]
struct Meddled {
    store: Memory,
    appends: Arc<Mutex<VecDeque<Deed>>>,
    loads: Arc<Mutex<VecDeque<Deed>>>,
    unreadable: Arc<AtomicBool>,
}

#[derive(Clone)]
enum Deed {
    /// Somebody else, who may not act, is first; at a load, right after it.
    Write(Vec<Event>),
    Fail,
}

impl Meddled {
    async fn meddle(&self, id: &Id, deed: Option<Deed>) -> Result<(), StoreError> {
        match deed {
            None => Ok(()),
            Some(Deed::Fail) => Err(StoreError::Broken("the disk is full".into())),
            Some(Deed::Write(events)) => {
                let (mut chain, mut view) = (Chain::START, View::default());
                for line in self.store.load(id, 0).await? {
                    chain.follow(&line).unwrap();
                    view.apply(&line.record.event);
                }
                events.iter().for_each(|event| view.apply(event));
                let lines = events.into_iter().map(|event| chain.seal(0, event)).collect();
                self.store.append(id, lines, Summary::of(id, &view, &chain, 0, 0)).await
            }
        }
    }

    async fn events(&self) -> Vec<Event> {
        self.store.load(&id(), 0).await.unwrap().iter().map(|line| line.record.event.clone()).collect()
    }
}

fn next(deeds: &Mutex<VecDeque<Deed>>) -> Option<Deed> {
    deeds.lock().unwrap().pop_front()
}

impl Store for Meddled {
    fn append<'a>(
        &'a self,
        id: &'a Id,
        lines: Vec<Line>,
        summary: Summary,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        async move {
            self.meddle(id, next(&self.appends)).await?;
            self.store.append(id, lines, summary).await
        }
        .boxed()
    }

    fn page<'a>(&'a self, id: &'a Id, from: u64, most: usize) -> BoxFuture<'a, Result<Page, StoreError>> {
        async move {
            if self.unreadable.load(Ordering::SeqCst) {
                return Err(StoreError::Broken("the disk fails".into()));
            }
            let page = self.store.page(id, from, most).await;
            self.meddle(id, next(&self.loads)).await?;
            page
        }
        .boxed()
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Summary>, StoreError>> {
        self.store.list()
    }

    fn remove<'a>(&'a self, id: &'a Id) -> BoxFuture<'a, Result<(), StoreError>> {
        self.store.remove(id)
    }

    fn claim(&self, id: &Id) -> Result<Option<Claim>, StoreError> {
        self.store.claim(id)
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.store.changes()
    }
}

fn rename() -> Event {
    Event::Configured(Configured { model: None, topic: Some("renamed".into()) })
}

fn said(words: &str) -> Event {
    Event::Said(Said { text: words.into(), context: None })
}

/// As [`until`], but a conversation that stands still is a failure.
async fn soon(session: &Session, phase: Phase) -> View {
    let reached = tokio::time::timeout(Duration::from_secs(60), until(session, phase)).await;
    reached.unwrap_or_else(|_| panic!("it never gets to {phase:?}"))
}

/// A conversation in which the model is silent, or a call hangs.
async fn busy(script: &[Delta]) -> (Meddled, Session) {
    let store = Meddled::default();
    let session = begin(&hub(&store, vec![script.to_vec()], &Arc::default())).await;
    session.send(say("go")).await.unwrap();
    let mut updates = session.follow(0);
    while !script.is_empty() && !matches!(updates.next().await, Some(Ok(Update::Progress { .. }))) {}
    (store, session)
}

/// A conversation that waits for a person.
async fn waiting(store: &Meddled) -> Session {
    let session = begin(&hub(store, vec![call("gated")], &Arc::default())).await;
    session.send(say("go")).await.unwrap();
    soon(&session, Phase::Waiting).await;
    session
}

/// Waits until the log holds such an event.
async fn recorded(store: &Meddled, wanted: impl Fn(&Event) -> bool) {
    let there = async {
        while !store.events().await.iter().any(&wanted) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), there).await.expect("it is never recorded");
}

fn is_cancelled(event: &Event) -> bool {
    *event == Event::Stopped { reason: Stop::Cancelled }
}

#[tokio::test(start_paused = true)]
async fn a_cancel_ends_what_is_under_way_however_late_it_is_recorded() {
    for script in [vec![], call("hangs")] {
        for deed in [Deed::Write(vec![rename()]), Deed::Write(vec![said("and more")]), Deed::Fail] {
            let (store, session) = busy(&script).await;
            let fails = matches!(deed, Deed::Fail);
            store.appends.lock().unwrap().push_back(deed);
            assert_eq!(session.send(Command::Cancel).await.is_err(), fails);
            if fails {
                session.send(Command::Cancel).await.unwrap();
            }
            recorded(&store, is_cancelled).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancel_from_elsewhere_is_heard_while_something_else_is_recorded() {
    let commands = [
        Command::Configure(Configured { model: None, topic: Some("mine".into()) }),
        Command::Note(serde_json::Value::Null),
        Command::Cancel,
    ];
    for command in commands {
        let (store, session) = busy(&call("hangs")).await;
        store.appends.lock().unwrap().push_back(Deed::Write(vec![Event::Cancelled {}]));
        let refused = command == Command::Cancel;
        assert_eq!(session.send(command).await.is_err(), refused);
        recorded(&store, is_cancelled).await;
    }
}

/// Whoever speaks in that moment finds the right to act taken, and may rely on its holder.
#[tokio::test(start_paused = true)]
async fn a_refused_command_leaves_nobody_unheard() {
    let decided = |verdict| {
        let judged = Judged {
            call: CallId("c".into()),
            verdict,
            by: By::Person,
            reason: String::new(),
            digest: String::new(),
        };
        Event::Judged(judged)
    };
    let ended = Event::Ran { call: CallId("c".into()), outcome: Outcome::done("there") };
    let stopped = Event::Stopped { reason: Stop::Done };
    let table = [
        (vec![decided(Verdict::Decline)], vec![]),
        (vec![decided(Verdict::Approve), ended.clone(), stopped.clone(), said("more")], vec![]),
        (vec![decided(Verdict::Approve), ended, stopped], vec![said("more")]),
    ];
    for (before, after) in table {
        let store = Meddled::default();
        let session = waiting(&store).await;
        store.appends.lock().unwrap().push_back(Deed::Write(before));
        store.loads.lock().unwrap().push_back(Deed::Write(after));
        let decline = Command::Decline { call: CallId("c".into()), words: String::new() };
        assert!(matches!(session.send(decline).await, Err(SendError::Refused(_))));
        recorded(&store, |event| matches!(event, Event::Replied(reply) if reply.text == "done")).await;
    }
}

/// What was left by a process that died goes on when a person says so, and only then.
#[tokio::test(start_paused = true)]
async fn a_command_that_could_not_be_recorded_sets_nothing_going() {
    let store = Meddled::default();
    let hub = hub(&store, vec![], &Arc::default());
    Driver::found(&store, &id(), 0, [(0, Event::Opened(opened())), (0, said("go"))]).await.unwrap();
    let session = hub.open(Open::Resume(id())).await.unwrap();
    for deed in [Deed::Fail, Deed::Write(vec![rename()])] {
        store.appends.lock().unwrap().push_back(deed);
        let _ = session.send(Command::Cancel).await;
        tokio::time::sleep(Duration::from_secs(60)).await;
    }
    let asked = store.events().await.iter().any(|event| matches!(event, Event::Asked { .. }));
    assert!(!asked, "{:?}", store.events().await);
    recorded(&store, is_cancelled).await;
}

#[tokio::test(start_paused = true)]
async fn a_log_that_could_neither_be_written_nor_read_is_gone_on_with_later() {
    let (pass, stale) = (Deed::Write(vec![]), Deed::Write(vec![rename()]));
    // The first deed meets the prompt, the second one the reply.
    for deeds in [vec![stale.clone()], vec![pass.clone(), stale], vec![pass, Deed::Fail]] {
        let store = Meddled::default();
        let session = begin(&hub(&store, vec![call("free")], &Arc::default())).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        store.appends.lock().unwrap().extend(deeds);
        store.unreadable.store(true, Ordering::SeqCst);
        for _ in 0..2 {
            let _ = session.send(say("go")).await;
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        store.unreadable.store(false, Ordering::SeqCst);
        session.send(say("once more")).await.unwrap();
        let view = soon(&session, Phase::Done).await;
        let mut fold = View::default();
        store.events().await.iter().for_each(|event| fold.apply(event));
        assert_eq!(view, fold);
        assert_eq!(view.call_count, 1, "the reply is not lost: {:?}", store.events().await);
    }
}

/// A process that only speaks relies on the one that acts, until that is gone.
#[tokio::test(start_paused = true)]
async fn who_spoke_to_a_process_that_died_goes_on_in_its_place() {
    let calls = vec![Call { id: CallId("c".into()), name: "gated".into(), arguments: "{}".into() }];
    let asked = Event::Asked { model: "script/1".into(), summary_of: None };
    let waits = Judged {
        call: CallId("c".into()),
        verdict: Verdict::Ask,
        by: By::Policy,
        reason: String::new(),
        digest: String::new(),
    };
    let replied = Event::Replied(Reply { calls, ..Reply::default() });
    for left in [vec![], vec![asked.clone()], vec![asked, replied, Event::Judged(waits)]] {
        let store = Meddled::default();
        let session = begin(&hub(&store, vec![], &Arc::default())).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        let other = store.claim(&id()).unwrap().unwrap();
        session.send(say("go")).await.unwrap();
        let records = 2 + left.len();
        let waits = left.len() == 3;
        store.meddle(&id(), Some(Deed::Write(left))).await.unwrap();
        let mut updates = session.follow(0);
        let silence = async { while !matches!(updates.next().await, Some(Ok(Update::Rested))) {} };
        let rested = tokio::time::timeout(Duration::from_secs(60), silence).await;
        assert!(rested.is_err(), "the other one acts, however long it takes");
        assert_eq!(store.events().await.len(), records);
        drop(other);
        soon(&session, if waits { Phase::Waiting } else { Phase::Done }).await;
        while !matches!(updates.next().await, Some(Ok(Update::Rested))) {}
    }
}
