//! Edits by line numbers. Start at [`replace`]; [`annotate`] makes several edits of one reply mean the file as it was shown.
//!
//! A call is carried out by itself, perhaps in another process than the one that took the reply. So each edit is told, in
//! its arguments, which edits of the same file come before it in the reply and what the file must be by then. An edit
//! that finds something else is not made: its numbers would mean other lines.

use super::reply::Files;
use crate::workspace::{Hash, Tail, Text};
use agent::Call;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// An edit of the same reply that was made before: the lines it replaced, as they were shown, by how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Earlier {
    start: i64,
    end: i64,
    lines: i64,
}

/// Why lines cannot be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadRange {
    /// The file as it was shown has only so many lines.
    Outside { lines: i64 },
    /// An edit before has replaced some of them.
    Overlap,
}

/// The body with lines `start` to `end`, as they were shown before the earlier edits, replaced. No new text means that
/// they are removed.
pub(crate) fn replace(
    body: &str,
    (start, end): (i64, i64),
    new: &str,
    earlier: &[Earlier],
) -> Result<String, BadRange> {
    let lines: Vec<&str> = body.split_inclusive('\n').collect();
    let shown = lines.len() as i64 - earlier.iter().map(Earlier::growth).sum::<i64>();
    if start < 1 || end < start || end > shown {
        return Err(BadRange::Outside { lines: shown });
    }
    if earlier.iter().any(|edit| start <= edit.end && edit.start <= end) {
        return Err(BadRange::Overlap);
    }
    let shift: i64 = earlier.iter().filter(|edit| edit.end < start).map(Earlier::growth).sum();
    let place = |line: i64| usize::try_from(line + shift).unwrap_or_default().min(lines.len());
    let (before, after) = (&lines[..place(start - 1)], &lines[place(end)..]);
    let mut made = before.concat();
    made.push_str(new);
    if !new.is_empty() && !new.ends_with('\n') {
        made.push('\n');
    }
    made.push_str(&after.concat());
    Ok(made)
}

/// A file with this content: its last line ends like the others.
pub(crate) fn file_of(content: &str) -> Vec<u8> {
    let end = if content.is_empty() || content.ends_with('\n') { "" } else { "\n" };
    [content, end].concat().into_bytes()
}

/// Tells each edit of a reply what comes before it. Other calls stay as they are.
pub(super) fn annotate(calls: &mut [Call], files: &dyn Files) {
    let mut known: HashMap<String, Shown> = HashMap::new();
    for call in calls {
        let Ok(Value::Object(mut arguments)) = serde_json::from_str(&call.arguments) else { continue };
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
        let Some(path) = text("path") else { continue };
        let Some(key) = files.key(&path) else { continue };
        match call.name.as_str() {
            "create_file" => {
                let body = file_of(&text("content").unwrap_or_default());
                known.insert(
                    key,
                    Shown { text: Text::decode(body, Path::new(&path)).ok(), earlier: Vec::new() },
                );
            }
            "delete_file" => drop(known.insert(key, Shown { text: None, earlier: Vec::new() })),
            "edit_file" => {
                let shown = known
                    .entry(key)
                    .or_insert_with(|| Shown { text: files.text(&path), earlier: Vec::new() });
                if let (Some(before), false) = (&shown.text, shown.earlier.is_empty()) {
                    arguments.insert("earlier".into(), serde_json::json!(shown.earlier));
                    arguments.insert("expect".into(), before.hash().to_string().into());
                    call.arguments = Value::Object(arguments.clone()).to_string();
                }
                shown.edit(&arguments);
            }
            _ => {}
        }
    }
}

/// A file as the commands of a reply leave it, if each does what it says.
struct Shown {
    text: Option<Text>,
    earlier: Vec<Earlier>,
}

impl Shown {
    fn edit(&mut self, arguments: &serde_json::Map<String, Value>) {
        let number = |name: &str| arguments.get(name).and_then(Value::as_i64);
        let (Some(start), Some(end), Some(file)) = (number("start_line"), number("end_line"), &self.text)
        else {
            return;
        };
        let new = arguments.get("content").and_then(Value::as_str).unwrap_or_default();
        let Ok(body) = replace(file.body(), (start, end), new, &self.earlier) else { return };
        let bytes = file.encode(&body, Tail::AsBefore);
        let lines = new.split_inclusive('\n').count() as i64;
        self.text = Text::decode(bytes, Path::new("")).ok();
        self.earlier.push(Earlier { start, end, lines });
    }
}

impl Earlier {
    fn growth(&self) -> i64 {
        self.lines - (self.end - self.start + 1)
    }
}

/// What an edit was told about those before it.
pub(crate) fn told(arguments: &Value) -> (Vec<Earlier>, Option<Hash>) {
    let earlier = arguments.get("earlier").cloned().and_then(|list| serde_json::from_value(list).ok());
    let expect = arguments.get("expect").and_then(Value::as_str).and_then(|hash| hash.parse().ok());
    (earlier.unwrap_or_default(), expect)
}
