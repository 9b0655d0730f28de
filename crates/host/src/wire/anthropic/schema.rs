//! A JSON Schema as Messages can enforce it. Start from [`fitted`].
//!
//! Only a part of the language is enforced there, objects must be closed, and anything else is refused with the whole
//! request. What is left out makes the schema wider, and closing objects makes it narrower in a way that every answer
//! can follow; whoever asked checks the answer by the schema as it was.

use serde_json::{Map, Value, json};

/// Formats of strings that are enforced.
const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

/// The schema to send, or `None` where it needs what cannot be enforced, such as objects with any properties.
pub(super) fn fitted(schema: &Value) -> Option<Value> {
    let Value::Object(fields) = schema else { return None };
    if let Some(Value::Array(kinds)) = fields.get("type") {
        let of = |kind: &Value| {
            let mut one = fields.clone();
            one.insert("type".into(), kind.clone());
            fitted(&Value::Object(one))
        };
        return Some(json!({ "anyOf": kinds.iter().map(of).collect::<Option<Vec<_>>>()? }));
    }
    let mut out = Map::new();
    for (key, value) in fields {
        if let Some((key, value)) = kept(key, value)? {
            out.insert(key.to_owned(), value);
        }
    }
    if fields.get("type").and_then(Value::as_str) == Some("object") || fields.contains_key("properties") {
        close(fields, &mut out)?;
    }
    Some(Value::Object(out))
}

/// A keyword as it is sent; the inner `None` leaves it out, the outer one gives up.
fn kept<'a>(key: &'a str, value: &Value) -> Option<Option<(&'a str, Value)>> {
    Some(match key {
        "type" | "required" | "default" | "description" | "title" => Some((key, value.clone())),
        "const" => Some(("enum", json!([plain(value)?]))),
        "enum" => Some((key, value.as_array()?.iter().map(plain).collect::<Option<Vec<_>>>()?.into())),
        "properties" | "$defs" | "definitions" => {
            let each = |(name, schema): (&String, &Value)| Some((name.clone(), fitted(schema)?));
            Some((key, Value::Object(value.as_object()?.iter().map(each).collect::<Option<_>>()?)))
        }
        "items" => Some((key, fitted(value)?)),
        "anyOf" | "oneOf" | "allOf" => {
            let all: Option<Vec<Value>> = value.as_array()?.iter().map(fitted).collect();
            Some((if key == "oneOf" { "anyOf" } else { key }, all?.into()))
        }
        "$ref" => Some((key, value.as_str().filter(|to| to.starts_with('#')).map(Value::from)?)),
        "format" => value.as_str().filter(|name| FORMATS.contains(name)).map(|_| (key, value.clone())),
        "minItems" if matches!(value.as_u64(), Some(0 | 1)) => Some((key, value.clone())),
        "patternProperties" | "propertyNames" | "prefixItems" | "$dynamicRef" => return None,
        _ => None,
    })
}

/// Values that may be listed: no objects and lists.
fn plain(value: &Value) -> Option<Value> {
    (!value.is_object() && !value.is_array()).then(|| value.clone())
}

fn close(fields: &Map<String, Value>, out: &mut Map<String, Value>) -> Option<()> {
    let closed = fields.get("additionalProperties");
    let named = fields.get("properties").and_then(Value::as_object).is_some_and(|named| !named.is_empty());
    // An object that names nothing is a map of names that the model chooses.
    if closed.is_some_and(Value::is_object) || (!named && closed != Some(&Value::Bool(false))) {
        return None;
    }
    out.insert("additionalProperties".into(), Value::Bool(false));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::fitted;
    use serde_json::{Value, json};

    #[test]
    fn only_what_is_enforced_is_sent() {
        let table: &[(Value, Option<Value>)] = &[
            (
                json!({ "$schema": "x", "type": "object", "properties": { "n": { "type": "integer", "minimum": 1 } }, "required": ["n"] }),
                Some(
                    json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"], "additionalProperties": false }),
                ),
            ),
            (
                json!({ "type": "array", "minItems": 3, "items": { "type": "string", "format": "email", "maxLength": 9 } }),
                Some(json!({ "type": "array", "items": { "type": "string", "format": "email" } })),
            ),
            (
                json!({ "type": ["string", "null"] }),
                Some(json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] })),
            ),
            (
                json!({ "oneOf": [{ "const": 1 }, { "enum": ["a"] }] }),
                Some(json!({ "anyOf": [{ "enum": [1] }, { "enum": ["a"] }] })),
            ),
            (
                json!({ "$ref": "#/$defs/a", "$defs": { "a": { "type": "null" } } }),
                Some(json!({ "$ref": "#/$defs/a", "$defs": { "a": { "type": "null" } } })),
            ),
            (json!({ "type": "object" }), None),
            (
                json!({ "type": "object", "properties": { "x": { "type": "object", "additionalProperties": { "type": "string" } } } }),
                None,
            ),
            (json!({ "$ref": "http://elsewhere/x" }), None),
            (json!({ "enum": [{ "a": 1 }] }), None),
            (json!(true), None),
        ];
        for (schema, expected) in table {
            assert_eq!(fitted(schema), *expected, "{schema}");
        }
    }
}
