//! How a conversation is followed: every record from a given seq on, then live, without gap or repeat, with the text of
//! the reply in progress. Start at [`Updates::next`].
//!
//! The driver writes into the [`Feed`] and never waits for a reader. A reader that falls behind reads older records
//! from the store, and meets text and output in larger pieces.

use crate::event::{CallId, Event, Failure};
use crate::log::Record;
use crate::store::{Id, Store, StoreError};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Records kept for readers that are up to date; others read the store.
const RECENT: usize = 256;
/// Live output kept of one running call.
const TAIL: usize = 64 * 1024;
/// What is kept of a reply that was not finished. No model says more in earnest, and what a broken one says without an
/// end must not be copied into the log and to everybody who reads it.
const BROKEN_OFF: usize = 1024 * 1024;

#[derive(Debug, Clone, PartialEq)]
pub enum Update {
    Record(Arc<Record>),
    /// More of the reply in progress; `offset` is in bytes from its beginning.
    Text {
        offset: usize,
        text: String,
    },
    Reasoning {
        offset: usize,
        text: String,
    },
    /// More output of a running call; `offset` counts what came before, also what was dropped.
    Progress {
        call: CallId,
        offset: usize,
        text: String,
    },
    /// The model is asked again soon; the text of the reply so far no longer counts.
    Retrying {
        after_millis: u64,
        failure: Failure,
    },
    /// This process has nothing left to do without a person.
    Rested,
    /// The log cannot be written. The conversation stands still until something is sent to it again.
    Broken(String),
}

pub(crate) struct Feed {
    state: Mutex<State>,
    bell: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    recent: VecDeque<Arc<Record>>,
    next: u64,
    reply: Partial,
    running: Vec<Tail>,
    notices: u64,
    notice: Option<Update>,
    /// Whether this process acts for the conversation.
    acting: bool,
    /// Where the log ended when this process last stopped acting.
    stopped: Option<u64>,
    closed: bool,
}

/// The reply in progress. Each try is a new epoch, in which offsets begin at 0 again.
#[derive(Default)]
struct Partial {
    epoch: u64,
    text: String,
    reasoning: String,
}

struct Tail {
    call: CallId,
    dropped: usize,
    text: String,
}

impl Feed {
    pub(crate) fn new(next: u64) -> Feed {
        let state = State { next, ..State::default() };
        Feed { state: Mutex::new(state), bell: watch::Sender::new(0) }
    }

    pub(crate) fn push(&self, record: Arc<Record>) {
        let mut state = self.state();
        match &record.event {
            Event::Replied(_) | Event::Failed { .. } => state.reply.restart(),
            Event::Ran { call, .. } => state.running.retain(|tail| tail.call != *call),
            _ => {}
        }
        state.next = record.seq + 1;
        state.recent.push_back(record);
        if state.recent.len() > RECENT {
            state.recent.pop_front();
        }
        drop(state);
        self.ring();
    }

    pub(crate) fn recorded(&self) -> u64 {
        self.state().next
    }

    pub(crate) fn acting(&self) -> bool {
        self.state().acting
    }

    pub(crate) fn set_acting(&self, acting: bool) {
        let mut state = self.state();
        if state.acting && !acting {
            state.stopped = Some(state.next);
        }
        state.acting = acting;
    }

    /// Whether this process was the last to act and has stopped: then nobody acts.
    pub(crate) fn left(&self) -> bool {
        let next = self.state().next;
        self.left_at(next)
    }

    /// The same, and nothing came after so many records.
    pub(crate) fn left_at(&self, records: u64) -> bool {
        let state = self.state();
        !state.acting && state.stopped == Some(records)
    }

    pub(crate) fn text(&self, text: &str) {
        self.state().reply.text.push_str(text);
        self.ring();
    }

    pub(crate) fn reasoning(&self, text: &str) {
        self.state().reply.reasoning.push_str(text);
        self.ring();
    }

    /// The text of the reply in progress, or its beginning, taken out because the reply will not be finished.
    pub(crate) fn take_partial(&self) -> String {
        let mut state = self.state();
        let mut text = std::mem::take(&mut state.reply.text);
        state.reply.restart();
        text.truncate(text.floor_char_boundary(BROKEN_OFF));
        text.shrink_to_fit();
        text
    }

    pub(crate) fn progress(&self, call: &CallId, text: &str) {
        let mut state = self.state();
        let at = match state.running.iter().position(|tail| tail.call == *call) {
            Some(at) => at,
            None => {
                state.running.push(Tail { call: call.clone(), dropped: 0, text: String::new() });
                state.running.len() - 1
            }
        };
        state.running[at].push(text);
        drop(state);
        self.ring();
    }

    pub(crate) fn notify(&self, notice: Update) {
        let mut state = self.state();
        state.notices += 1;
        state.notice = Some(notice);
        drop(state);
        self.ring();
    }

    /// Nobody acts for the conversation here any more; followers end once they have seen all.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        (state.closed, state.acting) = (true, false);
        drop(state);
        self.ring();
    }

    pub(crate) fn follow(self: &Arc<Self>, id: Id, store: Arc<dyn Store>, from: u64) -> Updates {
        let notices = self.state().notices;
        Updates {
            feed: self.clone(),
            bell: self.bell.subscribe(),
            id,
            store,
            next: from,
            loaded: VecDeque::new(),
            epoch: 0,
            text: 0,
            reasoning: 0,
            progress: HashMap::new(),
            notices,
        }
    }

    fn ring(&self) {
        self.bell.send_modify(|n| *n = n.wrapping_add(1));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Partial {
    fn restart(&mut self) {
        self.epoch += 1;
        self.text.clear();
        self.reasoning.clear();
    }
}

impl Tail {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        if self.text.len() > 2 * TAIL {
            let mut cut = self.text.len() - TAIL;
            while !self.text.is_char_boundary(cut) {
                cut += 1;
            }
            self.text.drain(..cut);
            self.dropped += cut;
        }
    }
}

/// One reader's place in a conversation.
pub struct Updates {
    feed: Arc<Feed>,
    bell: watch::Receiver<u64>,
    id: Id,
    store: Arc<dyn Store>,
    next: u64,
    loaded: VecDeque<Arc<Record>>,
    epoch: u64,
    text: usize,
    reasoning: usize,
    progress: HashMap<CallId, usize>,
    notices: u64,
}

enum Step {
    Give(Update),
    Load,
    Wait,
    End,
}

impl Updates {
    /// The next thing that happened; `None` once nobody acts for this conversation here any more.
    /// Safe to drop while waiting: nothing is skipped.
    pub async fn next(&mut self) -> Option<Result<Update, StoreError>> {
        loop {
            if let Some(record) = self.loaded.pop_front() {
                return Some(Ok(self.give(record)));
            }
            self.bell.borrow_and_update();
            match self.step() {
                Step::End => return None,
                Step::Give(update) => return Some(Ok(update)),
                Step::Load => match self.store.load(&self.id, self.next).await {
                    Ok(lines) => self.loaded = lines.into_iter().map(|line| line.record).collect(),
                    Err(error) => return Some(Err(error)),
                },
                // The sender lives in the feed, which this reader keeps.
                Step::Wait => drop(self.bell.changed().await),
            }
        }
    }

    fn step(&mut self) -> Step {
        let feed = self.feed.clone();
        let state = feed.state();
        if self.next < state.next {
            let oldest = state.next - state.recent.len() as u64;
            let Some(at) = self.next.checked_sub(oldest) else { return Step::Load };
            let record = state.recent[at as usize].clone();
            drop(state);
            return Step::Give(self.give(record));
        }
        let idle = if state.closed { Step::End } else { Step::Wait };
        self.live(&state).map_or(idle, Step::Give)
    }

    fn give(&mut self, record: Arc<Record>) -> Update {
        self.next = record.seq + 1;
        if let Event::Ran { call, .. } = &record.event {
            self.progress.remove(call);
        }
        Update::Record(record)
    }

    /// What is new besides records.
    fn live(&mut self, state: &State) -> Option<Update> {
        if self.notices < state.notices {
            self.notices = state.notices;
            return state.notice.clone();
        }
        if self.epoch != state.reply.epoch {
            (self.epoch, self.text, self.reasoning) = (state.reply.epoch, 0, 0);
        }
        if let Some(text) = since(&state.reply.reasoning, &mut self.reasoning) {
            return Some(Update::Reasoning { offset: self.reasoning - text.len(), text });
        }
        if let Some(text) = since(&state.reply.text, &mut self.text) {
            return Some(Update::Text { offset: self.text - text.len(), text });
        }
        state.running.iter().find_map(|tail| {
            let seen = self.progress.entry(tail.call.clone()).or_default();
            let mut from = seen.saturating_sub(tail.dropped);
            let text = since(&tail.text, &mut from)?;
            *seen = tail.dropped + from;
            Some(Update::Progress { call: tail.call.clone(), offset: *seen - text.len(), text })
        })
    }
}

fn since(text: &str, seen: &mut usize) -> Option<String> {
    let new = text.get(*seen..).filter(|new| !new.is_empty())?.to_owned();
    *seen = text.len();
    Some(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_reply_without_an_end_the_beginning_is_kept() {
        let feed = Feed::new(0);
        feed.text("ü");
        (0..3).for_each(|_| feed.text(&"é".repeat(BROKEN_OFF / 4)));
        let kept = feed.take_partial();
        assert!(kept.starts_with("üé") && kept.len() == BROKEN_OFF && kept.capacity() < 2 * BROKEN_OFF);
        assert_eq!(feed.take_partial(), "");
    }
}
