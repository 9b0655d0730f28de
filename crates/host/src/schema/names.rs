//! Where references lead: the `$id`s and anchors of a document. Start from [`Names::of`] and [`Names::find`].
//! Only this document is known; what is not in it is not found, and nothing is fetched.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::draft::Draft;
use super::place::child;
use super::uri::{Target, resolve};

/// Keywords that hold one schema, a list of them, or schemas by name. `items` and `dependencies` may hold other things.
const ONE: [&str; 12] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];
const MANY: [&str; 5] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
const NAMED: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/// The named places of one document, all as JSON pointers from its root.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The address that references are resolved against, by the pointer where it begins to hold.
    bases: HashMap<String, String>,
    resources: HashMap<String, String>,
    anchors: HashMap<(String, String), String>,
}

/// A schema still to be looked at.
struct Visit<'a> {
    value: &'a Value,
    pointer: String,
    base: String,
}

impl Names {
    /// Looks at every place where a schema may stand; an `$id` inside a fixed value names nothing.
    pub(super) fn of(root: &Value, draft: Draft) -> Names {
        let mut names = Names::default();
        names.bases.insert(String::new(), String::new());
        names.resources.insert(String::new(), String::new());
        let mut waiting = vec![Visit { value: root, pointer: String::new(), base: String::new() }];
        while let Some(mut visit) = waiting.pop() {
            let Value::Object(object) = visit.value else { continue };
            names.enter(object, &mut visit, draft);
            waiting.extend(visit.children(object));
        }
        names
    }

    /// The pointer that a reference standing at `pointer` leads to, if that is in this document.
    pub(super) fn find(&self, pointer: &str, reference: &str) -> Option<String> {
        let Target { resource, fragment } = resolve(self.base_at(pointer), reference);
        let start = self.resources.get(&resource)?;
        if fragment.is_empty() || fragment.starts_with('/') {
            return Some(format!("{start}{fragment}"));
        }
        self.anchors.get(&(resource, fragment)).cloned()
    }

    fn enter(&mut self, object: &Map<String, Value>, visit: &mut Visit<'_>, draft: Draft) {
        if draft.ref_hides_siblings() && object.contains_key("$ref") {
            return;
        }
        if let Some(id) = object.get("$id").and_then(Value::as_str) {
            let Target { resource, fragment } = resolve(&visit.base, id);
            if !id.starts_with('#') {
                visit.base.clone_from(&resource);
                self.bases.insert(visit.pointer.clone(), resource.clone());
                self.resources.insert(resource.clone(), visit.pointer.clone());
            }
            // Draft 7 spells an anchor as an `$id` with a fragment.
            if !draft.since_nineteen() && !fragment.is_empty() {
                self.anchors.insert((resource, fragment), visit.pointer.clone());
            }
        }
        if draft.since_nineteen() {
            for keyword in ["$anchor", "$dynamicAnchor"] {
                if let Some(name) = object.get(keyword).and_then(Value::as_str) {
                    self.anchors.insert((visit.base.clone(), name.to_owned()), visit.pointer.clone());
                }
            }
        }
    }

    /// The address of the innermost resource around a pointer.
    fn base_at(&self, pointer: &str) -> &str {
        let mut around = pointer;
        loop {
            if let Some(base) = self.bases.get(around) {
                return base;
            }
            around = around.rfind('/').map_or("", |slash| &around[..slash]);
        }
    }
}

impl<'a> Visit<'a> {
    fn children(&self, object: &'a Map<String, Value>) -> Vec<Visit<'a>> {
        let mut children = Vec::new();
        let mut add = |value, pointer| {
            children.push(Visit { value, pointer, base: self.base.clone() });
        };
        for (keyword, value) in object {
            let (keyword, at) = (keyword.as_str(), child(&self.pointer, keyword));
            match value {
                Value::Array(list) if MANY.contains(&keyword) => {
                    list.iter()
                        .enumerate()
                        .for_each(|(index, value)| add(value, child(&at, &index.to_string())));
                }
                Value::Object(map) if NAMED.contains(&keyword) => {
                    map.iter().for_each(|(name, value)| add(value, child(&at, name)));
                }
                Value::Object(_) if ONE.contains(&keyword) => add(value, at),
                _ => {}
            }
        }
        children
    }
}
