//! Schemas and values made to exhaust stack or time: each ends with an answer, and never with a false pass.

use serde_json::{Value, json};

use crate::schema::{Schema, SchemaError, Violation};

/// Half of what the runtime gives its worker threads.
const STACK: usize = 1 << 20;

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(0), |inner, _| Value::Array(vec![inner]))
}

fn on_a_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap()
}

fn check(schema: Value, value: Value) -> Result<(), Vec<Violation>> {
    on_a_small_stack(move || Schema::compile(&schema).unwrap().check(&value))
}

#[test]
fn whatever_the_reader_accepts_can_be_checked() {
    let schema = json!({"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/list"}], "$defs": {"list": {"items": {"$ref": "#"}}}});
    assert_eq!(check(schema, nested(127)), Ok(()));
}

#[test]
fn deeper_values_fail_also_under_not() {
    for schema in [
        json!({"items": {"$ref": "#"}}),
        json!({"not": {"items": {"$ref": "#"}}}),
        json!({"uniqueItems": true}),
    ] {
        let violations = check(schema, nested(1_000)).unwrap_err();
        assert!(violations[0].expected.contains("levels of nesting"), "{}", violations[0]);
    }
}

/// Definitions of which each applies the next one, under a `not`.
fn chain(length: usize, link: impl Fn(Value) -> Value) -> Value {
    let links = (0..length).map(|number| {
        let next = json!({"$ref": format!("#/$defs/n{}", number + 1)});
        (format!("n{number}"), link(next))
    });
    let mut defs: serde_json::Map<String, Value> = links.collect();
    defs.insert(format!("n{length}"), json!({"type": "null"}));
    json!({"$defs": defs, "not": {"$ref": "#/$defs/n0"}})
}

#[test]
fn long_chains_of_schemas_end() {
    let within = |next| json!({"allOf": [next]});
    assert_eq!(check(chain(3_000, |next| next), json!(1)), Ok(()));
    assert!(check(chain(3_000, |next| next), json!(null)).is_err());
    assert_eq!(check(chain(300, within), json!(1)), Ok(()));
    let violations = check(chain(3_000, within), json!(1)).unwrap_err();
    assert!(violations[0].expected.contains("nested less deeply"), "{}", violations[0]);
}

#[test]
fn branching_at_every_level_is_cut_off() {
    let list = json!({"type": "array", "items": {"$ref": "#/$defs/any"}});
    let schema = json!({"not": {"$ref": "#/$defs/any"}, "$defs": {"any": {"anyOf": [list.clone(), list]}}});
    let violations = check(schema, nested(100)).unwrap_err();
    assert!(violations[0].expected.contains("steps"), "{}", violations[0]);
}

#[test]
fn large_schemas_are_refused() {
    let deep = (0..300).fold(json!({}), |inner, _| json!({"not": inner}));
    let wide = json!({"allOf": vec![json!({}); 60_000]});
    for schema in [deep, wide] {
        let error = on_a_small_stack(move || Schema::compile(&schema)).unwrap_err();
        assert!(matches!(error, SchemaError::TooLarge { .. }), "{error}");
    }
}

#[test]
fn every_kind_of_frame_fits_the_stack() {
    // Each level goes through as many kinds of rules as can be nested around one value.
    let level = json!({
        "allOf": [{"oneOf": [{"if": true, "then": {"dependentSchemas": {"a": {"$ref": "#/$defs/members"}}}}]}],
        "$defs": {"members": {"properties": {"a": {"$ref": "#"}}, "unevaluatedProperties": false}}
    });
    let value = (0..120).fold(json!({}), |inner, _| json!({"a": inner}));
    let outcome = check(level, value);
    assert!(outcome.is_err_and(|violations| violations[0].expected.contains("nested less deeply")));
}
