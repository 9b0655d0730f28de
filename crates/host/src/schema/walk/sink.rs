//! Where complaints go. Start from [`Sink`].
//! A sink takes a few and no more; a quiet one takes none, and then no words are made at all.

use super::super::violation::Violation;
use super::spot::Spot;

/// Complaints about one value, bounded.
pub(super) struct Sink {
    complaints: Vec<Complaint>,
    room: usize,
}

/// A violation with what is needed to tell near misses from far ones.
pub(super) struct Complaint {
    pub(super) violation: Violation,
    pub(super) depth: usize,
    pub(super) kind: Kind,
    /// Whether the words already say that this is about one alternative of several.
    pub(super) of_nearest: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The value is of another type altogether.
    Type,
    /// The value is not a fixed one, as in the member that tells alternatives apart.
    Fixed,
    Other,
}

impl Sink {
    pub(super) fn new(room: usize) -> Sink {
        Sink { complaints: Vec::new(), room }
    }

    /// For a question to which only yes or no matters.
    pub(super) fn quiet() -> Sink {
        Sink::new(0)
    }

    /// An empty sink for an alternative: as quiet as this one.
    pub(super) fn sibling(&self) -> Sink {
        Sink::new(self.room)
    }

    pub(super) fn is_full(&self) -> bool {
        self.complaints.len() >= self.room
    }

    /// Takes a complaint, given as what was expected and what was found, if there is room.
    pub(super) fn add(&mut self, spot: &Spot<'_, '_>, kind: Kind, words: impl FnOnce() -> (String, String)) {
        if !self.is_full() {
            let (expected, found) = words();
            let violation = Violation { path: spot.path(), expected, found };
            self.push(Complaint { violation, depth: spot.depth, kind, of_nearest: false });
        }
    }

    /// Takes a complaint that was made elsewhere. Alternatives often say the same; once is enough.
    pub(super) fn push(&mut self, complaint: Complaint) {
        let known = self.complaints.iter().any(|earlier| earlier.violation == complaint.violation);
        if !self.is_full() && !known {
            self.complaints.push(complaint);
        }
    }

    pub(super) fn into_complaints(self) -> Vec<Complaint> {
        self.complaints
    }

    pub(super) fn into_violations(self) -> Vec<Violation> {
        self.complaints.into_iter().map(|complaint| complaint.violation).collect()
    }
}
