//! The compiled form of a schema: nodes that name one another by number. Start from [`Node`].
//! It holds nothing of the schema's text but what messages show, and it never borrows from it.

use std::collections::BTreeMap;

use super::assertion::Assertion;
use super::pattern::Pattern;

/// The place of a node in [`super::Schema`]. References are numbers, so a recursive schema is no cyclic ownership.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NodeId(pub(super) usize);

/// One schema or subschema.
#[derive(Debug)]
pub(super) enum Node {
    /// `true`
    Always,
    /// `false`
    Never,
    /// All of these hold. Rules about what is unevaluated come last, because they ask what the others looked at.
    Rules(Vec<Rule>),
}

/// One keyword, or a few that only have a meaning together.
#[derive(Debug)]
pub(super) enum Rule {
    Assert(Assertion),
    Ref(NodeId),
    AllOf(Vec<NodeId>),
    AnyOf(Vec<NodeId>),
    OneOf(Vec<NodeId>),
    Not(Shown),
    If {
        condition: NodeId,
        then: Option<NodeId>,
        otherwise: Option<NodeId>,
    },
    Members(Members),
    Names(NodeId),
    /// Each applies to the whole object if the property is there.
    Dependents(Vec<(String, NodeId)>),
    Items {
        first: Vec<NodeId>,
        rest: Option<NodeId>,
    },
    Contains(Contains),
    UnevaluatedMembers(NodeId),
    UnevaluatedItems(NodeId),
}

/// `properties`, `patternProperties` and `additionalProperties`.
#[derive(Debug)]
pub(super) struct Members {
    pub(super) named: BTreeMap<String, NodeId>,
    pub(super) patterned: Vec<(Pattern, NodeId)>,
    pub(super) others: Option<NodeId>,
}

#[derive(Debug)]
pub(super) struct Contains {
    pub(super) wanted: Shown,
    pub(super) least: u64,
    pub(super) most: Option<u64>,
    pub(super) effect: Effect,
}

/// Whether a match of `contains` counts as having evaluated the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Evaluates,
    OnlyCounts,
}

/// A node that messages can only describe by its source.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) node: NodeId,
    pub(super) source: String,
}

impl Rule {
    /// The nodes that this rule applies to the same value, without going into it.
    pub(super) fn in_place(&self) -> Vec<NodeId> {
        match self {
            Rule::Ref(node) => vec![*node],
            Rule::AllOf(nodes) | Rule::AnyOf(nodes) | Rule::OneOf(nodes) => nodes.clone(),
            Rule::Not(shown) => vec![shown.node],
            Rule::If { condition, then, otherwise } => {
                [Some(*condition), *then, *otherwise].into_iter().flatten().collect()
            }
            Rule::Dependents(list) => list.iter().map(|(_, node)| *node).collect(),
            Rule::Assert(_) | Rule::Members(_) | Rule::Names(_) | Rule::Items { .. } | Rule::Contains(_) => {
                vec![]
            }
            Rule::UnevaluatedMembers(_) | Rule::UnevaluatedItems(_) => vec![],
        }
    }

    pub(super) fn is_about_unevaluated(&self) -> bool {
        matches!(self, Rule::UnevaluatedMembers(_) | Rule::UnevaluatedItems(_))
    }
}
