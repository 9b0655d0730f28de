//! The call of the model that is under way. Start at [`Ask::next`].

use crate::event::{Failure, FailureKind};
use crate::log::Hash;
use crate::model::Delta;
use crate::store::Id;
use futures::stream::{BoxStream, StreamExt};
use std::pin::Pin;
use std::time::Duration;
use tokio::time::{Sleep, sleep};

/// By which part of itself a pause may be longer.
const SPREAD: u32 = 12;

/// The call of the model that is under way.
pub(super) enum Ask {
    No,
    /// After a pause, if there is one; for a summary of everything before a seq, if one is named.
    Later(Option<Pin<Box<Sleep>>>, Option<u64>),
    Streaming(BoxStream<'static, Delta>),
}

impl Ask {
    /// No pause takes no timer: the runtime's run in whole milliseconds, so even the shortest lasts one.
    pub(super) fn after(pause: Duration, summary_of: Option<u64>) -> Ask {
        Ask::Later((!pause.is_zero()).then(|| Box::pin(sleep(pause))), summary_of)
    }

    /// The next piece of the reply; `None` when it is time to begin the stream. Safe to drop while waiting.
    pub(super) async fn next(&mut self) -> Option<Delta> {
        match self {
            Ask::No => std::future::pending().await,
            Ask::Later(pause, _) => {
                if let Some(pause) = pause {
                    pause.await;
                }
                None
            }
            Ask::Streaming(stream) => Some(stream.next().await.unwrap_or_else(|| {
                Delta::Failed(Failure::new(FailureKind::Protocol, "the reply ended without a finish mark"))
            })),
        }
    }
}

/// A pause, or a little more, which differs between conversations: those that failed at the same moment should not all come
/// back at the same one. It is never less, because the provider may have asked for it. Chance comes from a hash of what no
/// other conversation has.
pub(super) fn spread(pause: Duration, id: &Id) -> Duration {
    let chance = Hash::of(format!("{id} {}", pause.as_millis()).as_bytes()).first_byte();
    pause + pause / SPREAD * u32::from(chance) / u32::from(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::{Instant, advance};

    #[tokio::test(start_paused = true)]
    async fn without_a_pause_nothing_is_waited_for() {
        advance(Duration::from_micros(1)).await;
        for millis in [0, 1, 20] {
            let (pause, began) = (Duration::from_millis(millis), Instant::now());
            assert!(Ask::after(pause, None).next().await.is_none());
            assert_eq!(began.elapsed().is_zero(), pause.is_zero(), "{millis} ms");
        }
    }

    #[test]
    fn pauses_are_spread_by_a_little_and_only_longer() {
        let (pause, id) = (Duration::from_secs(2), |n: u32| Id::try_from(format!("c{n}")).unwrap());
        let found: Vec<Duration> = (0..50).map(|n| spread(pause, &id(n))).collect();
        assert!(found.iter().all(|spread| (pause..=pause * 11 / 10).contains(spread)), "{found:?}");
        let different: std::collections::HashSet<_> = found.iter().collect();
        assert!(different.len() > 20, "{found:?}");
        assert_eq!(spread(Duration::ZERO, &id(0)), Duration::ZERO);
    }
}
