//! What is written again of a conversation that grew, and what is not.

use super::*;
use proptest::prelude::*;

fn request(conversation: &str, generation: u64, words: &[&str]) -> Request {
    Request {
        conversation: conversation.to_owned(),
        instructions: "".into(),
        tools: Arc::new([]),
        messages: words
            .iter()
            .map(|word| Arc::new(Message::User { parts: vec![(*word).to_owned()] }))
            .collect(),
        generation,
        schema: None,
    }
}

/// The bytes of the request, and how many messages had to be serialised for it.
fn extend(history: &mut History, request: &Request) -> (String, usize) {
    let written = std::cell::Cell::new(0);
    let segments = history.extend(request, |messages, out| {
        written.set(messages.len());
        let words = messages.iter().map(|message| match &**message {
            Message::User { parts } => parts[0].as_str(),
            _ => unreachable!(),
        });
        out.extend(words.collect::<Vec<_>>().join(",").bytes());
    });
    (String::from_utf8(segments.concat()).unwrap(), written.get())
}

#[test]
fn only_what_is_new_is_written() {
    let mut history = History::default();
    let mut check = |conversation, generation, words: &[&str], written| {
        let expected = (words.join(","), written);
        assert_eq!(extend(&mut history, &request(conversation, generation, words)), expected, "{words:?}");
    };
    check("a", 0, &["1"], 1);
    check("a", 0, &["1", "2", "3"], 2);
    check("a", 0, &["1", "2", "3"], 0);
    check("b", 0, &["x"], 1);
    check("a", 0, &["1", "2", "3", "4"], 1);
    // Shortened, rewritten, compacted.
    check("a", 0, &["1", "2"], 2);
    check("a", 0, &["1", "other", "3"], 3);
    check("a", 1, &["sum", "other", "3", "4"], 4);
    check("b", 0, &["x", "y"], 1);
}

#[test]
fn the_conversation_used_longest_ago_is_forgotten() {
    let mut history = History::default();
    let names: Vec<String> = (0..=CONVERSATIONS).map(|n| n.to_string()).collect();
    for name in &names {
        extend(&mut history, &request(name, 0, &["1"]));
    }
    assert_eq!(history.sent.len(), CONVERSATIONS);
    assert_eq!(extend(&mut history, &request(&names[1], 0, &["1", "2"])).1, 1);
    assert_eq!(extend(&mut history, &request(&names[0], 0, &["1", "2"])).1, 2);
}

#[test]
fn segments_stay_few() {
    let mut history = History::default();
    let words = vec!["word"; 2000];
    for count in 1..words.len() {
        let segments =
            history.extend(&request("a", 0, &words[..count]), |_, out| out.extend_from_slice(b"word"));
        assert!(segments.len() <= 12, "{} segments after {count} requests", segments.len());
    }
}

proptest! {
    #[test]
    fn a_request_is_a_prefix_of_the_next(steps in prop::collection::vec(0usize..4, 1..30)) {
        let mut history = History::default();
        let all: Vec<String> = (0..200).map(|n| n.to_string()).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let (mut count, mut before) = (1, String::new());
        for step in steps {
            count += step;
            let (bytes, _) = extend(&mut history, &request("a", 0, &all[..count]));
            prop_assert_eq!(&bytes, &all[..count].join(","));
            prop_assert!(bytes.starts_with(&before));
            before = bytes;
        }
    }
}
