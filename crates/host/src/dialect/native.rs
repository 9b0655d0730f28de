//! Calls that a model wrote as text where it should have called natively. Start at [`rescue`].
//!
//! Models fall back on the notation they were trained with, and servers hand it through unread. What is recognised is in
//! `object.rs` (JSON, bare, fenced or in `<tool_call>`), `markup.rs` (`<function=…>`, `<invoke …>`) and `special.rs`
//! (Mistral, Llama, DeepSeek).
//!
//! An example in an explanation must never run. So a call counts only if it stands as a block of its own, outside of
//! code fences, for a tool that exists; a fenced one only if the reply ends with it; and it is all or nothing: if
//! something that begins like a call cannot be read, none is made.

mod markup;
mod object;
mod special;
#[cfg(test)]
mod tests;

use super::MOST_CALLS;
use agent::{Call, CallId, Spec};
use serde_json::{Map, Value};

/// Calls, and how much of the text they took.
type Found = Option<(Vec<Call>, usize)>;

/// The reply without its calls, and the calls, without ids; nothing if there are none. For replies that have no native
/// calls. The tools are needed to know names, and to know a number from a string where the notation does not say.
pub fn rescue(text: &str, tools: &[Spec]) -> Option<(String, Vec<Call>)> {
    let text = text.trim_start_matches('\u{feff}');
    if let Some(calls) = object::whole(text, tools) {
        return Some((String::new(), calls));
    }
    let mut walk = Walk { text, tools, at: 0, words: String::new(), calls: Vec::new() };
    walk.run()?;
    match walk.calls.len() {
        0 => None,
        count if count > MOST_CALLS => None,
        _ => Some((walk.words.trim().to_owned(), walk.calls)),
    }
}

struct Walk<'a> {
    text: &'a str,
    tools: &'a [Spec],
    at: usize,
    words: String,
    calls: Vec<Call>,
}

impl<'a> Walk<'a> {
    /// Goes through the text line by line. `None` if a call cannot be read.
    fn run(&mut self) -> Option<()> {
        let mut fence: Option<&str> = None;
        while self.at < self.text.len() {
            let line = self.line();
            let start = line.trim_start_matches(' ');
            let marks = fence_marks(start);
            if let Some(open) = fence {
                let closes = start.trim_end().len() == marks.len() && marks.starts_with(open);
                fence = fence.filter(|_| !closes);
                self.keep(line);
            } else if line.len() - start.len() > 3 {
                // Markdown takes it for code.
                self.keep(line);
            } else if marks.is_empty() && notation(start).is_some() {
                self.at += line.len() - start.len();
                self.own_block()?;
            } else if marks.is_empty() {
                self.keep(line);
            } else if let Some(calls) = object::fenced(self.rest(), self.tools) {
                self.calls.extend(calls);
                self.at = self.text.len();
            } else {
                fence = Some(marks);
                self.keep(line);
            }
        }
        Some(())
    }

    /// Calls that begin here, one or more on a line. `None` if one cannot be read, or if words follow on its line: then
    /// it is no block of its own.
    fn own_block(&mut self) -> Option<()> {
        while let Some(read) = notation(self.rest()) {
            let (calls, length) = read(self.rest(), self.tools)?;
            self.calls.extend(calls);
            self.at += length;
            self.at += special::stops(self.rest());
            self.at = self.text.len() - self.rest().trim_start_matches([' ', '\t', '\r']).len();
        }
        let ended = self.rest().is_empty() || self.rest().starts_with('\n');
        self.at = self.text.len().min(self.at + usize::from(ended));
        ended.then_some(())
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn line(&self) -> &'a str {
        let rest = self.rest();
        rest.find('\n').map_or(rest, |found| &rest[..=found])
    }

    fn keep(&mut self, line: &str) {
        self.words.push_str(line);
        self.at += line.len();
    }
}

/// What reads the notation that begins here.
fn notation(text: &str) -> Option<fn(&str, &[Spec]) -> Found> {
    let tag = text.starts_with(['<', '[']).then_some(text)?;
    if tag.starts_with("<tool_call>") {
        Some(object::tagged)
    } else if markup::begins(tag) {
        Some(markup::read)
    } else if tag.starts_with(special::MISTRAL) {
        Some(special::mistral)
    } else if tag.starts_with(special::LLAMA) {
        Some(special::llama)
    } else if special::deepseek_begins(tag) {
        Some(special::deepseek)
    } else {
        None
    }
}

/// The marks of a code fence at the start of a line, or nothing.
fn fence_marks(line: &str) -> &str {
    let mark = if line.starts_with('~') { '~' } else { '`' };
    let length = line.len() - line.trim_start_matches(mark).len();
    if length < 3 { "" } else { &line[..length] }
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// A call of a tool that exists.
fn made(name: &str, arguments: String, tools: &[Spec]) -> Option<Call> {
    let known = tools.iter().any(|spec| spec.name == name);
    known.then(|| Call { id: CallId(String::new()), name: name.to_owned(), arguments })
}

/// Arguments that came as text, each as what the tool's schema says it is.
fn typed(name: &str, given: Vec<(String, String)>, tools: &[Spec]) -> Option<String> {
    let spec = tools.iter().find(|spec| spec.name == name)?;
    let mut arguments = Map::new();
    for (parameter, text) in given {
        let value = match is_text(&spec.parameters, &parameter) {
            true => Value::String(text),
            false => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        };
        if arguments.insert(parameter, value).is_some() {
            return None;
        }
    }
    Some(Value::Object(arguments).to_string())
}

/// Whether a parameter may be a string. One that the schema says nothing about is taken for one.
fn is_text(schema: &Value, parameter: &str) -> bool {
    match schema.pointer("/properties").and_then(|properties| properties.get(parameter)?.get("type")) {
        Some(Value::String(kind)) => kind == "string",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "string"),
        _ => true,
    }
}
