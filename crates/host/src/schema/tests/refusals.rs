//! Schemas that are wrong or ask for too much: each is refused, and the error names keyword and place.

use serde_json::{Value, json};

use crate::schema::{Schema, SchemaError};

#[track_caller]
fn refused(schema: Value, words: &[&str]) -> SchemaError {
    let error = Schema::compile(&schema).expect_err("the schema should be refused");
    let text = error.to_string();
    words.iter().for_each(|word| assert!(text.contains(word), "{word:?} is not in: {text}"));
    error
}

#[test]
fn wrong_schemas_name_keyword_and_place() {
    let cases = [
        (json!({"type": 5}), "`type`", "at #:"),
        (json!({"type": "int"}), "`type`", "integer"),
        (json!({"type": []}), "`type`", "at #:"),
        (json!({"properties": {"a/b": {"type": ["string", 1]}}}), "`type`", "#/properties/a~1b"),
        (json!({"items": {"minLength": -1}}), "`minLength`", "#/items"),
        (json!({"maxItems": 1.5}), "`maxItems`", "1.5"),
        (json!({"minimum": "1"}), "`minimum`", "a number"),
        (json!({"multipleOf": 0}), "`multipleOf`", "greater than 0"),
        (json!({"exclusiveMinimum": true}), "`exclusiveMinimum`", "a number"),
        (json!({"required": "name"}), "`required`", "list of property names"),
        (json!({"required": [1]}), "`required`", "list of property names"),
        (json!({"properties": []}), "`properties`", "an object"),
        (json!({"anyOf": []}), "`anyOf`", "at least one"),
        (json!({"enum": 1}), "`enum`", "a list"),
        (json!({"uniqueItems": 1}), "`uniqueItems`", "true or false"),
        (json!({"pattern": "("}), "`pattern`", "regular expression"),
        (json!({"patternProperties": {"(?=x)": true}}), "`patternProperties`", "look-around"),
        (json!({"dependentRequired": {"a": true}}), "`dependentRequired`", "\"a\""),
        (json!({"dependencies": {"a": [1]}}), "`dependencies`", "\"a\""),
        (json!({"$ref": 5}), "`$ref`", "a string"),
        (json!({"$ref": "#/$defs/missing"}), "`$ref`", "nothing is"),
        (json!({"$defs": {"unused": {"type": "strnig"}}}), "`type`", "#/$defs/unused"),
        (json!({"prefixItems": [true], "items": [true]}), "`items`", "prefixItems"),
        (
            json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "items": [true]}),
            "`items`",
            "prefixItems",
        ),
    ];
    for (schema, keyword, word) in cases {
        let error = refused(schema, &[keyword, word]);
        assert!(matches!(error, SchemaError::Wrong { .. }), "{error:?}");
    }
}

#[test]
fn schemas_must_be_objects_or_booleans() {
    for (schema, place) in
        [(json!(5), "#:"), (json!({"not": null}), "#/not"), (json!({"allOf": ["x"]}), "#/allOf/0")]
    {
        let error = refused(schema, &[place, "a schema must be"]);
        assert!(matches!(error, SchemaError::NotASchema { .. }), "{error:?}");
    }
}

#[test]
fn what_is_not_supported_is_said() {
    let cases = [
        (json!({"items": {"$ref": "other.json#/a"}}), "`$ref`", "#/items"),
        (json!({"$ref": "https://example.com/x"}), "`$ref`", "same document"),
        (json!({"$ref": "#nowhere"}), "`$ref`", "#nowhere"),
        (json!({"$dynamicRef": "#x"}), "`$dynamicRef`", "use $ref"),
        (json!({"not": {"$recursiveRef": "#"}}), "`$recursiveRef`", "#/not"),
        (json!({"$schema": "http://json-schema.org/draft-04/schema#"}), "`$schema`", "2020-12"),
        (
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {"$schema": "https://json-schema.org/draft/2020-12/schema"}}}),
            "`$schema`",
            "#/definitions/a",
        ),
    ];
    for (schema, keyword, word) in cases {
        let error = refused(schema, &[keyword, word]);
        assert!(matches!(error, SchemaError::Unsupported { .. }), "{error:?}");
    }
}

#[test]
fn circles_without_progress_are_refused() {
    let circles = [
        json!({"$ref": "#"}),
        json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [true, {"$ref": "#/$defs/a"}]}}}),
        json!({"anyOf": [{"type": "null"}, {"not": {"$ref": "#"}}]}),
        json!({"if": true, "then": {"$ref": "#"}}),
        json!({"dependentSchemas": {"a": {"$ref": "#"}}}),
    ];
    for schema in circles {
        refused(schema, &["`$ref`", "never end"]);
    }
    for fine in [
        json!({"items": {"$ref": "#"}}),
        json!({"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}], "$defs": {"a": true}}),
    ] {
        assert!(Schema::compile(&fine).is_ok(), "{fine}");
    }
}
