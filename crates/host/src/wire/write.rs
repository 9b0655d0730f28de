//! Small pieces of JSON that several wires write.

use agent::Call;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::borrow::{Borrow, Cow};
use std::fmt;

/// A call's arguments as a JSON object. Several servers parse them and refuse the whole conversation for good if they
/// cannot, so what the model wrote wrongly goes back inside an object.
pub(super) fn arguments(call: &Call) -> Cow<'_, str> {
    let written = call.arguments.trim();
    if written.is_empty() {
        return Cow::Borrowed("{}");
    }
    if written.starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(written).is_ok() {
        return Cow::Borrowed(&call.arguments);
    }
    Cow::Owned(json!({ "malformed": call.arguments }).to_string())
}

/// The same as a value, letter for letter as the model wrote it.
pub(super) fn input(call: &Call) -> Option<Box<RawValue>> {
    RawValue::from_string(arguments(call).trim().to_owned()).ok()
}

/// What a person said: one text as it is, several as parts.
#[derive(serde::Serialize)]
#[serde(untagged)]
pub(super) enum Content<'a> {
    One(&'a str),
    Parts(Vec<TextPart<'a>>),
}

#[derive(serde::Serialize)]
pub(super) struct TextPart<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    text: &'a str,
}

impl<'a> Content<'a> {
    /// `kind` is what the wire calls a part that is text.
    pub(super) fn of(parts: &'a [String], kind: &'a str) -> Content<'a> {
        match parts {
            [] => Content::One(""),
            [one] => Content::One(one),
            many => Content::Parts(many.iter().map(|text| TextPart { kind, text }).collect()),
        }
    }
}

/// Opens a request: `fixed` without its closing brace, then the list `name` of messages. What a person wants to be in
/// every request, `own`, stands beside the rest or in its place.
pub(super) fn opened(fixed: &impl Serialize, own: &Map<String, Value>, name: &str) -> Vec<u8> {
    let mut bytes = serialised(fixed);
    if !own.is_empty()
        && let Ok(mut fields) = serde_json::from_slice::<Fields>(&bytes)
    {
        fields.replace(own);
        bytes = serialised(&fields);
    }
    bytes.pop();
    bytes.extend_from_slice(format!(",\"{name}\":[").as_bytes());
    bytes
}

/// Writes the items with commas between them.
pub(super) fn list<T: Serialize>(items: impl IntoIterator<Item = T>, out: &mut Vec<u8>) {
    for (place, item) in items.into_iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        out.extend(serialised(&item));
    }
}

pub(super) fn serialised(value: &impl Serialize) -> Vec<u8> {
    // Writing strings and maps with string keys into memory cannot fail.
    serde_json::to_vec(value).unwrap_or_default()
}

/// The fields of an object in their order, each letter for letter as it stood.
struct Fields(Vec<(String, Box<RawValue>)>);

impl Fields {
    fn replace(&mut self, own: &Map<String, Value>) {
        self.0.retain(|(name, _)| !own.contains_key(name));
        let raw = |(name, value): (&String, &Value)| {
            Some((name.clone(), RawValue::from_string(value.to_string()).ok()?))
        };
        self.0.extend(own.iter().filter_map(raw));
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Fields, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        from.deserialize_map(InOrder)
    }
}

/// Whether OpenAI would enforce the schema and not refuse it: every object names all it may hold and requires it.
pub(super) fn is_strict(schema: &Value) -> bool {
    let fields = match schema {
        Value::Array(items) => return items.iter().all(is_strict),
        Value::Object(fields) => fields,
        _ => return true,
    };
    let closed = match fields.get("properties") {
        Some(Value::Object(properties)) => {
            let required = fields.get("required").and_then(Value::as_array);
            fields.get("additionalProperties") == Some(&Value::Bool(false))
                && required.is_some_and(|names| {
                    properties.keys().all(|key| names.iter().any(|name| name.as_str() == Some(key)))
                })
        }
        _ => fields.get("type").and_then(Value::as_str) != Some("object"),
    };
    closed && fields.values().all(is_strict)
}

/// A schema with its properties in the order in which they are required: models write them in the order in which they
/// stand, and should think before they act.
pub(super) struct Ordered<V>(pub V);

impl<V: Borrow<Value>> Serialize for Ordered<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = match self.0.borrow() {
            Value::Array(items) => return serializer.collect_seq(items.iter().map(Ordered)),
            Value::Object(fields) => fields,
            other => return other.serialize(serializer),
        };
        let mut map = serializer.serialize_map(Some(fields.len()))?;
        for (name, value) in fields {
            match (name.as_str(), value, fields.get("required")) {
                ("properties", Value::Object(properties), Some(Value::Array(required))) => {
                    map.serialize_entry(name, &Properties { properties, required })?
                }
                _ => map.serialize_entry(name, &Ordered(value))?,
            }
        }
        map.end()
    }
}

struct Properties<'a> {
    properties: &'a Map<String, Value>,
    required: &'a [Value],
}

impl Serialize for Properties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = |name: &str| self.required.iter().position(|required| required.as_str() == Some(name));
        let mut sorted: Vec<(&String, &Value)> = self.properties.iter().collect();
        sorted.sort_by_key(|(name, _)| place(name).unwrap_or(usize::MAX));
        serializer.collect_map(sorted.into_iter().map(|(name, value)| (name, Ordered(value))))
    }
}
