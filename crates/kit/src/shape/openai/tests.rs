//! Messages, put into chunks and read back by the rules of the API.

use std::collections::BTreeMap;

use super::*;

/// A stream, assembled as a well-behaved client does.
#[derive(Debug, Default, PartialEq)]
struct Read {
    text: String,
    reasoning: String,
    /// By index: id, name, arguments.
    calls: BTreeMap<u64, (Option<String>, String, String)>,
    finish: Option<String>,
    usage: Option<Value>,
    done: usize,
}

fn asked(stream: &str) -> Asked {
    Asked::read(stream.as_bytes(), 3)
}

fn read(message: &Message, asked: &Asked) -> Read {
    let mut read = Read::default();
    for frame in frames(message, asked) {
        assert_eq!(read.done, 0, "nothing follows the end");
        if frame.mark == Mark::Done {
            assert_eq!(frame.data, "[DONE]");
            read.done += 1;
            continue;
        }
        let chunk: Value = serde_json::from_str(&frame.data).unwrap();
        assert_eq!(chunk["object"], "chat.completion.chunk");
        assert_eq!(chunk["model"], asked.model.as_str());
        if chunk["usage"].is_object() {
            read.usage = Some(chunk["usage"].clone());
        }
        for choice in chunk["choices"].as_array().unwrap() {
            let finish = choice["finish_reason"].as_str().map(str::to_owned);
            assert_eq!(finish.is_some(), frame.mark == Mark::Finish);
            read.finish = read.finish.take().or(finish);
            read.delta(&choice["delta"]);
        }
    }
    read
}

impl Read {
    fn delta(&mut self, delta: &Value) {
        self.text += delta["content"].as_str().unwrap_or_default();
        self.reasoning += delta["reasoning_content"].as_str().unwrap_or_default();
        for part in delta["tool_calls"].as_array().into_iter().flatten() {
            let call = self.calls.entry(part["index"].as_u64().unwrap()).or_default();
            if let Some(name) = part["function"]["name"].as_str() {
                assert_eq!(part["type"], "function");
                call.0 = part["id"].as_str().map(str::to_owned);
                call.1 += name;
            }
            call.2 += part["function"]["arguments"].as_str().unwrap();
        }
    }
}

fn call(name: &str) -> Call {
    Call::new(name, json!({"command": "écho \"1\""}))
}

#[test]
fn a_stream_says_what_the_message_says() {
    let message = Message::text("Ça va? \"yes\"\n")
        .reasoning("Hm. 🤔")
        .and_call(call("shell"))
        .and_call(call("read").id("given"))
        .and_call(call("list").without_id())
        .and_call(Call::raw("raw", "{not json"));
    let arguments = r#"{"command":"écho \"1\""}"#.to_owned();
    let expected = Read {
        text: "Ça va? \"yes\"\n".to_owned(),
        reasoning: "Hm. 🤔".to_owned(),
        calls: BTreeMap::from([
            (0, (Some("call_3_0".to_owned()), "shell".to_owned(), arguments.clone())),
            (1, (Some("given".to_owned()), "read".to_owned(), arguments.clone())),
            (2, (None, "list".to_owned(), arguments)),
            (3, (Some("call_3_3".to_owned()), "raw".to_owned(), "{not json".to_owned())),
        ]),
        finish: Some("tool_calls".to_owned()),
        usage: None,
        done: 1,
    };
    let asked = asked(r#"{"model":"m \" m","stream":true,"messages":[{"stream":false}]}"#);
    assert_eq!(asked.model, "m \" m");
    for every in [1, 2, 5, 1000] {
        let split = message.clone().text_every(every).arguments_every(every);
        assert_eq!(read(&split, &asked), expected, "in pieces of {every}");
    }
    assert_eq!(read(&message, &asked), expected);
}

#[test]
fn finish_and_usage_are_natural_given_or_missing() {
    let plain = r#"{"model":"m","stream":true}"#;
    let wants = r#"{"model":"m","stream":true,"stream_options":{"include_usage":true}}"#;
    let given = Usage::new(7, 2).cached(4).reasoning(1);
    let text = || Message::text("a");
    let cases = [
        (text(), plain, Some("stop"), None),
        (text(), wants, Some("stop"), Some(10)),
        (text().usage(given), plain, Some("stop"), Some(7)),
        (text().without_usage(), wants, Some("stop"), None),
        (text().finish("length"), plain, Some("length"), None),
        (text().without_finish(), wants, None, Some(10)),
        (Message::calls([call("a")]).finish("stop"), plain, Some("stop"), None),
        (Message::nothing().empty_choices(), plain, Some("stop"), None),
    ];
    for (message, request, finish, input) in cases {
        let read = read(&message, &asked(request));
        assert_eq!(read.finish.as_deref(), finish, "{message:?}");
        let tokens = read.usage.map(|usage| usage["prompt_tokens"].as_u64());
        assert_eq!(tokens.flatten(), input, "{message:?}");
    }
    let usage = counts(given);
    assert_eq!(usage["total_tokens"], 9);
    assert_eq!(usage["prompt_tokens_details"]["cached_tokens"], 4);
    assert_eq!(usage["completion_tokens_details"]["reasoning_tokens"], 1);
}

#[test]
fn indices_can_be_given_or_left_out() {
    let calls = [call("a").index(5), call("b").without_index()];
    let frames = frames(&Message::calls(calls), &asked(r#"{"stream":true}"#));
    let parts = frames.iter().filter(|frame| frame.data.contains("tool_calls\":["));
    let indices: Vec<Value> = parts
        .map(|frame| {
            let chunk: Value = serde_json::from_str(&frame.data).unwrap();
            chunk["choices"][0]["delta"]["tool_calls"][0]["index"].clone()
        })
        .collect();
    assert_eq!(indices, [json!(5), json!(5), Value::Null, Value::Null]);
}

#[test]
fn an_error_takes_the_place_of_the_finish() {
    let message = Message::text("begun").error("broken").usage(Usage::new(1, 1));
    let frames = frames(&message, &asked(r#"{"stream":true}"#));
    let [_, text, error, done] = &frames[..] else {
        panic!("{frames:?}");
    };
    assert!(text.data.contains("begun") && done.mark == Mark::Done);
    assert_eq!(error.mark, Mark::Finish);
    let whole = whole(&message, &asked("{}"));
    assert_eq!(error.data, whole);
    let error: Value = serde_json::from_str(&whole).unwrap();
    assert_eq!(error["error"]["message"], "broken");
}

#[test]
fn a_whole_reply_says_the_same() {
    let message = Message::text("a")
        .reasoning("r")
        .and_call(Call::new("shell", json!({})).id("x"))
        .usage(Usage::new(1, 2));
    let body: Value = serde_json::from_str(&whole(&message, &asked(r#"{"model":"m"}"#))).unwrap();
    let said = &body["choices"][0]["message"];
    assert_eq!(said["content"], "a");
    assert_eq!(said["reasoning_content"], "r");
    assert_eq!(
        said["tool_calls"],
        json!([{"id": "x", "type": "function", "function": {"name": "shell", "arguments": "{}"}}])
    );
    assert_eq!(body["choices"][0]["finish_reason"], "tool_calls");
    assert_eq!(body["usage"]["total_tokens"], 3);
    let body = whole(&Message::calls([call("a")]), &asked("{}"));
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body["choices"][0]["message"]["content"], Value::Null);
}
