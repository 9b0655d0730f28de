//! Reads the environment into a [`Layer`]: `CINQUE_KEY`, `CINQUE_SECTION__KEY`, and the variables that providers' own
//! tools use for their addresses. Start from [`parse`]. It reads pairs that are handed in, never the process's own.

use std::ffi::{OsStr, OsString};

use super::key::{Found, Name};
use super::layer::{Author, Layer, Origin, Problem, Wrong};
use crate::wire::KNOWN;

/// What the variables say, and warnings about those that look like ours and are not. Those are no errors: a newer or
/// older version may know them, and they reach every program that is started.
pub fn parse(variables: &[(OsString, OsString)]) -> (Layer, Vec<Problem>) {
    let mut layer = Layer::of(Author::Person);
    let mut warnings = addresses(variables, &mut layer);
    for (variable, value) in variables {
        let Some(variable) = variable.to_str() else { continue };
        let Some(name) = Name::of_variable(variable) else { continue };
        let origin = Origin::Variable { name: variable.to_owned() };
        match (name.find(), value.to_str()) {
            (Found::Key(_), None) => {
                layer.note(origin, Wrong::Value { name, reason: "must be text in UTF-8".to_owned() });
            }
            // An empty variable is the only way of some tools to unset one.
            (Found::Key(_), Some(text)) if text.trim().is_empty() => {}
            (Found::Key(_), Some(text)) => layer.read(name, text, origin),
            _ => warnings.push(Problem { origin, wrong: unknown(&name) }),
        }
    }
    (layer, warnings)
}

/// The value of a variable that is set to something.
pub fn variable<'a>(variables: &'a [(OsString, OsString)], name: &str) -> Option<&'a str> {
    let value =
        variables.iter().find(|(own, _)| own == OsStr::new(name)).and_then(|(_, value)| value.to_str());
    value.map(str::trim).filter(|value| !value.is_empty())
}

/// `OPENAI_BASE_URL` and its like are settings too, under names that other tools have made usual. A bad one is set
/// for all of them and perhaps for a provider that is not asked here, so it is a warning.
fn addresses(variables: &[(OsString, OsString)], layer: &mut Layer) -> Vec<Problem> {
    for known in KNOWN {
        if let Some(address) = variable(variables, known.base_url_variable) {
            let name = Name::root().child("providers").child(known.name).child("base_url");
            layer.read(name, address, Origin::Variable { name: known.base_url_variable.to_owned() });
        }
    }
    std::mem::take(&mut layer.problems)
}

fn unknown(name: &Name) -> Wrong {
    let is_key = |nearest: &Name| matches!(nearest.find(), Found::Key(_));
    let nearest = name.nearest().filter(is_key).map(|nearest| nearest.variable());
    Wrong::Unknown { name: name.variable(), nearest }
}
