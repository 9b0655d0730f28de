//! Every notation that is recognised, and the many things that look like one and must not run.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn tools() -> Vec<Spec> {
    let tool = |name: &str, properties: Value| Spec {
        name: name.into(),
        description: String::new(),
        parameters: json!({ "type": "object", "properties": properties }),
    };
    vec![
        tool("shell", json!({ "command": { "type": "string" }, "timeout": { "type": "integer" } })),
        tool("write", json!({ "path": { "type": "string" }, "content": { "type": ["string", "null"] } })),
        tool("git_status", json!({})),
    ]
}

fn check(text: &str, words: &str, expected: &[(&str, Value)]) {
    let (left, calls) = rescue(text, &tools()).unwrap_or_else(|| panic!("not recognised: {text}"));
    let calls: Vec<(&str, Value)> = calls
        .iter()
        .map(|call| (call.name.as_str(), serde_json::from_str(&call.arguments).unwrap()))
        .collect();
    assert_eq!(calls, expected, "{text}");
    assert_eq!(left, words, "{text}");
}

fn ls() -> (&'static str, Value) {
    ("shell", json!({ "command": "ls" }))
}

#[test]
fn json_in_a_tag() {
    let one = r#"{"name": "shell", "arguments": {"command": "ls"}}"#;
    let status = r#"{"name": "git_status"}"#;
    check(&format!("<tool_call>{one}</tool_call>"), "", &[ls()]);
    check(&format!("I look.\n\n<tool_call>\n{one}\n</tool_call>\n"), "I look.", &[ls()]);
    check(&format!("A\n<tool_call>\n{one}\n</tool_call>\nB"), "A\nB", &[ls()]);
    check(
        &format!("<tool_call>{one}</tool_call><tool_call>{status}</tool_call>"),
        "",
        &[ls(), ("git_status", json!({}))],
    );
    check(&format!("<tool_call>\n{one}\n</tool_call>\n<tool_call>\n{one}\n</tool_call>"), "", &[ls(), ls()]);
    check(&format!("<tool_call>\n[{one}, {one}]\n</tool_call>"), "", &[ls(), ls()]);
    check(&format!("<tool_call>\n{one}\n{one}\n</tool_call>"), "", &[ls(), ls()]);
    check(&format!("<tool_call>\n{one}\n"), "", &[ls()]);
    check(&format!("<tool_call>{one}</tool_call><|im_end|>"), "", &[ls()]);
    check(r#"<tool_call>{"name": "shell", "arguments": "{\"command\": \"ls\"}"}</tool_call>"#, "", &[ls()]);
    check(r#"<tool_call>{"name": "shell", "parameters": {"command": "ls",},}</tool_call>"#, "", &[ls()]);
}

#[test]
fn markup() {
    let function = "<function=shell>\n<parameter=command>\nls\n</parameter>\n<parameter=timeout>\n5\n</parameter>\n</function>";
    let called = ("shell", json!({ "command": "ls", "timeout": 5 }));
    check(function, "", std::slice::from_ref(&called));
    check(&format!("Now:\n<tool_call>\n{function}\n</tool_call>"), "Now:", std::slice::from_ref(&called));
    check(&format!("{function}\n</tool_call>"), "", std::slice::from_ref(&called));
    check(&format!("{function}\n{function}"), "", &[called.clone(), called.clone()]);
    let invoke = "<invoke name=\"shell\">\n<parameter name=\"command\">ls</parameter>\n</invoke>";
    check(invoke, "", &[ls()]);
    check(&format!("Now.\n<function_calls>\n{invoke}\n{invoke}\n</function_calls>"), "Now.", &[ls(), ls()]);
    let spaced =
        format!("<function_calls>\n{invoke}\n</function_calls>").replace('<', "<x:").replace("<x:/", "</x:");
    check(&spaced, "", &[ls()]);
    check("<invoke name=\"git_status\">\n</invoke>", "", &[("git_status", json!({}))]);
}

#[test]
fn markup_values_are_what_the_schema_says() {
    let written = |content: &str| {
        format!(
            "<function=write><parameter=path>a</parameter><parameter=content>{content}</parameter></function>"
        )
    };
    for (content, value) in [
        ("12", "12"),
        ("{\"a\": 1}", "{\"a\": 1}"),
        ("\n  two\n\n", "  two\n"),
        ("\r\nx\r\n", "x"),
        ("", ""),
        ("a</parameter>b", "a</parameter>b"),
        ("<parameter=z>", "<parameter=z>"),
    ] {
        check(&written(content), "", &[("write", json!({ "path": "a", "content": value }))]);
    }
}

#[test]
fn special_words() {
    let one = r#"{"name": "shell", "arguments": {"command": "ls"}}"#;
    check(&format!("[TOOL_CALLS][{one}]"), "", &[ls()]);
    check(&format!("Well. \n[TOOL_CALLS] [{one},{one}]</s>"), "Well.", &[ls(), ls()]);
    check("[TOOL_CALLS]shell[ARGS]{\"command\": \"ls\"}", "", &[ls()]);
    check(
        "[TOOL_CALLS]shell{\"command\": \"ls\"}[TOOL_CALLS]git_status{}",
        "",
        &[ls(), ("git_status", json!({}))],
    );
    check(
        "<|python_tag|>{\"name\": \"shell\", \"parameters\": {\"command\": \"ls\"}}<|eom_id|>",
        "",
        &[ls()],
    );
    check(&format!("<|python_tag|>{one}; {one}"), "", &[ls(), ls()]);
    let old = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>shell\n```json\n{\"command\": \"ls\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>";
    let new = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>shell<｜tool▁sep｜>{\"command\": \"ls\"}<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>shell<｜tool▁sep｜>{\"command\": \"ls\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>";
    check(old, "", &[ls()]);
    check(&format!("Fine.\n{new}"), "Fine.", &[ls(), ls()]);
    check(&old.replace('｜', "|").replace('▁', "_"), "", &[ls()]);
}

#[test]
fn json_alone_or_in_a_last_fence() {
    let one = r#"{"name": "shell", "arguments": {"command": "ls"}}"#;
    check(one, "", &[ls()]);
    check(&format!(" [{one}, {one}]\n"), "", &[ls(), ls()]);
    check(
        r#"{"type": "function", "function": {"name": "shell", "parameters": {"command": "ls"}}}"#,
        "",
        &[ls()],
    );
    for label in ["json", "tool_code", "tool_call", "JSON"] {
        check(&format!("I will look.\n```{label}\n{one}\n```\n"), "I will look.", &[ls()]);
    }
}

#[test]
fn what_may_be_an_example_never_runs() {
    let one = r#"{"name": "shell", "arguments": {"command": "ls"}}"#;
    let tag = format!("<tool_call>{one}</tool_call>");
    let cases = [
        "Just words.".to_owned(),
        String::new(),
        format!("Write `{tag}` to call."),
        format!("You write {tag}"),
        format!("`{tag}`"),
        format!("> {tag}"),
        format!("- {tag}"),
        format!("    {tag}"),
        format!("```\n{tag}\n```"),
        format!("```xml\n{tag}\n```\nThat is how."),
        format!("~~~\n```\n{tag}\n~~~"),
        format!("{tag} is how it looks."),
        format!("```json\n{one}\n```\nwould list the files."),
        format!("```\n{one}\n```"),
        format!("```python\n{one}\n```"),
        format!("{one}\nis a call."),
        format!("Call {one}"),
        tag.replace("shell", "unknown"),
        format!("{tag}\n{}", tag.replace("shell", "unknown")),
        format!("{tag}\n<tool_call>broken</tool_call>"),
        "<tool_call>{\"name\": \"shell\", \"arguments\": {\"command\": \"ls".to_owned(),
        format!("<tool_call>{one} and more</tool_call>"),
        "<tool_call></tool_call>".to_owned(),
        "<tool_call> is the tag for calls.".to_owned(),
        one.replace("}}", "}, \"age\": 3}"),
        "{\"name\": \"shell\"}".to_owned(),
        "{\"name\": \"shell\", \"arguments\": [1]}".to_owned(),
        "[]".to_owned(),
        "<function=shell>\n<parameter=command>\nls\n</parameter>\n".to_owned(),
        "<function=shell>\n<parameter=command>\nls\n</function>".to_owned(),
        "<function=shell><parameter=command>a</parameter><parameter=command>b</parameter></function>"
            .to_owned(),
        "<function_calls>\nnothing\n</function_calls>".to_owned(),
        "[TOOL_CALLS]".to_owned(),
        "[TOOL_CALLS]shell".to_owned(),
        "<|python_tag|>print(1)".to_owned(),
        "<｜tool▁calls▁begin｜><｜tool▁calls▁end｜>".to_owned(),
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>shell<｜tool▁sep｜>{\"command\": \"ls\"}".to_owned(),
    ];
    for text in cases {
        assert_eq!(rescue(&text, &tools()), None, "{text}");
    }
    assert_eq!(rescue(&tag, &[]), None, "no tools");
}

#[test]
fn large_replies_are_read_in_one_pass() {
    let tag = "<tool_call>{\"name\": \"git_status\"}</tool_call>";
    let fence = "```json\n{\"name\": \"git_status\", \"arguments\": {}}\n```\n";
    let cases = [
        (tag.repeat(20_000), None),
        (tag.repeat(MOST_CALLS), Some(MOST_CALLS)),
        (format!("{tag}\n").repeat(MOST_CALLS + 1), None),
        (fence.repeat(20_000), Some(1)),
    ];
    for (reply, count) in cases {
        let found = rescue(&reply, &tools()).map(|(_, calls)| calls.len());
        assert_eq!(found, count, "{}", &reply[..40]);
    }
    assert_eq!(rescue(&"<tool_call>".repeat(100_000), &tools()), None);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hostile_text_yields_known_tools_or_nothing(pieces in prop::collection::vec(prop::sample::select(vec![
        "<tool_call>", "</tool_call>", "{\"name\": \"shell\", \"arguments\": {}}", "{\"name\": \"x\"}", "```json", "```",
        "\n", "\n", "<function=shell>", "</function>", "<parameter=a>", "</parameter>", "<invoke name=\"shell\">",
        "</invoke>", "<function_calls>", "</function_calls>", "[TOOL_CALLS]", "[ARGS]", "<|python_tag|>", ";", " ", "é",
        "<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>", "function", "<", "[", "{",
    ]), 0..16)) {
        if let Some((_, calls)) = rescue(&pieces.concat(), &tools()) {
            prop_assert!(!calls.is_empty());
            prop_assert!(calls.iter().all(|call| call.name == "shell"));
        }
    }

    #[test]
    fn any_arguments_survive_the_tag(command in "\\PC{0,20}") {
        let arguments = json!({ "command": command });
        let text = format!("<tool_call>\n{}\n</tool_call>", json!({ "name": "shell", "arguments": arguments }));
        check(&text, "", &[("shell", arguments)]);
    }
}
