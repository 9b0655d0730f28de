//! The object as models write it, and that what is rendered is read again and satisfies the schema.

use super::*;
use crate::schema::Schema;
use proptest::prelude::*;

fn made(name: &str, arguments: &str) -> Call {
    Call { id: CallId(String::new()), name: name.into(), arguments: arguments.into() }
}

fn said(words: &str, calls: Vec<Call>) -> Result<Option<Said>, String> {
    Ok(Some(Said { words: words.into(), calls }))
}

#[test]
fn replies_are_read() {
    let ls = || vec![made("shell", r#"{"command":"ls"}"#)];
    let cases = [
        (
            r#"{"analysis": "I look.", "calls": [{"name": "shell", "parameters": {"command": "ls"}}], "final": null}"#,
            said("I look.", ls()),
        ),
        (
            r#"{"Thought": "I look.", "actions": [{"tool": "shell", "arguments": {"command": "ls",},},]}"#,
            said("I look.", ls()),
        ),
        (
            "Sure:\n```json\n{\"calls\": [{\"name\": \"shell\", \"parameters\": {\"command\": \"ls\"}}]}\n```",
            said("", ls()),
        ),
        (r#"{"calls": [{"name": "git_status"}]}"#, said("", vec![made("git_status", "{}")])),
        (
            r#"{"calls": [{"name": "x", "parameters": "{\"a\": 1}"}]}"#,
            said("", vec![made("x", "{\"a\": 1}")]),
        ),
        (r#"{"analysis": "a", "calls": [], "final": "All done."}"#, said("All done.", vec![])),
        (r#"{"analysis": "a", "final": {"score": 1}}"#, said(r#"{"score":1}"#, vec![])),
        (r#"{"analysis": "a", "calls": [], "final": null}"#, said("a", vec![])),
        (
            r#"{"analysis": "a", "calls": [{"name": "x"}], "final": "early"}"#,
            said("a", vec![made("x", "{}")]),
        ),
        ("The answer is 42.", Ok(None)),
        ("I set it to {\"a\": 1} and then to {\"a\": 2}.", Ok(None)),
        (r#"{"score": 1}"#, Ok(None)),
        ("", Ok(None)),
    ];
    for (reply, expected) in cases {
        assert_eq!(read(reply), expected, "{reply}");
    }
}

#[test]
fn attempts_that_failed_are_told() {
    let cases = [
        (
            "{\"analysis\": \"a\", \"calls\": [{\"name\": \"x\"",
            "invalid JSON: line 1, column 41: expected ',' or '}' after the property, found the end of the reply",
        ),
        (
            "```json\n{'calls': []}\n```",
            "invalid JSON: line 2, column 2: expected a property name in double quotes or '}', found '''",
        ),
        (r#"{"calls": {"name": "x"}}"#, "calls: expected a list"),
        (r#"{"calls": ["x"]}"#, "calls[0]: expected an object"),
        (r#"{"calls": [{"name": "x"}, {"parameters": {}}]}"#, "calls[1].name: expected the name of a tool"),
        (r#"{"calls": [], "actions": []}"#, "actions and calls mean the same: give one"),
    ];
    for (reply, expected) in cases {
        assert_eq!(read(reply), Err(expected.to_owned()), "{reply}");
    }
}

fn tool(name: &str, parameters: Value) -> Spec {
    Spec { name: name.into(), description: String::new(), parameters }
}

#[test]
fn the_schema_holds_tools_and_answer() {
    let shell = json!({ "type": "object", "properties": { "command": { "type": "string" } }, "required": ["command"] });
    let odd =
        json!({ "$defs": { "x": { "type": "string" } }, "properties": { "x": { "$ref": "#/$defs/x" } } });
    let tools = [tool("shell", shell), tool("odd", odd)];
    let answer = json!({ "type": "object", "required": ["score"] });
    let schema = Schema::compile(&schema(&tools, Some(&answer))).unwrap();
    let reply = |call: Value, answer: Value| json!({ "analysis": "", "calls": [call], "final": answer });
    let cases = [
        (reply(json!({ "name": "shell", "parameters": { "command": "ls" } }), json!(null)), true),
        (reply(json!({ "name": "odd", "parameters": { "x": 1 } }), json!({ "score": 1 })), true),
        (reply(json!({ "name": "shell", "parameters": {} }), json!(null)), false),
        (reply(json!({ "name": "other", "parameters": {} }), json!(null)), false),
        (reply(json!({ "name": "odd", "parameters": {} }), json!({})), false),
        (json!({ "analysis": "", "calls": [] }), false),
    ];
    for (value, fits) in cases {
        assert_eq!(schema.check(&value).is_ok(), fits, "{value}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_rendered_is_read_again(
        words in ".{0,12}",
        given in prop::collection::vec(("[a-z_]{1,6}", ".{0,6}", ".{0,6}"), 0..3),
    ) {
        let calls: Vec<Call> =
            given.iter().map(|(name, key, value)| made(name, &json!({ key: value }).to_string())).collect();
        let text = render(&words, &calls);
        prop_assert_eq!(read(&text), Ok(Some(Said { words, calls: calls.clone() })));
        let tools: Vec<Spec> = given.iter().map(|(name, ..)| tool(name, json!({ "type": "object" }))).collect();
        if !tools.is_empty() {
            let schema = Schema::compile(&schema(&tools, None)).unwrap();
            prop_assert!(schema.check(&serde_json::from_str(&text).unwrap()).is_ok());
        }
    }
}
