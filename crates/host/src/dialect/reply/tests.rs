//! Replies in each dialect.

use super::*;
use agent::{Call, CallId};
use serde_json::{Value, json};

fn tools(names: &[&str]) -> Vec<Spec> {
    let spec = |name: &&str| Spec { name: (*name).into(), description: String::new(), parameters: json!({}) };
    names.iter().map(spec).collect()
}

fn heard(dialect: Dialect, text: &str, names: &[&str]) -> Reply {
    let usage = agent::Usage { input: 1, output: 2, ..agent::Usage::default() };
    let reply = Reply { text: text.into(), usage, opaque: Some(json!(1)), ..Reply::default() };
    let heard = understand(dialect, reply, &tools(names));
    assert_eq!((heard.usage, &heard.opaque), (usage, &Some(json!(1))), "the rest is kept");
    heard
}

fn check(dialect: Dialect, text: &str, words: &str, expected: &[(&str, Value)]) {
    let reply = heard(dialect, text, &["shell"]);
    let calls: Vec<(&str, Value)> = reply
        .calls
        .iter()
        .map(|call| (call.name.as_str(), serde_json::from_str(&call.arguments).unwrap()))
        .collect();
    assert_eq!(calls, expected, "{text}");
    assert_eq!(reply.text, words, "{text}");
    let finish = if expected.is_empty() { Finish::Stop } else { Finish::Calls };
    assert_eq!(reply.finish, finish, "{text}");
}

const JSON: Dialect = Dialect::Json;
const TAG: &str = "<tool_call>{\"name\": \"shell\", \"arguments\": {\"command\": \"ls\"}}</tool_call>";

fn ls() -> (&'static str, Value) {
    ("shell", json!({ "command": "ls" }))
}

#[test]
fn each_dialect_is_understood() {
    let block = "[CALL tool=\"shell\"]\n{\"command\": \"ls\"}\n[/CALL]";
    let object = r#"{"analysis": "Look.", "calls": [{"name": "shell", "parameters": {"command": "ls"}}], "final": null}"#;
    check(Dialect::Native, "Hello.", "Hello.", &[]);
    check(Dialect::Native, &format!("Look.\n{TAG}"), "Look.", &[ls()]);
    check(Dialect::Native, block, block, &[]);
    check(Dialect::Text, &format!("Look.\n\n{block}"), "Look.", &[ls()]);
    check(Dialect::Text, "Hello.", "Hello.", &[]);
    check(Dialect::Text, TAG, "", &[ls()]);
    check(Dialect::Text, "All\n[DONE]\nis well\n[/DONE]", "All\n\nis well", &[]);
    check(
        Dialect::Text,
        "[MESSAGE]\nhi\n[/MESSAGE]\n[RUN_COMMAND]\nls\n[/RUN_COMMAND]",
        "hi",
        &[("run_command", json!({ "command": "ls" }))],
    );
    check(JSON, object, "Look.", &[ls()]);
    check(JSON, r#"{"analysis": "x", "calls": [], "final": "Done."}"#, "Done.", &[]);
    check(JSON, "Plain words.", "Plain words.", &[]);
    check(JSON, r#"{"name": "shell", "parameters": {"command": "ls"}}"#, "", &[ls()]);
}

#[test]
fn what_cannot_be_read_is_told_and_its_words_kept() {
    let broken = "{\"calls\": [{\"name\": \"shell\", ";
    let text = "invalid JSON: line 1, column 30: expected a property name in double quotes or '}', found the end of the reply";
    check(JSON, broken, broken, &[(MISREAD, json!({ "text": text }))]);
    let unclosed = "Look.\n[CALL tool=\"shell\"]\n{}";
    check(
        Dialect::Text,
        unclosed,
        unclosed,
        &[(MISREAD, json!({ "text": "CALL for 'shell' missing closing tag" }))],
    );
}

#[test]
fn too_many_calls_are_told() {
    let blocks = "[CALL tool=\"shell\"]\n{}\n[/CALL]\n";
    assert_eq!(heard(Dialect::Text, &blocks.repeat(MOST_CALLS), &["shell"]).calls.len(), MOST_CALLS);
    let many = blocks.repeat(MOST_CALLS + 1);
    let text = "the reply has 1025 calls, and at most 1024 are taken: send fewer";
    check(Dialect::Text, &many, &many, &[(MISREAD, json!({ "text": text }))]);
}

#[test]
fn thoughts_are_not_acted_on() {
    for dialect in [Dialect::Native, Dialect::Text, JSON] {
        let reply = heard(dialect, &format!("<think>\n{TAG}\n</think>\n\nHello."), &["shell"]);
        assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("Hello.", TAG));
        assert_eq!(reply.calls, []);
        let reply = heard(dialect, &format!("<think>\n{TAG}"), &["shell"]);
        assert_eq!((reply.text.as_str(), reply.calls.len()), ("", 0));
    }
}

#[test]
fn commands_with_tools_are_calls() {
    let reply = heard(Dialect::Text, "[MESSAGE]\nhi\n[/MESSAGE]\n[DONE]\nok\n[/DONE]", &["message", "done"]);
    let names: Vec<&str> = reply.calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!((names, reply.text.as_str()), (vec!["message", "done"], ""));
}

#[test]
fn some_replies_are_left_alone() {
    let call = Call { id: CallId("1".into()), name: "shell".into(), arguments: "{}".into() };
    let native = Reply { text: TAG.into(), calls: vec![call], finish: Finish::Calls, ..Reply::default() };
    let filtered = Reply { text: TAG.into(), finish: Finish::Filtered, ..Reply::default() };
    let toolless = Reply { text: TAG.into(), ..Reply::default() };
    for dialect in [Dialect::Native, Dialect::Text, JSON] {
        assert_eq!(understand(dialect, native.clone(), &tools(&["shell"])), native);
        assert_eq!(understand(dialect, filtered.clone(), &tools(&["shell"])), filtered);
        assert_eq!(understand(dialect, toolless.clone(), &[]), toolless);
    }
    let cut = Reply { text: TAG.into(), finish: Finish::Length, ..Reply::default() };
    assert_eq!(understand(Dialect::Native, cut, &tools(&["shell"])).finish, Finish::Length);
}
