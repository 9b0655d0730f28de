//! Requests in each dialect, and the law that a prefix stays a prefix.

use super::*;
use crate::dialect::Misread;
use agent::{CallId, Prefix, Tool};
use proptest::prelude::*;
use serde_json::json;

type How = (Dialect, Enforcement);
const NATIVE: How = (Dialect::Native, Enforcement::No);
const TAGS: How = (Dialect::Text, Enforcement::Schema);
const OBJECT: How = (Dialect::Json, Enforcement::No);
const ENFORCED: How = (Dialect::Json, Enforcement::Schema);

fn said((dialect, enforcement): How, request: Request) -> Request {
    rewrite(request, dialect, enforcement)
}

fn spec(name: &str) -> Spec {
    Spec {
        name: name.into(),
        description: format!("Does {name}.\n"),
        parameters: json!({ "type": "object" }),
    }
}

fn user(text: &str) -> Message {
    Message::User { parts: vec![text.into()] }
}

fn assistant(text: &str, calls: &[(&str, &str)]) -> Message {
    let call = |(name, arguments): &(&str, &str)| Call {
        id: CallId("id".into()),
        name: (*name).into(),
        arguments: (*arguments).into(),
    };
    let opaque = Some(json!({ "wire": "x" }));
    Message::Assistant {
        text: text.into(),
        reasoning: "r".into(),
        calls: calls.iter().map(call).collect(),
        opaque,
        prefix: Prefix::Rewritten,
    }
}

fn result(name: &str, text: &str) -> Message {
    Message::Result { call: CallId("id".into()), name: name.into(), text: text.into() }
}

fn request(tools: Vec<Spec>, messages: Vec<Message>) -> Request {
    Request {
        conversation: "c".into(),
        instructions: "Be good.".into(),
        tools: tools.into(),
        messages: messages.into_iter().map(Arc::new).collect(),
        generation: 3,
        schema: None,
    }
}

fn told(request: &Request) -> Vec<(&'static str, Vec<String>)> {
    let line = |message: &Arc<Message>| match &**message {
        Message::User { parts } => ("user", parts.clone()),
        Message::Assistant { text, calls, .. } => {
            assert!(calls.is_empty(), "no native call is left");
            ("assistant", vec![text.clone()])
        }
        Message::Result { .. } => panic!("no native result is left"),
    };
    request.messages.iter().map(line).collect()
}

fn history() -> Vec<Message> {
    vec![
        user("Look."),
        assistant("I look.", &[("shell", r#"{ "command": "ls" }"#), ("read", "not json")]),
        result("shell", "a.txt"),
        result("read", "Error"),
        user("Well?"),
        assistant("", &[("shell", "")]),
        result("shell", "ok"),
        assistant("Done.", &[]),
    ]
}

fn check(how: How, assistant: [&str; 3]) {
    let rewritten = said(how, request(vec![spec("shell"), spec("read")], history()));
    let own = |parts: &[&str]| parts.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>();
    let expected = vec![
        ("user", own(&["Look."])),
        ("assistant", own(&[assistant[0]])),
        ("user", own(&["Result of shell (call 1 of 2):\na.txt", "Result of read (call 2 of 2):\nError"])),
        ("user", own(&["Well?"])),
        ("assistant", own(&[assistant[1]])),
        ("user", own(&["Result of shell:\nok"])),
        ("assistant", own(&[assistant[2]])),
    ];
    assert_eq!(told(&rewritten), expected);
    assert!(rewritten.tools.is_empty());
    assert_eq!((rewritten.conversation.as_str(), rewritten.generation), ("c", 3));
    let instructions = &rewritten.instructions;
    assert!(instructions.starts_with("Be good.\n\n# How to"), "{instructions}");
    assert!(
        instructions.contains("## shell\nDoes shell.\nParameters, as a JSON Schema: {\"type\":\"object\"}")
    );
}

#[test]
fn in_text() {
    let first = "I look.\n\n[CALL tool=\"shell\"]\n{\"command\":\"ls\"}\n[/CALL]\n\n[CALL tool=\"read\"]\nnot json\n[/CALL]";
    check(TAGS, [first, "[CALL tool=\"shell\"]\n[/CALL]", "Done."]);
}

#[test]
fn in_json() {
    let lines = [
        r#"{"analysis":"I look.","calls":[{"name":"shell","parameters":{"command":"ls"}},{"name":"read","parameters":"not json"}],"final":null}"#,
        r#"{"analysis":"","calls":[{"name":"shell","parameters":{}}],"final":null}"#,
        r#"{"analysis":"","calls":[],"final":"Done."}"#,
    ];
    check(OBJECT, lines);
    check(ENFORCED, lines);
}

#[test]
fn schemas_are_sent_or_told() {
    let answer = json!({ "type": "object", "title": "Score" });
    let cases = [
        (NATIVE, Some(answer.clone())),
        (TAGS, None),
        (OBJECT, None),
        (ENFORCED, Some(calls::schema(&[spec("shell")], Some(&answer)))),
    ];
    for (how, expected) in cases {
        let asked =
            Request { schema: Some(Arc::new(answer.clone())), ..request(vec![spec("shell")], vec![]) };
        let rewritten = said(how, asked);
        assert_eq!(rewritten.schema.as_deref(), expected.as_ref(), "{how:?}");
        let is_told = rewritten.instructions.contains("\"title\":\"Score\"");
        assert_eq!(is_told, how != NATIVE, "{how:?}");
    }
}

#[test]
fn without_tools_nothing_changes() {
    for how in [NATIVE, TAGS, ENFORCED] {
        let rewritten = said(how, request(vec![], vec![user("Hi.")]));
        assert_eq!(&*rewritten.instructions, "Be good.");
        assert_eq!(rewritten.schema, None);
    }
}

#[test]
fn the_commands_of_the_mailbox_are_spoken_as_such() {
    let names =
        ["create_file", "edit_file", "delete_file", "read_file", "run_command", "message", "done", "search"];
    let tools = names.map(spec).into_iter().chain([Misread::default().spec().clone()]).collect();
    let calls = [("run_command", r#"{"command":"ls"}"#), ("create_file", r#"{"path":"a\nb","content":""}"#)];
    let rewritten = said(TAGS, request(tools, vec![assistant("", &calls)]));
    let expected = "[RUN_COMMAND]\nls\n[/RUN_COMMAND]\n\n[CALL tool=\"create_file\"]\n{\"content\":\"\",\"path\":\"a\\nb\"}\n[/CALL]";
    assert_eq!(told(&rewritten), [("assistant", vec![expected.to_owned()])]);
    assert!(rewritten.instructions.contains("[EDIT_FILE path="));
    assert!(rewritten.instructions.contains("## search") && !rewritten.instructions.contains("## done"));
    assert!(!rewritten.instructions.contains(MISREAD), "never shown");
}

#[test]
fn a_reply_that_was_misread_is_shown_as_it_was() {
    for how in [TAGS, OBJECT] {
        let messages =
            vec![assistant("{broken", &[(MISREAD, "{\"text\":\"x\"}")]), result(MISREAD, "Error: x")];
        let rewritten = said(how, request(vec![spec("shell")], messages));
        let expected = [
            ("assistant", vec!["{broken".to_owned()]),
            ("user", vec![format!("Result of {MISREAD}:\nError: x")]),
        ];
        assert_eq!(told(&rewritten), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    /// Requests are cut where the core cuts them: never between two results of one reply.
    #[test]
    fn a_prefix_stays_a_prefix(turns in prop::collection::vec((".{0,6}", 0..3usize, any::<bool>()), 1..8)) {
        for how in [TAGS, OBJECT, ENFORCED] {
            let mut messages = vec![user("Begin.")];
            let mut before: Option<Request> = None;
            for (text, calls, speaks) in &turns {
                messages.push(assistant(text, &vec![("shell", "{}"); *calls]));
                messages.extend((0..*calls).map(|_| result("shell", text)));
                messages.extend(speaks.then(|| user(text)));
                let now = said(how, request(vec![spec("shell")], messages.clone()));
                if let Some(before) = before {
                    prop_assert!(now.messages.starts_with(&before.messages));
                    prop_assert_eq!(&before.instructions, &now.instructions);
                    prop_assert_eq!(&before.schema, &now.schema);
                }
                before = Some(now);
            }
        }
    }
}
