//! What the model is told before anything is said: the system prompt, and the `AGENTS.md` files of the project. Start
//! at [`render`].
//!
//! Files of a repository are text for the model, never settings. They are read only if they really lie inside the
//! repository: a link that leads out of it would hand a stranger's choice of file to the provider.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

const PROMPT: &str = include_str!("instructions/prompt.md");
/// All `AGENTS.md` together; what is nearest to the working directory counts most and is cut last.
const LONGEST: usize = 32 * 1024;

/// The system prompt of a conversation that begins now in `directory`.
pub fn render(directory: &Path, now: &str) -> String {
    let mut text = PROMPT
        .trim_end()
        .replace("{{working_directory}}", &directory.to_string_lossy())
        .replace("{{current_date_time}}", now)
        .replace("{{operating_system}}", std::env::consts::OS);
    for (path, content) in agents_files(directory) {
        text.push_str(&format!("\n\n# {}\n{}", path.display(), content.trim_end()));
    }
    text
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
