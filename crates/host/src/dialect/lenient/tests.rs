//! What is forgiven, what is not and in which words; and that plain JSON is read as serde_json reads it.

use super::*;
use proptest::prelude::*;
use serde_json::json;

#[test]
fn the_object_is_found_among_words() {
    let object = json!({ "a": [1, { "b": "}" }], "c": null });
    let plain = object.to_string();
    for reply in [
        plain.clone(),
        format!("\u{feff}  {plain}\n"),
        format!("```json\n{plain}\n```"),
        format!("<think>\nPerhaps {{\"a\": 1}}?\n</think>\n{plain}"),
        format!("Here {{you}} are, {{ and }}:\n\n{plain}\nThat is the plan {{so far}}."),
        plain.replace("]", ",]").replace("null", "null , "),
        plain.replace("\":", "\"\r\n\t :"),
    ] {
        assert_eq!(super::object(&reply), Ok(object.clone()), "{reply}");
    }
}

#[test]
fn escapes_are_read() {
    let cases = [
        (r#"{"a":"\"\\\/\b\f\n\r\t"}"#, "\"\\/\u{8}\u{c}\n\r\t"),
        (r#"{"a":"\u00e9\u0041\ud83d\ude00é"}"#, "éA😀é"),
    ];
    for (reply, expected) in cases {
        assert_eq!(object(reply), Ok(json!({ "a": expected })), "{reply}");
    }
}

#[test]
fn faults_say_where_and_what() {
    let cases = [
        ("", "expected one JSON object, found nothing"),
        (" \u{feff} ", "expected one JSON object, found words"),
        ("I cannot do that.", "expected one JSON object, found words"),
        ("[{\"a\": 1}]", "expected one JSON object, found an array"),
        ("\"text\"", "expected one JSON object, found words"),
        ("{\"a\": 1}\n{\"a\": 2}", "line 2, column 1: a second JSON object begins here: send exactly one"),
        ("{\"a\": NaN}", "line 1, column 7: expected a JSON value, found 'NaN'"),
        ("{\"a\": -Infinity}", "line 1, column 7: expected a number as JSON writes it, found '-Infinity'"),
        ("{\"a\": 01}", "line 1, column 7: expected a number as JSON writes it, found '01'"),
        ("{\"a\": 1e999}", "line 1, column 7: expected a number as JSON writes it, found '1e999'"),
        ("{\"é\": True}", "line 1, column 7: expected a JSON value, found 'True'"),
        ("{\"a\": 'x'}", "line 1, column 7: expected a JSON value, found '''"),
        ("{a: 1}", "line 1, column 2: expected a property name in double quotes or '}', found 'a'"),
        ("{,}", "line 1, column 2: expected a property name in double quotes or '}', found ','"),
        ("{\"a\" 1}", "line 1, column 6: expected ':' after the property name, found '1'"),
        ("{\"a\": 1 \"b\": 2}", "line 1, column 9: expected ',' or '}' after the property, found '\"'"),
        ("{\"a\": [1 2]}", "line 1, column 10: expected ',' or ']' after the item, found '2'"),
        ("{\"a\": [,]}", "line 1, column 8: expected a JSON value, found ','"),
        ("{\"a\": 1,,}", "line 1, column 9: expected a property name in double quotes or '}', found ','"),
        ("{\"a\": 1,\n \"a\": 2}", "line 2, column 2: expected each property once, found 'a' a second time"),
        ("{\"a\": \"x\ny\"}", "line 1, column 9: expected \\n inside a string, found a line break"),
        (
            "{\"a\": \"x\ty\"}",
            "line 1, column 9: expected control characters escaped in a string, found a raw one",
        ),
        (
            "{\"a\": \"\\d\"}",
            "line 1, column 8: expected an escape that JSON knows (a backslash itself is \\\\), found '\\d'",
        ),
        (
            "{\"a\": \"\\ud800x\"}",
            "line 1, column 8: expected \\u and four hexadecimal digits of a character, found '\\u'",
        ),
        (
            "{\"a\": \"\\u+123\"}",
            "line 1, column 8: expected \\u and four hexadecimal digits of a character, found '\\u'",
        ),
        ("{\"a\": \"x", "line 1, column 9: expected '\"' at the end of a string, found the end of the reply"),
        ("{\"a\": 1", "line 1, column 8: expected ',' or '}' after the property, found the end of the reply"),
        ("{\"a\": 1 // one\n}", "line 1, column 9: expected ',' or '}' after the property, found a comment"),
    ];
    for (reply, expected) in cases {
        let fault = object(reply).expect_err(reply).to_string();
        assert_eq!(fault, expected, "{reply}");
    }
}

#[test]
fn bounds_are_told() {
    let deep = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    assert!(object(&deep(DEEPEST - 1)).is_ok());
    let fault = object(&deep(DEEPEST)).expect_err("one level too deep").to_string();
    assert_eq!(fault, "line 1, column 133: expected at most 128 levels of nesting, found one more");
    assert!(object(&deep(1_000_000)).is_err());
    assert_eq!(object(&" ".repeat(LARGEST + 1)), Err(Fault::TooLarge { size: LARGEST + 1 }));
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(".{0,4}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_is_read_as_it_is(json in json()) {
        for text in [json.to_string(), serde_json::to_string_pretty(&json).unwrap()] {
            // Digits beyond what a float holds are rounded alike.
            let plain: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(value(&text, 0), Ok((plain, text.len())));
        }
    }

    #[test]
    fn what_serde_refuses_is_refused_but_for_commas(text in "[\\[\\]{},:\"a1\\\\ntrue .e-]{0,24}") {
        let plain = serde_json::from_str::<Value>(&text).ok();
        let read = value(&text, 0).ok().filter(|(_, end)| text[*end..].trim().is_empty()).map(|(value, _)| value);
        if let Some(plain) = &plain {
            // A name given twice is the one thing that is JSON and not forgiven.
            prop_assert!(read.as_ref() == Some(plain) || read.is_none());
        } else if read.is_some() {
            prop_assert!(text.contains(','));
        }
    }

    #[test]
    fn nothing_panics(text in "\\PC{0,40}", pieces in prop::collection::vec(prop::sample::select(vec![
        "{", "}", "[", "]", "\"", "\\", "\\u", "\\ud83d", ":", ",", "é", "\n", "-", "1e", "null", "```json\n", "\u{feff}",
    ]), 0..24)) {
        let _ = object(&text);
        let _ = object(&pieces.concat());
    }
}
