//! What a person sees: keys in, a model of a terminal out, with a scripted model and tools that do nothing.

mod machine;
mod plain;
mod window;
pub(super) mod world;

use crate::Begin;
use agent::event::*;
use agent::{Command, Delta};
use std::time::Duration;
use world::{Person, call, text, think};

#[tokio::test]
async fn reasoning_text_commands_and_final_text_stand_in_this_order() {
    let first =
        [think("I wonder."), text("Looking *now*."), call("c1", "free", r#"{"command":"ls"}"#)].concat();
    let mut person = Person::new(vec![first, text("All **done**.")]).await;
    person.see("❯").await;
    person.keys("what is here\r").await;
    person.see("All done.").await;
    person.rest().await;
    assert_eq!(
        person.lines(),
        [
            "Using model: script/1 with reasoning effort: high",
            "❯ what is here",
            "I wonder.",
            "Looking now.",
            "$ ls",
            "  output of ls",
            "All done.",
            "❯",
            "  script/1",
        ]
    );
    assert_eq!(person.asked(), ["what is here"]);
}

#[tokio::test]
async fn a_question_is_answered_with_a_key_and_the_answer_stays() {
    for (keys, after, told) in [
        ("y", vec!["  ✓ approved", "  output of touch made"], "output of touch made"),
        ("n", vec!["  ✗ declined"], "declined"),
        ("etoo risky\r", vec!["  ✗ declined: too risky"], "too risky"),
        (
            "ay",
            vec!["  always from now on: rule for touch made", "  ✓ approved", "  output of touch made"],
            "output of",
        ),
        ("any", vec!["  ✓ approved", "  output of touch made"], "output of"),
    ] {
        let mut person =
            Person::new(vec![call("c1", "gated", r#"{"command":"touch made"}"#), text("Fine.")]).await;
        person.keys("go\r").await;
        person.see("y approve  n decline  a always  e decline with words").await;
        person.pause().await;
        for key in keys.split_inclusive(|_| true) {
            person.keys(key).await;
            person.pause().await;
        }
        person.see("Fine.").await;
        person.rest().await;
        let mut expected = vec![
            "Using model: script/1 with reasoning effort: high",
            "❯ go",
            "gated wants to run",
            "$ touch made",
            "  Why it asks: it acts",
        ];
        expected.extend(after);
        expected.extend(["Fine.", "❯", "  script/1"]);
        assert_eq!(person.lines(), expected, "{keys}");
        assert!(person.results().contains(told), "{keys}: {}", person.results());
    }
}

#[tokio::test]
async fn the_rule_is_shown_before_it_is_saved() {
    let mut person =
        Person::new(vec![call("c1", "gated", r#"{"command":"touch made"}"#), text("Fine.")]).await;
    person.keys("go\r").await;
    person.see("y approve").await;
    person.pause().await;
    person.keys("a").await;
    person.see("From now on, without asking, in every folder:").await;
    person.see("rule for touch made").await;
    assert!(person.saved().is_empty());
    person.keys("y").await;
    person.see("Fine.").await;
    assert_eq!(person.saved(), ["touch made"]);
}

#[tokio::test]
async fn words_typed_at_a_question_decide_nothing() {
    for (words, slow) in [("are you sure?", false), ("apply it", false), ("/any", false), ("why", true)] {
        let mut person = Person::new(vec![call("c1", "gated", r#"{"command":"x"}"#), text("Fine.")]).await;
        person.keys("go\r").await;
        person.see("y approve").await;
        person.pause().await;
        for letter in words.chars() {
            person.keys(&letter.to_string()).await;
            if slow {
                person.pause().await;
            }
        }
        person.see(&format!("❯ {words}")).await;
        person.see("y approve").await;
        assert!(person.saved().is_empty(), "{words}");
        person.keys("\x15").await;
        person.see_not(words).await;
        person.keys("y").await;
        person.see("Fine.").await;
    }
}

#[tokio::test]
async fn of_several_calls_it_is_said_which_one_is_decided() {
    let both = [
        call("c1", "gated", r#"{"command":"touch one"}"#),
        call("c2", "gated", r#"{"command":"touch two"}"#),
    ];
    let mut person = Person::new(vec![both.concat(), text("Fine.")]).await;
    person.keys("go\r").await;
    person.see("2 calls wait; this is about:\n  $ touch one\n").await;
    person.pause().await;
    person.keys("y").await;
    person.see("This is about:\n  $ touch two\n").await;
    person.pause().await;
    person.keys("n").await;
    person.see("Fine.").await;
}

#[tokio::test]
async fn whoever_is_typing_does_not_answer() {
    let mut person =
        Person::new(vec![call("c1", "gated", r#"{"command":"touch made"}"#), text("Fine.")]).await;
    person.keys("go\rso I was saying").await;
    person.see("y approve").await;
    person.see("❯ so I was saying").await;
    person.pause().await;
    person.keys("y").await;
    person.see("Fine.").await;
    person.see("❯ so I was saying").await;
}

#[tokio::test]
async fn what_is_decided_elsewhere_is_no_longer_asked() {
    let mut person =
        Person::new(vec![call("c1", "gated", r#"{"command":"touch made"}"#), text("Fine.")]).await;
    person.keys("go\r").await;
    person.see("y approve").await;
    let session = person.elsewhere().await;
    session.send(Command::Decline { call: CallId("c1".into()), words: "not here".into() }).await.unwrap();
    person.see("✗ declined: not here").await;
    person.see_not("y approve").await;
}

#[tokio::test]
async fn escape_stops_and_twice_clears() {
    let mut person = Person::new(vec![vec![Delta::Text("Begun".into())]]).await;
    person.keys("go\r").await;
    person.see("Begun").await;
    person.see("Working").await;
    person.keys("\x1b").await;
    person.see("Stopped").await;
    person.see_not("Working").await;
    person.keys("draft").await;
    person.see("❯ draft").await;
    person.keys("\x1b").await;
    person.see("Press ESC again to clear input").await;
    person.keys("\x1b").await;
    person.see_not("draft").await;
}

#[tokio::test]
async fn errors_are_told_and_the_conversation_goes_on() {
    let failure = Failure::new(FailureKind::Auth, "the key is wrong").hint("get another");
    let mut person = Person::new(vec![vec![Delta::Failed(failure)], text("Now it works.")]).await;
    person.keys("go\r").await;
    person.see("Error: the key is wrong").await;
    person.see("get another").await;
    person.keys("again\r").await;
    person.see("Now it works.").await;
}

#[tokio::test]
async fn what_is_said_to_a_removed_conversation_is_not_lost() {
    let mut person = Person::new(vec![text("Hello."), text("Hello again.")]).await;
    person.keys("hi\r").await;
    person.see("Hello.").await;
    person.rest().await;
    person.remove().await;
    person.see("there is no conversation talk").await;
    person.keys("precious words\r").await;
    person.see("/clear begins a new conversation").await;
    person.see("❯ precious words").await;
}

#[tokio::test]
async fn an_answer_of_nothing_is_done() {
    let mut person = Person::new(vec![call("c1", "free", r#"{"command":"ls"}"#), text("")]).await;
    person.keys("go\r").await;
    person.see("Done.").await;
}

#[tokio::test]
async fn what_is_said_while_busy_is_queued_and_can_be_changed() {
    let mut person =
        Person::new(vec![call("c1", "gated", r#"{"command":"x"}"#), text("One."), text("Two.")]).await;
    person.keys("first\rsecond\r").await;
    person.see("queued: second").await;
    person.keys("\x1b[A").await;
    person.see("❯ second").await;
    person.keys(" thing\r").await;
    person.see("queued: second thing").await;
    person.pause().await;
    person.keys("n").await;
    person.see("Two.").await;
    assert_eq!(person.asked(), ["first", "second thing"]);
}

#[tokio::test]
async fn the_menu_filters_wraps_and_closes() {
    let mut person = Person::new(vec![]).await;
    person.keys("/").await;
    person.see("▸ /help").await;
    person.keys("\x1b[A").await;
    person.see("▸ /quit").await;
    person.keys("zz").await;
    person.see("No matching commands").await;
    person.keys("\x1b").await;
    person.see_not("No matching commands").await;
    person.keys("\x15/modle\r").await;
    person.see("Error: Unknown command: /modle").await;
    person.see("Did you mean /model?").await;
    person.keys("/model script/2\r").await;
    person.see("Set model to script/2").await;
    person.keys("/model alone\r").await;
    person.see("Set model to alone").await;
    person.keys("hi\r").await;
    person.see("(end of script)").await;
    person.keys("/model other\r").await;
    person.see("Set model to other").await;
    person.keys("/quit\r").await;
    person.gone().await;
}

#[tokio::test]
async fn two_interrupts_or_the_end_of_input_leave() {
    for keys in ["\x03\x03", "text\x03\x03", "\x04"] {
        let mut person = Person::new(vec![]).await;
        person.see("❯").await;
        person.keys(keys).await;
        person.gone().await;
    }
    let mut person = Person::new(vec![]).await;
    person.keys("x\x04").await;
    person.see("❯ x").await;
    person.keys("\x03").await;
    person.see("Press Ctrl+C again to exit").await;
}

#[tokio::test]
async fn nothing_hostile_reaches_the_terminal() {
    let evil = "a\x1b]0;owned\x07b\x1b[2Jc\u{202e}d\u{9b}31me";
    let arguments = serde_json::json!({ "command": format!("echo {evil}") }).to_string();
    let mut person =
        Person::new(vec![[text(evil), call("c1", "gated", &arguments)].concat(), text(evil)]).await;
    person.keys("go\r").await;
    person.see("<U+202E>").await;
    person.pause().await;
    person.keys("y").await;
    person.see("❯ go").await;
    person.rest().await;
    let raw = person.raw();
    for bad in ["\x1b]0;", "\x1b[2J", "\u{202e}", "\u{9b}"] {
        assert!(!raw.contains(bad), "{bad:?} was written");
    }
}

#[tokio::test]
async fn who_looks_elsewhere_is_told_of_a_question() {
    for (focus, told) in [("\x1b[O", true), ("\x1b[O\x1b[I", false), ("", false)] {
        let mut person = Person::new(vec![call("c1", "gated", r#"{"command":"touch made"}"#)]).await;
        person.keys(&format!("{focus}go\r")).await;
        person.see("y approve").await;
        assert_eq!(person.raw().contains("\x1b]9;cinque asks for your approval\x1b\\"), told, "{focus:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_looks_elsewhere_is_told_of_the_end_of_a_long_run() {
    for (focus, seconds, told) in [("\x1b[O", 4, true), ("\x1b[O", 1, false), ("\x1b[O\x1b[I", 4, false)] {
        let script = vec![call("c1", "gated", r#"{"command":"touch made"}"#), text("All is made.")];
        let mut person = Person::new(script).await;
        person.keys(&format!("{focus}go\r")).await;
        person.see("y approve").await;
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        person.keys("y").await;
        person.see("All is made.").await;
        person.rest().await;
        assert_eq!(person.raw().contains("\x1b]9;cinque is done\x1b\\"), told, "{focus:?} {seconds}");
    }
}

#[tokio::test]
async fn what_is_chosen_to_begin_with_is_greeted_once() {
    let mut first = Person::new(vec![text("Earlier answer.")]).await;
    first.keys("earlier\r").await;
    first.see("Earlier answer.").await;
    for (keys, then) in [("\r", "Earlier answer."), ("\x1b", "❯")] {
        let mut second = first.another(Begin::Choose);
        second.see("Go on with which conversation?").await;
        second.see("▸ earlier").await;
        second.keys(keys).await;
        second.see("Using model:").await;
        second.see(then).await;
        second.rest().await;
        assert_eq!(second.screen().matches("Using model:").count(), 1, "{}", second.screen());
    }
}

#[tokio::test]
async fn an_idle_screen_writes_nothing() {
    let mut person = Person::new(vec![text("Hello.")]).await;
    person.keys("hi\r").await;
    person.see("Hello.").await;
    person.rest().await;
    let before = person.raw().len();
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(person.raw().len(), before);
}

#[tokio::test]
async fn a_long_reply_costs_at_most_three_times_its_bytes() {
    let words: String =
        (0..6000).map(|n| if n % 60 == 59 { "end.\n\n".into() } else { format!("word{n} ") }).collect();
    let pieces: Vec<Delta> = words.split_inclusive(' ').map(|word| Delta::Text(word.to_owned())).collect();
    let reply = Reply { text: words.clone(), ..Reply::default() };
    let mut person = Person::new(vec![[pieces, vec![Delta::Finished(Box::new(reply))]].concat()]).await;
    person.keys("go\r").await;
    person.see("word5998").await;
    person.rest().await;
    let written = person.raw().len();
    assert!(written < 3 * words.len(), "{written} bytes for {}", words.len());
}

#[tokio::test]
async fn an_earlier_conversation_is_shown_with_what_was_interrupted() {
    let mut first =
        Person::new(vec![text("Earlier answer."), call("c1", "free", r#"{"command":"sleep"}"#)]).await;
    first.keys("earlier\r").await;
    first.see("Earlier answer.").await;
    let mut second = first
        .again(|events| {
            events.push(Event::Said(Said { text: "more".into(), context: None }));
            events.push(Event::Asked { model: "script/1".into(), summary_of: None });
            let call = Call {
                id: CallId("c9".into()),
                name: "free".into(),
                arguments: r#"{"command":"make"}"#.into(),
            };
            events.push(Event::Replied(Reply {
                calls: vec![call],
                finish: Finish::Calls,
                ..Reply::default()
            }));
            events.push(Event::Started { call: CallId("c9".into()) });
        })
        .await;
    second.see("❯ earlier").await;
    second.see("Earlier answer.").await;
    second.see("$ make").await;
    second.see("interrupted, outcome unknown").await;
    second.see("Say something to go on.").await;
    second.see_not("Working").await;
    second.keys("go on\r").await;
    second.see("(end of script)").await;
    assert_eq!(second.asked(), ["earlier", "more", "go on"]);
}
