//! Schemas against values: what passes, what is refused, what is said, and what is bounded.

mod bounds;
mod keywords;
mod messages;
mod refusals;
