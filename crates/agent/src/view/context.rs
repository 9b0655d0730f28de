//! How large the next request would be, and what of it could be made shorter. Start at [`Context`].

use crate::event::Compacted;

/// How large the parts of the next request are, in bytes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Context {
    instructions: usize,
    /// What was said or replied, with the seq it began at, and what its calls came to.
    pub groups: Vec<Group>,
    size: usize,
}

/// Something said, or a reply with the results of its calls: what must not be torn apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    pub seq: u64,
    pub words: usize,
    /// The part of it that can be left out.
    pub results: usize,
}

impl Context {
    pub(super) fn open(&mut self, instructions: usize) {
        (self.instructions, self.size) = (instructions, instructions);
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// The size without the instructions.
    pub fn said(&self) -> usize {
        self.size - self.instructions
    }

    /// The first seq from which on everything fits into `room`; the newest group always stays.
    pub fn newest_within(&self, room: usize) -> u64 {
        let mut left = room;
        let mut from = self.groups.last().map_or(0, |group| group.seq);
        for group in self.groups.iter().rev() {
            let size = group.words + group.results;
            if size > left {
                break;
            }
            left -= size;
            from = group.seq;
        }
        from
    }

    /// Whether leaving out results before `seq` would save anything.
    pub fn has_results_before(&self, seq: u64) -> bool {
        self.groups.iter().any(|group| group.seq < seq && group.results > 0)
    }

    pub(super) fn add(&mut self, seq: u64, words: usize) {
        self.groups.push(Group { seq, words, results: 0 });
        self.size += words;
    }

    pub(super) fn add_result(&mut self, reply: Option<u64>, bytes: usize) {
        if let Some(group) = self.groups.iter_mut().rev().find(|group| Some(group.seq) == reply) {
            group.results += bytes;
            self.size += bytes;
        }
    }

    pub(super) fn compact(&mut self, compacted: &Compacted) {
        match &compacted.summary {
            Some(summary) => {
                self.groups.retain(|group| group.seq >= compacted.before);
                self.groups.insert(0, Group { seq: 0, words: summary.len(), results: 0 });
            }
            None => {
                let old = self.groups.iter_mut().filter(|group| group.seq < compacted.before);
                old.for_each(|group| group.results = 0);
            }
        }
        self.size =
            self.instructions + self.groups.iter().map(|group| group.words + group.results).sum::<usize>();
    }
}
