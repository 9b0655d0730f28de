//! One line a keyword: a schema, values that pass, values that do not.

use serde_json::{Value, json};

use crate::schema::Schema;

#[track_caller]
fn check(schema: Value, good: &[Value], bad: &[Value]) {
    let compiled = Schema::compile(&schema).unwrap_or_else(|error| panic!("{schema}: {error}"));
    for value in good {
        assert_eq!(compiled.check(value), Ok(()), "{value} under {schema}");
    }
    for value in bad {
        assert!(
            compiled.check(value).is_err_and(|violations| !violations.is_empty()),
            "{value} under {schema}"
        );
    }
}

#[test]
fn types_and_fixed_values() {
    check(json!(true), &[json!(1)], &[]);
    check(json!(false), &[], &[json!(1), json!(null)]);
    check(
        json!({"type": "integer"}),
        &[json!(1), json!(1.0), json!(1e300)],
        &[json!(1.5), json!("1"), json!(null)],
    );
    check(json!({"type": "number"}), &[json!(1), json!(1.5)], &[json!(true)]);
    check(json!({"type": ["string", "null"]}), &[json!("a"), json!(null)], &[json!(0), json!([])]);
    check(
        json!({"enum": [1, "a", [1.0], {"x": 2}]}),
        &[json!(1.0), json!([1]), json!({"x": 2.0})],
        &[json!(true), json!("b")],
    );
    check(
        json!({"const": {"a": [false, 0]}}),
        &[json!({"a": [false, 0.0]})],
        &[json!({"a": [0, false]}), json!({"a": [false]})],
    );
    check(json!({"enum": []}), &[], &[json!(null)]);
}

#[test]
fn numbers() {
    check(
        json!({"minimum": 1.1, "maximum": 3}),
        &[json!(1.1), json!(3), json!("x")],
        &[json!(1), json!(3.0000001)],
    );
    check(json!({"exclusiveMinimum": 0, "exclusiveMaximum": 1}), &[json!(0.5)], &[json!(0), json!(1.0)]);
    check(
        json!({"maximum": 9007199254740992u64}),
        &[json!(9007199254740992u64)],
        &[json!(9007199254740993u64)],
    );
    check(json!({"multipleOf": 0.01}), &[json!(19.99), json!(0), json!(4)], &[json!(0.005)]);
}

#[test]
fn strings() {
    check(
        json!({"minLength": 2.0, "maxLength": 3}),
        &[json!("éé"), json!("🐉🐉🐉"), json!(5)],
        &[json!("🐉"), json!("abcd")],
    );
    check(json!({"pattern": "^[a-z]+$"}), &[json!("abc"), json!(1)], &[json!("a1")]);
    check(json!({"format": "email"}), &[json!("no address")], &[]);
}

#[test]
fn objects() {
    let person = json!({
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
        "patternProperties": {"^x-": {"type": "boolean"}},
        "required": ["name"],
        "additionalProperties": false
    });
    check(
        person,
        &[json!({"name": "a"}), json!({"name": "a", "age": 1, "x-y": true}), json!([])],
        &[json!({}), json!({"name": 1}), json!({"name": "a", "x-y": 1}), json!({"name": "a", "other": 1})],
    );
    check(json!({"additionalProperties": {"type": "integer"}}), &[json!({"a": 1})], &[json!({"a": "1"})]);
    check(json!({"propertyNames": {"maxLength": 2}}), &[json!({"ab": 1}), json!({})], &[json!({"abc": 1})]);
    check(
        json!({"minProperties": 1, "maxProperties": 2}),
        &[json!({"a": 1})],
        &[json!({}), json!({"a": 1, "b": 1, "c": 1})],
    );
    check(
        json!({"dependentRequired": {"a": ["b"]}}),
        &[json!({"b": 1}), json!({"a": 1, "b": 1})],
        &[json!({"a": 1})],
    );
    check(json!({"dependentSchemas": {"a": {"minProperties": 2}}}), &[json!({"b": 1})], &[json!({"a": 1})]);
    let both = json!({"dependencies": {"a": ["b"], "c": {"minProperties": 2}, "d": false}});
    check(both, &[json!({"b": 1})], &[json!({"a": 1}), json!({"c": 1}), json!({"d": 1, "e": 1})]);
}

#[test]
fn arrays() {
    check(json!({"items": {"type": "integer"}}), &[json!([]), json!([1, 2])], &[json!([1, "2"])]);
    let pair = json!({"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false});
    check(pair, &[json!(["a", 1]), json!(["a"]), json!([])], &[json!([1]), json!(["a", 1, 2])]);
    let older = json!({"items": [{"type": "string"}], "additionalItems": {"type": "integer"}});
    check(older, &[json!(["a", 1, 2])], &[json!([1]), json!(["a", "b"])]);
    check(json!({"minItems": 1, "maxItems": 2}), &[json!([1])], &[json!([]), json!([1, 2, 3])]);
    let unique = [json!([1, true, "1", [1], {"a": 1}]), json!(["a:1", "b"]), json!([[["a"]], [["b"]]])];
    let repeated = [json!([1, 1.0]), json!([{"a": 1, "b": 2}, {"b": 2, "a": 1.0}]), json!([[], []])];
    check(json!({"uniqueItems": true}), &unique, &repeated);
    check(json!({"uniqueItems": false}), &[json!([1, 1])], &[]);
    let some = json!({"contains": {"type": "string"}, "minContains": 2, "maxContains": 3});
    check(
        some,
        &[json!(["a", 1, "b"]), json!(["a", "b", "c"])],
        &[json!(["a"]), json!(["a", "b", "c", "d"])],
    );
    check(json!({"contains": {"const": 1}, "minContains": 0}), &[json!([])], &[]);
}

#[test]
fn combinations() {
    check(json!({"allOf": [{"minimum": 1}, {"maximum": 3}]}), &[json!(2)], &[json!(0), json!(4)]);
    check(json!({"anyOf": [{"type": "string"}, {"minimum": 3}]}), &[json!("a"), json!(3)], &[json!(2)]);
    check(
        json!({"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]}),
        &[json!(2), json!(9)],
        &[json!(6), json!(5)],
    );
    check(json!({"not": {"type": "null"}}), &[json!(0)], &[json!(null)]);
    let when = json!({"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"minimum": 2}});
    check(when, &[json!("ab"), json!(2)], &[json!("a"), json!(1)]);
    check(json!({"then": false, "else": false}), &[json!(1)], &[]);
}

#[test]
fn references() {
    let tree = json!({
        "type": "object",
        "properties": {"value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#"}}},
        "required": ["value"]
    });
    let leaf = json!({"value": 1});
    check(
        tree,
        &[json!({"value": 0, "children": [leaf, leaf]})],
        &[json!({"value": 0, "children": [{"value": "x"}]})],
    );
    let escaped = json!({"$defs": {"a/b~c d": {"type": "null"}}, "$ref": "#/$defs/a~1b~0c%20d"});
    check(escaped, &[json!(null)], &[json!(1)]);
    check(
        json!({"$defs": {"x": {"$anchor": "name", "type": "null"}}, "$ref": "#name"}),
        &[json!(null)],
        &[json!(1)],
    );
    let typebox =
        json!({"$id": "Node", "properties": {"next": {"$ref": "Node"}}, "additionalProperties": false});
    check(typebox, &[json!({"next": {"next": {}}})], &[json!({"next": {"other": 1}})]);
    let decoy = json!({"enum": [{"$id": "here"}, 5], "$defs": {"real": {"$id": "here", "const": 5}}, "allOf": [{"$ref": "here"}]});
    check(decoy, &[json!(5)], &[json!({"$id": "here"})]);
}

#[test]
fn drafts_differ_where_they_should() {
    let siblings = |draft: &str| json!({"$schema": draft, "properties": {"a": {"$ref": "#/definitions/n", "maximum": 5}}, "definitions": {"n": {"type": "integer"}}});
    let (seven, twenty) =
        ("http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema");
    check(siblings(seven), &[json!({"a": 9})], &[json!({"a": "x"})]);
    check(siblings(twenty), &[json!({"a": 5})], &[json!({"a": 9})]);
    check(
        json!({"$schema": seven, "prefixItems": [false], "dependentRequired": {"a": ["b"]}}),
        &[json!([1]), json!({"a": 1})],
        &[],
    );
    check(
        json!({"$schema": seven, "definitions": {"x": {"$id": "#name", "type": "null"}}, "allOf": [{"$ref": "#name"}]}),
        &[json!(null)],
        &[json!(1)],
    );
    let counts = |draft: &str| json!({"$schema": draft, "contains": {"const": 1}, "unevaluatedItems": false});
    check(counts(twenty), &[json!([1, 1])], &[json!([1, 2])]);
    check(counts("https://json-schema.org/draft/2019-09/schema"), &[], &[json!([1, 1])]);
}

#[test]
fn unevaluated_members_and_items() {
    let schema = json!({
        "properties": {"kind": true},
        "oneOf": [
            {"properties": {"kind": {"const": "a"}, "x": {"type": "integer"}}, "required": ["x"]},
            {"properties": {"kind": {"const": "b"}, "y": true}, "required": ["y"]}
        ],
        "unevaluatedProperties": false
    });
    let good = [json!({"kind": "a", "x": 1}), json!({"kind": "b", "y": 1})];
    check(schema, &good, &[json!({"kind": "a", "x": 1, "y": 1}), json!({"kind": "b", "y": 1, "z": 1})]);
    let items = json!({"allOf": [{"prefixItems": [true]}], "unevaluatedItems": {"type": "integer"}});
    check(items, &[json!(["a", 1])], &[json!(["a", "b"])]);
    let hidden = json!({"not": {"not": {"properties": {"a": true}}}, "unevaluatedProperties": false});
    check(hidden, &[json!({})], &[json!({"a": 1})]);
    let chosen = json!({"if": {"properties": {"a": {"const": 1}}, "required": ["a"]}, "else": {"properties": {"b": true}}, "unevaluatedProperties": false});
    check(chosen, &[json!({"a": 1}), json!({"b": 1})], &[json!({"a": 1, "b": 1}), json!({"a": 2, "b": 1})]);
}
