//! The store on a real disk: stale appends, several writers, other processes' records, claims.

use super::*;
use agent::event::{Event, Said};
use agent::log::Chain;
use agent::view::Phase;
use kit::Scratch;
use std::time::Duration;

fn id(name: &str) -> Id {
    Id::try_from(name.to_owned()).unwrap()
}

fn open(scratch: &Scratch) -> Sqlite {
    Sqlite::open(&State::prepare(scratch.path()).unwrap()).unwrap()
}

fn summary(id: &Id, chain: &Chain) -> Summary {
    Summary {
        conversation: id.clone(),
        topic: "topic".into(),
        model: "m".into(),
        profile: "p".into(),
        status: Phase::Done,
        created: 1,
        updated: chain.next,
        records: chain.next,
        calls: 0,
        prompts: 0,
        messages: 0,
        pending: 0,
        head: chain.head,
    }
}

fn said(text: &str) -> Event {
    Event::Said(Said { text: text.into(), context: None })
}

/// Appends on top of `chain`; moves it on only if the store took it.
async fn append(store: &Sqlite, id: &Id, chain: &mut Chain, text: &str) -> Result<(), StoreError> {
    let mut next = *chain;
    let line = next.seal(5, said(text));
    store.append(id, vec![line], summary(id, &next)).await?;
    *chain = next;
    Ok(())
}

#[tokio::test]
async fn what_was_appended_is_there_after_opening_again() {
    let (scratch, id) = (Scratch::new(), id("a"));
    let mut chain = Chain::START;
    let store = open(&scratch);
    for text in ["one", "two"] {
        append(&store, &id, &mut chain, text).await.unwrap();
    }
    drop(store);
    let store = open(&scratch);
    let lines = store.load(&id, 1).await.unwrap();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].record.event, said("two"));
    for (from, most, seqs) in
        [(0, 1, &[0_u64][..]), (1, 5, &[1]), (0, 0, &[]), (2, 1, &[]), (u64::MAX, usize::MAX, &[])]
    {
        let page = store.page(&id, from, most).await.unwrap();
        assert_eq!(page.lines.iter().map(|line| line.record.seq).collect::<Vec<_>>(), seqs);
        assert_eq!(page.records, 2);
    }
    assert_eq!(store.list().await.unwrap()[0].records, 2);
    assert!(matches!(store.load(&super::tests::id("b"), 0).await, Err(StoreError::Unknown(_))));
}

/// Rows that SQLite cannot keep on a page together with three others cost a page of their own in a table without row
/// ids; records of commands are of just that size.
#[tokio::test]
async fn records_take_little_more_than_their_bytes() {
    let (scratch, id) = (Scratch::new(), id("a"));
    let store = open(&scratch);
    let mut chain = Chain::START;
    let text = "x".repeat(1500);
    for _ in 0..200 {
        append(&store, &id, &mut chain, &text).await.unwrap();
    }
    let said: usize = store.load(&id, 0).await.unwrap().iter().map(|line| line.text.len()).sum();
    let database = rusqlite::Connection::open(State::of(scratch.path()).database()).unwrap();
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    let kept = std::fs::metadata(State::of(scratch.path()).database()).unwrap().len() as usize;
    assert!(kept < said * 3 / 2, "{kept} bytes for {said}");
}

#[tokio::test]
async fn a_stale_append_changes_nothing() {
    let (scratch, id) = (Scratch::new(), id("a"));
    let store = open(&scratch);
    let mut chain = Chain::START;
    let mut stale = chain;
    append(&store, &id, &mut chain, "first").await.unwrap();
    assert!(matches!(append(&store, &id, &mut stale, "other").await, Err(StoreError::Stale)));
    let mut forged = Chain { next: 1, head: Hash::of(b"something else") };
    assert!(matches!(append(&store, &id, &mut forged, "other").await, Err(StoreError::Stale)));
    assert_eq!(store.load(&id, 0).await.unwrap().len(), 1);
}

/// Eight stores on one database stand for eight processes: nothing is lost and nothing is refused for good.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn eight_writers_on_one_log_lose_nothing() {
    const EACH: usize = 25;
    let scratch = Scratch::new();
    let writers = (0..8).map(|n| {
        let store = open(&scratch);
        tokio::spawn(async move {
            for k in 0..EACH {
                loop {
                    let lines = store.load(&id("shared"), 0).await.unwrap_or_default();
                    let mut chain = Chain::START;
                    lines.iter().for_each(|line| chain.follow(line).unwrap());
                    match append(&store, &id("shared"), &mut chain, &format!("{n}-{k}")).await {
                        Ok(()) => break,
                        Err(StoreError::Stale) => {}
                        Err(other) => panic!("{other}"),
                    }
                }
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let stored = open(&scratch).stored(&id("shared")).await.unwrap();
    assert_eq!(stored.verify().unwrap().next, 8 * EACH as u64);
}

#[test]
fn many_may_make_the_database_at_once() {
    for _ in 0..20 {
        let scratch = Scratch::new();
        let state = State::prepare(scratch.path()).unwrap();
        let start = std::sync::Barrier::new(6);
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    start.wait();
                    // Closed at once by some, while others are still about to open it.
                    drop(schema::open(&state.database()).unwrap());
                });
            }
        });
    }
}

#[tokio::test]
async fn another_process_is_heard_soon() {
    let (scratch, id) = (Scratch::new(), id("a"));
    let (here, there) = (open(&scratch), open(&scratch));
    let mut changes = here.changes();
    changes.mark_unchanged();
    append(&there, &id, &mut Chain::START.clone(), "from elsewhere").await.unwrap();
    tokio::time::timeout(Duration::from_secs(10), changes.changed()).await.expect("heard").unwrap();
    assert_eq!(here.load(&id, 0).await.unwrap().len(), 1);
}

#[test]
fn one_claim_at_a_time() {
    let scratch = Scratch::new();
    let (here, there) = (open(&scratch), open(&scratch));
    let held = here.claim(&id("a")).unwrap();
    assert!(held.is_some());
    assert!(there.claim(&id("a")).unwrap().is_none());
    assert!(there.claim(&id("b")).unwrap().is_some());
    drop(held);
    assert!(there.claim(&id("a")).unwrap().is_some());
}

#[test]
fn a_newer_database_is_refused_and_left_alone() {
    let scratch = Scratch::new();
    drop(open(&scratch));
    let path = State::of(scratch.path()).database();
    let newer = rusqlite::Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 77).unwrap();
    drop(newer);
    let refused = Sqlite::open(&State::of(scratch.path())).err().unwrap().to_string();
    assert!(refused.contains("version 77"), "{refused}");
}

#[test]
fn sqlite_is_new_enough() {
    // 3.51.3 mends a corruption when a WAL file is reset.
    assert!(rusqlite::version_number() >= 3_051_003, "{}", rusqlite::version());
}
