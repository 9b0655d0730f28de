//! What is in progress, while more comes in and the window does what it likes.

use super::*;
use crate::screen::Gone;

#[test]
fn what_went_into_the_scrollback_is_printed_once_though_more_has_come_since() {
    let look = Look { palette: Palette::none(), columns: 40 };
    let mut talk = Talk::default();
    talk.take(&Update::Text { offset: 0, text: "one two".into() }, &look);
    assert_eq!(talk.live(5, &look), [Line::from("one two")]);
    talk.take(&Update::Text { offset: 7, text: " more\n\nthree\n\nfour\n".into() }, &look);
    talk.went(Gone { rows: 1, columns: 0 });
    talk.settle(&look);
    let printed: Vec<String> = talk.paper.take().iter().map(Line::text).collect();
    assert_eq!(printed, ["more", "", "three"]);
    assert_eq!(talk.live(5, &look), [Line::from("four")]);
}

#[test]
fn how_long_is_waited_stands_before_why() {
    let look = Look { palette: Palette::none(), columns: 40 };
    let failure = Failure::new(FailureKind::Overloaded, "a provider's words, which go on and on and on");
    let mut talk = Talk::default();
    talk.take(&Update::Retrying { after_millis: 2500, failure }, &look);
    assert_eq!(talk.live(5, &look), [Line::from("trying again in 2.5 s: a provider's wor…")]);
}

/// What is printed when these things happen.
fn printed(updates: Vec<Update>) -> Vec<String> {
    let look = Look { palette: Palette::none(), columns: 40 };
    let mut talk = Talk::default();
    updates.iter().for_each(|update| talk.take(update, &look));
    talk.paper.take().iter().map(Line::text).collect()
}

fn record(event: Event) -> Update {
    Update::Record(agent::log::Record { seq: 0, at: 0, prev: agent::log::Hash::ZERO, event }.into())
}

#[test]
fn a_summary_is_for_the_model() {
    let asked = |summary_of| record(Event::Asked { model: "m".into(), summary_of });
    let text = |text: &str| Update::Text { offset: 0, text: text.into() };
    let summed_up = Compacted { before: 4, summary: Some("in short".into()), usage: Usage::default() };
    let reply = Reply { text: "last".into(), ..Reply::default() };
    let lines = printed(vec![
        asked(Some(4)),
        text("in short"),
        record(Event::Compacted(summed_up)),
        asked(None),
        text("last"),
        record(Event::Replied(reply)),
    ]);
    assert_eq!(lines, ["Summed up what was said before, to make", "room.", "", "last"]);
}

#[test]
fn what_nobody_was_asked_about_is_printed_in_full() {
    let id = CallId("1".into());
    let command = "echo a long line that goes on and on and on";
    let call = Call {
        id: id.clone(),
        name: "shell".into(),
        arguments: serde_json::json!({ "commands": [command] }).to_string(),
    };
    let judged = |by| Judged {
        call: id.clone(),
        verdict: Verdict::Approve,
        by,
        reason: String::new(),
        digest: String::new(),
    };
    let output = r#"{"output":[{"stdout":"out","stderr":"","outcome":{"type":"exit","exitCode":0}}]}"#;
    let lines = printed(vec![
        record(Event::Replied(Reply { calls: vec![call], ..Reply::default() })),
        record(Event::Judged(judged(By::Mode))),
        record(Event::Ran { call: id.clone(), outcome: Outcome::done(output) }),
    ]);
    let expected = [
        "  ✓ approved (by the approval mode)",
        "$ echo a long line that goes on and on a",
        "  nd on",
        "  out",
    ];
    assert_eq!(lines, expected);
}
