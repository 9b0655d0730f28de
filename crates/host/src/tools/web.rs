//! The tools of the profile `web`. Start at [`face`]; the words for the model are in `web/*.md`.

mod substitute;

use super::edit::commit;
use super::face::Face;
use super::look::numbered;
use super::shell::Shell;
use super::{World, edit, failed, looks, object, spec, text, whole};
use crate::workspace::{Change, Ending, Error, Expect, Lines, Tail, Text};
use agent::event::Outcome;
use agent::{Access, Job, Reach, Tool};
use serde_json::Value;
use std::sync::Arc;
use substitute::Substitution;

/// Lines that one `view_file` gives back at most.
const LINES: u64 = 2000;

pub(super) fn face(name: &str, world: &World) -> Option<Arc<dyn Tool>> {
    let file = |words: &str, fields: &[(&str, &str)], look, act| {
        Face::new(world, spec(name, words, object(fields)), look, act)
    };
    Some(match name {
        "shell" => Arc::new(Shell::plain(world)),
        "view_file" => {
            let fields = [("path", "string"), ("from?", "integer"), ("to?", "integer")];
            file(include_str!("web/view_file.md"), &fields, may_view, view).shared().boxed()
        }
        "write_file" => {
            let fields = [("path", "string"), ("content", "string")];
            file(include_str!("web/write_file.md"), &fields, may_write, write).boxed()
        }
        "insert_text" => {
            let fields = [("path", "string"), ("line", "integer"), ("content", "string")];
            file(include_str!("web/insert_text.md"), &fields, may_insert, insert).boxed()
        }
        "replace_text" => {
            let fields = [("path", "string"), ("oldText", "string"), ("newText", "string")];
            file(include_str!("web/replace_text.md"), &fields, may_replace, replace).boxed()
        }
        "final_output" => {
            let fields = [("output", "string")];
            file(include_str!("web/final_output.md"), &fields, may_end, |_, _| Outcome::done("Done.")).boxed()
        }
        _ => return None,
    })
}

fn may_end(_: &World, arguments: &Value) -> Result<Access, String> {
    text(arguments, "output")?;
    Ok(Access::new(Reach::Nothing))
}

fn may_view(world: &World, arguments: &Value) -> Result<Access, String> {
    lines(arguments)?;
    Ok(looks(&world.workspace, text(arguments, "path")?))
}

fn view(world: &World, job: &Job) -> Outcome {
    let view = || -> Result<Outcome, String> {
        let path = text(&job.arguments, "path")?;
        world.workspace.readable(path).map_err(|error| error.to_string())?;
        let reading =
            world.workspace.read(path, lines(&job.arguments)?).map_err(|error| error.to_string())?;
        Ok(Outcome::done(numbered(path, &reading, "from")))
    };
    view().unwrap_or_else(failed)
}

/// `from` counts from 1, `to` is included, and -1 is the end.
fn lines(arguments: &Value) -> Result<Lines, String> {
    let start = match whole(arguments, "from")?.unwrap_or(1) {
        line @ 1.. => line.unsigned_abs(),
        _ => return Err("`from` must be 1 or more".into()),
    };
    let end = match whole(arguments, "to")?.unwrap_or(-1) {
        -1 => None,
        line @ 1.. => Some(line.unsigned_abs()),
        _ => return Err("`to` must be 1 or more, or -1 for the end of the file".into()),
    };
    Ok(Lines { start: Some(start), end, most: Some(LINES) })
}

fn may_write(world: &World, arguments: &Value) -> Result<Access, String> {
    text(arguments, "content")?;
    Ok(edit(world, text(arguments, "path")?))
}

fn write(world: &World, job: &Job) -> Outcome {
    let write = || -> Result<Outcome, String> {
        let path = text(&job.arguments, "path")?;
        let bytes = text(&job.arguments, "content")?.as_bytes().to_vec();
        let change = Change::Write { path: path.into(), bytes, expect: Expect::Absent };
        match world.workspace.preview(std::slice::from_ref(&change)) {
            Err(Error::Exists { .. } | Error::Changed { .. }) => {
                Err(format!("{path} already exists; use replace_text or insert_text to change it"))
            }
            _ => Ok(commit(&world.workspace, &[change], format!("Wrote {path}"))),
        }
    };
    write().unwrap_or_else(failed)
}

fn may_insert(world: &World, arguments: &Value) -> Result<Access, String> {
    text(arguments, "content")?;
    line(arguments)?;
    Ok(edit(world, text(arguments, "path")?))
}

fn insert(world: &World, job: &Job) -> Outcome {
    let insert = || -> Result<Outcome, String> {
        let (path, content) = (text(&job.arguments, "path")?, text(&job.arguments, "content")?);
        let line = line(&job.arguments)?;
        let file = world.workspace.text(path).map_err(|error| error.to_string())?;
        let body = with_lines(file.body(), line, &in_body(&file, content));
        Ok(save(world, path, &file, &body, format!("Inserted text into {path}")))
    };
    insert().unwrap_or_else(failed)
}

fn line(arguments: &Value) -> Result<u64, String> {
    let line = whole(arguments, "line")?.ok_or("`line` is missing")?;
    u64::try_from(line).map_err(|_| "`line` must be 0 (the top) or more".into())
}

/// The text with lines added after so many of its own. A last line that has no line end goes on having none.
fn with_lines(body: &str, line: u64, content: &str) -> String {
    let at: usize = body.split_inclusive('\n').take(line as usize).map(str::len).sum();
    let (head, tail) = body.split_at(at);
    let content = content.strip_suffix('\n').unwrap_or(content);
    match head.is_empty() || head.ends_with('\n') {
        true => format!("{head}{content}\n{tail}"),
        false => format!("{head}\n{content}"),
    }
}

fn may_replace(world: &World, arguments: &Value) -> Result<Access, String> {
    Substitution::new(text(arguments, "oldText")?, text(arguments, "newText")?)?;
    Ok(edit(world, text(arguments, "path")?))
}

fn replace(world: &World, job: &Job) -> Outcome {
    let replace = || -> Result<Outcome, String> {
        let path = text(&job.arguments, "path")?;
        let (old, new) = (text(&job.arguments, "oldText")?, text(&job.arguments, "newText")?);
        let file = world.workspace.text(path).map_err(|error| error.to_string())?;
        // Where lines end with CR LF the body has plain line ends, so a pattern that spells them must not ask for more.
        let old = match file.ending() {
            Ending::Crlf => old.replace("\r\n", "\n").replace("\\r\\n", "\\n"),
            Ending::Lf | Ending::Mixed => old.to_owned(),
        };
        let body = Substitution::new(&old, &in_body(&file, new))?.apply(file.body())?;
        Ok(save(world, path, &file, &body, format!("Replaced text in {path}")))
    };
    replace().unwrap_or_else(failed)
}

/// What a model writes, with the line ends that the body of the file has.
fn in_body(file: &Text, text: &str) -> String {
    match file.ending() {
        Ending::Crlf => text.replace("\r\n", "\n"),
        Ending::Lf | Ending::Mixed => text.to_owned(),
    }
}

fn save(world: &World, path: &str, file: &Text, body: &str, words: String) -> Outcome {
    let bytes = file.encode(body, Tail::AsGiven);
    let change = Change::Write { path: path.into(), bytes, expect: Expect::Hash(file.hash()) };
    commit(&world.workspace, &[change], words)
}
