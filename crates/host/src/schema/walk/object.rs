//! Rules about the members of objects. Start from `Walk::members`.
//! Every rule here holds for a value that is no object.

use serde_json::Value;

use super::super::rule::{Members, NodeId};
use super::super::violation::{excerpt, quoted};
use super::sink::{Kind, Sink};
use super::spot::Spot;
use super::{Seen, Walk};

impl<'s> Walk<'s> {
    pub(super) fn members<'v>(
        &mut self,
        members: &'s Members,
        spot: &Spot<'_, 'v>,
        seen: &mut Seen<'v>,
        sink: &mut Sink,
    ) -> bool {
        let Value::Object(map) = spot.value else { return true };
        let mut holds = true;
        for (name, value) in map {
            if !holds && sink.is_full() {
                break;
            }
            let inner = spot.member(name, value);
            let mut nodes: Vec<NodeId> = members.named.get(name).copied().into_iter().collect();
            nodes.extend(
                members.patterned.iter().filter(|(pattern, _)| pattern.matches(name)).map(|(_, node)| *node),
            );
            if nodes.is_empty() {
                match members.others {
                    Some(node) if self.is_never(node) => {
                        sink.add(&inner, Kind::Other, || (allowed_words(members), excerpt(value)));
                        holds = false;
                        continue;
                    }
                    others => nodes.extend(others),
                }
            }
            if self.schema.tracks && !nodes.is_empty() {
                seen.names.insert(name);
            }
            for node in nodes {
                holds &= self.node(node, &inner, sink).is_some();
            }
        }
        holds
    }

    pub(super) fn names(&mut self, node: NodeId, spot: &Spot<'_, '_>, sink: &mut Sink) -> bool {
        let Value::Object(map) = spot.value else { return true };
        let mut holds = true;
        for name in map.keys() {
            let text = Value::from(name.as_str());
            let mut inner = sink.sibling();
            if self.node(node, &Spot::root(&text), &mut inner).is_none() {
                holds = false;
                for violation in inner.into_violations() {
                    let expected = format!("only property names that are {}", violation.expected);
                    sink.add(spot, Kind::Other, || (expected, format!("the name {}", violation.found)));
                }
            }
            if !holds && sink.is_full() {
                break;
            }
        }
        holds
    }

    pub(super) fn dependents<'v>(
        &mut self,
        list: &'s [(String, NodeId)],
        spot: &Spot<'_, 'v>,
        seen: &mut Seen<'v>,
        sink: &mut Sink,
    ) -> bool {
        let Value::Object(map) = spot.value else { return true };
        let mut holds = true;
        for (_, node) in list.iter().filter(|(cause, _)| map.contains_key(cause)) {
            holds &= self.also(*node, spot, seen, sink);
        }
        holds
    }

    pub(super) fn unevaluated_members<'v>(
        &mut self,
        node: NodeId,
        spot: &Spot<'_, 'v>,
        seen: &mut Seen<'v>,
        sink: &mut Sink,
    ) -> bool {
        let Value::Object(map) = spot.value else { return true };
        let mut holds = true;
        for (name, value) in map {
            if !seen.names.insert(name) {
                continue;
            }
            let inner = spot.member(name, value);
            if self.is_never(node) {
                sink.add(&inner, Kind::Other, || ("no such property".into(), excerpt(value)));
                holds = false;
            } else {
                holds &= self.node(node, &inner, sink).is_some();
            }
        }
        holds
    }
}

fn allowed_words(members: &Members) -> String {
    let names = quoted(members.named.keys().map(String::as_str));
    let patterns = quoted(members.patterned.iter().map(|(pattern, _)| pattern.source.as_str()));
    match (names.is_empty(), patterns.is_empty()) {
        (true, true) => "no property at all in this object".into(),
        (false, true) => format!("no such property (allowed are {names})"),
        (true, false) => format!("no such property (allowed are names that match {patterns})"),
        (false, false) => format!("no such property (allowed are {names} and names that match {patterns})"),
    }
}
