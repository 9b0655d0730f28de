//! A piece of a reply as servers send it, read without copying where that can be done.
//!
//! What differs between servers: any field may be missing or null; `content` is a string, or a list of text and
//! thinking parts; numbers come as strings; arguments come as an object instead of a string; usage is reported in a
//! chunk without choices, beside the last one, in all of them, or under another name.

use agent::Usage;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk<'a> {
    #[serde(borrow)]
    pub(super) choices: Option<Vec<Choice<'a>>>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
    pub(super) error: Option<IgnoredAny>,
    #[serde(borrow)]
    pub(super) x_groq: Option<Groq<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Groq<'a> {
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice<'a> {
    #[serde(borrow)]
    pub(super) delta: Option<Said<'a>>,
    /// In place of `delta` where an answer comes in one piece; on the heap, as it is rare and chunks are moved about.
    #[serde(borrow)]
    pub(super) message: Option<Box<Said<'a>>>,
    #[serde(borrow)]
    pub(super) finish_reason: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Said<'a> {
    #[serde(borrow)]
    pub(super) content: Text<'a>,
    #[serde(borrow)]
    pub(super) reasoning_content: Text<'a>,
    #[serde(borrow)]
    pub(super) reasoning: Text<'a>,
    #[serde(borrow)]
    pub(super) refusal: Option<Box<Text<'a>>>,
    #[serde(borrow)]
    pub(super) tool_calls: Option<Vec<CallPart<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CallPart<'a> {
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    pub(super) index: Number,
    #[serde(borrow)]
    pub(super) function: Option<Function<'a>>,
    #[serde(borrow)]
    pub(super) extra_content: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Function<'a> {
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl<'a> Function<'a> {
    /// The fragment of arguments, or the JSON text of what a server sent instead of one.
    pub(super) fn arguments(&self) -> Cow<'a, str> {
        let Some(raw) = self.arguments else { return Cow::Borrowed("") };
        match serde_json::from_str::<Text<'a>>(raw.get()) {
            Ok(Text { said, .. }) if raw.get().starts_with('"') => said,
            _ => Cow::Borrowed(raw.get()),
        }
    }
}

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

/// A whole number that is not negative, or nothing. Some servers write numbers as strings or with a fraction.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Number(pub(super) Option<u64>);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Number, D::Error> {
        let text = Text::deserialize(from)?;
        Ok(Number(text.said.split('.').next().and_then(|whole| whole.parse().ok())))
    }
}

/// Tokens as servers count them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    prompt_tokens: Number,
    completion_tokens: Number,
    prompt_tokens_details: Option<Cached>,
    completion_tokens_details: Option<Thought>,
    prompt_cache_hit_tokens: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Cached {
    cached_tokens: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Thought {
    reasoning_tokens: Number,
}

impl Tokens {
    pub(super) fn read(raw: &RawValue) -> Option<Usage> {
        let tokens: Tokens = serde_json::from_str(raw.get()).ok()?;
        let cached = tokens.prompt_tokens_details.and_then(|details| details.cached_tokens.0);
        Some(Usage {
            input: tokens.prompt_tokens.0.unwrap_or(0),
            output: tokens.completion_tokens.0.unwrap_or(0),
            cached: cached.or(tokens.prompt_cache_hit_tokens.0).unwrap_or(0),
            reasoning: tokens
                .completion_tokens_details
                .and_then(|details| details.reasoning_tokens.0)
                .unwrap_or(0),
        })
    }
}
