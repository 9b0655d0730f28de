//! What clients may say, and what the server says, as data.

use super::*;

#[test]
fn what_is_a_message_and_what_is_not() {
    let invocation = |id: Option<&str>| Message::Invocation {
        id: id.map(String::from),
        target: "M".into(),
        arguments: vec![Value::from(1)],
    };
    let cases: [(&str, Result<Message, Malformed>); 21] = [
        (r#"{"type":1,"target":"M","arguments":[1]}"#, Ok(invocation(None))),
        (r#"{"arguments":[1],"target":"M","type":1,"invocationId":"7"}"#, Ok(invocation(Some("7")))),
        (r#"{"type":1,"target":"M","arguments":[1],"streamIds":["a"],"more":{}}"#, Ok(invocation(None))),
        (r#"{"type":1,"target":"M","arguments":[1],"headers":{"a":"b"}}"#, Ok(invocation(None))),
        (r#"{"type":2,"invocationId":"7","item":null}"#, Ok(Message::StreamItem { id: "7".into() })),
        (r#"{"type":3,"invocationId":"7","error":"no"}"#, Ok(Message::Completion { id: "7".into() })),
        (r#"{"type":5,"invocationId":"7"}"#, Ok(Message::CancelInvocation { id: "7".into() })),
        (r#"{"type":6}"#, Ok(Message::Ping)),
        (r#"{"type":7,"error":""}"#, Ok(Message::Close)),
        (r#"{"type":99,"anything":1}"#, Ok(Message::Unknown)),
        (r#"{"type":-1}"#, Ok(Message::Unknown)),
        (r#"{"type":1.5}"#, Ok(Message::Unknown)),
        ("null", Err(Malformed::NoObject)),
        ("{}", Err(Malformed::Missing("type"))),
        (r#"{"type":"1"}"#, Err(Malformed::Type("type", "a number"))),
        (r#"{"type":1,"arguments":[]}"#, Err(Malformed::Missing("target"))),
        (r#"{"type":1,"target":null,"arguments":[]}"#, Err(Malformed::Type("target", "a string"))),
        (r#"{"type":1,"target":"M"}"#, Err(Malformed::Missing("arguments"))),
        (r#"{"type":1,"target":"M","arguments":{}}"#, Err(Malformed::Type("arguments", "an array"))),
        (r#"{"type":6,"headers":{"a":1}}"#, Err(Malformed::Type("headers", "an object of strings"))),
        (r#"{"type":3,"invocationId":"7","error":"a","result":1}"#, Err(Malformed::Both)),
    ];
    for (text, expected) in cases {
        assert_eq!(parse(text), expected, "{text}");
    }
    assert!(matches!(parse(&"[".repeat(100_000)), Err(Malformed::Json(_))), "deep nesting is refused");
}

#[test]
fn what_the_server_says() {
    let come_back = Close { error: Some("why".into()), come_back: ComeBack::Yes };
    let cases = [
        (call("M", &("a", 1)), r#"{"type":1,"target":"M","arguments":["a",1]}"#),
        (call("M", &[0_u8; 0]), r#"{"type":1,"target":"M","arguments":[]}"#),
        (complete("7", &Ok(Value::Null)), r#"{"invocationId":"7","type":3}"#),
        (complete("7", &Ok(Value::from(1))), r#"{"invocationId":"7","result":1,"type":3}"#),
        (complete("7", &Err("no".into())), r#"{"error":"no","invocationId":"7","type":3}"#),
        (ping(), r#"{"type":6}"#),
        (close(&come_back), r#"{"allowReconnect":true,"error":"why","type":7}"#),
        (close(&Close { error: None, come_back: ComeBack::No }), r#"{"type":7}"#),
        (shake(Ok(())), "{}"),
    ];
    for (text, expected) in cases {
        assert_eq!(text.strip_suffix(END), Some(expected));
    }
}

#[test]
fn only_one_protocol_is_spoken() {
    let cases = [
        (r#"{"protocol":"json","version":1}"#, ""),
        (r#"{"protocol":"json","version":2}"#, "Version 2 of the protocol 'json' is not supported."),
        (r#"{"protocol":"messagepack","version":1}"#, "The protocol 'messagepack' is not supported."),
        ("{}", "The handshake must name a protocol and a version."),
    ];
    for (text, refused) in cases {
        assert_eq!(parse_handshake(text).err().unwrap_or_default(), refused, "{text}");
    }
    assert!(parse_handshake("nonsense").is_err());
}

#[test]
fn arguments_must_be_as_many_and_of_the_kind_that_a_method_takes() {
    let bound = |text: &str| bind::<(String, i64)>(serde_json::from_str(text).unwrap());
    assert_eq!(bound(r#"["a",1]"#), Ok(("a".into(), 1)));
    for wrong in [r#"["a"]"#, r#"["a",1,2]"#, r#"[1,"a"]"#, "[]", r#"["a",null]"#] {
        assert!(bound(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn messages_end_at_their_marks_wherever_the_text_is_cut() {
    let text = "{\"type\":6}\u{1e}\u{1e}ä\u{1e}open";
    for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
        let mut messages = Messages::default();
        let mut found = Vec::new();
        for piece in [&text[..cut], &text[cut..]] {
            messages.push(piece);
            found.extend(std::iter::from_fn(|| messages.take()));
        }
        assert_eq!(found, [r#"{"type":6}"#, "", "ä"], "cut at {cut}");
        assert_eq!(messages.waiting(), "open".len());
    }
}
