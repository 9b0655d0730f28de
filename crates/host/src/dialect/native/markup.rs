//! Calls as markup: `<function=name><parameter=x>…` and `<invoke name="x"><parameter name="y">…`, the latter also in
//! `<function_calls>` and with a namespace before each name.

use super::{Found, blanks, made, typed};
use agent::{Call, Spec};

/// The strings around the parts of a call.
struct Markup {
    open: String,
    parameter: String,
    /// What ends a name in either.
    named: &'static str,
    parameter_close: String,
    close: String,
}

impl Markup {
    /// The markup of a call that begins here.
    fn at(text: &str) -> Option<Markup> {
        let space = namespace(text)?;
        let tag = &text[1 + space.len()..];
        if tag.starts_with("function=") {
            Some(Markup::new(space, "function", "=", ">"))
        } else if tag.starts_with("invoke name=\"") {
            Some(Markup::new(space, "invoke", " name=\"", "\">"))
        } else {
            None
        }
    }

    fn new(space: &str, element: &str, name: &str, named: &'static str) -> Markup {
        Markup {
            open: format!("<{space}{element}{name}"),
            parameter: format!("<{space}parameter{name}"),
            named,
            parameter_close: format!("</{space}parameter>"),
            close: format!("</{space}{element}>"),
        }
    }
}

/// Whether a call, or the wrapper of some, begins here.
pub(super) fn begins(text: &str) -> bool {
    wrapper(text).is_some() || Markup::at(text).is_some()
}

/// Calls in their wrapper, or without one.
pub(super) fn read(text: &str, tools: &[Spec]) -> Found {
    let Some(open) = wrapper(text) else {
        let (calls, end) = functions(text, tools)?;
        // Some models close a wrapper that they never opened.
        let after = text[end..].trim_start().strip_prefix("</tool_call>");
        return Some((calls, after.map_or(end, |after| text.len() - after.len())));
    };
    let start = open.len() + blanks(&text[open.len()..]);
    let (calls, length) = functions(&text[start..], tools)?;
    let end = start + length;
    let rest = text[end..].trim_start();
    match rest.strip_prefix(&open.replacen('<', "</", 1)) {
        Some(after) => Some((calls, text.len() - after.len())),
        None => rest.is_empty().then_some((calls, text.len())),
    }
}

/// One call after another, with nothing but blanks between them.
pub(super) fn functions(text: &str, tools: &[Spec]) -> Found {
    let mut calls = Vec::new();
    let mut at = 0;
    let mut end = 0;
    while let Some(markup) = Markup::at(&text[at..]) {
        let (call, length) = function(&text[at..], &markup, tools)?;
        calls.push(call);
        end = at + length;
        at = end + blanks(&text[end..]);
    }
    Some((calls, end)).filter(|(calls, _)| !calls.is_empty())
}

fn function(text: &str, markup: &Markup, tools: &[Spec]) -> Option<(Call, usize)> {
    let (name, mut rest) = name(text.strip_prefix(&markup.open)?, markup)?;
    let mut given = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(&markup.close) {
            let call = made(name, typed(name, given, tools)?, tools)?;
            return Some((call, text.len() - after.len()));
        }
        let (parameter, after) = self::name(rest.strip_prefix(&markup.parameter)?, markup)?;
        let (value, after) = value(after, markup)?;
        given.push((parameter.to_owned(), value.to_owned()));
        rest = after;
    }
}

/// A name, and what follows it.
fn name<'a>(text: &'a str, markup: &Markup) -> Option<(&'a str, &'a str)> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let length = text.find(|c| !is_name(c)).filter(|length| *length > 0)?;
    let (name, rest) = text.split_at(length);
    Some((name, rest.strip_prefix(markup.named)?))
}

/// A value up to the closing tag that has another parameter or the call's end after it: a value may well hold the
/// closing tag as text. One line break on either side belongs to the markup.
fn value<'a>(text: &'a str, markup: &Markup) -> Option<(&'a str, &'a str)> {
    let follows = |rest: &str| rest.starts_with(&markup.parameter) || rest.starts_with(&markup.close);
    let ends = |(at, tag): &(usize, &str)| follows(text[at + tag.len()..].trim_start());
    let (end, tag) = text.match_indices(markup.parameter_close.as_str()).find(ends)?;
    let value = &text[..end];
    let value = value.strip_prefix("\r\n").or_else(|| value.strip_prefix('\n')).unwrap_or(value);
    let value = value.strip_suffix('\n').unwrap_or(value);
    Some((value.strip_suffix('\r').unwrap_or(value), &text[end + tag.len()..]))
}

/// The opening tag of a wrapper that begins here.
fn wrapper(text: &str) -> Option<&str> {
    let space = namespace(text)?;
    let open = "<".len() + space.len() + "function_calls>".len();
    text.get(..open).filter(|tag| tag.ends_with("function_calls>"))
}

/// The namespace of the tag that begins here, with its colon; empty if there is none.
fn namespace(text: &str) -> Option<&str> {
    const LONGEST: usize = 16;
    let name = text.strip_prefix('<')?;
    let length = name.bytes().take(LONGEST).position(|byte| !byte.is_ascii_lowercase());
    Some(
        length
            .filter(|length| name.as_bytes().get(*length) == Some(&b':'))
            .map_or("", |length| &name[..=length]),
    )
}
