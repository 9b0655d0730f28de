//! The json dialect, the planner's object and calls that a model wrote as text: what was read and is written down says
//! the same when it is read again.

use super::text::understood;
use host::dialect::{Dialect, calls, json};
use serde_json::Value;

pub fn check(data: &[u8]) {
    let reply = String::from_utf8_lossy(data);
    match json::read(&reply) {
        Ok(plan) => {
            let written = serde_json::to_string(&plan).expect("a plan can be written");
            assert_eq!(json::read(&written), Ok(plan.clone()), "{written}");
            let _ = json::validate(&plan, &|command| command.contains("rm"));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if let Ok(Some(said)) = calls::read(&reply)
        && said.calls.iter().all(|call| is_exact(&call.arguments))
    {
        let written = calls::render(&said.words, &said.calls);
        assert_eq!(calls::read(&written), Ok(Some(said)), "{written}");
    }
    understood(Dialect::Json, &reply);
    understood(Dialect::Native, &reply);
}

/// Whether arguments are an object, as they should be, that is written as it would be here.
fn is_exact(arguments: &str) -> bool {
    let Ok(value) = serde_json::from_str::<Value>(arguments) else { return false };
    let written = value.to_string();
    value.is_object() && written == arguments && has_no_fraction(&value)
}

/// A fraction may lose its last bit each time it is read.
fn has_no_fraction(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(has_no_fraction),
        Value::Object(fields) => fields.values().all(has_no_fraction),
        Value::Number(number) => !number.is_f64(),
        _ => true,
    }
}
