//! What the file of messages holds after whatever happened to it.

use super::*;
use kit::Scratch;

fn history(scratch: &Scratch) -> History {
    History::new(scratch.join("cinque/history.json"))
}

fn stored(scratch: &Scratch) -> Vec<String> {
    serde_json::from_str::<Stored>(&scratch.read("cinque/history.json")).unwrap().messages
}

#[test]
fn blanks_and_repeats_of_the_last_are_not_kept() {
    let scratch = Scratch::new();
    for message in ["a", "  \n", "b", "b", "a", ""] {
        history(&scratch).add(message).unwrap();
    }
    assert_eq!(stored(&scratch), ["a", "b", "a"]);
}

#[test]
fn at_most_a_thousand_are_kept_and_they_are_the_newest() {
    let scratch = Scratch::new();
    let messages: Vec<String> = (0..1200).map(|n| n.to_string()).collect();
    scratch.write("cinque/history.json", serde_json::to_vec(&Stored { messages }).unwrap());
    let kept = history(&scratch).add("last").unwrap();
    assert_eq!((kept.len(), kept[0].as_str(), kept[999].as_str()), (1000, "201", "last"));
    assert_eq!(stored(&scratch), kept);
}

#[test]
fn a_damaged_file_is_moved_aside() {
    let scratch = Scratch::new();
    for (n, damage) in ["{\"messages\": [", "[]", "\u{0}"].iter().enumerate() {
        scratch.write("cinque/history.json", damage);
        history(&scratch).add("new").unwrap();
        assert_eq!(stored(&scratch), ["new"]);
        let aside = if n == 0 { "damaged".into() } else { format!("damaged.{n}") };
        assert_eq!(scratch.read(format!("cinque/history.{aside}")), *damage);
    }
}

#[test]
fn two_terminals_at_once_lose_nothing() {
    let scratch = Scratch::new();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let history = history(&scratch);
            scope.spawn(move || (0..25).for_each(|n| drop(history.add(&format!("{writer}-{n}")).unwrap())));
        }
    });
    let stored = stored(&scratch);
    assert_eq!(stored.len(), 100);
    for writer in 0..4 {
        let own: Vec<String> = (0..25).map(|n| format!("{writer}-{n}")).collect();
        let found = stored.iter().filter(|m| m.starts_with(&format!("{writer}-")));
        assert!(found.eq(own.iter()));
    }
}
