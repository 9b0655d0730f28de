//! Equality as JSON Schema means it: numbers by value (1 is 1.0), objects without order. Start from [`same`].
//! It recurses; callers ask [`nests_deeper_than`] once before they hand values in.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::Value;

use super::decimal::Decimal;

pub(super) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => Decimal::of(left) == Decimal::of(right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, value)| right.get(name).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}

/// The first two items that are the same, by their positions.
pub(super) fn first_repeat(items: &[Value]) -> Option<(usize, usize)> {
    let mut seen = HashMap::with_capacity(items.len());
    items.iter().enumerate().find_map(|(index, item)| {
        let mut key = String::new();
        write_key(item, &mut key);
        seen.insert(key, index).map(|earlier| (earlier, index))
    })
}

/// Whether lists and objects stand in one another more than `limit` deep. It does not recurse itself.
pub(super) fn nests_deeper_than(limit: usize, value: &Value) -> bool {
    let mut waiting = vec![(value, 0)];
    while let Some((value, depth)) = waiting.pop() {
        if depth > limit {
            return true;
        }
        match value {
            Value::Array(items) => waiting.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => waiting.extend(map.values().map(|member| (member, depth + 1))),
            _ => {}
        }
    }
    false
}

/// Writes text that is equal for two values exactly when they are the [`same`].
fn write_key(value: &Value, key: &mut String) {
    match value {
        Value::Null => key.push('n'),
        Value::Bool(true) => key.push('t'),
        Value::Bool(false) => key.push('f'),
        Value::Number(number) => _ = write!(key, "{:?};", Decimal::of(number)),
        // The length in front makes any content unambiguous.
        Value::String(text) => _ = write!(key, "{}:{text}", text.len()),
        Value::Array(items) => {
            _ = write!(key, "[{};", items.len());
            items.iter().for_each(|item| write_key(item, key));
        }
        Value::Object(map) => {
            let mut members: Vec<_> = map.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            _ = write!(key, "{{{};", members.len());
            for (name, member) in members {
                _ = write!(key, "{}:{name}", name.len());
                write_key(member, key);
            }
        }
    }
}
