//! What a task's runs leave behind for the next one, readable by people. Start at [`Memory`].
//!
//! One section an iteration: `Iteration <n>:` and lines that begin with `- `. It lies in the state folder of the workspace
//! under a name that follows from the description alone.

use super::result::Entry;
use crate::dialect::json::Plan;
use crate::state::{State, make_lasting};
use crate::whole::{Kind, replace};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const FOLDER: &str = "agent-memory";
/// One iteration: 500 tokens, taken as three characters each to be on the safe side.
const SECTION: usize = 1500;
const LINE: usize = 300;
/// What a prompt and a result show of it, the newest first to stay.
const SHOWN: usize = 8000;
/// What the file keeps.
const KEPT: usize = 64 << 10;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Memory {
    sections: Vec<String>,
}

impl Memory {
    pub fn read(text: &str) -> Memory {
        let mut sections: Vec<String> = Vec::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            match sections.last_mut() {
                Some(section) if number(line).is_none() => {
                    section.push('\n');
                    section.push_str(line);
                }
                _ => sections.push(line.to_owned()),
            }
        }
        Memory { sections }
    }

    /// Adds an iteration; the numbers go on from run to run.
    pub fn add(&mut self, lines: impl IntoIterator<Item = String>) {
        let last = self.sections.iter().rev().find_map(|section| number(section.lines().next()?));
        let mut section = format!("Iteration {}:", last.unwrap_or(0) + 1);
        for line in lines {
            let line = format!("\n- {}", one_line(&line, LINE));
            if section.len() + line.len() + "\n- …".len() > SECTION {
                section.push_str("\n- …");
                break;
            }
            section.push_str(&line);
        }
        self.sections.push(section);
    }

    /// What a prompt shows: the newest iterations that there is room for.
    pub fn shown(&self) -> String {
        self.newest(SHOWN)
    }

    fn newest(&self, room: usize) -> String {
        let mut left = room;
        let fits = |section: &&String| {
            let fits = section.len() < left;
            left = left.saturating_sub(section.len() + 1);
            fits
        };
        let mut kept: Vec<&str> = self.sections.iter().rev().take_while(fits).map(String::as_str).collect();
        kept.reverse();
        kept.join("\n")
    }
}

/// What an iteration did, one line each.
pub fn lines(plan: &Plan, results: &[Entry]) -> Vec<String> {
    let thought = Some(&plan.thought).filter(|thought| !thought.trim().is_empty());
    let thought = thought.map(|thought| format!("Thought: {thought}"));
    thought.into_iter().chain(results.iter().map(Entry::remembered)).collect()
}

/// The name of a task: words of its description for people, and a hash for the rest.
pub fn task_id(description: &str) -> String {
    let description = description.trim();
    let words: String = description
        .chars()
        .take(200)
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' })
        .collect();
    let words = words.split_whitespace().collect::<Vec<_>>().join("-");
    let words: String = words.chars().take(40).collect();
    let hash = blake3::hash(description.as_bytes()).to_hex();
    format!("{}-{}", words.trim_matches('-'), &hash[..12]).trim_start_matches('-').to_owned()
}

/// Where the memory of a task lies.
pub fn place(workspace: &Path, description: &str) -> PathBuf {
    State::of(workspace).folder().join(FOLDER).join(format!("{}.txt", task_id(description)))
}

/// The memory of a task. What is not a plain file of ours is taken for none: a repository may bring links.
pub fn load(workspace: &Path, description: &str) -> Memory {
    let path = place(workspace, description);
    let plain = |path: &Path, wanted: fn(&fs::Metadata) -> bool| {
        fs::symlink_metadata(path).is_ok_and(|found| wanted(&found))
    };
    let folder = path.parent().is_some_and(|folder| plain(folder, fs::Metadata::is_dir));
    if !folder || !plain(&path, fs::Metadata::is_file) {
        return Memory::default();
    }
    let mut bytes = Vec::new();
    let read = fs::File::open(&path).and_then(|file| file.take(KEPT as u64).read_to_end(&mut bytes));
    match read {
        Ok(_) => Memory::read(&String::from_utf8_lossy(&bytes)),
        Err(_) => Memory::default(),
    }
}

/// Puts it in its place, whole or not at all.
pub fn store(workspace: &Path, description: &str, memory: &Memory) -> io::Result<()> {
    let path = place(workspace, description);
    let folder = path.parent().unwrap_or(workspace);
    State::prepare(workspace).map_err(io::Error::other)?;
    make_lasting(folder)?;
    replace(&path, format!("{}\n", memory.newest(KEPT)).as_bytes(), Kind::Settings)
}

fn number(line: &str) -> Option<u64> {
    line.strip_prefix("Iteration ")?.strip_suffix(':')?.parse().ok()
}

/// A text as one line of bounded length.
pub(super) fn one_line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.len() > most {
        true => format!("{}…", &line[..line.floor_char_boundary(most)]),
        false => line,
    }
}

#[cfg(test)]
mod tests;
