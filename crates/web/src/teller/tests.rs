//! What records are told as, as data.

use super::*;

#[test]
fn arguments_become_a_map_of_texts() {
    for (arguments, expected) in [
        (r#"{"command":"ls"}"#, "command=ls"),
        (r#"{"from":1,"to":-1,"deep":{"a":[true,null]}}"#, r#"deep={"a":[true,null]} from=1 to=-1"#),
        (r#"{"text":"two\nlines"}"#, "text=two\nlines"),
        ("", ""),
        ("not JSON", ""),
        ("[1]", ""),
    ] {
        let map: Vec<String> =
            argument_map(arguments).into_iter().map(|(name, text)| format!("{name}={text}")).collect();
        assert_eq!(map.join(" "), expected);
    }
    assert_eq!(final_words(r#"{"output":"done"}"#), "done");
    assert_eq!(final_words("{}"), "");
}

#[test]
fn every_phase_is_a_status_of_its_own() {
    let phases = [
        Phase::New,
        Phase::Busy,
        Phase::Waiting,
        Phase::Done,
        Phase::Cancelled,
        Phase::Bound,
        Phase::Failed,
        Phase::Interrupted,
    ];
    let mut seen: Vec<String> =
        phases.iter().map(|phase| serde_json::json!(status(*phase)).to_string()).collect();
    seen.dedup();
    assert_eq!(seen.len(), phases.len(), "{seen:?}");
}
