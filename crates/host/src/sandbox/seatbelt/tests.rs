//! What the profile says, and in which order.

use super::*;
use crate::sandbox::Wall;

fn spec() -> Spec {
    Spec {
        wall: Wall::Seatbelt,
        network: Network::Denied,
        identity: (0, 0),
        workspace: "/w \"quoted\"".into(),
        home: Some("/Users/ada".into()),
        temp: "/private/tmp/t".into(),
        writable: vec!["/data".into()],
        readable: vec!["/Users/ada/.aws".into()],
    }
}

#[test]
fn protection_comes_after_permission() {
    let text = profile(&spec());
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is missing in {text}"));
    assert!(at("(allow file-write* (subpath \"/w \\\"quoted\\\"\")") < at("(deny file-write* (subpath"));
    assert!(at("(allow file-read*)") < at("(deny file-read* (subpath \"/Users/ada/.ssh\")"));
    let state = "file-read* (subpath \"/w \\\"quoted\\\"/.cinque";
    assert!(at(&format!("(deny {state}\"))")) < at(&format!("(allow {state}/output\"))")));
    assert!(text.contains("(subpath \"/data\")"));
    assert!(!text.contains("/Users/ada/.aws"));
    assert!(!text.contains("(allow network*)"));
    assert_eq!(text.matches('(').count(), text.matches(')').count());
}

#[test]
fn the_network_is_opened_only_when_granted() {
    let text = profile(&Spec { network: Network::Granted, ..spec() });
    assert!(text.contains("(allow network*)"));
}
