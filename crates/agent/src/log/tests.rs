//! Any change to a stored log is found, and an old log keeps loading.

use super::*;
use crate::event::{Said, Stop};
use proptest::prelude::*;

fn chain_of(texts: &[String]) -> (Vec<Vec<u8>>, Hash) {
    let mut chain = Chain::START;
    let lines = texts
        .iter()
        .map(|text| chain.seal(7, Event::Said(Said { text: text.clone(), context: None })).text.into_bytes())
        .collect();
    (lines, chain.head)
}

proptest! {
    #[test]
    fn one_changed_byte_is_found(texts in prop::collection::vec(".{0,20}", 1..6), which in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), by in 1u8..) {
        let (mut lines, head) = chain_of(&texts);
        let which = which.index(lines.len());
        let at = at.index(lines[which].len());
        lines[which][at] ^= by;
        prop_assert!(verify(lines, head).is_err());
    }

    #[test]
    fn an_unchanged_log_verifies(texts in prop::collection::vec(".{0,20}", 0..6)) {
        let (lines, head) = chain_of(&texts);
        prop_assert_eq!(verify(lines, head).unwrap().next, texts.len() as u64);
    }
}

#[test]
fn removal_exchange_and_addition_are_found() {
    let texts: Vec<String> = (0..4).map(|n| n.to_string()).collect();
    let (lines, head) = chain_of(&texts);
    let check = |edit: fn(&mut Vec<Vec<u8>>), seq: u64| {
        let mut edited = lines.clone();
        edit(&mut edited);
        assert_eq!(verify(edited, head).unwrap_err().seq, seq);
    };
    check(|lines| drop(lines.remove(1)), 1);
    check(|lines| drop(lines.pop()), 2);
    check(|lines| lines.swap(1, 2), 1);
    check(|lines| lines.push(lines[3].clone()), 4);
    check(Vec::clear, 0);
}

#[test]
fn a_log_of_the_first_version_loads() {
    let zero = Hash::ZERO;
    for (event, expected) in [
        (r#"{"type":"said","text":"hi"}"#, Event::Said(Said { text: "hi".into(), context: None })),
        (r#"{"type":"cancelled"}"#, Event::Cancelled {}),
        (r#"{"type":"stopped","reason":"bound"}"#, Event::Stopped { reason: Stop::Bound }),
    ] {
        let text = format!(r#"{{"seq":0,"at":1,"prev":"{zero}","event":{event}}}"#);
        assert_eq!(Line::read(0, text).unwrap().record.event, expected);
    }
}
