//! Sessions over a store without a disk: following, two processes on one log, panics, cancels.

mod meddled;

use super::*;
use crate::event::*;
use crate::feed::Update;
use crate::memory::Memory;
use crate::model::{Delta, Info, Model, Request};
use crate::outfit::Parts;
use crate::policy::{Access, Approve, Policy, Reach, Ruling, Stance};
use crate::profile::Profile;
use crate::tool::{Job, Tool, Toolbox};
use crate::view::{Phase, Refusal};
use futures::future::{BoxFuture, FutureExt};
use futures::stream::{self, BoxStream, StreamExt};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Plays replies in order; past the end it says "done".
struct Script(Mutex<Vec<Vec<Delta>>>);

impl Model for Script {
    fn info(&self) -> Info {
        Info { name: "script/1".into(), window: None }
    }
    fn stream(&self, _request: Request) -> BoxStream<'static, Delta> {
        let mut replies = self.0.lock().unwrap();
        let deltas = if replies.is_empty() { text("done") } else { replies.remove(0) };
        match deltas.is_empty() {
            true => stream::pending().boxed(),
            false => stream::iter(deltas).boxed(),
        }
    }
}

fn text(words: &str) -> Vec<Delta> {
    let pieces = words.chars().map(|c| Delta::Text(c.to_string()));
    pieces.chain([Delta::Finished(Box::new(Reply { text: words.into(), ..Reply::default() }))]).collect()
}

fn call(name: &str) -> Vec<Delta> {
    let call = Call { id: CallId("c".into()), name: name.into(), arguments: "{}".into() };
    vec![Delta::Finished(Box::new(Reply { calls: vec![call], finish: Finish::Calls, ..Reply::default() }))]
}

struct Act(Spec, Ruling, Arc<AtomicUsize>);

impl Tool for Act {
    fn spec(&self) -> &Spec {
        &self.0
    }
    fn access(&self, _arguments: &serde_json::Value) -> Result<Access, String> {
        Ok(Access { finding: self.1.clone(), ..Access::new(Reach::Run) })
    }
    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        self.2.fetch_add(1, Ordering::SeqCst);
        let name = self.0.name.clone();
        async move {
            job.progress.write("working\n");
            match name.as_str() {
                "panics" => panic!("on purpose"),
                "hangs" => {
                    job.cancel.cancelled().await;
                    Outcome::of(Status::Cancelled, "ended")
                }
                _ => Outcome::done("acted"),
            }
        }
        .boxed()
    }
}

/// One process's hub on a store; `runs` counts what its tools did.
fn hub<S: Store + Clone + 'static>(store: &S, script: Vec<Vec<Delta>>, runs: &Arc<AtomicUsize>) -> Hub {
    let model: Arc<dyn Model> = Arc::new(Script(Mutex::new(script)));
    let tool = |name: &str, finding| -> Arc<dyn Tool> {
        let spec = Spec { name: name.into(), description: String::new(), parameters: serde_json::json!({}) };
        Arc::new(Act(spec, finding, runs.clone()))
    };
    let ask = || Ruling::Ask("it acts".into());
    let tools = vec![
        tool("free", Ruling::Allow),
        tool("gated", ask()),
        tool("panics", Ruling::Allow),
        tool("hangs", Ruling::Allow),
    ];
    let policy =
        Policy { read: Stance::Finding, write: Stance::Finding, run: Stance::Finding, approve: Approve::Ask };
    let toolbox = Toolbox::new(tools, policy);
    let outfit: Outfit = Arc::new(move |_, _| Parts {
        model: model.clone(),
        toolbox: toolbox.clone(),
        profile: Profile::standard(),
        schema: None,
    });
    let tick = AtomicUsize::new(0);
    Hub::new(Arc::new(store.clone()), Arc::new(move || tick.fetch_add(1, Ordering::SeqCst) as u64), outfit)
}

fn id() -> Id {
    Id::try_from("conversation-1".to_owned()).unwrap()
}

fn opened() -> Opened {
    Opened {
        profile: "standard".into(),
        model: "script/1".into(),
        directory: "/".into(),
        instructions: String::new(),
        tools: vec![],
        forked_from: None,
    }
}

async fn begin(hub: &Hub) -> Session {
    hub.open(Open::New { id: id(), opened: opened() }).await.unwrap()
}

fn say(words: &str) -> Command {
    Command::Say(Said { text: words.into(), context: None })
}

/// Follows from the beginning until the conversation is in the given phase.
async fn until(session: &Session, phase: Phase) -> View {
    let mut updates = session.follow(0);
    let mut view = View::default();
    while view.phase() != phase {
        if let Update::Record(record) = updates.next().await.expect("the session lives").unwrap() {
            assert_eq!(record.seq, view.next, "no gap and no repeat");
            view.apply(&record.event);
        }
    }
    view
}

fn outcomes(lines: &[crate::log::Line]) -> Vec<Status> {
    let status = |line: &crate::log::Line| match &line.record.event {
        Event::Ran { outcome, .. } => Some(outcome.status),
        _ => None,
    };
    lines.iter().filter_map(status).collect()
}

#[tokio::test]
async fn a_tool_that_panics_is_a_failed_outcome() {
    let (store, runs) = (Memory::default(), Arc::default());
    let session = begin(&hub(&store, vec![call("panics")], &runs)).await;
    session.send(say("go")).await.unwrap();
    until(&session, Phase::Done).await;
    let lines = store.load(&id(), 0).await.unwrap();
    assert_eq!(outcomes(&lines), [Status::Failed]);
}

#[tokio::test]
async fn cancel_ends_a_stream_and_a_tool() {
    for script in [vec![vec![]], vec![call("hangs")]] {
        let (store, runs) = (Memory::default(), Arc::default());
        let session = begin(&hub(&store, script, &runs)).await;
        session.send(say("go")).await.unwrap();
        session.send(Command::Cancel).await.unwrap();
        until(&session, Phase::Cancelled).await;
        let again = session.send(Command::Cancel).await;
        assert!(matches!(again, Err(SendError::Refused(Refusal::NothingToStop))));
    }
}

#[tokio::test]
async fn of_many_decisions_the_first_one_counts() {
    let (store, runs) = (Memory::default(), Arc::<AtomicUsize>::default());
    let first = hub(&store, vec![call("gated")], &runs);
    let session = begin(&first).await;
    session.send(say("go")).await.unwrap();
    until(&session, Phase::Waiting).await;
    let others: Vec<Hub> = (0..4).map(|_| hub(&store, vec![], &runs)).collect();
    let mut deciders = vec![session.clone()];
    for other in &others {
        deciders.push(other.open(Open::Resume(id())).await.unwrap());
    }
    let approve = Command::Approve { call: CallId("c".into()), digest: None };
    let decided =
        futures::future::join_all(deciders.iter().map(|session| session.send(approve.clone()))).await;
    assert_eq!(decided.iter().filter(|result| result.is_ok()).count(), 1);
    for session in &deciders {
        until(session, Phase::Done).await;
    }
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_process_without_the_right_to_act_is_heard_by_the_one_that_has_it() {
    let (store, runs) = (Memory::default(), Arc::default());
    let busy = hub(&store, vec![call("hangs")], &runs);
    let session = begin(&busy).await;
    session.send(say("go")).await.unwrap();
    let other = hub(&store, vec![], &runs).open(Open::Resume(id())).await.unwrap();
    other.send(Command::Cancel).await.unwrap();
    until(&session, Phase::Cancelled).await;
    until(&other, Phase::Cancelled).await;
}

#[tokio::test]
async fn following_from_any_seq_at_any_time_gives_every_record_once() {
    let (store, runs) = (Memory::default(), Arc::default());
    let script = (0..30).flat_map(|_| [call("free"), text("some words to stream")]).collect();
    let session = begin(&hub(&store, script, &runs)).await;
    let mut followers = vec![];
    for n in 0..30 {
        session.send(say("go on")).await.unwrap();
        let mut updates = session.follow(n);
        followers.push(tokio::spawn(async move {
            let mut expected = n;
            let mut words = String::new();
            while let Some(update) = updates.next().await {
                match update.unwrap() {
                    Update::Record(record) => {
                        assert_eq!(record.seq, expected);
                        expected += 1;
                        if let Event::Replied(reply) = &record.event {
                            assert!(reply.text.starts_with(&words), "streamed text is a part of the reply");
                            words.clear();
                        }
                    }
                    Update::Text { offset, text } => {
                        assert_eq!(offset, words.len());
                        words.push_str(&text);
                    }
                    _ => {}
                }
            }
            expected
        }));
        if n % 3 == 0 {
            until(&session, Phase::Done).await;
        }
    }
    until(&session, Phase::Done).await;
    drop(session);
    let ends = futures::future::join_all(followers).await;
    let total = store.load(&id(), 0).await.unwrap().len() as u64;
    assert!(ends.into_iter().all(|end| end.unwrap() == total));
}

#[tokio::test]
async fn prompts_sent_while_busy_are_heard_later() {
    let (store, runs) = (Memory::default(), Arc::default());
    let session = begin(&hub(&store, vec![call("gated"), text("first"), text("second")], &runs)).await;
    session.send(say("one")).await.unwrap();
    until(&session, Phase::Waiting).await;
    session.send(say("two")).await.unwrap();
    session.send(Command::Decline { call: CallId("c".into()), words: "no".into() }).await.unwrap();
    let view = until(&session, Phase::Done).await;
    assert_eq!((view.prompts, view.turns), (2, 1));
}

#[tokio::test]
async fn a_fork_is_a_copy_that_goes_its_own_way() {
    let (store, runs) = (Memory::default(), Arc::default());
    let hub = hub(&store, vec![text("one"), text("two"), text("three")], &runs);
    let session = begin(&hub).await;
    session.send(say("first")).await.unwrap();
    let cut = until(&session, Phase::Done).await.next;
    session.send(say("second")).await.unwrap();
    let end = until_after(&session, cut).await;
    let copy = Id::try_from("copy".to_owned()).unwrap();
    let fork = hub.fork(&id(), cut, copy.clone()).await.unwrap();
    let (old, new) = (store.load(&id(), 0).await.unwrap(), store.load(&copy, 0).await.unwrap());
    assert_eq!((old.len() as u64, new.len() as u64), (end, cut));
    let head = store.list().await.unwrap().into_iter().find(|s| s.conversation == copy).unwrap().head;
    crate::log::verify(new.iter().map(|line| line.text.clone().into_bytes()), head).unwrap();
    assert!(old[1..].iter().zip(&new[1..]).all(|(old, new)| old.record.event == new.record.event));
    let Event::Opened(opened) = &new[0].record.event else { panic!("a log begins with how it opened") };
    assert_eq!(opened.forked_from, Some(Fork { conversation: id().to_string(), seq: cut }));
    fork.send(say("otherwise")).await.unwrap();
    assert_eq!(until_after(&fork, cut).await, end);
    assert_eq!(store.load(&id(), 0).await.unwrap().len() as u64, end, "the origin stays as it is");
    for (from, name) in [("nobody", "a"), ("conversation-1", "copy")] {
        let [from, name] = [from, name].map(|text| Id::try_from(text.to_owned()).unwrap());
        assert!(hub.fork(&from, 3, name).await.is_err());
    }
}

/// Follows until the run that began at `seq` or later is done; gives how many records there are then.
async fn until_after(session: &Session, seq: u64) -> u64 {
    let mut updates = session.follow(0);
    let mut view = View::default();
    while view.next <= seq || view.phase() != Phase::Done {
        if let Update::Record(record) = updates.next().await.expect("the session lives").unwrap() {
            view.apply(&record.event);
        }
    }
    view.next
}

#[tokio::test]
async fn an_unknown_conversation_and_a_second_one_of_the_same_name_are_errors() {
    let (store, runs) = (Memory::default(), Arc::default());
    let hub = hub(&store, vec![], &runs);
    assert!(matches!(hub.open(Open::Resume(id())).await, Err(StoreError::Unknown(_))));
    let session = begin(&hub).await;
    assert!(matches!(session.send(say("  \n")).await, Err(SendError::Refused(Refusal::Blank))));
    let opened = Opened { profile: String::new(), model: String::new(), ..view_of(&store).await };
    assert!(matches!(hub.open(Open::New { id: id(), opened }).await, Err(StoreError::Stale)));
}

async fn view_of(store: &Memory) -> Opened {
    let mut view = View::default();
    store.load(&id(), 0).await.unwrap().iter().for_each(|line| view.apply(&line.record.event));
    (*view.opened.unwrap()).clone()
}

/// One process watches while another one acts and dies.
#[tokio::test(start_paused = true)]
async fn whoever_watches_a_run_learns_that_its_process_died() {
    let (store, runs) = (Memory::default(), Arc::default());
    let there = hub(&store, vec![call("hangs")], &runs);
    let (acts, acting) = oneshot::channel();
    let (die, death) = oneshot::channel::<()>();
    let process = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let session = there.open(Open::New { id: id(), opened: opened() }).await.unwrap();
            let mut updates = session.follow(0);
            session.send(Command::Say(Said { text: "go".into(), context: None })).await.unwrap();
            while !matches!(updates.next().await.unwrap().unwrap(), Update::Progress { .. }) {}
            acts.send(()).unwrap();
            let _ = death.await;
        });
    });
    acting.await.unwrap();
    let here = hub(&store, Vec::new(), &Arc::default());
    let watching = here.open(Open::Resume(id())).await.unwrap();
    let mut updates = watching.follow(0);
    let mut view = View::default();
    // The run stays the other's for as long as it is there, however silent it is.
    while let Ok(update) = tokio::time::timeout(std::time::Duration::from_secs(60), updates.next()).await {
        let Update::Record(record) = update.unwrap().unwrap() else { panic!("nothing else happens") };
        view.apply(&record.event);
    }
    assert!(!watching.was_left(&view) && view.phase() == Phase::Busy);
    drop(die);
    process.join().unwrap();
    loop {
        match updates.next().await.unwrap().unwrap() {
            Update::Record(record) => view.apply(&record.event),
            Update::Rested => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(watching.was_left(&view));
    assert_eq!(view.settled, [("hangs".to_owned(), Status::Interrupted)]);
    assert_eq!(here.phase(&id(), view.phase(), 0), Phase::Interrupted);
}

#[tokio::test]
async fn a_run_that_its_process_left_is_interrupted_also_for_whoever_looks_at_it() {
    let (store, runs) = (Memory::default(), Arc::default());
    let hub = hub(&store, vec![text("at last")], &runs);
    let said = Event::Said(Said { text: "go".into(), context: None });
    Driver::found(&store, &id(), 0, [(0, Event::Opened(opened())), (0, said)]).await.unwrap();
    let listed = async || {
        while (hub.ground.clock)() % (SETTLED + 1) != SETTLED {}
        hub.list().await.unwrap()[0].status
    };
    assert_eq!(listed().await, Phase::Interrupted);
    let session = hub.open(Open::Resume(id())).await.unwrap();
    let mut updates = session.follow(2);
    while updates.next().await.unwrap().unwrap() != Update::Rested {}
    assert_eq!(listed().await, Phase::Interrupted);
    session.send(Command::Continue).await.unwrap();
    until(&session, Phase::Done).await;
    assert_eq!(listed().await, Phase::Done);
}
