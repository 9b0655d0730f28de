//! What the planner is asked in one iteration, within bounds whatever was printed. Start at [`Prompt::render`].

use super::result::{Entry, Role};
use crate::dialect::json::Unusable;
use crate::trim::{Excerpt, Limit, trim};
use std::fmt::Write;

/// The most that one request holds, the system prompt included: under 60,000 characters, with room for a second try.
const MOST: usize = 56_000;
/// However much the system prompt takes, so much is left.
const LEAST: usize = 16_000;
/// So much of a reply that is no JSON, and of what is wrong with a plan, is told.
const ATTEMPT: usize = 200;
const FAULT: usize = 2000;

pub struct Prompt<'a> {
    /// The system prompt beside it.
    pub instructions: &'a str,
    pub description: &'a str,
    pub directory: &'a str,
    pub iteration: u32,
    /// May be empty.
    pub memory: &'a str,
    pub results: &'a [Entry],
}

impl Prompt<'_> {
    pub fn render(&self) -> String {
        let room = MOST.saturating_sub(self.instructions.len()).max(LEAST);
        let mut out = format!(
            "TASK: {}\n\nWORKING DIRECTORY: {}\n\nITERATION: {}\n\n",
            cut(self.description.trim(), room / 3),
            cut(self.directory, 4096),
            self.iteration,
        );
        if !self.memory.is_empty() {
            let _ = write!(out, "MEMORY SUMMARY:\n{}\n\n", cut(self.memory, room / 6));
        }
        if !self.results.is_empty() {
            let left = room.saturating_sub(out.len());
            let _ = write!(out, "PREVIOUS RESULTS:\n{}\n\n", cut(&results(self.results, left), left));
        }
        out.push_str("Generate your plan as JSON:");
        out
    }
}

/// The prompt again, with what was wrong with the reply to it.
pub fn again(prompt: &str, reply: &str, fault: &Unusable) -> String {
    match fault {
        Unusable::NotJson(_) => {
            let first: String = reply.chars().take(ATTEMPT).collect();
            format!(
                "{prompt}\n\nPREVIOUS ATTEMPT WAS INVALID JSON:\n{first}\n\nTry again with VALID JSON only."
            )
        }
        Unusable::Invalid(text) => {
            let text = cut(text, FAULT);
            format!("{prompt}\n\nVALIDATION ERROR:\n{text}\n\nFix the error and output valid JSON.")
        }
    }
}

/// All results, each with its share of the room: what is short is shown whole, what is long shares the rest.
fn results(entries: &[Entry], room: usize) -> String {
    let heads: Vec<String> = entries.iter().map(head).collect();
    let taken: usize = heads.iter().map(|head| head.len() + "\nOutput: \nError: \n\n".len()).sum();
    let sizes: Vec<usize> =
        entries.iter().flat_map(|entry| [entry.output.len(), entry.error.len()]).collect();
    let share = share(sizes, room.saturating_sub(taken));
    let shown = entries.iter().zip(heads).map(|(entry, mut head)| {
        for (label, text) in [("Output", &entry.output), ("Error", &entry.error)] {
            if !text.is_empty() {
                let _ = write!(head, "\n{label}: {}", cut(text, share));
            }
        }
        head
    });
    shown.collect::<Vec<_>>().join("\n\n")
}

fn head(entry: &Entry) -> String {
    let about = match (entry.tool.as_str(), entry.role) {
        _ if entry.subject.is_empty() => String::new(),
        (_, Role::Test) => format!("\nCommand: {} (the test command)", entry.subject),
        ("run", _) => format!("\nCommand: {}", entry.subject),
        _ => format!("\nPath: {}", entry.subject),
    };
    format!("Tool: {}{about}\nSuccess: {}", entry.tool, entry.success)
}

/// The largest bound that keeps the sum of all sizes, each cut to it, within the room.
fn share(mut sizes: Vec<usize>, room: usize) -> usize {
    sizes.sort_unstable();
    let (mut left, mut count) = (room, sizes.len());
    for size in sizes {
        if size > left / count.max(1) {
            return left / count.max(1);
        }
        left -= size;
        count -= 1;
    }
    room
}

/// A text within so many bytes, which are at least as many as its characters: its beginning and its end.
fn cut(text: &str, most: usize) -> String {
    trim(&Excerpt::whole(text), Limit { lines: 1 << 20, bytes: most })
}

#[cfg(test)]
mod tests;
