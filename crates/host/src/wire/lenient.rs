//! Values as servers send them, which is not always as the protocol has them. Start at [`Text`].
//!
//! Reading never fails on a value of another kind: what cannot be meant is nothing. Text is lent where it can be.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// A string, or whatever stands in its place: null is no text, a list is the text of its parts.
#[derive(Debug, Default, Clone)]
pub(super) struct Text<'a> {
    said: Cow<'a, str>,
    thought: Option<Box<str>>,
}

impl Text<'_> {
    pub(super) fn as_str(&self) -> &str {
        &self.said
    }

    /// What parts of the kind `thinking` hold.
    pub(super) fn thinking(&self) -> &str {
        self.thought.as_deref().unwrap_or_default()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.said.is_empty()
    }

    fn owned(text: String) -> Self {
        Text { said: Cow::Owned(text), thought: None }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Text<'a>, D::Error> {
        from.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text { said: Cow::Borrowed(text), thought: None })
    }

    fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text::owned(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Text<'de>, E> {
        Ok(Text::owned(text))
    }

    fn visit_unit<E>(self) -> Result<Text<'de>, E> {
        Ok(Text::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Text<'de>, E> {
        Ok(Text::default())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Text<'de>, E> {
        Ok(Text::owned(number.to_string()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Text<'de>, E> {
        Ok(Text::owned(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Text<'de>, E> {
        Ok(Text::owned(number.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Text<'de>, A::Error> {
        let (mut said, mut thought) = (String::new(), String::new());
        while let Some(part) = parts.next_element::<Text<'de>>()? {
            said.push_str(part.as_str());
            thought.push_str(part.thinking());
        }
        Ok(Text { said: Cow::Owned(said), thought: Some(thought.into()) })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut part: A) -> Result<Text<'de>, A::Error> {
        let (mut said, mut thought) = (String::new(), String::new());
        while let Some(key) = part.next_key::<Cow<'de, str>>()? {
            match key.as_ref() {
                "text" | "content" => said.push_str(part.next_value::<Text<'de>>()?.as_str()),
                "thinking" => thought.push_str(part.next_value::<Text<'de>>()?.as_str()),
                _ => {
                    part.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Text { said: Cow::Owned(said), thought: Some(thought.into()) })
    }
}

/// A fragment of arguments, or the JSON text of what a server sent instead of one.
pub(super) fn fragment(raw: &RawValue) -> Cow<'_, str> {
    let json = raw.get();
    match serde_json::from_str::<Text<'_>>(json) {
        Ok(text) if json.starts_with('"') || json == "null" => text.said,
        _ => Cow::Borrowed(json),
    }
}

/// A whole number that is not negative, or nothing. Some servers write numbers as strings or with a fraction.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Number(pub(super) Option<u64>);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Number, D::Error> {
        let text = Text::deserialize(from)?;
        Ok(Number(text.said.split('.').next().and_then(|whole| whole.parse().ok())))
    }
}

/// How OpenAI's wires count input that was cached.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Cached {
    pub(super) cached_tokens: Number,
}

/// How they count output that was thought.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Thought {
    pub(super) reasoning_tokens: Number,
}
