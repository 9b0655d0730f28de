//! Streams and requests of `streamGenerateContent`.

use super::*;
use crate::wire::testing::{again, body, call, replied, request, result, said, shown, whole};
use crate::wire::{Effort, Provider, Wire};
use agent::{CallId, Reply};
use serde_json::{Value, json};
use std::sync::Arc;

fn read(stream: &str) -> Result<Reply, Fault> {
    crate::wire::testing::read(Wire::Gemini, stream)
}

fn google(effort: Option<Effort>) -> Provider {
    Provider { effort, ..Provider::new("gemini", Wire::Gemini, "http://x") }
}

const STREAM: &str = r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":9}}
{"candidates":[{"content":{"parts":[{"text":"s"}]}}]}
{"candidates":[{"content":{"parts":[{"text":"o"}]}}]}
{"candidates":[{"content":{"parts":[{"functionCall":{"name":"read","args":{"x": 1}},"thoughtSignature":"sig"},{"functionCall":{"id":"b","name":"read"}}]}}]}
{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"late"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":4,"thoughtsTokenCount":2,"cachedContentTokenCount":5}}"#;

#[test]
fn parts() {
    let reply = read(STREAM).unwrap();
    assert_eq!(shown(&reply), ("so", "hm", vec![r#"|read|{"x": 1}"#.to_owned(), "b|read|".to_owned()]));
    assert_eq!(reply.finish, Finish::Calls);
    let usage = reply.usage;
    assert_eq!((usage.input, usage.cached, usage.output, usage.reasoning), (9, 5, 6, 2));
    let list = format!("[{}]", STREAM.replace('\n', ","));
    assert_eq!(whole(Wire::Gemini, &list).unwrap(), reply);
}

#[test]
fn ends_and_errors() {
    use agent::FailureKind::{Auth, Overloaded, Protocol, Refused};
    let end = |reason: &str| {
        format!(r#"{{"candidates":[{{"content":{{"parts":[{{"text":"a"}}]}},"finishReason":"{reason}"}}]}}"#)
    };
    for (reason, finish) in [
        ("STOP", Finish::Stop),
        ("MAX_TOKENS", Finish::Length),
        ("CONTINUATION", Finish::Length),
        ("SAFETY", Finish::Filtered),
        ("ODD", Finish::Other),
    ] {
        assert_eq!(read(&end(reason)).unwrap().finish, finish, "{reason}");
    }
    for (error, kind) in [
        (end("MALFORMED_FUNCTION_CALL"), Protocol),
        (end("TOO_MANY_TOOL_CALLS"), Protocol),
        (r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#.to_owned(), Refused),
        (r#"{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}"#.to_owned(), Overloaded),
        (
            r#"[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}]"#
                .to_owned(),
            Auth,
        ),
    ] {
        let fault = match error.starts_with('[') {
            true => whole(Wire::Gemini, &error).unwrap_err(),
            false => read(&error).unwrap_err(),
        };
        let Fault::Reported(reported) = fault else { panic!("{error}") };
        assert_eq!(reported.kind(None), kind, "{error}");
    }
    assert!(matches!(read("{oops}"), Err(Fault::NotJson(_))));
    let cut = whole(Wire::Gemini, r#"{"candidates":[]}"#);
    assert!(matches!(cut, Err(Fault::NotJson(_))));
}

#[test]
fn the_request_word_for_word() {
    let expected = concat!(
        r#"{"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"high"}},"#,
        r#""systemInstruction":{"parts":[{"text":"be good"}]},"#,
        r#""tools":[{"functionDeclarations":[{"name":"read","description":"reads","parametersJsonSchema":{}}]}],"#,
        r#""contents":[{"role":"user","parts":[{"text":"hi"}]},"#,
        r#"{"role":"model","parts":[{"functionCall":{"id":"f","name":"read","args":{}},"#,
        r#""thoughtSignature":"skip_thought_signature_validator"}]},"#,
        r#"{"role":"user","parts":[{"functionResponse":{"id":"f","name":"read","response":{"output":"no"}}}]},"#,
        r#"{"role":"model","parts":[{"text":"so"},"#,
        r#"{"functionCall":{"id":"a","name":"read","args":{"x": 1}},"thoughtSignature":"sig"},"#,
        r#"{"functionCall":{"id":"b","name":"read","args":{}}},"#,
        r#"{"text":"","thoughtSignature":"late"}]},"#,
        r#"{"role":"user","parts":[{"functionResponse":{"id":"a","name":"read","response":{"output":"1"}}},"#,
        r#"{"functionResponse":{"id":"b","name":"read","response":{"output":"2"}}}]}]}"#,
    );
    let mut heard = read(STREAM).unwrap();
    heard.calls[0].id = CallId("a".into());
    let request = request(vec![
        said(&["hi"]),
        replied("", vec![call("f", "")]),
        result("f", "no"),
        again(heard),
        result("a", "1"),
        result("b", "2"),
    ]);
    assert_eq!(body(&google(Some(Effort::High)), "gemini-3-pro", &request), expected);
}

#[test]
fn settings() {
    let sent = |model, effort, schema: Option<Value>| -> Value {
        let mut request = request(vec![said(&["hi"])]);
        request.schema = schema.map(Arc::new);
        serde_json::from_str(&body(&google(effort), model, &request)).unwrap()
    };
    assert_eq!(sent("gemini-2.0-flash", None, None)["generationConfig"], json!({}));
    let budget = &sent("gemini-2.5-pro", Some(Effort::Low), None)["generationConfig"];
    assert_eq!(budget["thinkingConfig"], json!({ "includeThoughts": true, "thinkingBudget": 4096 }));
    for (model, effort, level) in [
        ("gemini-3.1-pro-preview", Effort::Medium, "medium"),
        ("gemini-3-pro-preview", Effort::Medium, "high"),
        ("gemini-4-argon", Effort::Minimal, "low"),
    ] {
        let config = &sent(model, Some(effort), None)["generationConfig"]["thinkingConfig"];
        assert_eq!(*config, json!({ "includeThoughts": true, "thinkingLevel": level }), "{model}");
    }
    let schema = sent("gemini-3.8-flash", None, Some(json!({ "type": "object" })));
    assert_eq!(schema["generationConfig"]["responseMimeType"], "application/json");
    assert_eq!(schema["generationConfig"]["responseJsonSchema"], json!({ "type": "object" }));
    let spoken = sent("gemini-2.5-pro", None, Some(json!({ "type": "object" })));
    assert_eq!(spoken["generationConfig"].get("responseMimeType"), None, "not beside tools");
    let words = spoken["systemInstruction"]["parts"][0]["text"].as_str().unwrap();
    assert!(words.ends_with(r#"JSON Schema: {"type":"object"}"#), "{words}");
    let mut short = google(None);
    short.quirks.output = Some(99);
    let sent: Value =
        serde_json::from_str(&body(&short, "gemini-2.0-flash", &request(vec![said(&["hi"])]))).unwrap();
    assert_eq!(sent["generationConfig"], json!({ "maxOutputTokens": 99 }));
}

#[test]
fn a_signed_thought_goes_back() {
    let stream = r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true,"thoughtSignature":"sig"},{"text":"so"}]},"finishReason":"STOP"}]}"#;
    let sent = body(&google(None), "gemini-2.5-pro", &request(vec![again(read(stream).unwrap())]));
    let sent: Value = serde_json::from_str(&sent).unwrap();
    let expected = json!([{ "text": "hm", "thought": true, "thoughtSignature": "sig" }, { "text": "so" }]);
    assert_eq!(sent["contents"][0]["parts"], expected);
}
