//! Calls in the special words of Mistral, Llama and DeepSeek, where a server lets them through as text.

use super::object::{self, Marked};
use super::{Found, blanks, made};
use crate::dialect::lenient;
use agent::{Call, Spec};
use serde_json::Value;

pub(super) const MISTRAL: &str = "[TOOL_CALLS]";
pub(super) const LLAMA: &str = "<|python_tag|>";
/// Words that end a model's turn.
const STOPS: [&str; 5] = ["<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "</s>"];

/// How much at the start of a text is words that end a turn.
pub(super) fn stops(text: &str) -> usize {
    let mut rest = text;
    loop {
        let start = rest.trim_start();
        let plain = STOPS.iter().find_map(|stop| start.strip_prefix(stop));
        match plain.or_else(|| word(start, "end of sentence")) {
            Some(after) => rest = after,
            None => break,
        }
    }
    text.len() - rest.len()
}

/// `[TOOL_CALLS][{…}, …]`, or `[TOOL_CALLS]name{…}` with `[ARGS]` before the object or without.
pub(super) fn mistral(text: &str, tools: &[Spec]) -> Found {
    let start = MISTRAL.len() + blanks(&text[MISTRAL.len()..]);
    let rest = &text[start..];
    if rest.starts_with(['[', '{']) {
        let (value, length) = lenient::value(rest, 0).ok()?;
        return Some((object::calls(value, Marked::Yes, tools)?, start + length));
    }
    let (name, after) = rest.split_at(rest.find(['[', '{'])?);
    let after = after.strip_prefix("[ARGS]").unwrap_or(after);
    let (call, after) = named(name.trim(), after, tools)?;
    Some((vec![call], text.len() - after.len()))
}

/// `<|python_tag|>{…}`, several with semicolons between them.
pub(super) fn llama(text: &str, tools: &[Spec]) -> Found {
    let mut calls = Vec::new();
    let mut at = LLAMA.len();
    loop {
        let (value, length) = lenient::value(&text[at..], 0).ok()?;
        calls.extend(object::calls(value, Marked::Yes, tools)?);
        at += length;
        match text[at..].trim_start().strip_prefix(';') {
            Some(after) => at = text.len() - after.len(),
            None => return Some((calls, at)),
        }
    }
}

pub(super) fn deepseek_begins(text: &str) -> bool {
    word(text, "tool calls begin").is_some()
}

/// `<｜tool▁calls▁begin｜>`, then calls as `<｜tool▁call▁begin｜>function<｜tool▁sep｜>name` with the arguments in a fence,
/// or, in later versions, `<｜tool▁call▁begin｜>name<｜tool▁sep｜>` with the arguments bare.
pub(super) fn deepseek(text: &str, tools: &[Spec]) -> Found {
    let mut rest = word(text, "tool calls begin")?;
    let mut calls = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(after) = word(rest, "tool calls end") {
            return Some((calls, text.len() - after.len())).filter(|(calls, _)| !calls.is_empty());
        }
        if stops(rest) > 0 || rest.is_empty() {
            return Some((calls, text.len() - rest.len())).filter(|(calls, _)| !calls.is_empty());
        }
        let (call, after) = deepseek_call(word(rest, "tool call begin")?, tools)?;
        calls.push(call);
        rest = after;
    }
}

fn deepseek_call<'a>(text: &'a str, tools: &[Spec]) -> Option<(Call, &'a str)> {
    let (before, after) = split_at_word(text, "tool sep")?;
    let (call, after) = if before.trim() == "function" {
        let (name, after) = after.split_once('\n')?;
        let after = after.trim_start().strip_prefix("```json")?;
        let (call, after) = named(name.trim(), after, tools)?;
        (call, after.trim_start().strip_prefix("```")?)
    } else {
        named(before.trim(), after, tools)?
    };
    Some((call, word(after.trim_start(), "tool call end")?))
}

/// A call whose arguments are the JSON object that begins here, and what follows it.
fn named<'a>(name: &str, text: &'a str, tools: &[Spec]) -> Option<(Call, &'a str)> {
    let (value, length) = lenient::value(text, 0).ok()?;
    let arguments = Some(value).filter(Value::is_object)?.to_string();
    Some((made(name, arguments, tools)?, &text[length..]))
}

/// What follows a special word of DeepSeek's that begins here. Its bars are wide and its blanks are marks of their own;
/// servers and people write them as `|` and `_` too.
fn word<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let bar = ['｜', '|'];
    let mut rest = text.strip_prefix('<')?.strip_prefix(bar)?;
    for (place, word) in words.split(' ').enumerate() {
        if place > 0 {
            rest = rest.strip_prefix(['▁', '_', ' '])?;
        }
        rest = rest.strip_prefix(word)?;
    }
    rest.strip_prefix(bar)?.strip_prefix('>')
}

/// What stands before the first such word, and what after it.
fn split_at_word<'a>(text: &'a str, words: &str) -> Option<(&'a str, &'a str)> {
    text.match_indices('<').find_map(|(at, _)| Some((&text[..at], word(&text[at..], words)?)))
}
