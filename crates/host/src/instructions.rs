//! What the model is told before anything is said: the system prompt, and the `AGENTS.md` files of the project. Start
//! at [`render`].
//!
//! Files of a repository are text for the model, never settings. They are read only if they really lie inside the
//! repository: a link that leads out of it would hand a stranger's choice of file to the provider.

use crate::profiles;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A profile without a prompt of its own has this one.
const STANDARD: &str = include_str!("instructions/prompt.md");
const MAILBOX: &str = include_str!("instructions/mailbox.md");
const SOLVE: &str = include_str!("instructions/solve.md");
/// All `AGENTS.md` together; what is nearest to the working directory counts most and is cut last.
const LONGEST: usize = 32 * 1024;

/// The system prompt of a conversation of a profile that begins now in `directory`.
pub fn render(profile: &str, directory: &Path, now: &str) -> String {
    let values = [
        ("working_directory", &*directory.to_string_lossy()),
        ("current_date_time", now),
        ("operating_system", std::env::consts::OS),
    ];
    let mut text = fill(prompt(profile).trim_end(), &values);
    for (path, content) in agents_files(directory) {
        text.push_str(&format!("\n\n# {}\n{}", path.display(), content.trim_end()));
    }
    text
}

/// A template with every `{{name}}` replaced by its value, once: braces in a value are text.
fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((plain, (name, after))) =
        rest.split_once("{{").and_then(|(plain, after)| Some((plain, after.split_once("}}")?)))
    {
        out.push_str(plain);
        let value = values.iter().find(|(known, _)| *known == name.trim());
        out.push_str(value.map_or("", |(_, value)| value));
        rest = after;
    }
    out + rest
}

fn prompt(profile: &str) -> &'static str {
    match profile {
        "web" => include_str!("instructions/web.hbs"),
        "terminal" => include_str!("instructions/terminal.hbs"),
        "api" => include_str!("instructions/api.hbs"),
        profiles::MAILBOX => MAILBOX,
        profiles::SOLVE => SOLVE,
        _ => STANDARD,
    }
}

/// The `AGENTS.md` files from the repository's root down to `directory`, 32 KiB in all.
fn agents_files(directory: &Path) -> Vec<(PathBuf, String)> {
    let root = repository_root(directory);
    let mut folders: Vec<&Path> =
        directory.ancestors().take_while(|folder| folder.starts_with(root)).collect();
    let mut left = LONGEST;
    let mut found = Vec::new();
    // From the inside out, so that the budget is spent on what is nearest.
    for folder in folders.drain(..) {
        let path = folder.join("AGENTS.md");
        if let Some(content) = read_inside(&path, root, left) {
            left -= content.len().min(left);
            found.push((path, content));
        }
    }
    found.reverse();
    found
}

fn repository_root(directory: &Path) -> &Path {
    directory.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(directory)
}

fn read_inside(path: &Path, root: &Path, limit: usize) -> Option<String> {
    let real = path.canonicalize().ok()?;
    // Looked at before it is opened: opening a pipe would wait for a writer.
    if limit == 0 || !real.starts_with(root) || !real.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(&real).ok()?.take(limit as u64 + 1).read_to_end(&mut bytes).ok()?;
    let cut = bytes.len() > limit;
    bytes.truncate(limit);
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if cut {
        text.push_str("\n[the rest of this file was left out]");
    }
    Some(text)
}

#[cfg(test)]
mod tests;
