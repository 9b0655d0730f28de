//! Which keys are answers.

use super::*;
use crate::chat::tests::world::{Person, call, text};

#[test]
fn a_key_is_an_answer_only_after_a_pause() {
    let now = Instant::now();
    for (ago, answers) in [(None, true), (Some(0), false), (Some(200), false), (Some(400), true)] {
        let last = ago.map(|ago| now - Duration::from_millis(ago));
        assert_eq!(has_passed(PAUSE, last, now), answers, "{ago:?}");
    }
}

#[test]
fn a_key_that_was_meant_for_something_else_is_no_answer() {
    let now = Instant::now();
    let ago = |ago: u64| Some(now - Duration::from_millis(ago));
    let fresh = Ask::default;
    let replacing = |at: u64| Ask { replaced: ago(at), ..Ask::default() };
    let editing = || Ask { edits: true, ..Ask::default() };
    let begun = || Ask { begun: true, ..Ask::default() };
    for (mut ask, typed, last, answers) in [
        (fresh(), "", ago(0), true),
        (fresh(), "draft", ago(0), false),
        (fresh(), "draft", ago(400), true),
        // Whoever edits may take their time, until nothing is left to edit.
        (editing(), "draft", ago(5000), false),
        (editing(), "", ago(0), true),
        // A slow typist is no less one.
        (begun(), "wh", ago(500), false),
        (begun(), "wh", ago(800), true),
        (begun(), "", ago(0), true),
        // The question before it was decided elsewhere while a key was on its way, or words were typed.
        (replacing(10), "", ago(5000), false),
        (replacing(400), "", ago(5000), true),
        (replacing(400), "", ago(10), false),
    ] {
        let mut input = Prompt::default();
        input.set(typed);
        let shown = format!("{ask:?} {typed:?}");
        ask.arm(&input, last, now);
        assert_eq!(ask.armed, answers, "{shown}");
    }
}

#[tokio::test]
async fn whoever_fetches_a_queued_prompt_back_may_take_their_time() {
    let script = vec![call("c1", "gated", r#"{"command":"x"}"#), text("One."), text("Two.")];
    let mut person = Person::new(script).await;
    person.keys("first\rsecond\r").await;
    person.see("queued: second").await;
    person.see("y approve").await;
    person.keys("\x1b[A").await;
    person.see("❯ second").await;
    person.pause().await;
    person.keys("y yes").await;
    person.see("❯ secondy yes").await;
    person.see("y approve").await;
    person.see("once what you edit is sent (Enter) or taken away").await;
    person.keys("\r").await;
    person.see("queued: secondy yes").await;
    person.see_not("once what you edit").await;
    person.keys("n").await;
    person.see("Two.").await;
    assert_eq!(person.asked(), ["first", "secondy yes"]);
}

#[tokio::test]
async fn a_draft_can_be_queued_while_a_question_is_open() {
    let script = vec![call("c1", "gated", r#"{"command":"x"}"#), text("One."), text("Two.")];
    let mut person = Person::new(script).await;
    person.keys("first\rso I was").await;
    person.see("y approve").await;
    person.see("❯ so I was").await;
    person.pause().await;
    person.keys("\r").await;
    person.see("queued: so I was").await;
    person.keys("n").await;
    person.see("Two.").await;
}

#[tokio::test]
async fn words_and_commands_can_be_typed_beside_a_question() {
    let script = vec![call("c1", "gated", r#"{"command":"x"}"#), text("One."), text("Two.")];
    let mut person = Person::new(script).await;
    person.keys("first\r").await;
    person.see("y approve").await;
    person.pause().await;
    person.keys("why any?").await;
    person.see("❯ why any?").await;
    person.keys("\x15\x1b[200~y\r\x1b[201~y").await;
    person.see("❯ y\n  y\n").await;
    person.keys("\x15\x7f\x15/").await;
    person.see("▸ /help").await;
    person.pause().await;
    person.keys("approvals").await;
    person.see("▸ /approvals").await;
    person.keys("\r").await;
    person.see("Calls that wait for you: 1.").await;
    person.keys("n").await;
    person.see("One.").await;
}

/// A person who is asked about a command and then types these keys, each so many milliseconds after the one before it;
/// without a pause between them they come at once.
async fn asked_and_typing(keys: &str, every: u64) -> Person {
    let mut person = Person::new(vec![call("c1", "gated", r#"{"command":"x"}"#), text("Fine.")]).await;
    person.keys("go\r").await;
    person.see("y approve").await;
    person.pause().await;
    if every == 0 {
        person.keys(keys).await;
        return person;
    }
    for key in keys.split_inclusive(|_| true) {
        person.keys(key).await;
        tokio::time::sleep(Duration::from_millis(every)).await;
    }
    person
}

#[tokio::test(start_paused = true)]
async fn words_that_begin_like_an_answer_are_words() {
    for every in [0, 90, 130] {
        for words in ["yes, but wait", "no, use printf instead", "Yes", "n y", "any idea?", "aye aye"] {
            let mut person = asked_and_typing(words, every).await;
            person.see(&format!("❯ {words}")).await;
            person.rest().await;
            person.see("y approve").await;
            assert!(!person.screen().contains("✓") && person.saved().is_empty(), "{words} {every}");
            person.keys("\x15n").await;
            person.see("✗ declined").await;
        }
    }
    let mut person = asked_and_typing("y\x1b[200~es\x1b[201~", 0).await;
    person.see("❯ yes").await;
    person.see("y approve").await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_counts_by_itself_and_once() {
    for every in [0, 90] {
        for (keys, told) in [
            ("y", "✓ approved"),
            ("Y", "✓ approved"),
            ("n", "✗ declined"),
            ("y\r", "✓ approved"),
            ("yy", "✓ approved"),
            ("nn", "✗ declined"),
            ("y\t", "✓ approved"),
            ("y\x0c", "✓ approved"),
        ] {
            let mut person = asked_and_typing(keys, every).await;
            person.see("Fine.").await;
            person.rest().await;
            let all = person.all();
            assert_eq!(all.matches(told).count(), 1, "{keys:?} {every}: {all}");
            assert!(person.lines().iter().any(|line| line == "❯"), "{keys:?} {every}: {all}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_taken_back_with_what_stops() {
    for keys in ["y\x1b", "y\x03", "n\x1b"] {
        for every in [0, 130] {
            let mut person = asked_and_typing(keys, every).await;
            person.see("Stopped").await;
            person.rest().await;
            let all = person.screen();
            assert!(!all.contains("✓") && !all.contains("✗ declined\n"), "{keys:?} {every}: {all}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_not_for_the_next_question() {
    let both =
        [call("c1", "gated", r#"{"command":"one"}"#), call("c2", "gated", r#"{"command":"two"}"#)].concat();
    let mut person = Person::new(vec![both, text("Fine.")]).await;
    person.keys("go\r").await;
    person.see("2 calls wait").await;
    person.pause().await;
    person.keys("y").await;
    let session = person.elsewhere().await;
    session.send(Command::Decline { call: CallId("c1".into()), words: "not here".into() }).await.unwrap();
    person.see("declined: not here").await;
    person.pause().await;
    person.rest().await;
    person.see("This is about:\n  $ two").await;
    assert!(!person.screen().contains("✓"), "{}", person.screen());
}

#[tokio::test(start_paused = true)]
async fn where_a_rule_holds_is_said() {
    for (arguments, told) in [
        (r#"{"command":"x"}"#, "From now on, without asking, in every folder:\n"),
        (r#"{"type":"create_file","path":"a","diff":"+x"}"#, "From now on, without asking:\n"),
    ] {
        let mut person = Person::new(vec![call("c1", "gated", arguments)]).await;
        person.keys("go\r").await;
        person.see("y approve").await;
        person.pause().await;
        person.keys("a").await;
        person.see(told).await;
    }
}
