//! Watches whether the provider's cache hits as the log says it should. Start at [`Cache::note`].

use agent::event::Event;

/// Below this many tokens providers do not cache.
const LEAST: u64 = 2048;

#[derive(Debug, Default)]
pub struct Cache {
    /// The tokens of the last request.
    last: u64,
    /// Whether this provider ever reported a hit; others just do not say.
    reports: bool,
    /// What has changed the beginning of the request since the last one.
    changed: Option<&'static str>,
}

impl Cache {
    /// Takes the next event; says so when a hit was due and did not come.
    pub fn note(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::Compacted(_) => self.changed = Some("the conversation was made shorter"),
            Event::Configured(configured) if configured.model.is_some() => {
                self.changed = Some("the model was changed")
            }
            Event::Replied(reply) => {
                let (before, input, cached) = (self.last, reply.usage.input, reply.usage.cached);
                let missed = self.reports && cached == 0 && before >= LEAST;
                self.reports |= cached > 0;
                self.last = input;
                let why = self.changed.take();
                return missed.then(|| told(before, why));
            }
            _ => {}
        }
        None
    }
}

fn told(before: u64, why: Option<&str>) -> String {
    match why {
        Some(why) => format!("the provider's cache missed, because {why}"),
        None => format!(
            "the provider's cache missed although the {before} tokens of the last request were sent again byte for \
             byte; it has let go of them"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent::event::{Compacted, Reply, Usage};

    fn replied(input: u64, cached: u64) -> Event {
        Event::Replied(Reply { usage: Usage { input, cached, ..Usage::default() }, ..Reply::default() })
    }

    #[test]
    fn a_miss_is_told_only_where_a_hit_was_due() {
        let compacted = || Event::Compacted(Compacted { before: 1, summary: None, usage: Usage::default() });
        for (events, told) in [
            (vec![replied(3000, 0), replied(3100, 0)], None),
            (vec![replied(3000, 2000), replied(3100, 0)], Some("byte for byte")),
            (vec![replied(3000, 2000), compacted(), replied(3100, 0)], Some("made shorter")),
            (vec![replied(1000, 500), replied(1100, 0)], None),
            (vec![replied(3000, 2000), replied(3100, 3000)], None),
        ] {
            let mut cache = Cache::default();
            let last = events.iter().map(|event| cache.note(event)).last().flatten();
            assert_eq!(last.is_some(), told.is_some(), "{events:?}");
            assert!(last.unwrap_or_default().contains(told.unwrap_or_default()));
        }
    }
}
