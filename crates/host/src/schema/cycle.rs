//! Circles of references that never go into the value. Start from [`find_cycle`].
//! A schema with such a circle has no meaning; found here, the walk over values needs no guard against it.

use super::rule::{Node, NodeId, Rule};

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// A node that is applied to the same value as part of itself, if there is one.
pub(super) fn find_cycle(nodes: &[Node]) -> Option<NodeId> {
    let mut states = vec![State::New; nodes.len()];
    for start in 0..nodes.len() {
        // Each entry is a node and those of its neighbours that have not been followed yet.
        let mut path = Vec::new();
        enter(NodeId(start), nodes, &mut states, &mut path);
        while let Some((node, neighbours)) = path.last_mut() {
            match neighbours.pop() {
                None => {
                    states[node.0] = State::Done;
                    path.pop();
                }
                Some(next) if states[next.0] == State::Open => return Some(next),
                Some(next) => enter(next, nodes, &mut states, &mut path),
            }
        }
    }
    None
}

fn enter(node: NodeId, nodes: &[Node], states: &mut [State], path: &mut Vec<(NodeId, Vec<NodeId>)>) {
    if states[node.0] == State::New {
        states[node.0] = State::Open;
        path.push((node, neighbours(&nodes[node.0])));
    }
}

fn neighbours(node: &Node) -> Vec<NodeId> {
    match node {
        Node::Always | Node::Never => vec![],
        Node::Rules(rules) => rules.iter().flat_map(Rule::in_place).collect(),
    }
}
