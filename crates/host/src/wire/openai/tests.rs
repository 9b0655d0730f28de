//! Streams and requests of Chat Completions, in all the forms that servers use.

use super::*;
use crate::wire::testing::{again, body, call, replied, request, result, said, shown, whole};
use crate::wire::{Effort, Provider, Quirks, Reasoning, Wire};
use agent::{Finish, Reply};
use serde_json::{Value, json};
use std::sync::Arc;

fn read(stream: &str) -> Result<Reply, Fault> {
    crate::wire::testing::read(Wire::Openai, stream)
}

/// Each line is the data of one event. Expected: text, reasoning, calls as `id|name|arguments`, finish.
fn check(stream: &str, text: &str, reasoning: &str, calls: &[&str], finish: Finish) {
    let reply = read(stream).unwrap_or_else(|fault| panic!("{fault:?}: {stream}"));
    let calls: Vec<String> = calls.iter().map(|call| (*call).to_owned()).collect();
    assert_eq!(shown(&reply), (text, reasoning, calls), "{stream}");
    assert_eq!(reply.finish, finish, "{stream}");
}

#[test]
fn text_in_all_its_forms() {
    let stop = "{\"choices\":[{\"finish_reason\":\"stop\"}]}";
    let said = |delta: &str| {
        format!("{{\"choices\":[{{\"delta\":{delta},\"finish_reason\":null}}]}}\n{stop}\n[DONE]")
    };
    check(&said(r#"{"content":"a\n\u00e9"}"#), "a\né", "", &[], Finish::Stop);
    check(&said(r#"{"role":"","content":null,"refusal":null}"#), "", "", &[], Finish::Stop);
    check(
        &said(r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#),
        "ab",
        "",
        &[],
        Finish::Stop,
    );
    check(
        &said(r#"{"content":[{"type":"thinking","thinking":[{"text":"t"}]},"b"]}"#),
        "b",
        "t",
        &[],
        Finish::Stop,
    );
    check(&said(r#"{"content":{"text":"a"}}"#), "a", "", &[], Finish::Stop);
    check(&said(r#"{"refusal":"no"}"#), "no", "", &[], Finish::Stop);
    check(&said(r#"{"content":"","reasoning_content":"r"}"#), "", "r", &[], Finish::Stop);
    check(&said(r#"{"reasoning":"r"}"#), "", "r", &[], Finish::Stop);
    check(&said(r#"{"reasoning_content":"r","reasoning":"r"}"#), "", "r", &[], Finish::Stop);
    check(&said("null"), "", "", &[], Finish::Stop);
}

#[test]
fn calls_in_all_their_forms() {
    let said = |calls: &str, reason: &str| {
        format!(r#"{{"choices":[{{"delta":{{"tool_calls":{calls}}},"finish_reason":"{reason}"}}]}}"#)
    };
    let check = |calls: &str, reason: &str, expected: &[&str], finish| {
        check(&said(calls, reason), "", "", expected, finish);
    };
    let whole = r#"[{"index":0,"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}]"#;
    check(whole, "tool_calls", &["a|read|{}"], Finish::Calls);
    check(whole, "stop", &["a|read|{}"], Finish::Calls);
    check(whole, "length", &["a|read|{}"], Finish::Length);
    check("null", "tool_calls", &[], Finish::Stop);
    check(
        r#"[{"id":"a","function":{"name":"read","arguments":{"x":[1, 2]}}}]"#,
        "stop",
        &[r#"a|read|{"x":[1, 2]}"#],
        Finish::Calls,
    );
    check(r#"[{"id":"a","function":{"name":"read","arguments":null}}]"#, "stop", &["a|read|"], Finish::Calls);
    check(
        r#"[{"id":null,"index":"0","function":{"name":"read"}},{"index":0.0,"function":{"arguments":"\"\\n\""}}]"#,
        "stop",
        &[r#"|read|"\n""#],
        Finish::Calls,
    );
    check(
        r#"[{"function":{"name":"a","arguments":"{}"}},{"function":{"name":"b","arguments":"{}"}}]"#,
        "stop",
        &["|a|{}", "|b|{}"],
        Finish::Calls,
    );
    check(r#"[{"id":7,"index":0,"function":null}]"#, "stop", &["7||"], Finish::Calls);
}

#[test]
fn ends() {
    let hello = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
    check(&format!("{hello}\n[DONE]"), "a", "", &[], Finish::Stop);
    check(&format!("{hello}\n[DONE]\nnot JSON"), "a", "", &[], Finish::Stop);
    for (reason, finish) in [
        ("stop", Finish::Stop),
        ("length", Finish::Length),
        ("content_filter", Finish::Filtered),
        ("odd", Finish::Other),
    ] {
        check(
            &format!(r#"{{"choices":[{{"delta":{{"content":"a"}},"finish_reason":"{reason}"}}]}}"#),
            "a",
            "",
            &[],
            finish,
        );
    }
    let mut draft = Draft::default();
    let unmarked = r#"{"choices":[{"delta":{"content":"a"},"finish_reason":""}]}"#;
    assert_eq!(Reader::default().event("message", unmarked, &mut draft).unwrap(), Step::More);
    assert!(!draft.is_finished(), "an empty reason is no mark");
    assert!(matches!(read("[DONE]"), Err(Fault::Empty)));
    assert!(matches!(read("{\"choices\":[{\"finish_reason\":\"error\"}]}"), Err(Fault::Reported(_))));
}

#[test]
fn usage_wherever_it_stands() {
    let text = r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}],"usage":null}"#;
    let usage = r#""usage":{"prompt_tokens":9,"completion_tokens":"4","prompt_tokens_details":{"cached_tokens":3},"completion_tokens_details":{"reasoning_tokens":2.0}}"#;
    for stream in [
        format!("{text}\n{{\"choices\":[],{usage}}}\n[DONE]"),
        format!("{{{usage}}}\n{text}\n[DONE]"),
        format!("{text}\n{{\"choices\":[],\"x_groq\":{{{usage}}}}}\n[DONE]"),
        format!(
            "{{\"choices\":[],\"usage\":{{\"prompt_tokens\":1}}}}\n{text}\n{{\"choices\":null,{usage}}}\n[DONE]"
        ),
    ] {
        let usage = read(&stream).unwrap().usage;
        assert_eq!((usage.input, usage.output, usage.cached, usage.reasoning), (9, 4, 3, 2), "{stream}");
    }
    let odd = r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":"none"}"#;
    assert_eq!(read(odd).unwrap().usage, agent::Usage::default());
}

#[test]
fn errors_and_noise() {
    for error in [
        r#"{"error":{"message":"m"}}"#,
        r#"{"error":"m"}"#,
        r#"{"choices":[],"error":{"message":"m"}}"#,
        r#"{"object":"error","message":"m"}"#,
        r#"{"detail":"m"}"#,
    ] {
        assert!(matches!(read(error), Err(Fault::Reported(reported)) if reported.message == "m"), "{error}");
    }
    let mut draft = Draft::default();
    let named = Reader::default().event("error", r#"{"odd":1}"#, &mut draft);
    assert!(matches!(named, Err(Fault::Reported(_))));
    for garbage in ["{unparsable}", "null", "7", "\"text\"", "{\"choices\":7}", "{", "<html>"] {
        assert!(matches!(read(garbage), Err(Fault::NotJson(_))), "{garbage}");
    }
    for noise in [
        "",
        "{}",
        r#"{"type":"ping"}"#,
        r#"{"choices":[]}"#,
        r#"{"choices":[{}],"prompt_filter_results":[]}"#,
    ] {
        check(
            &format!("{noise}\n{{\"choices\":[{{\"finish_reason\":\"stop\"}}]}}"),
            "",
            "",
            &[],
            Finish::Stop,
        );
    }
}

#[test]
fn a_whole_answer() {
    let read = |body: &str| whole(Wire::Openai, body);
    let body = r#"{"choices":[{"message":{"content":"a","tool_calls":[{"id":"c","function":{"name":"read","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9}}"#;
    let reply = read(body).unwrap();
    assert_eq!(reply.text, "a");
    assert_eq!((reply.calls.len(), reply.finish, reply.usage.input), (1, Finish::Calls, 9));
    assert_eq!(read(r#"{"choices":[{"message":{"content":"a"}}]}"#).unwrap().finish, Finish::Stop);
    assert!(matches!(read(r#"{"error":{"message":"m"}}"#), Err(Fault::Reported(_))));
    for odd in [r#"{"choices":[]}"#, r#"{"models":[]}"#, r#"{"choices":[{"message":{"con"#] {
        assert!(matches!(read(odd), Err(Fault::NotJson(_))), "{odd}");
    }
}

#[test]
fn the_request_word_for_word() {
    let mut request = request(vec![
        said(&["hi \"you\""]),
        said(&["context", "words"]),
        replied("t", vec![]),
        replied("", vec![call("a", "{\"x\":1}"), call("b", " "), call("c", "{oops")]),
        result("a", "ok\n"),
    ]);
    let parameters = json!({ "type": "object" });
    request.tools = Arc::new([agent::Spec { name: "read".into(), description: "reads".into(), parameters }]);
    let expected = concat!(
        r#"{"model":"gpt","stream":true,"stream_options":{"include_usage":true},"#,
        r#""tools":[{"type":"function","function":{"name":"read","description":"reads","parameters":{"type":"object"}}}],"#,
        r#""messages":[{"role":"system","content":"be good"},"#,
        r#"{"role":"user","content":"hi \"you\""},"#,
        r#"{"role":"user","content":[{"type":"text","text":"context"},{"type":"text","text":"words"}]},"#,
        r#"{"role":"assistant","content":"t"},"#,
        r#"{"role":"assistant","content":null,"tool_calls":["#,
        r#"{"id":"a","type":"function","function":{"name":"read","arguments":"{\"x\":1}"}},"#,
        r#"{"id":"b","type":"function","function":{"name":"read","arguments":"{}"}},"#,
        r#"{"id":"c","type":"function","function":{"name":"read","arguments":"{\"malformed\":\"{oops\"}"}}]},"#,
        r#"{"role":"tool","tool_call_id":"a","content":"ok\n"}]}"#,
    );
    assert_eq!(body(&Provider::openai(), "gpt", &request), expected);
}

#[test]
fn settings_and_schemas() {
    let mut request = request(vec![said(&["hi"])]);
    request.instructions = "".into();
    request.tools = Arc::new([]);
    let provider = Provider { effort: Some(Effort::High), ..Provider::openai() };
    let plain = r#"{"model":"gpt","stream":true,"stream_options":{"include_usage":true},"reasoning_effort":"high","messages":[{"role":"user","content":"hi"}]}"#;
    assert_eq!(body(&provider, "gpt", &request), plain);
    let closed = json!({"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false});
    let nested = |inner: &Value| json!({"type":"object","properties":{"l":{"type":"array","items":inner}},"required":["l"],"additionalProperties":false});
    let open = json!({"type":"object","properties":{"a":{"type":"string"}}});
    for (schema, strict) in [
        (closed.clone(), true),
        (open.clone(), false),
        (nested(&closed), true),
        (nested(&open), false),
        (json!({"type":"object"}), false),
        (json!({"type":"string","enum":["a"]}), true),
    ] {
        request.schema = Some(Arc::new(schema.clone()));
        let sent: Value = serde_json::from_str(&body(&provider, "gpt", &request)).unwrap();
        assert_eq!(sent["response_format"]["json_schema"]["schema"], schema);
        assert_eq!(sent["response_format"]["json_schema"]["strict"] == true, strict, "{schema}");
    }
}

#[test]
fn a_limit_has_the_name_that_the_server_knows() {
    let quirks = |provider: Provider| Provider {
        quirks: Quirks { output: Some(99), ..provider.quirks.clone() },
        ..provider
    };
    for (provider, name) in [
        (Provider::openai(), "max_completion_tokens"),
        (Provider::new("own", Wire::Openai, "http://x"), "max_tokens"),
    ] {
        let sent: Value =
            serde_json::from_str(&body(&quirks(provider), "gpt", &request(vec![said(&["hi"])]))).unwrap();
        let limits: Vec<&str> = sent
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .filter(|key| key.starts_with("max_"))
            .collect();
        assert_eq!((limits, &sent[name]), (vec![name], &json!(99)));
    }
}

#[test]
fn fields_of_ones_own_stand_beside_the_rest_or_in_its_place() {
    let own = json!({ "stream_options": null, "tool_choice": "required" });
    let provider = Provider { body: own.as_object().unwrap().clone(), ..Provider::openai() };
    let mut request = request(vec![said(&["hi"])]);
    request.tools = Arc::new([]);
    let expected = concat!(
        r#"{"model":"gpt","stream":true,"stream_options":null,"tool_choice":"required","#,
        r#""messages":[{"role":"system","content":"be good"},{"role":"user","content":"hi"}]}"#
    );
    assert_eq!(body(&provider, "gpt", &request), expected);
}

#[test]
fn the_details_of_thoughts_go_back_with_their_pieces_joined() {
    let said = |details: &str| format!(r#"{{"choices":[{{"delta":{{"reasoning_details":{details}}}}}]}}"#);
    let stream = [
        said(r#"[{"type":"reasoning.text","index":0,"text":"h","signature":null}]"#),
        said(r#"[{"type":"reasoning.text","index":0,"text":"m","signature":"sig"}]"#),
        said("null"),
        said(
            r#"[{"type":"reasoning.encrypted","index":1,"data":"x"},{"type":"reasoning.encrypted","data":"y"}]"#,
        ),
        r#"{"choices":[{"delta":{"content":"so"},"finish_reason":"stop"}]}"#.to_owned(),
    ];
    let reply = read(&stream.join("\n")).unwrap();
    let sent: Value =
        serde_json::from_str(&body(&Provider::openai(), "gpt", &request(vec![again(reply)]))).unwrap();
    let expected = json!([
        { "type": "reasoning.text", "index": 0, "text": "hm", "signature": "sig" },
        { "type": "reasoning.encrypted", "index": 1, "data": "x" },
        { "type": "reasoning.encrypted", "data": "y" },
    ]);
    assert_eq!(sent["messages"][1]["reasoning_details"], expected);
}

#[test]
fn properties_stand_in_the_order_in_which_they_are_required() {
    let mut request = request(vec![said(&["hi"])]);
    request.tools = Arc::new([]);
    request.schema = Some(Arc::new(crate::dialect::json::schema()));
    let sent = body(&Provider::openai(), "gpt", &request);
    let at = |name: &str| sent.find(&format!("\"{name}\":{{")).unwrap();
    let names = ["thought", "plan", "actions", "tool", "path", "diff", "command"];
    assert!(names.windows(2).all(|pair| at(pair[0]) < at(pair[1])), "{sent}");
}

#[test]
fn what_a_reply_brought_goes_back() {
    let stream = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"read","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}}]},"finish_reason":"stop"}]}"#;
    let reply = read(stream).unwrap();
    let sent = |provider: &Provider, reply: Reply| -> Value {
        serde_json::from_str(&body(provider, "gpt", &request(vec![again(reply)]))).unwrap()
    };
    let ours = sent(&Provider::openai(), reply.clone());
    let signature = "/messages/1/tool_calls/1/extra_content/google/thought_signature";
    assert_eq!(ours.pointer(signature), Some(&json!("s")));
    assert_eq!(ours.pointer("/messages/1/tool_calls/0/extra_content"), None);
    assert_eq!(ours.pointer("/messages/1/reasoning_content"), None);
    assert_eq!(ours.pointer("/messages/1/reasoning_details"), None);
    let quirks = Quirks { reasoning: Reasoning::Returned, ..Quirks::default() };
    let foreign = Some(json!({ "wire": "other", "extra_content": ["x", "y"] }));
    let theirs = Reply { opaque: foreign, reasoning: "why".into(), ..reply };
    let theirs = sent(&Provider { quirks, ..Provider::openai() }, theirs);
    assert_eq!(theirs.pointer("/messages/1/tool_calls/1/extra_content"), None);
    assert_eq!(theirs.pointer("/messages/1/reasoning_content"), Some(&json!("why")));
}
