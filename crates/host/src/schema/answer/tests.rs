//! Answers as models give them, and what must not be taken for one.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::read_json_answer;

#[test]
fn json_is_found_among_words() {
    let cases = [
        ("plain", r#"{"a":1}"#, Some(json!({"a": 1}))),
        ("plain with spaces and mark", "\u{feff}\n [1, 2]\n", Some(json!([1, 2]))),
        ("a bare number", "42", Some(json!(42))),
        ("a bare string", r#""done""#, Some(json!("done"))),
        ("words before", r#"Here it is: {"a":1}"#, Some(json!({"a": 1}))),
        ("words around", r#"Sure! {"a":{"b":[1]}} Hope it helps."#, Some(json!({"a": {"b": [1]}}))),
        ("fence", "Done.\n```json\n{\"a\":1}\n```\nBye.", Some(json!({"a": 1}))),
        ("fence in capitals", "```JSON\n[1]\n```", Some(json!([1]))),
        ("fence with a bare value", "```json\n7\n```", Some(json!(7))),
        ("fence without label", "See:\n```\n{\"a\":1}\n```", Some(json!({"a": 1}))),
        ("tildes, indented", "  ~~~ json\n  {\"a\":1}\n  ~~~", Some(json!({"a": 1}))),
        ("Windows line ends", "ok\r\n```json\r\n{\"a\":1}\r\n```\r\n", Some(json!({"a": 1}))),
        ("fence never closed", "```json\n{\"a\":1}", Some(json!({"a": 1}))),
        ("fence wins over a footnote", "```json\n{\"a\":1}\n```\nsee [1]", Some(json!({"a": 1}))),
        ("last fence wins", "```json\n{\"a\":1}\n```\nor\n```json\n{\"a\":2}\n```", Some(json!({"a": 2}))),
        (
            "other fences are no JSON",
            "```python\nx = [1]\n```\n```json\n{\"a\":2}\n```",
            Some(json!({"a": 2})),
        ),
        ("fence marks in a string", "```json\n{\"a\":\"```\"}\n```", Some(json!({"a": "```"}))),
        ("last object wins", r#"First {"a":1}, then {"a":2}."#, Some(json!({"a": 2}))),
        ("brackets in strings", r#"So: {"a":"}]{[\"\\"} end"#, Some(json!({"a": "}]{[\"\\"}))),
        ("braces in prose", r#"Use {x} and [the list]: {"a":1}"#, Some(json!({"a": 1}))),
        ("a lone brace in prose", r#"The { opens. {"a":1}"#, Some(json!({"a": 1}))),
        ("a quote in prose", r#"It's 5" wide: {"a":1}"#, Some(json!({"a": 1}))),
        ("JSON within bracketed words", r#"[note: {"a":1}]"#, Some(json!({"a": 1}))),
        ("words in double brackets", r#"{"a":1} as in [[Page]] and [1 of 2]"#, Some(json!({"a": 1}))),
        ("a list of numbers", "They are [1, 2.5, -3].", Some(json!([1, 2.5, -3]))),
        ("code in prose", r#"fn f() { g(); } gives {"a":1}"#, Some(json!({"a": 1}))),
        ("nothing", "I could not do it.", None),
        ("empty", "", None),
        ("cut off", r#"{"a": {"b": 1}, "c": "#, None),
        ("cut off after words", r#"Here: {"a": {"b": 1}, "c"#, None),
        ("broken, with a whole piece inside", r#"Here: {"a": {"b": 1},}"#, None),
        ("broken last one", r#"Example {"a":1}. Answer {"a":2,}"#, None),
        ("broken fence", "For example {\"a\":1}:\n```json\n{\"a\":2,}\n```", None),
        ("not a number", r#"{"a": NaN}"#, None),
    ];
    for (name, text, expected) in cases {
        assert_eq!(read_json_answer(text), expected, "{name}");
    }
}

#[test]
fn hostile_answers_end() {
    for unit in ["{", "[", "{x ", "[\"", "[1,", "[1 ", "```json\n", "{\"a\":", "]}"] {
        let text = unit.repeat(100_000 / unit.len());
        assert_eq!(read_json_answer(&text), None, "{unit} repeated");
    }
}

fn any_container() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".*".prop_map(Value::from)
    ];
    let value = leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((".*", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    prop::collection::vec(value, 0..4).prop_map(Value::from)
}

proptest! {
    #[test]
    fn a_written_value_is_read_back(value in any_container(), before in "[a-z .]*", after in "[a-z .]*") {
        prop_assert_eq!(read_json_answer(&format!("{before}x {value} {after}")), Some(value.clone()));
        prop_assert_eq!(read_json_answer(&format!("{before}\n```json\n{value:#}\n```\n{after}")), Some(value));
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}\",:`~\\\\ \nja1é]*") {
        _ = read_json_answer(&text);
    }
}
