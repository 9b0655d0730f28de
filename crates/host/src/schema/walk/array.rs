//! Rules about the items of arrays. Start from `Walk::items`.
//! Every rule here holds for a value that is no array.

use serde_json::Value;

use super::super::rule::{Contains, Effect, NodeId};
use super::super::violation::{counted, excerpt};
use super::sink::{Kind, Sink};
use super::spot::Spot;
use super::{Seen, Walk};

impl<'s> Walk<'s> {
    pub(super) fn items<'v>(
        &mut self,
        first: &'s [NodeId],
        rest: Option<NodeId>,
        spot: &Spot<'_, 'v>,
        seen: &mut Seen<'v>,
        sink: &mut Sink,
    ) -> bool {
        let Value::Array(items) = spot.value else { return true };
        let mut holds = true;
        let nodes = first.iter().copied().map(Some).chain(std::iter::repeat(rest));
        for ((index, value), node) in items.iter().enumerate().zip(nodes) {
            let Some(node) = node else { break };
            if index >= first.len() && self.is_never(node) {
                return too_many(first.len(), items, spot, sink);
            }
            if self.schema.tracks {
                seen.items.insert(index);
            }
            holds &= self.node(node, &spot.item(index, value), sink).is_some();
            if !holds && sink.is_full() {
                break;
            }
        }
        holds
    }

    pub(super) fn contains<'v>(
        &mut self,
        contains: &'s Contains,
        spot: &Spot<'_, 'v>,
        seen: &mut Seen<'v>,
        sink: &mut Sink,
    ) -> bool {
        let Value::Array(items) = spot.value else { return true };
        let mut matches = 0;
        for (index, value) in items.iter().enumerate() {
            if self.node(contains.wanted.node, &spot.item(index, value), &mut Sink::quiet()).is_some() {
                matches += 1;
                if self.schema.tracks && contains.effect == Effect::Evaluates {
                    seen.items.insert(index);
                }
            }
        }
        let bound = match contains.most {
            _ if matches < contains.least => format!("at least {}", counted(contains.least, "item")),
            Some(most) if matches > most => format!("at most {}", counted(most, "item")),
            _ => return true,
        };
        sink.add(spot, Kind::Other, || {
            let wanted = format!("{bound} matching {}", contains.wanted.source);
            (
                wanted,
                format!(
                    "{matches} of {} matching in {}",
                    counted(items.len() as u64, "item"),
                    excerpt(spot.value)
                ),
            )
        });
        false
    }

    pub(super) fn unevaluated_items<'v>(
        &mut self,
        node: NodeId,
        spot: &Spot<'_, 'v>,
        seen: &mut Seen<'v>,
        sink: &mut Sink,
    ) -> bool {
        let Value::Array(items) = spot.value else { return true };
        let mut holds = true;
        for (index, value) in items.iter().enumerate() {
            if !seen.items.insert(index) {
                continue;
            }
            let inner = spot.item(index, value);
            if self.is_never(node) {
                sink.add(&inner, Kind::Other, || ("no such item".into(), excerpt(value)));
                holds = false;
            } else {
                holds &= self.node(node, &inner, sink).is_some();
            }
        }
        holds
    }
}

fn too_many(most: usize, items: &[Value], spot: &Spot<'_, '_>, sink: &mut Sink) -> bool {
    sink.add(spot, Kind::Other, || {
        let found = format!("{}: {}", counted(items.len() as u64, "item"), excerpt(spot.value));
        (format!("an array of at most {}", counted(most as u64, "item")), found)
    });
    false
}
