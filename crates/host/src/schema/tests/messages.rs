//! What a model reads when its answer is wrong, word for word.

use serde_json::{Value, json};

use crate::schema::Schema;

#[track_caller]
fn says(schema: Value, value: Value, expected: &[&str]) {
    let violations = Schema::compile(&schema).unwrap().check(&value).unwrap_err();
    let said: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert_eq!(said, expected, "{value} under {schema}");
}

#[test]
fn violations_say_where_what_and_instead_of_what() {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 2},
            "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": true},
            "a/b": {"minimum": 3, "multipleOf": 2}
        },
        "required": ["name", "tags"],
        "additionalProperties": false
    });
    says(
        schema.clone(),
        json!({"name": "x", "a/b": 1, "extra": null}),
        &[
            r#"at the top level: expected the property "tags", found an object with only "a/b", "extra", "name""#,
            "at /a~1b: expected a number of at least 3, found 1",
            "at /a~1b: expected a multiple of 2, found 1",
            r#"at /extra: expected no such property (allowed are "a/b", "name", "tags"), found null"#,
            r#"at /name: expected a string of at least 2 characters, found 1 character: "x""#,
        ],
    );
    says(
        schema.clone(),
        json!({"name": "xy", "tags": ["a", "c", "a"]}),
        &[
            r#"at /tags: expected items that all differ, found items 0 and 2 both "a""#,
            r#"at /tags/1: expected one of "a", "b", found "c""#,
        ],
    );
    says(schema, json!([]), &["at the top level: expected an object, found []"]);
}

#[test]
fn alternatives_name_the_nearest() {
    let simple = json!({"anyOf": [{"type": "string"}, {"type": "null"}]});
    says(simple, json!(5), &["at the top level: expected a string, or null, found 5"]);
    let shapes = json!({"oneOf": [
        {"properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}}, "required": ["kind", "radius"]},
        {"properties": {"kind": {"const": "square"}, "side": {"type": "number"}}, "required": ["kind", "side"]}
    ]});
    says(
        shapes.clone(),
        json!({"kind": "square", "radius": 1}),
        &[
            r#"at the top level: expected the property "side" (by the nearest of the 2 alternatives of `oneOf`), found an object with only "kind", "radius""#,
        ],
    );
    says(
        shapes,
        json!({"kind": "square", "side": "3"}),
        &[r#"at /side: expected a number (by the nearest of the 2 alternatives of `oneOf`), found "3""#],
    );
    let nullable =
        json!({"properties": {"who": {"anyOf": [{"type": "null"}, {"type": "object", "required": ["id"]}]}}});
    says(
        nullable,
        json!({"who": {}}),
        &[
            r#"at /who: expected the property "id" (by the nearest of the 2 alternatives of `anyOf`), found an object without properties"#,
        ],
    );
    let nested = json!({"anyOf": [{"type": "null"}, {"items": {"anyOf": [{"type": "null"}, {"properties": {"n": {"type": "number"}}}]}}]});
    says(
        nested,
        json!([{"n": "1"}]),
        &[r#"at /0/n: expected a number (by the nearest of the 2 alternatives of `anyOf`), found "1""#],
    );
    let both = json!({"oneOf": [{"type": "integer"}, {"minimum": 2}, {"const": 1}]});
    says(
        both,
        json!(3),
        &[
            "at the top level: expected a value for exactly one of the 3 alternatives of `oneOf`, found one for alternatives 1 and 2: 3",
        ],
    );
}

#[test]
fn other_rules() {
    says(
        json!({"not": {"type": "null"}}),
        json!(null),
        &[r#"at the top level: expected a value that does not match {"type":"null"}, found null"#],
    );
    says(
        json!({"contains": {"const": 1}}),
        json!([2]),
        &[
            r#"at the top level: expected at least 1 item matching {"const":1}, found 0 of 1 item matching in [2]"#,
        ],
    );
    says(
        json!({"propertyNames": {"pattern": "^a"}}),
        json!({"b": 1}),
        &[
            r#"at the top level: expected only property names that are a string that matches the pattern `^a`, found the name "b""#,
        ],
    );
    says(
        json!({"dependentRequired": {"a": ["b"]}}),
        json!({"a": 1}),
        &[
            r#"at the top level: expected the property "b" because "a" is there, found an object with only "a""#,
        ],
    );
    says(
        json!({"prefixItems": [true], "items": false}),
        json!([1, 2]),
        &["at the top level: expected an array of at most 1 item, found 2 items: [1,2]"],
    );
    let unevaluated = json!({"allOf": [{"anyOf": [{"properties": {"a": {"type": "null"}}}]}], "unevaluatedProperties": false});
    says(unevaluated.clone(), json!({"a": 1}), &["at /a: expected null, found 1"]);
    says(unevaluated, json!({"b": 1}), &["at /b: expected no such property, found 1"]);
    says(json!({"properties": {"a": false}}), json!({"a": 1}), &["at /a: expected nothing here, found 1"]);
}

#[test]
fn messages_are_few_and_short() {
    let schema = Schema::compile(&json!({"items": {"type": "string"}, "maxItems": 3})).unwrap();
    let long = Value::from(vec![json!({"é": "ß".repeat(5_000)}); 2_000]);
    let violations = schema.check(&long).unwrap_err();
    assert_eq!(violations.len(), 8);
    for violation in violations {
        assert!(violation.found.ends_with('…') && violation.to_string().len() < 250, "{violation}");
    }
    let named = Value::Object([("n".repeat(100_000), json!(1))].into_iter().collect());
    let violations =
        Schema::compile(&json!({"additionalProperties": false})).unwrap().check(&named).unwrap_err();
    assert!(violations[0].to_string().len() < 600, "{}", violations[0]);
    let names: Vec<String> = (0..1_000).map(|number| format!("name{number:04}")).collect();
    let violations = Schema::compile(&json!({"required": names})).unwrap().check(&json!({})).unwrap_err();
    assert!(violations[0].expected.ends_with("and 988 more"), "{}", violations[0]);
}
