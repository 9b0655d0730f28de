//! What a compaction does to the replies that stay.

use super::*;
use crate::event::{Finish, Usage};

/// A task, then `turns` replies with one call each, whose outputs are long.
fn transcript(turns: usize) -> Transcript {
    let mut transcript = Transcript::new("c", None);
    transcript.apply(&Event::Said(Said { text: "do it".into(), context: None }));
    for turn in 0..turns {
        let id = CallId(format!("c{turn}"));
        let call = Call { id: id.clone(), name: "read".into(), arguments: "{}".into() };
        transcript.apply(&Event::Replied(Reply {
            calls: vec![call],
            finish: Finish::Calls,
            ..Reply::default()
        }));
        transcript.apply(&Event::Ran { call: id, outcome: Outcome::done("long ".repeat(100)) });
    }
    transcript
}

#[test]
fn a_reply_knows_whether_what_came_before_it_was_rewritten() {
    use Prefix::{Rewritten, Same};
    // Said is 0; reply and outcome of turn n are 1 + 2n and 2 + 2n.
    for (before, summary, expected) in [
        (0, None, vec![Same, Same, Same]),
        (3, None, vec![Same, Rewritten, Rewritten]),
        (5, None, vec![Same, Rewritten, Rewritten]),
        (3, Some("so far"), vec![Rewritten, Rewritten]),
    ] {
        let mut transcript = transcript(3);
        let summary = summary.map(str::to_owned);
        transcript.apply(&Event::Compacted(Compacted { before, summary, usage: Usage::default() }));
        let prefixes: Vec<Prefix> = transcript
            .request()
            .messages
            .iter()
            .filter_map(|message| match &**message {
                Message::Assistant { prefix, .. } => Some(*prefix),
                _ => None,
            })
            .collect();
        assert_eq!(prefixes, expected, "{before}");
    }
}
