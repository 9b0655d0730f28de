//! Streams and requests of Responses.

use super::*;
use crate::wire::testing::{again, body, call, replied, request, result, said, shown, standing, whole};
use crate::wire::{Effort, Memory, Provider, Quirks, Wire};
use agent::{Prefix, Reply, Request};
use serde_json::json;
use std::sync::Arc;

fn read(stream: &str) -> Result<Reply, Fault> {
    crate::wire::testing::read(Wire::Responses, stream)
}

fn openai(effort: Option<Effort>, memory: Memory) -> Provider {
    let quirks = Quirks { memory, ..Quirks::default() };
    Provider { effort, quirks, ..Provider::new("openai", Wire::Responses, "http://x") }
}

const ITEMS: [&str; 3] = [
    r#"{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"enc"}"#,
    r#"{"type":"message","id":"ms","content":[{"type":"output_text","text":"so"}]}"#,
    r#"{"type":"function_call","id":"fc","call_id":"c1","name":"read","arguments":"{\"x\":1}"}"#,
];

fn completed() -> String {
    let usage = r#"{"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":2}}"#;
    let output = ITEMS.join(",");
    format!(
        r#"{{"type":"response.completed","response":{{"id":"resp","status":"completed","output":[{output}],"usage":{usage}}}}}"#
    )
}

fn streamed() -> String {
    let done = |index: usize| {
        format!(r#"{{"type":"response.output_item.done","output_index":{index},"item":{}}}"#, ITEMS[index])
    };
    [
        r#"{"type":"response.created","response":{"id":"resp","status":"in_progress"}}"#,
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs"}}"#,
        r#"{"type":"response.reasoning_summary_part.added","output_index":0}"#,
        r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"h"}"#,
        r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"m"}"#,
        &done(0),
        r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"message"}}"#,
        r#"{"type":"response.output_text.delta","output_index":1,"delta":"s"}"#,
        r#"{"type":"response.output_text.delta","output_index":1,"delta":"o"}"#,
        &done(1),
        r#"{"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","call_id":"c1","name":"read","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":2,"delta":"{\"x\""}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":2,"delta":":1}"}"#,
        &done(2),
        &completed(),
    ]
    .join("\n")
}

#[test]
fn however_much_is_streamed_the_reply_is_the_same() {
    let all = streamed();
    let without = |word: &str| all.lines().filter(|line| !line.contains(word)).collect::<Vec<_>>().join("\n");
    for stream in [all.clone(), without(".delta"), without(".added"), without("output_item"), completed()] {
        let reply = read(&stream).unwrap();
        assert_eq!(shown(&reply), ("so", "hm", vec![r#"c1|read|{"x":1}"#.to_owned()]), "{stream}");
        let usage = reply.usage;
        assert_eq!((usage.input, usage.cached, usage.output, usage.reasoning), (9, 4, 7, 2));
        assert_eq!(reply.finish, Finish::Calls);
        assert_eq!(reply.opaque.unwrap()["id"], "resp");
    }
    let body = completed().replace(r#"{"type":"response.completed","response":"#, "");
    assert_eq!(shown(&whole(Wire::Responses, body.strip_suffix('}').unwrap()).unwrap()).0, "so");
}

#[test]
fn ends() {
    let outcome = |kind: &str, rest: &str| {
        format!(r#"{{"type":"response.{kind}","response":{{"status":"{kind}",{rest}"output":[]}}}}"#)
    };
    let incomplete =
        |reason: &str| outcome("incomplete", &format!(r#""incomplete_details":{{"reason":"{reason}"}},"#));
    assert_eq!(read(&outcome("completed", "")).unwrap().finish, Finish::Stop);
    assert_eq!(read(&incomplete("max_output_tokens")).unwrap().finish, Finish::Length);
    assert_eq!(read(&incomplete("content_filter")).unwrap().finish, Finish::Filtered);
    assert_eq!(read(&incomplete("odd")).unwrap().finish, Finish::Other);
    assert!(matches!(read("{oops}"), Err(Fault::NotJson(_))));
    let mut draft = Draft::default();
    let text = r#"{"type":"response.output_text.delta","output_index":0,"delta":"a"}"#;
    for data in [text, "[DONE]"] {
        assert_eq!(Reader::default().event("message", data, &mut draft).unwrap(), Step::More);
    }
    assert!(!draft.is_finished(), "only the response's own end is an end");
}

#[test]
fn errors() {
    for error in [
        r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"m"}}}"#,
        r#"{"type":"error","code":"server_error","message":"m"}"#,
        r#"{"type":"error","error":{"code":"server_error","message":"m"}}"#,
        r#"{"error":{"type":"server_error","message":"m"}}"#,
        r#"{"type":"error","code":"slow_down","message":"m"}"#,
    ] {
        let Err(Fault::Reported(reported)) = read(error) else { panic!("{error}") };
        let heard = (reported.message.as_str(), reported.kind(None));
        assert_eq!(heard, ("m", agent::FailureKind::Overloaded), "{error}");
    }
}

fn conversation() -> Request {
    request(vec![
        said(&["context", "words"]),
        replied("t", vec![call("f", "oops")]),
        result("f", "no"),
        again(read(&streamed()).unwrap()),
        result("c1", "ok"),
    ])
}

#[test]
fn the_request_word_for_word() {
    let expected = concat!(
        r#"{"model":"gpt-5","stream":true,"store":false,"include":["reasoning.encrypted_content"],"#,
        r#""reasoning":{"effort":"low","summary":"auto"},"instructions":"be good","#,
        r#""tools":[{"type":"function","name":"read","description":"reads","parameters":{},"strict":false}],"input":["#,
        r#"{"role":"user","content":[{"type":"input_text","text":"context"},{"type":"input_text","text":"words"}]},"#,
        r#"{"role":"assistant","content":"t"},"#,
        r#"{"type":"function_call","call_id":"f","name":"read","arguments":"{\"malformed\":\"oops\"}"},"#,
        r#"{"type":"function_call_output","call_id":"f","output":"no"},"#,
        r#"{"encrypted_content":"enc","id":"rs","summary":[{"text":"hm","type":"summary_text"}],"type":"reasoning"},"#,
        r#"{"role":"assistant","content":"so"},"#,
        r#"{"type":"function_call","call_id":"c1","name":"read","arguments":"{\"x\":1}"},"#,
        r#"{"type":"function_call_output","call_id":"c1","output":"ok"}]}"#,
    );
    assert_eq!(body(&openai(Some(Effort::Low), Memory::Ours), "gpt-5", &conversation()), expected);
}

#[test]
fn what_the_provider_remembers_is_not_sent_again() {
    let sent = body(&openai(None, Memory::Theirs), "gpt-4o", &conversation());
    let expected = concat!(
        r#"{"model":"gpt-4o","stream":true,"store":true,"instructions":"be good","#,
        r#""tools":[{"type":"function","name":"read","description":"reads","parameters":{},"strict":false}],"#,
        r#""previous_response_id":"resp","input":[{"type":"function_call_output","call_id":"c1","output":"ok"}]}"#,
    );
    assert_eq!(sent, expected);
    let compacted = request(vec![
        said(&["summary"]),
        standing(read(&streamed()).unwrap(), Prefix::Rewritten),
        result("c1", "ok"),
    ]);
    let sent: Value =
        serde_json::from_str(&body(&openai(None, Memory::Theirs), "gpt-4o", &compacted)).unwrap();
    assert_eq!((sent.get("previous_response_id"), sent["input"].as_array().map(Vec::len)), (None, Some(5)));
    let first = request(vec![said(&["hi"])]);
    let sent: Value = serde_json::from_str(&body(&openai(None, Memory::Theirs), "gpt-4o", &first)).unwrap();
    assert_eq!(sent["input"], json!([{ "role": "user", "content": "hi" }]));
}

#[test]
fn the_phases_of_a_reply_go_back() {
    let added = |index: u64, phase: &str| {
        format!(
            r#"{{"type":"response.output_item.added","output_index":{index},"item":{{"type":"message","phase":"{phase}"}}}}"#
        )
    };
    let delta = |index: u64, text: &str| {
        format!(r#"{{"type":"response.output_text.delta","output_index":{index},"delta":"{text}"}}"#)
    };
    let done = r#"{"type":"response.output_item.done","output_index":2,"item":{"type":"message","content":[{"text":"c"}]}}"#;
    let end = r#"{"type":"response.completed","response":{"status":"completed","output":[]}}"#;
    let stream = [
        added(0, "commentary"),
        delta(0, "a"),
        delta(0, "a"),
        added(1, "final_answer"),
        delta(1, "b"),
        done.to_owned(),
        end.to_owned(),
    ];
    let reply = read(&stream.join("\n")).unwrap();
    assert_eq!(reply.text, "aabc");
    let sent = body(&openai(None, Memory::Ours), "gpt-6", &request(vec![again(reply)]));
    let sent: Value = serde_json::from_str(&sent).unwrap();
    let expected = json!([
        { "role": "assistant", "content": "aa", "phase": "commentary" },
        { "role": "assistant", "content": "b", "phase": "final_answer" },
        { "role": "assistant", "content": "c" },
    ]);
    assert_eq!(sent["input"], expected);
}

#[test]
fn schemas() {
    let mut request = request(vec![said(&["hi"])]);
    request.schema = Some(Arc::new(json!({ "type": "object" })));
    let sent: Value = serde_json::from_str(&body(&openai(None, Memory::Ours), "o3", &request)).unwrap();
    let expected =
        json!({ "type": "json_schema", "name": "answer", "schema": { "type": "object" }, "strict": false });
    assert_eq!(sent["text"]["format"], expected);
    let mut short = openai(None, Memory::Ours);
    short.quirks.output = Some(99);
    let sent: Value = serde_json::from_str(&body(&short, "gpt-4o", &request)).unwrap();
    assert_eq!(sent["max_output_tokens"], 99);
}
