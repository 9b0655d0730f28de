//! The rules that need no other schema: types, bounds, lengths, fixed values. Start from [`Assertion`].
//! An assertion about one type holds for every value of another type, as the standard says.

use serde_json::{Number, Value};

use super::decimal::Decimal;
use super::equal::{first_repeat, same};
use super::pattern::Pattern;
use super::violation::{counted, cut, excerpt, quoted, shown};

/// One check of a value that stands by itself.
#[derive(Debug)]
pub(super) enum Assertion {
    Type(Vec<Type>),
    Enum(Vec<Value>),
    Const(Value),
    Bound(Bound, Limit),
    MultipleOf(Limit),
    Count(Counted, End, u64),
    Pattern(Pattern),
    Unique,
    Required(Vec<String>),
    /// With the first property come the others.
    DependentRequired(String, Vec<String>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

/// How a number is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    AtLeast,
    AtMost,
    MoreThan,
    LessThan,
}

/// A number of the schema: exact, and as it was written.
#[derive(Debug)]
pub(super) struct Limit {
    exact: Decimal,
    written: Number,
}

/// What a length is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    Characters,
    Items,
    Properties,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Least,
    Most,
}

impl Assertion {
    pub(super) fn holds(&self, value: &Value) -> bool {
        match (self, value) {
            (Assertion::Type(types), _) => types.iter().any(|kind| kind.includes(value)),
            (Assertion::Enum(allowed), _) => allowed.iter().any(|one| same(one, value)),
            (Assertion::Const(wanted), _) => same(wanted, value),
            (Assertion::Bound(bound, limit), Value::Number(number)) => {
                bound.admits(Decimal::of(number), limit.exact)
            }
            (Assertion::MultipleOf(step), Value::Number(number)) => {
                Decimal::of(number).is_multiple_of(step.exact)
            }
            (Assertion::Count(unit, end, limit), _) => {
                unit.count(value).is_none_or(|count| end.admits(count, *limit))
            }
            (Assertion::Pattern(pattern), Value::String(text)) => pattern.matches(text),
            (Assertion::Unique, Value::Array(items)) => first_repeat(items).is_none(),
            (Assertion::Required(names), Value::Object(map)) => {
                names.iter().all(|name| map.contains_key(name))
            }
            (Assertion::DependentRequired(cause, names), Value::Object(map)) => {
                !map.contains_key(cause) || names.iter().all(|name| map.contains_key(name))
            }
            _ => true,
        }
    }

    /// What was expected and what was found, for a value that does not hold.
    pub(super) fn complaint(&self, value: &Value) -> (String, String) {
        let found = excerpt(value);
        match self {
            Assertion::Type(types) => (type_names(types), found),
            Assertion::Enum(allowed) if allowed.is_empty() => {
                ("nothing, since `enum` is empty".into(), found)
            }
            Assertion::Enum(allowed) => (format!("one of {}", shown(allowed)), found),
            Assertion::Const(wanted) => (format!("exactly {}", excerpt(wanted)), found),
            Assertion::Bound(bound, limit) => {
                (format!("a number {} {}", bound.words(), limit.written), found)
            }
            Assertion::MultipleOf(step) => (format!("a multiple of {}", step.written), found),
            Assertion::Count(unit, end, limit) => {
                let wanted = format!("{} {} {}", unit.whole(), end.words(), counted(*limit, unit.noun()));
                let count = unit.count(value).unwrap_or_default();
                (wanted, format!("{}: {found}", counted(count, unit.noun())))
            }
            Assertion::Pattern(pattern) => {
                (format!("a string that matches the pattern `{}`", cut(&pattern.source, 200)), found)
            }
            Assertion::Unique => ("items that all differ".into(), repeat_words(value)),
            Assertion::Required(names) => (missing_words(names, value), present_words(value)),
            Assertion::DependentRequired(cause, names) => {
                let missing = missing_words(names, value);
                (format!("{missing} because {} is there", quoted([cause.as_str()])), present_words(value))
            }
        }
    }
}

impl Type {
    pub(super) fn named(name: &str) -> Option<Type> {
        Some(match name {
            "null" => Type::Null,
            "boolean" => Type::Boolean,
            "integer" => Type::Integer,
            "number" => Type::Number,
            "string" => Type::String,
            "array" => Type::Array,
            "object" => Type::Object,
            _ => return None,
        })
    }

    fn includes(self, value: &Value) -> bool {
        match (self, value) {
            (Type::Integer, Value::Number(number)) => Decimal::of(number).is_integer(),
            (Type::Null, Value::Null)
            | (Type::Boolean, Value::Bool(_))
            | (Type::Number, Value::Number(_))
            | (Type::String, Value::String(_))
            | (Type::Array, Value::Array(_))
            | (Type::Object, Value::Object(_)) => true,
            _ => false,
        }
    }

    fn phrase(self) -> &'static str {
        match self {
            Type::Null => "null",
            Type::Boolean => "true or false",
            Type::Integer => "an integer",
            Type::Number => "a number",
            Type::String => "a string",
            Type::Array => "an array",
            Type::Object => "an object",
        }
    }
}

impl Bound {
    fn admits(self, number: Decimal, limit: Decimal) -> bool {
        match self {
            Bound::AtLeast => number >= limit,
            Bound::AtMost => number <= limit,
            Bound::MoreThan => number > limit,
            Bound::LessThan => number < limit,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Bound::AtLeast => "of at least",
            Bound::AtMost => "of at most",
            Bound::MoreThan => "greater than",
            Bound::LessThan => "less than",
        }
    }
}

impl Limit {
    pub(super) fn new(written: &Number) -> Limit {
        Limit { exact: Decimal::of(written), written: written.clone() }
    }

    pub(super) fn is_positive(&self) -> bool {
        self.exact.is_positive()
    }
}

impl Counted {
    /// The count, or nothing if the value is of another type.
    fn count(self, value: &Value) -> Option<u64> {
        let count = match (self, value) {
            (Counted::Characters, Value::String(text)) => text.chars().count(),
            (Counted::Items, Value::Array(items)) => items.len(),
            (Counted::Properties, Value::Object(map)) => map.len(),
            _ => return None,
        };
        Some(count as u64)
    }

    fn whole(self) -> &'static str {
        match self {
            Counted::Characters => "a string of",
            Counted::Items => "an array of",
            Counted::Properties => "an object of",
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Counted::Characters => "character",
            Counted::Items => "item",
            Counted::Properties => "property",
        }
    }
}

impl End {
    fn admits(self, count: u64, limit: u64) -> bool {
        match self {
            End::Least => count >= limit,
            End::Most => count <= limit,
        }
    }

    fn words(self) -> &'static str {
        match self {
            End::Least => "at least",
            End::Most => "at most",
        }
    }
}

fn type_names(types: &[Type]) -> String {
    types.iter().map(|kind| kind.phrase()).collect::<Vec<_>>().join(" or ")
}

fn repeat_words(value: &Value) -> String {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    match first_repeat(items) {
        Some((one, other)) => format!("items {one} and {other} both {}", excerpt(&items[one])),
        None => excerpt(value),
    }
}

fn missing_words(names: &[String], value: &Value) -> String {
    let missing: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| value.get(name).is_none()).collect();
    let noun = if missing.len() == 1 { "property" } else { "properties" };
    format!("the {noun} {}", quoted(missing))
}

fn present_words(value: &Value) -> String {
    match value.as_object() {
        Some(map) if map.is_empty() => "an object without properties".into(),
        Some(map) => format!("an object with only {}", quoted(map.keys().map(String::as_str))),
        None => excerpt(value),
    }
}
