//! Reading the keywords that stand by themselves: types, fixed values, bounds, lengths, presence.
//! Start from [`assertions`]. It reads no subschema.

use serde_json::Value;

use super::super::SchemaError;
use super::super::assertion::{Assertion, Bound, Counted, End, Type};
use super::super::draft::Draft;
use super::super::pattern::Pattern;
use super::super::place::{Place, names_of};
use super::super::violation::excerpt;

/// All assertions of one schema object, in the order in which they complain.
pub(super) fn assertions(place: Place<'_, '_>, draft: Draft) -> Result<Vec<Assertion>, SchemaError> {
    let mut out = Vec::new();
    fixed_values(place, &mut out)?;
    numbers(place, &mut out)?;
    counts(place, &mut out)?;
    presence(place, draft, &mut out)?;
    Ok(out)
}

/// Compiles a pattern that stands under a keyword.
pub(super) fn pattern(place: Place<'_, '_>, keyword: &str, source: &str) -> Result<Pattern, SchemaError> {
    Pattern::new(source)
        .map_err(|problem| place.wrong(keyword, format!("{} {problem}", excerpt(&source.into()))))
}

fn fixed_values(place: Place<'_, '_>, out: &mut Vec<Assertion>) -> Result<(), SchemaError> {
    if let Some(value) = place.get("type") {
        let named = |value: &Value| value.as_str().and_then(Type::named);
        let types = match value {
            Value::Array(list) if !list.is_empty() => list.iter().map(named).collect(),
            single => named(single).map(|kind| vec![kind]),
        };
        let known = "null, boolean, integer, number, string, array and object";
        let problem = || format!("must be one or a list of {known}, not {}", excerpt(value));
        out.push(Assertion::Type(types.ok_or_else(|| place.wrong("type", problem()))?));
    }
    out.extend(place.list("enum")?.map(|list| Assertion::Enum(list.clone())));
    out.extend(place.get("const").map(|value| Assertion::Const(value.clone())));
    Ok(())
}

fn numbers(place: Place<'_, '_>, out: &mut Vec<Assertion>) -> Result<(), SchemaError> {
    let bounds = [
        ("minimum", Bound::AtLeast),
        ("maximum", Bound::AtMost),
        ("exclusiveMinimum", Bound::MoreThan),
        ("exclusiveMaximum", Bound::LessThan),
    ];
    for (keyword, bound) in bounds {
        out.extend(place.limit(keyword)?.map(|limit| Assertion::Bound(bound, limit)));
    }
    out.extend(place.positive("multipleOf")?.map(Assertion::MultipleOf));
    Ok(())
}

fn counts(place: Place<'_, '_>, out: &mut Vec<Assertion>) -> Result<(), SchemaError> {
    let counts = [
        ("minLength", Counted::Characters, End::Least),
        ("maxLength", Counted::Characters, End::Most),
        ("minItems", Counted::Items, End::Least),
        ("maxItems", Counted::Items, End::Most),
        ("minProperties", Counted::Properties, End::Least),
        ("maxProperties", Counted::Properties, End::Most),
    ];
    for (keyword, unit, end) in counts {
        out.extend(place.count(keyword)?.map(|limit| Assertion::Count(unit, end, limit)));
    }
    if let Some(source) = place.string("pattern")? {
        out.push(Assertion::Pattern(pattern(place, "pattern", source)?));
    }
    if place.flag("uniqueItems")? == Some(true) {
        out.push(Assertion::Unique);
    }
    Ok(())
}

fn presence(place: Place<'_, '_>, draft: Draft, out: &mut Vec<Assertion>) -> Result<(), SchemaError> {
    out.extend(place.names("required")?.map(Assertion::Required));
    let keywords =
        if draft.since_nineteen() { &["dependentRequired", "dependencies"][..] } else { &["dependencies"] };
    for &keyword in keywords {
        for (cause, value) in place.map(keyword)?.into_iter().flatten() {
            match (names_of(value), keyword) {
                (Some(names), _) => out.push(Assertion::DependentRequired(cause.clone(), names)),
                // `dependencies` may hold schemas as well, which are read with the objects.
                (None, "dependencies") if !value.is_array() => {}
                (None, _) => {
                    let problem =
                        format!("must hold lists of names, but has {} for {cause:?}", excerpt(value));
                    return Err(place.wrong(keyword, problem));
                }
            }
        }
    }
    Ok(())
}
