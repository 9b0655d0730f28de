//! Going back and forth in what was typed.

use super::*;

#[test]
fn walking_keeps_the_draft() {
    let mut history = History::new(None);
    assert_eq!(history.older("draft"), None);
    ["one", "two"].iter().for_each(|message| history.add(message));
    assert_eq!(history.older("draft").as_deref(), Some("two"));
    assert_eq!(history.older("two").as_deref(), Some("one"));
    assert_eq!(history.older("one"), None);
    assert_eq!(history.newer().as_deref(), Some("two"));
    assert_eq!(history.newer().as_deref(), Some("draft"));
    assert_eq!(history.newer(), None);
}
