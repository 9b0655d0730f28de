//! How an event is read. Start at the [`Deserialize`] of [`Event`].
//!
//! An event names its kind in a field among its others. What serde makes for that gathers all fields before it looks at
//! one, which was half the time of opening a long conversation. Every event that was ever written has its kind in
//! front, so that the rest can be read straight into place; wherever else it stands, the fields are gathered.

use super::*;
use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, VariantAccess, Visitor};
use serde_json::{Map, Value};

/// The name of the field that says which event it is.
const KIND: &str = "type";

/// The kinds of [`Event`] with their fields; the compiler sees to it that they fit.
#[derive(Deserialize)]
#[serde(remote = "Event", rename_all = "snake_case")]
enum Kind {
    Opened(Opened),
    Said(Said),
    Continued {},
    Shortened {},
    Called(Call),
    Noted {
        note: Value,
    },
    Asked {
        model: String,
        #[serde(default)]
        summary_of: Option<u64>,
    },
    Replied(Reply),
    Judged(Judged),
    Started {
        call: CallId,
    },
    Ran {
        call: CallId,
        outcome: Outcome,
    },
    Compacted(Compacted),
    Configured(Configured),
    Failed {
        failure: Failure,
        partial: String,
    },
    Cancelled {},
    Stopped {
        reason: Stop,
    },
    Undone {
        receipt: Value,
        paths: Vec<String>,
    },
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Event, D::Error> {
        deserializer.deserialize_map(Fields)
    }
}

struct Fields;

/// The field that says which event it is, or another one.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Field {
    Type,
    Other(String),
}

impl<'de> Visitor<'de> for Fields {
    type Value = Event;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Event, A::Error> {
        match fields.next_key()? {
            Some(Field::Type) => Kind::deserialize(Rest(fields)),
            Some(Field::Other(name)) => gather(name, fields),
            None => Err(A::Error::missing_field(KIND)),
        }
    }
}

/// Reads an event whose kind does not stand in front.
fn gather<'de, A: MapAccess<'de>>(first: String, mut fields: A) -> Result<Event, A::Error> {
    let mut gathered = Map::from_iter([(first, fields.next_value()?)]);
    while let Some((name, value)) = fields.next_entry()? {
        gathered.insert(name, value);
    }
    let kind = gathered.remove(KIND).ok_or_else(|| A::Error::missing_field(KIND))?;
    let mut fields = MapDeserializer::new([(KIND.to_owned(), kind)].into_iter().chain(gathered));
    let read = fields.next_key::<Field>().and_then(|_| Kind::deserialize(Rest(fields)));
    read.map_err(|error: serde_json::Error| A::Error::custom(error))
}

/// The fields of an event from the value of its kind on.
struct Rest<A>(A);

impl<'de, A: MapAccess<'de>> Deserializer<'de> for Rest<A> {
    type Error = A::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_enum(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, A: MapAccess<'de>> EnumAccess<'de> for Rest<A> {
    type Error = A::Error;
    type Variant = Rest<A>;

    fn variant_seed<S: DeserializeSeed<'de>>(mut self, kind: S) -> Result<(S::Value, Rest<A>), A::Error> {
        Ok((self.0.next_value_seed(kind)?, self))
    }
}

impl<'de, A: MapAccess<'de>> VariantAccess<'de> for Rest<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        Err(A::Error::custom("every event has fields"))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        seed.deserialize(MapAccessDeserializer::new(self.0))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_map(self.0)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        visitor.visit_map(self.0)
    }
}

#[cfg(test)]
mod tests;
