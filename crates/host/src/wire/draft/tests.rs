//! Pieces of calls, and the calls that they become.

use super::*;

/// Pieces as `id|index|name|arguments`; calls as `id|name|arguments`.
fn check(pieces: &[&str], expected: &[&str]) {
    let mut draft = Draft::default();
    for piece in pieces {
        let parts: Vec<&str> = piece.splitn(4, '|').collect();
        let piece = Piece { id: parts[0], index: parts[1].parse().ok(), name: parts[2], arguments: parts[3] };
        draft.call(piece).unwrap();
    }
    let calls = draft.into_reply().calls;
    let calls: Vec<String> =
        calls.iter().map(|call| format!("{}|{}|{}", call.id, call.name, call.arguments)).collect();
    assert_eq!(calls, expected, "{pieces:?}");
}

#[test]
fn pieces_find_their_call() {
    // As the protocol has it.
    check(&["a|0|read|", "|0||{\"x\"", "|0||:1}"], &["a|read|{\"x\":1}"]);
    check(&["a|0|read|{", "b|1|list|[", "|0||}", "|1||]"], &["a|read|{}", "b|list|[]"]);
    // The id comes again with every piece.
    check(&["a|0|read|{", "a|0|read|}"], &["a|read|{}"]);
    check(&["a||read|{", "a|||}"], &["a|read|{}"]);
    // A known id wins over its index.
    check(&["a|0|read|{", "b|1|list|[", "a|1||}"], &["a|read|{}", "b|list|["]);
    // Every call has the index 0.
    check(&["a|0|read|{}", "b|0|list|[", "|0||]"], &["a|read|{}", "b|list|[]"]);
    // No index.
    check(&["a||read|{", "|||}", "b||list|[", "|||]"], &["a|read|{}", "b|list|[]"]);
    // No id.
    check(&["|0|read|{", "|0||}", "|1|list|[]"], &["|read|{}", "|list|[]"]);
    // The id comes late.
    check(&["|0|read|{", "a|0||}"], &["a|read|{}"]);
    // Neither.
    check(&["||read|{", "|||}"], &["|read|{}"]);
    check(&["||read|{}", "||list|[]"], &["|read|{}", "|list|[]"]);
    check(&["||read|{\"x\":1}", "||read|{\"x\":2}"], &["|read|{\"x\":1}", "|read|{\"x\":2}"]);
    check(&["||read|{\"x\"", "||read|:1}"], &["|read|{\"x\":1}"]);
    // Whole JSON is no reason to stop listening.
    check(&["a|0|read|{}", "|0||, more"], &["a|read|{}, more"]);
    // Indexes that begin late or have gaps.
    check(&["a|7|read|{", "|7||}", "b|9|list|"], &["a|read|{}", "b|list|"]);
}

#[test]
fn names() {
    check(&["a|0||{", "a|0|read|}"], &["a|read|{}"]);
    check(&["a|0|re|", "|0|ad|{}"], &["a|read|{}"]);
    check(&["a|0|re|", "|0|read|{}"], &["a|read|{}"]);
    check(&["a|0|read|{", "|0|read|}"], &["a|read|{}"]);
    check(&["a|0||{}"], &["a||{}"]);
}

#[test]
fn neighbours_become_one_delta() {
    let mut draft = Draft::default();
    for (kind, piece) in [("r", "a"), ("r", "b"), ("t", ""), ("t", "c"), ("t", ""), ("t", "d"), ("r", "e")] {
        match kind {
            "r" => draft.reasoning(piece).unwrap(),
            _ => draft.text(piece).unwrap(),
        }
    }
    let deltas: Vec<Delta> = std::iter::from_fn(|| draft.delta()).collect();
    let expected = [Delta::Reasoning("ab".into()), Delta::Text("cd".into()), Delta::Reasoning("e".into())];
    assert_eq!(deltas, expected);
    let reply = draft.into_reply();
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("cd", "abe"));
}

#[test]
fn the_finish_agrees_with_the_calls() {
    for (said, calls, expected) in [
        (Finish::Stop, 1, Finish::Calls),
        (Finish::Calls, 0, Finish::Stop),
        (Finish::Length, 1, Finish::Length),
        (Finish::Filtered, 0, Finish::Filtered),
    ] {
        let mut draft = Draft::default();
        for _ in 0..calls {
            draft.call(Piece { id: "a", ..Piece::default() }).unwrap();
        }
        draft.finish(said);
        assert_eq!(draft.into_reply().finish, expected);
    }
}

#[test]
fn a_reply_has_bounds() {
    let mut draft = Draft::default();
    let refused = (0..2000).find_map(|n| draft.call(Piece { id: &n.to_string(), ..Piece::default() }).err());
    assert_eq!(refused, Some(TooMuch::Calls));
    let megabyte = "x".repeat(1024 * 1024);
    let refused = (0..70).find_map(|_| draft.text(&megabyte).err());
    assert_eq!(refused, Some(TooMuch::Bytes));
}
