//! Rules that combine schemas: all, any, exactly one, none. Start from `Walk::any_of`.
//!
//! When no alternative holds, listing all their complaints would tell the reader nothing. The alternative that the value
//! was most likely meant for is found, and its complaints are the ones passed on.

use super::super::rule::{NodeId, Shown};
use super::super::violation::excerpt;
use super::sink::{Complaint, Kind, Sink};
use super::spot::Spot;
use super::{Seen, Walk};

/// Alternatives whose expectations are joined into one sentence.
const JOINED: usize = 6;

impl<'s> Walk<'s> {
    pub(super) fn all_of<'v>(
        &mut self,
        nodes: &'s [NodeId],
        spot: &Spot<'_, 'v>,
        seen: &mut Seen<'v>,
        sink: &mut Sink,
    ) -> bool {
        let mut holds = true;
        for node in nodes {
            if !holds && sink.is_full() {
                break;
            }
            holds &= self.also(*node, spot, seen, sink);
        }
        holds
    }

    pub(super) fn any_of<'v>(
        &mut self,
        nodes: &'s [NodeId],
        spot: &Spot<'_, 'v>,
        seen: &mut Seen<'v>,
        sink: &mut Sink,
    ) -> bool {
        let mut holds = false;
        for node in nodes {
            holds |= self.also(*node, spot, seen, &mut Sink::quiet());
            // The other alternatives only matter for what they would have looked at.
            if holds && !self.schema.tracks {
                break;
            }
        }
        if !holds {
            self.complain("anyOf", nodes, spot, sink);
        }
        holds
    }

    pub(super) fn one_of<'v>(
        &mut self,
        nodes: &'s [NodeId],
        spot: &Spot<'_, 'v>,
        seen: &mut Seen<'v>,
        sink: &mut Sink,
    ) -> bool {
        let mut matching = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            if let Some(more) = self.node(*node, spot, &mut Sink::quiet()) {
                matching.push((index + 1, more));
            }
            if matching.len() == 2 {
                break;
            }
        }
        match (matching.pop(), matching.pop()) {
            (Some((_, more)), None) => {
                seen.add(more);
                return true;
            }
            (Some((second, _)), Some((first, _))) => sink.add(spot, Kind::Other, || {
                let expected =
                    format!("a value for exactly one of the {} alternatives of `oneOf`", nodes.len());
                (expected, format!("one for alternatives {first} and {second}: {}", excerpt(spot.value)))
            }),
            (None, _) => self.complain("oneOf", nodes, spot, sink),
        }
        false
    }

    pub(super) fn not(&mut self, unwanted: &'s Shown, spot: &Spot<'_, '_>, sink: &mut Sink) -> bool {
        let holds = self.node(unwanted.node, spot, &mut Sink::quiet()).is_none();
        if !holds {
            sink.add(spot, Kind::Other, || {
                (format!("a value that does not match {}", unwanted.source), excerpt(spot.value))
            });
        }
        holds
    }

    /// Asks alternatives that all failed once more, aloud, and passes on what the nearest of them says. Words are costly;
    /// asking twice is cheaper than making them for alternatives that fail beside one that holds.
    fn complain(&mut self, keyword: &str, nodes: &'s [NodeId], spot: &Spot<'_, '_>, sink: &mut Sink) {
        if sink.is_full() {
            return;
        }
        let mut failures = Vec::with_capacity(nodes.len());
        for node in nodes {
            let mut inner = sink.sibling();
            self.node(*node, spot, &mut inner);
            failures.push(inner.into_complaints());
        }
        pass_on_nearest(keyword, failures, spot, sink);
    }
}

fn pass_on_nearest(keyword: &str, failures: Vec<Vec<Complaint>>, spot: &Spot<'_, '_>, sink: &mut Sink) {
    let total = failures.len();
    let best = failures.iter().map(|failure| distance(failure, spot)).min().unwrap_or_default();
    let mut nearest: Vec<_> =
        failures.into_iter().filter(|failure| distance(failure, spot) == best).collect();
    if nearest.len() > 1 && nearest.iter().all(|failure| is_about_the_value_itself(failure, spot)) {
        return sink.add(spot, Kind::Fixed, || (joined(&nearest), excerpt(spot.value)));
    }
    nearest.sort_by_key(|failure| (std::cmp::Reverse(first_depth(failure)), failure.len()));
    for mut complaint in nearest.into_iter().next().unwrap_or_default() {
        if total > 1 && !complaint.of_nearest {
            let note = format!(" (by the nearest of the {total} alternatives of `{keyword}`)");
            complaint.violation.expected.push_str(&note);
            complaint.of_nearest = true;
        }
        sink.push(complaint);
    }
}

/// How unlikely it is that the value was meant for this alternative: 2 if the value itself is something else, 1 if a
/// member that may tell alternatives apart has another fixed value, 0 otherwise.
fn distance(failure: &[Complaint], spot: &Spot<'_, '_>) -> u8 {
    let far = |complaint: &Complaint| match (complaint.depth - spot.depth, complaint.kind) {
        (0, Kind::Type | Kind::Fixed) => 2,
        (1, Kind::Fixed) => 1,
        _ => 0,
    };
    failure.iter().map(far).max().unwrap_or_default()
}

fn is_about_the_value_itself(failure: &[Complaint], spot: &Spot<'_, '_>) -> bool {
    failure.len() == 1 && failure[0].depth == spot.depth
}

fn first_depth(failure: &[Complaint]) -> usize {
    failure.first().map_or(0, |complaint| complaint.depth)
}

fn joined(failures: &[Vec<Complaint>]) -> String {
    let mut phrases: Vec<&str> = Vec::new();
    for complaint in failures.iter().flatten() {
        let phrase = complaint.violation.expected.as_str();
        if !phrases.contains(&phrase) {
            phrases.push(phrase);
        }
    }
    let more = phrases.len().saturating_sub(JOINED);
    phrases.truncate(JOINED);
    let mut text = phrases.join(", or ");
    if more > 0 {
        text.push_str(&format!(", or one of {more} others"));
    }
    text
}
