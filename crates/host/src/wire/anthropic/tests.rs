//! Streams and requests of Messages.

use super::*;
use crate::wire::testing::{again, body, call, replied, request, result, said, shown, standing, whole};
use crate::wire::{Effort, Provider, Wire};
use agent::{Prefix, Reply};
use serde_json::{Value, json};

const START: &str = r#"{"type":"message_start","message":{"usage":{"input_tokens":5,"cache_read_input_tokens":3,"output_tokens":1,"output_tokens_details":null}}}"#;

fn end(reason: &str) -> String {
    format!(
        r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}},"usage":{{"output_tokens":9,"output_tokens_details":{{"thinking_tokens":2}}}}}}"#
    )
}

fn block(index: u64, start: &str, deltas: &[&str]) -> String {
    let mut lines =
        vec![format!(r#"{{"type":"content_block_start","index":{index},"content_block":{start}}}"#)];
    for delta in deltas {
        lines.push(format!(r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#));
    }
    lines.push(format!(r#"{{"type":"content_block_stop","index":{index}}}"#));
    lines.join("\n")
}

fn read(stream: &str) -> Result<Reply, Fault> {
    crate::wire::testing::read(Wire::Anthropic, stream)
}

fn claude(effort: Option<Effort>) -> Provider {
    Provider { effort, ..Provider::new("anthropic", Wire::Anthropic, "http://x") }
}

#[test]
fn blocks() {
    let text = block(0, r#"{"type":"text","text":"a"}"#, &[r#"{"type":"text_delta","text":"b"}"#]);
    let pieces = [
        r#"{"type":"input_json_delta","partial_json":""}"#,
        r#"{"type":"input_json_delta","partial_json":"{\"x\""}"#,
        r#"{"type":"input_json_delta","partial_json":":1}"}"#,
    ];
    let call = block(1, r#"{"type":"tool_use","id":"t","name":"read","input":{}}"#, &pieces);
    let ping = r#"{"type":"ping"}"#;
    let stream =
        [START, ping, &text, &call, &end("tool_use"), r#"{"type":"message_stop"}"#, "beyond"].join("\n");
    let reply = read(&stream).unwrap();
    assert_eq!(shown(&reply), ("ab", "", vec![r#"t|read|{"x":1}"#.to_owned()]));
    assert_eq!(reply.finish, Finish::Calls);
    let usage = reply.usage;
    assert_eq!((usage.input, usage.cached, usage.output, usage.reasoning), (8, 3, 9, 2));
    assert_eq!(reply.opaque, None);
    let whole_input = block(0, r#"{"type":"tool_use","id":"t","name":"read","input":{"x": 1}}"#, &[]);
    let reply = read(&[START, &whole_input, &end("tool_use")].join("\n")).unwrap();
    assert_eq!(shown(&reply).2, [r#"t|read|{"x": 1}"#]);
    let theirs = block(0, r#"{"type":"server_tool_use","id":"s","name":"search","input":{}}"#, &pieces);
    let reply = read(&[START, &theirs, &end("end_turn")].join("\n")).unwrap();
    assert!(reply.calls.is_empty(), "what the provider runs itself is no call for us");
}

#[test]
fn ends() {
    for (reason, finish) in [
        ("end_turn", Finish::Stop),
        ("stop_sequence", Finish::Stop),
        ("max_tokens", Finish::Length),
        ("refusal", Finish::Filtered),
        ("pause_turn", Finish::Other),
        ("model_context_window_exceeded", Finish::Length),
    ] {
        assert_eq!(read(&[START, &end(reason)].join("\n")).unwrap().finish, finish, "{reason}");
    }
    let text = block(0, r#"{"type":"text","text":"a"}"#, &[]);
    let unexplained = [START, &text, r#"{"type":"message_stop"}"#].join("\n");
    assert_eq!(read(&unexplained).unwrap().finish, Finish::Stop);
    assert!(matches!(read(r#"{"type":"message_stop"}"#), Err(Fault::Empty)));
}

#[test]
fn errors() {
    for error in [
        r#"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#,
        r#"{"error":{"message":"m"}}"#,
    ] {
        assert!(matches!(read(error), Err(Fault::Reported(reported)) if reported.message == "m"), "{error}");
    }
    for garbage in ["{oops}", r#"{"choices":[]}"#, "7"] {
        assert!(matches!(read(garbage), Err(Fault::NotJson(_))), "{garbage}");
    }
}

#[test]
fn a_whole_answer() {
    let body = r#"{"type":"message","content":[{"type":"thinking","thinking":"h","signature":"s"},{"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"read","input":{"x":1}}],"stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":2}}"#;
    let reply = whole(Wire::Anthropic, body).unwrap();
    assert_eq!(shown(&reply), ("a", "h", vec![r#"t|read|{"x":1}"#.to_owned()]));
    assert_eq!((reply.finish, reply.usage.output), (Finish::Calls, 2));
    let error = whole(Wire::Anthropic, r#"{"type":"error","error":{"message":"m"}}"#);
    assert!(matches!(error, Err(Fault::Reported(_))));
}

#[test]
fn the_request_word_for_word() {
    let request = request(vec![
        said(&["context", " ", "words"]),
        replied("t", vec![call("a", "{\"z\":1,\"a\": 2}"), call("b", ""), call("c", "[1]")]),
        result("a", "one"),
        result("b", "two"),
        result("c", ""),
        replied("", vec![]),
    ]);
    let expected = concat!(
        r#"{"model":"claude-4","max_tokens":32000,"stream":true,"cache_control":{"type":"ephemeral"},"#,
        r#""system":[{"type":"text","text":"be good","cache_control":{"type":"ephemeral"}}],"#,
        r#""tools":[{"name":"read","description":"reads","input_schema":{}}],"messages":["#,
        r#"{"role":"user","content":[{"type":"text","text":"context"},{"type":"text","text":"words"}]},"#,
        r#"{"role":"assistant","content":[{"type":"text","text":"t"},"#,
        r#"{"type":"tool_use","id":"a","name":"read","input":{"z":1,"a": 2}},"#,
        r#"{"type":"tool_use","id":"b","name":"read","input":{}},"#,
        r#"{"type":"tool_use","id":"c","name":"read","input":{"malformed":"[1]"}}]},"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"one"},"#,
        r#"{"type":"tool_result","tool_use_id":"b","content":"two"},"#,
        r#"{"type":"tool_result","tool_use_id":"c","content":""}]},"#,
        r#"{"role":"assistant","content":[{"type":"text","text":"(nothing)"}]}]}"#,
    );
    assert_eq!(body(&claude(None), "claude-4", &request), expected);
    let thinking: Value =
        serde_json::from_str(&body(&claude(Some(Effort::High)), "claude-4", &request)).unwrap();
    assert_eq!(thinking["thinking"], json!({ "type": "enabled", "budget_tokens": 24576 }));
    let trying: Value =
        serde_json::from_str(&body(&claude(Some(Effort::Minimal)), "claude-opus-4-7", &request)).unwrap();
    assert_eq!(trying["output_config"], json!({ "effort": "low" }));
}

#[test]
fn thoughts_go_back_unchanged_and_in_place() {
    let thoughts = [
        r#"{"type":"thinking_delta","thinking":"h"}"#,
        r#"{"type":"thinking_delta","thinking":"m"}"#,
        r#"{"type":"signature_delta","signature":"sig"}"#,
    ];
    let stream = [
        START.to_owned(),
        block(0, r#"{"type":"thinking","thinking":""}"#, &thoughts),
        block(1, r#"{"type":"text","text":""}"#, &[r#"{"type":"text_delta","text":"so"}"#]),
        block(2, r#"{"type":"redacted_thinking","data":"dark"}"#, &[]),
        block(3, r#"{"type":"tool_use","id":"t","name":"read","input":{}}"#, &[]),
        end("tool_use"),
    ];
    let reply = read(&stream.join("\n")).unwrap();
    assert_eq!(shown(&reply), ("so", "hm", vec!["t|read|".to_owned()]));
    let sent = body(&claude(None), "claude-4", &request(vec![again(reply)]));
    let sent: Value = serde_json::from_str(&sent).unwrap();
    let expected = json!([
        { "type": "thinking", "thinking": "hm", "signature": "sig" },
        { "type": "text", "text": "so" },
        { "type": "redacted_thinking", "data": "dark" },
        { "type": "tool_use", "id": "t", "name": "read", "input": {} },
    ]);
    assert_eq!(sent["messages"][0]["content"], expected);
}

#[test]
fn thoughts_whose_past_was_rewritten_go_back_only_where_they_may() {
    let thought = block(0, r#"{"type":"thinking","thinking":"hm","signature":"sig"}"#, &[]);
    let text = block(1, r#"{"type":"text","text":"so"}"#, &[]);
    let reply = || read(&[START, &thought, &text, &end("end_turn")].join("\n")).unwrap();
    for (model, prefix, parts) in [
        ("claude-opus-5", Prefix::Rewritten, 2),
        ("claude-opus-5-5", Prefix::Same, 2),
        ("claude-opus-5-5", Prefix::Rewritten, 1),
    ] {
        let sent = body(&claude(None), model, &request(vec![standing(reply(), prefix)]));
        let sent: Value = serde_json::from_str(&sent).unwrap();
        assert_eq!(
            sent["messages"][0]["content"].as_array().map(Vec::len),
            Some(parts),
            "{model} {prefix:?}"
        );
    }
}

#[test]
fn a_schema_is_enforced_where_it_can_be_and_said_where_it_cannot() {
    let ask = |schema: Value| -> Value {
        let request =
            agent::Request { schema: Some(std::sync::Arc::new(schema)), ..request(vec![said(&["hi"])]) };
        serde_json::from_str(&body(&claude(None), "claude-4", &request)).unwrap()
    };
    let closed = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "additionalProperties": false });
    let sent = ask(closed.clone());
    assert_eq!(sent["output_config"], json!({ "format": { "type": "json_schema", "schema": closed } }));
    assert_eq!(sent["system"][0]["text"], "be good");
    let sent = ask(json!({ "type": "object" }));
    assert_eq!(sent.get("output_config"), None);
    assert!(
        sent["system"][0]["text"].as_str().unwrap().ends_with(r#"JSON Schema: {"type":"object"}"#),
        "{sent}"
    );
}
