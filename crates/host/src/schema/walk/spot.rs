//! Where in the value the walk is. Start from [`Spot`].
//! The path is a chain through the stack, so that it costs nothing until a message needs its text.

use serde_json::Value;

use super::super::violation::{cut, pointer_step};

/// Names come from the value, so a path needs a bound too; in characters.
const MAX_PATH: usize = 500;

/// A value and the way to it.
pub(super) struct Spot<'p, 'v> {
    pub(super) value: &'v Value,
    /// How many steps lead here.
    pub(super) depth: usize,
    from: Option<(&'p Spot<'p, 'v>, Step<'v>)>,
}

#[derive(Clone, Copy)]
enum Step<'v> {
    Member(&'v str),
    Item(usize),
}

impl<'p, 'v> Spot<'p, 'v> {
    pub(super) fn root(value: &'v Value) -> Spot<'p, 'v> {
        Spot { value, depth: 0, from: None }
    }

    pub(super) fn member(&'p self, name: &'v str, value: &'v Value) -> Spot<'p, 'v> {
        Spot { value, depth: self.depth + 1, from: Some((self, Step::Member(name))) }
    }

    pub(super) fn item(&'p self, index: usize, value: &'v Value) -> Spot<'p, 'v> {
        Spot { value, depth: self.depth + 1, from: Some((self, Step::Item(index))) }
    }

    /// The JSON pointer of this spot, for reading.
    pub(super) fn path(&self) -> String {
        let mut steps = Vec::with_capacity(self.depth);
        let mut from = self.from;
        while let Some((parent, step)) = from {
            steps.push(step);
            from = parent.from;
        }
        let mut path = String::new();
        for step in steps.into_iter().rev() {
            path.push('/');
            match step {
                Step::Member(name) => path.push_str(&pointer_step(name)),
                Step::Item(index) => path.push_str(&index.to_string()),
            }
        }
        cut(&path, MAX_PATH)
    }
}
