//! From words to arguments: what the shell would hand to a program, as far as that can be known
//! beforehand. Start from [`arguments`].
//!
//! A part that is only known when the script runs becomes a mark in the text, [`UNKNOWN`] or
//! [`NAME`]; it must never be left out, since then the rest would be judged as something else.

use super::scope::{Scope, Value};
use super::syntax::*;

/// Stands for any text at all.
pub const UNKNOWN: char = '\u{1}';
/// Stands for the name of some file or the like, as `find` or `pwd` print it; it may start with `-`.
pub const NAME: char = '\u{2}';

const MAX_BRACES: usize = 256;
const MAX_OPENED: usize = 32;
/// How long the alternatives of one word may be together.
const MAX_ATOMS: usize = 256 * 1024;
/// How long the arguments of one command may be together; beyond it they are unknown.
const MAX_ARGUMENTS: usize = 512 * 1024;
/// How many values of a range are told apart.
const MAX_RANGE: i64 = 8;

/// One argument of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arg {
    pub text: String,
    /// An unquoted pattern: the shell replaces it by the names that fit.
    pub glob: bool,
    /// An unquoted expansion: the shell may split it into several arguments.
    pub splits: bool,
    /// Made by a command substitution or a process substitution.
    pub computed: bool,
}

impl Arg {
    pub fn literal(text: impl Into<String>) -> Arg {
        Arg { text: text.into(), ..Arg::default() }
    }

    /// Nothing in it waits for the script to run.
    pub fn is_exact(&self) -> bool {
        !self.glob && !self.has_marks()
    }

    pub fn has_marks(&self) -> bool {
        self.text.contains([UNKNOWN, NAME])
    }

    /// Whether it could turn out to be an option although it is not written as one.
    pub fn may_hide_option(&self) -> bool {
        self.splits
            || self.text.starts_with([UNKNOWN, NAME])
            || (self.glob && self.text.starts_with(['*', '?', '[']))
            || (self.text.starts_with('-') && self.has_marks() && !self.is_assigned())
    }

    /// `--glob=` before the unknown part leaves no doubt which option it is; letters may go on.
    fn is_assigned(&self) -> bool {
        let fixed = self.text.split([UNKNOWN, NAME]).next().unwrap_or("");
        fixed.contains('=')
    }
}

/// The arguments that `words` become.
pub fn arguments(words: &[Word], scope: &Scope) -> Vec<Arg> {
    let mut args = Vec::with_capacity(words.len());
    let mut length = 0;
    for word in words {
        let known = args.len();
        expand_into(word, scope, &mut args);
        length += args[known..].iter().map(|arg: &Arg| arg.text.len()).sum::<usize>();
        if length > MAX_ARGUMENTS {
            args.push(Arg { text: UNKNOWN.to_string(), splits: true, ..Arg::default() });
            break;
        }
    }
    args
}

/// A name that fits the pattern: the parts that vary are marked.
pub fn some_name(pattern: &str) -> String {
    let mut name = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find(['*', '?', '[']) {
        name.push_str(&rest[..at]);
        name.push(NAME);
        let bracket = rest[at..].starts_with('[').then(|| rest[at..].find(']')).flatten();
        rest = &rest[at + bracket.unwrap_or(0) + 1..];
    }
    name + rest
}

/// `text` with `value` for every `marker`, or something unknown if that grows too long.
pub fn replaced(text: &str, marker: &str, value: &str) -> String {
    let places = if value.len() > marker.len() { text.matches(marker).count() } else { 0 };
    if text.len() + places * value.len() > MAX_ATOMS {
        return UNKNOWN.to_string();
    }
    text.replace(marker, value)
}

/// A word where the shell neither splits nor matches: an assignment, a redirection, `case`.
pub fn text(word: &Word, scope: &Scope) -> Arg {
    let mut args = Vec::new();
    expand_into(word, scope, &mut args);
    if args.len() == 1 {
        return args.remove(0);
    }
    let joined: Vec<String> = args.into_iter().map(|arg| arg.text).collect();
    Arg::literal(joined.join(" "))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Bare,
    Quoted,
    /// From an unquoted expansion: braces mean nothing in it, patterns and blanks do.
    Value,
}

type Atoms = Vec<(char, Origin)>;

fn expand_into(word: &Word, scope: &Scope, args: &mut Vec<Arg>) {
    if let [Piece::Text { text, quoted }] = word.pieces.as_slice()
        && (*quoted || !text.contains(['{', '*', '?', '[', '~']))
    {
        args.push(Arg::literal(text.as_str()));
        return;
    }
    let mut flags = Arg::default();
    let mut quoted_empty = false;
    let mut atoms = Atoms::new();
    for piece in &word.pieces {
        if let Piece::Text { text, quoted: true } = piece {
            quoted_empty |= text.is_empty();
        }
        atoms_of(piece, scope, &mut atoms, &mut flags);
        if atoms.len() > MAX_ATOMS {
            args.push(Arg { text: UNKNOWN.to_string(), splits: true, ..flags });
            return;
        }
    }
    let alternatives = braces(&atoms).unwrap_or_else(|| vec![vec![(UNKNOWN, Origin::Value)]]);
    for alternative in alternatives {
        split(&alternative, quoted_empty, &flags, args);
    }
}

fn atoms_of(piece: &Piece, scope: &Scope, atoms: &mut Atoms, flags: &mut Arg) {
    let mut put = |text: &str, quoted: bool| {
        let origin = if quoted { Origin::Quoted } else { Origin::Value };
        atoms.extend(text.chars().map(|c| (c, origin)));
    };
    match piece {
        Piece::Text { text, quoted } => {
            let origin = if *quoted { Origin::Quoted } else { Origin::Bare };
            atoms.extend(text.chars().map(|c| (c, origin)));
        }
        Piece::Parameter { name, quoted, form, .. } => {
            let value = match form {
                Form::Plain => scope.value(name),
                Form::Length => Value::Known("0".to_owned()),
                _ => Value::Unknown,
            };
            // Where words are split elsewhere than at blanks, a value that is split may be any words.
            let split_elsewhere = !*quoted && name != "IFS" && scope.is_set("IFS");
            match value {
                Value::Known(text) if !split_elsewhere || text.chars().all(|c| c.is_ascii_alphanumeric()) => {
                    flags.splits |= !*quoted && text.contains(NAME);
                    put(&text, *quoted)
                }
                Value::Name => put(&NAME.to_string(), true),
                Value::Unknown | Value::Known(_) => {
                    flags.splits |= !*quoted || name == "@";
                    put(&UNKNOWN.to_string(), true);
                }
            }
        }
        Piece::Command { script, quoted } => {
            flags.computed = true;
            match super::listing::value(script) {
                Value::Known(text) => put(&text, true),
                Value::Name => put(&NAME.to_string(), true),
                Value::Unknown => {
                    flags.splits |= !*quoted;
                    put(&UNKNOWN.to_string(), true);
                }
            }
        }
        Piece::Process(_) => {
            flags.computed = true;
            put("/dev/fd/63", true);
        }
        // A number: it can neither be an option nor name a file that matters.
        Piece::Arithmetic(_) => put("0", true),
    }
}

/// Splits at unquoted blanks of values, and notes patterns and `~`.
fn split(atoms: &[(char, Origin)], quoted_empty: bool, flags: &Arg, args: &mut Vec<Arg>) {
    let parts = atoms.split(|(c, origin)| *origin == Origin::Value && c.is_ascii_whitespace());
    for part in parts {
        if part.is_empty() && !quoted_empty {
            continue;
        }
        args.push(Arg {
            text: part.iter().map(|(c, _)| *c).collect(),
            glob: is_pattern(part),
            ..flags.clone()
        });
    }
}

/// Whether the shell would match it against names; a lone `[` is the test command.
fn is_pattern(part: &[(char, Origin)]) -> bool {
    let mut active = part.iter().filter(|(_, origin)| *origin != Origin::Quoted).map(|(c, _)| *c);
    let bracketed = part.iter().any(|(c, _)| *c == ']');
    active.any(|c| matches!(c, '*' | '?') || (c == '[' && bracketed))
}

/// Brace expansion; `None` when there would be too many words.
fn braces(atoms: &[(char, Origin)]) -> Option<Vec<Atoms>> {
    match atoms.iter().filter(|atom| **atom == ('{', Origin::Bare)).count() {
        0 => return Some(vec![atoms.to_vec()]),
        opened if opened > MAX_OPENED => return None,
        _ => {}
    }
    let mut done: Vec<Atoms> = Vec::new();
    let mut waiting: Vec<Atoms> = vec![atoms.to_vec()];
    while let Some(word) = waiting.pop() {
        match first_brace(&word) {
            None => done.push(word),
            Some((open, close, middles)) => {
                for middle in middles.into_iter().rev() {
                    let mut next = word[..open].to_vec();
                    next.extend(middle);
                    next.extend_from_slice(&word[close + 1..]);
                    waiting.push(next);
                }
            }
        }
        let made = done.len() + waiting.len();
        if made > MAX_BRACES || made * atoms.len() > MAX_ATOMS {
            return None;
        }
    }
    Some(done)
}

/// The first brace that expands: where it opens and closes, and what it stands for.
fn first_brace(word: &[(char, Origin)]) -> Option<(usize, usize, Vec<Atoms>)> {
    for open in 0..word.len() {
        if word[open] != ('{', Origin::Bare) {
            continue;
        }
        let mut depth = 0usize;
        let mut commas = Vec::new();
        for (at, atom) in word.iter().enumerate().skip(open + 1) {
            match atom {
                ('{', Origin::Bare) => depth += 1,
                ('}', Origin::Bare) if depth > 0 => depth -= 1,
                (',', Origin::Bare) if depth == 0 => commas.push(at),
                ('}', Origin::Bare) => {
                    if let Some(middles) = middles(word, open, at, &commas) {
                        return Some((open, at, middles));
                    }
                    break;
                }
                _ => {}
            }
        }
    }
    None
}

fn middles(word: &[(char, Origin)], open: usize, close: usize, commas: &[usize]) -> Option<Vec<Atoms>> {
    let inner = &word[open + 1..close];
    if commas.is_empty() {
        let text: String = inner.iter().map(|(c, _)| *c).collect();
        let written = inner.iter().all(|(_, origin)| *origin == Origin::Bare);
        return (written && text.contains("..")).then(|| range(&text));
    }
    let mut middles = Vec::new();
    let mut from = open + 1;
    for comma in commas.iter().copied().chain([close]) {
        middles.push(word[from..comma].to_vec());
        from = comma + 1;
    }
    Some(middles)
}

/// What a range like `1..5` makes: its values while they are few, of many numbers the ends, otherwise
/// something that varies.
fn range(text: &str) -> Vec<Atoms> {
    let quoted = |text: String| text.chars().map(|c| (c, Origin::Quoted)).collect();
    let varies = || vec![vec![(NAME, Origin::Quoted)]];
    let Some((from, to)) = text.split_once("..") else {
        return varies();
    };
    let padded = |end: &str| end.trim_start_matches('-').starts_with('0') && end.len() > 1;
    if let (Ok(first), Ok(last)) = (from.parse::<i64>(), to.parse::<i64>())
        && !padded(from)
        && !padded(to)
    {
        let (low, high) = (first.min(last), first.max(last));
        let few = high.checked_sub(low).is_some_and(|many| many < MAX_RANGE);
        let values = if few { (low..=high).collect() } else { vec![first, last] };
        return values.into_iter().map(|value| quoted(value.to_string())).collect();
    }
    match (from.as_bytes(), to.as_bytes()) {
        ([first], [last]) if first.is_ascii_alphabetic() && last.is_ascii_alphabetic() => {
            let (low, high) = (*first.min(last), *first.max(last));
            (low..=high).map(|value| quoted(char::from(value).to_string())).collect()
        }
        _ => varies(),
    }
}
