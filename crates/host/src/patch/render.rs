//! Showing a change as a unified diff, for people and for undo.
//!
//! Start from [`unified`]. What it prints can be applied again as long as both texts are UTF-8 and
//! nothing was cut; time and size are bounded, whatever the files are.

use std::fmt::Write as _;

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

use super::text::{Line, Mark, Split, Text, shown};

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;
/// Regions with more lines than this are shown as one replacement. Two unrelated files of half as
/// many lines each take about half a second to compare.
const SEARCHED_LINES: usize = 400_000;
/// The most text one diff takes.
const MOST_BYTES: usize = 4 << 20;

/// The unified diff from `before` to `after`; nothing on either side is a file that is not there.
///
/// Equal files give no text. A diff that would be too long is cut after a whole hunk and says so.
pub fn unified(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    if before == after {
        return String::new();
    }
    let name = |prefix, there: Option<&[u8]>| match there {
        Some(_) => quoted(&format!("{prefix}/{path}")),
        None => "/dev/null".to_owned(),
    };
    let (old_name, new_name) = (name('a', before), name('b', after));
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    if before.contains(&0) || after.contains(&0) {
        return format!("Binary files {old_name} and {new_name} differ\n");
    }
    let old = Text::new(before, Split::Newlines, Mark::Within).lines;
    let new = Text::new(after, Split::Newlines, Mark::Within).lines;
    let mut out = header(path, &old_name, &new_name);
    let groups = group_diff_ops(operations(&old, &new), CONTEXT);
    let count = groups.len();
    for (i, group) in groups.iter().enumerate() {
        let start = out.len();
        push_hunk(&mut out, group, &old, &new);
        if out.len() > MOST_BYTES {
            out.truncate(start);
            let _ = writeln!(out, "… ({} of {count} hunks not shown)", count - i);
            break;
        }
    }
    out
}

fn header(path: &str, old_name: &str, new_name: &str) -> String {
    let (a, b) = (quoted(&format!("a/{path}")), quoted(&format!("b/{path}")));
    let mut out = format!("diff --git {a} {b}\n");
    if old_name == "/dev/null" {
        out.push_str("new file mode 100644\n");
    } else if new_name == "/dev/null" {
        out.push_str("deleted file mode 100644\n");
    }
    let _ = writeln!(out, "--- {old_name}\n+++ {new_name}");
    out
}

/// The difference, with what both texts share at their ends taken off first.
fn operations(old: &[Line<'_>], new: &[Line<'_>]) -> Vec<DiffOp> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev());
    let tail = tail.take_while(|(a, b)| a == b).count();
    let old_core = &old_rest[..old_rest.len() - tail];
    let new_core = &new_rest[..new_rest.len() - tail];
    let mut operations = Vec::new();
    if head > 0 {
        operations.push(DiffOp::Equal { old_index: 0, new_index: 0, len: head });
    }
    if old_core.len() + new_core.len() > SEARCHED_LINES {
        operations.push(DiffOp::Replace {
            old_index: head,
            old_len: old_core.len(),
            new_index: head,
            new_len: new_core.len(),
        });
    } else {
        let core = capture_diff_slices(Algorithm::Myers, old_core, new_core);
        operations.extend(core.into_iter().map(|operation| moved(operation, head)));
    }
    if tail > 0 {
        operations.push(DiffOp::Equal {
            old_index: old.len() - tail,
            new_index: new.len() - tail,
            len: tail,
        });
    }
    merged(operations)
}

/// An operation on lines that lie `by` further down.
fn moved(mut operation: DiffOp, by: usize) -> DiffOp {
    match &mut operation {
        DiffOp::Equal { old_index, new_index, .. }
        | DiffOp::Delete { old_index, new_index, .. }
        | DiffOp::Insert { old_index, new_index, .. }
        | DiffOp::Replace { old_index, new_index, .. } => {
            *old_index += by;
            *new_index += by;
        }
    }
    operation
}

/// Joins equal runs that meet, so that grouping sees them as one.
fn merged(operations: Vec<DiffOp>) -> Vec<DiffOp> {
    let mut out: Vec<DiffOp> = Vec::with_capacity(operations.len());
    for operation in operations {
        if let (Some(DiffOp::Equal { len, .. }), DiffOp::Equal { len: more, .. }) =
            (out.last_mut(), &operation)
        {
            *len += more;
        } else {
            out.push(operation);
        }
    }
    out
}

fn push_hunk(out: &mut String, group: &[DiffOp], old: &[Line<'_>], new: &[Line<'_>]) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else {
        return;
    };
    let range = |start: usize, end: usize| {
        let count = end - start;
        // A range without lines is named by the line before it.
        let from = if count == 0 { start } else { start + 1 };
        match count {
            1 => from.to_string(),
            _ => format!("{from},{count}"),
        }
    };
    let _ = writeln!(
        out,
        "@@ -{} +{} @@",
        range(first.old_range().start, last.old_range().end),
        range(first.new_range().start, last.new_range().end)
    );
    for operation in group {
        let (kept, mark) = match operation {
            DiffOp::Equal { .. } => (true, ' '),
            _ => (false, '-'),
        };
        push_lines(out, mark, old.get(operation.old_range()));
        if !kept {
            push_lines(out, '+', new.get(operation.new_range()));
        }
    }
}

fn push_lines(out: &mut String, mark: char, lines: Option<&[Line<'_>]>) {
    for line in lines.unwrap_or_default() {
        out.push(mark);
        out.push_str(&shown(line.text));
        match line.end {
            b"" => out.push_str("\n\\ No newline at end of file\n"),
            end => out.push_str(&shown(end)),
        }
    }
}

/// A path as git writes it: in C quotes if it has characters that would confuse a reader.
fn quoted(path: &str) -> String {
    let odd = |c: char| c.is_control() || c == '"' || c == '\\';
    if !path.contains(odd) {
        return path.to_owned();
    }
    let mut out = String::from("\"");
    for c in path.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(out, "\\{byte:03o}");
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
