//! Checking a value against a compiled schema. Start from [`check`].
//!
//! A node either holds, and says which members and items it looked at, or it does not, and complains to a [`Sink`].
//! Depth and work are bounded. A walk that meets its bound fails as a whole, because under a `not` a failure
//! that only means "I gave up" would turn into a pass.

mod array;
mod choice;
mod object;
mod sink;
mod spot;

use std::collections::BTreeSet;

use serde_json::Value;

use self::sink::{Kind, Sink};
use self::spot::Spot;
use super::Schema;
use super::assertion::Assertion;
use super::equal::nests_deeper_than;
use super::rule::{Node, NodeId, Rule};
use super::violation::{Violation, excerpt};

/// Twice what the JSON reader itself accepts.
const MAX_NESTING: usize = 256;

/// Nested schemas at one time: three for each level that the JSON reader accepts. With the frames of a debug build that
/// needs up to 700 KiB of stack, in a release build a third of it.
const MAX_DEPTH: usize = 400;

/// Schemas applied in one check: an answer of megabytes needs fewer, a schema that branches at every level needs more.
const MAX_STEPS: u64 = 1_000_000;

/// More would not help anybody to mend the value.
const MAX_VIOLATIONS: usize = 8;

pub(super) fn check(schema: &Schema, value: &Value) -> Result<(), Vec<Violation>> {
    if nests_deeper_than(MAX_NESTING, value) {
        return Err(vec![too_much(value, format!("a value of at most {MAX_NESTING} levels of nesting"))]);
    }
    let mut walk = Walk { schema, depth: 0, steps: 0, overrun: None };
    let mut sink = Sink::new(MAX_VIOLATIONS);
    let held = walk.node(schema.root, &Spot::root(value), &mut sink).is_some();
    match walk.overrun {
        Some(expected) => Err(vec![too_much(value, expected)]),
        None if held => Ok(()),
        None => Err(sink.into_violations()),
    }
}

fn too_much(value: &Value, expected: String) -> Violation {
    Violation { path: String::new(), expected, found: excerpt(value) }
}

struct Walk<'s> {
    schema: &'s Schema,
    depth: usize,
    steps: u64,
    /// Which bound was met, as what was expected instead.
    overrun: Option<String>,
}

/// The members and items of one value that rules have looked at. Empty unless the schema asks for it.
#[derive(Debug, Default)]
struct Seen<'v> {
    names: BTreeSet<&'v str>,
    items: BTreeSet<usize>,
}

impl Seen<'_> {
    fn add(&mut self, mut other: Self) {
        self.names.append(&mut other.names);
        self.items.append(&mut other.items);
    }
}

impl<'s> Walk<'s> {
    /// Applies a node to a value: what it looked at if it holds, nothing if it does not.
    fn node<'v>(&mut self, id: NodeId, spot: &Spot<'_, 'v>, sink: &mut Sink) -> Option<Seen<'v>> {
        if !self.has_room() {
            return None;
        }
        self.depth += 1;
        let seen = match self.resolved(id) {
            Node::Always => Some(Seen::default()),
            Node::Never => {
                sink.add(spot, Kind::Other, || ("nothing here".into(), excerpt(spot.value)));
                None
            }
            Node::Rules(rules) => self.rules(rules, spot, sink),
        };
        self.depth -= 1;
        seen
    }

    /// Counts a step. Once a bound is met nothing more is done.
    fn has_room(&mut self) -> bool {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            self.overrun = Some(format!("a value that can be checked in {MAX_STEPS} steps"));
        } else if self.depth > MAX_DEPTH {
            self.overrun = Some("a value that is nested less deeply under this schema".into());
        }
        self.overrun.is_none()
    }

    /// The node itself, or where it leads if it is nothing but a reference; following one needs no frame. This ends,
    /// because the compiler refuses circles.
    fn resolved(&self, mut id: NodeId) -> &'s Node {
        let nodes = &self.schema.nodes;
        while let Node::Rules(rules) = &nodes[id.0]
            && let [Rule::Ref(next)] = rules.as_slice()
        {
            id = *next;
        }
        &nodes[id.0]
    }

    fn rules<'v>(&mut self, rules: &'s [Rule], spot: &Spot<'_, 'v>, sink: &mut Sink) -> Option<Seen<'v>> {
        let mut seen = Seen::default();
        let mut holds = true;
        for rule in rules {
            // What failed rules looked at is not known, so that nothing can be said about the rest.
            if !holds && (sink.is_full() || rule.is_about_unevaluated()) {
                break;
            }
            holds &= self.rule(rule, spot, &mut seen, sink);
        }
        holds.then_some(seen)
    }

    fn rule<'v>(
        &mut self,
        rule: &'s Rule,
        spot: &Spot<'_, 'v>,
        seen: &mut Seen<'v>,
        sink: &mut Sink,
    ) -> bool {
        match rule {
            Rule::Assert(assertion) => assert(assertion, spot, sink),
            Rule::Ref(node) => self.also(*node, spot, seen, sink),
            Rule::AllOf(nodes) => self.all_of(nodes, spot, seen, sink),
            Rule::AnyOf(nodes) => self.any_of(nodes, spot, seen, sink),
            Rule::OneOf(nodes) => self.one_of(nodes, spot, seen, sink),
            Rule::Not(shown) => self.not(shown, spot, sink),
            Rule::If { condition, then, otherwise } => {
                let next = match self.node(*condition, spot, &mut Sink::quiet()) {
                    Some(more) => {
                        seen.add(more);
                        then
                    }
                    None => otherwise,
                };
                next.is_none_or(|node| self.also(node, spot, seen, sink))
            }
            Rule::Members(members) => self.members(members, spot, seen, sink),
            Rule::Names(node) => self.names(*node, spot, sink),
            Rule::Dependents(list) => self.dependents(list, spot, seen, sink),
            Rule::UnevaluatedMembers(node) => self.unevaluated_members(*node, spot, seen, sink),
            Rule::Items { first, rest } => self.items(first, *rest, spot, seen, sink),
            Rule::Contains(contains) => self.contains(contains, spot, seen, sink),
            Rule::UnevaluatedItems(node) => self.unevaluated_items(*node, spot, seen, sink),
        }
    }

    /// Applies another node to the same value and takes over what it looked at.
    fn also<'v>(&mut self, node: NodeId, spot: &Spot<'_, 'v>, seen: &mut Seen<'v>, sink: &mut Sink) -> bool {
        self.node(node, spot, sink).map(|more| seen.add(more)).is_some()
    }

    fn is_never(&self, node: NodeId) -> bool {
        matches!(self.resolved(node), Node::Never)
    }
}

fn assert(assertion: &Assertion, spot: &Spot<'_, '_>, sink: &mut Sink) -> bool {
    let holds = assertion.holds(spot.value);
    if !holds {
        let kind = match assertion {
            Assertion::Type(_) => Kind::Type,
            Assertion::Enum(_) | Assertion::Const(_) => Kind::Fixed,
            _ => Kind::Other,
        };
        sink.add(spot, kind, || assertion.complaint(spot.value));
    }
    holds
}
