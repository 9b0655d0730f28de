//! One replacement by regular expression. Start at [`Substitution::apply`]. It replaces one match or nothing.
//!
//! The replacement is read as .NET reads it, which is what users of this tool expect: `$1`, `${1}`, `${name}`, `$&` for
//! the whole match and `$$` for a dollar; whatever names no group of the pattern stays as it is written. Patterns may look
//! around and refer back, as they may there; what does neither is matched in linear time.

use fancy_regex::{Captures, Regex, RegexBuilder};

/// A pattern that compiles to more is refused; nested repetitions would otherwise take gigabytes.
const LARGEST: usize = 16 << 20;
/// How often a pattern that looks around or back may turn back: a second or two. Others never do.
const MOST_TURNS: usize = 20_000_000;

pub(super) struct Substitution {
    pattern: Regex,
    replacement: String,
}

impl Substitution {
    pub(super) fn new(pattern: &str, replacement: &str) -> Result<Substitution, String> {
        if pattern.is_empty() {
            return Err("the text to replace is empty".into());
        }
        let pattern = RegexBuilder::new(pattern)
            .multi_line(true)
            .delegate_size_limit(LARGEST)
            .delegate_dfa_size_limit(LARGEST)
            .backtrack_limit(MOST_TURNS)
            .build()
            .map_err(|error| format!("oldText is not a regular expression that can be used: {error}"))?;
        Ok(Substitution { pattern, replacement: replacement.to_owned() })
    }

    /// The text with its one match replaced.
    pub(super) fn apply(&self, text: &str) -> Result<String, String> {
        let mut matches = self.pattern.captures_iter(text);
        let found = matches.next().transpose().map_err(too_long)?.ok_or(
            "The text to replace was not found in the file, so nothing was changed. oldText is a regular expression: \
             write a backslash before . * + ? ( ) [ ] { } | ^ $ where they are meant literally.",
        )?;
        if matches.next().transpose().map_err(too_long)?.is_some() {
            return Err(
                "The text to replace is not unique in the file. Aborting replacement to avoid unintended changes.".into(),
            );
        }
        let whole = found.get(0).map_or(0..0, |whole| whole.range());
        let (head, tail) = (&text[..whole.start], &text[whole.end..]);
        Ok(format!("{head}{}{tail}", self.expand(&found)))
    }

    fn expand(&self, found: &Captures<'_>) -> String {
        let mut out = String::new();
        let mut rest = self.replacement.as_str();
        while let Some((plain, after)) = rest.split_once('$') {
            out.push_str(plain);
            rest = match self.reference(after, found) {
                Some((value, after)) => {
                    out.push_str(value);
                    after
                }
                None => {
                    out.push('$');
                    after
                }
            };
        }
        out + rest
    }

    /// What the text after a dollar stands for, and what follows it.
    fn reference<'t>(&self, after: &'t str, found: &'t Captures<'_>) -> Option<(&'t str, &'t str)> {
        if let Some(rest) = after.strip_prefix('$') {
            return Some(("$", rest));
        }
        if let Some(rest) = after.strip_prefix('&') {
            return Some((found.get(0).map_or("", |whole| whole.as_str()), rest));
        }
        if let Some((name, rest)) = after.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            return self.group(name, found).map(|value| (value, rest));
        }
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        self.group(&after[..digits], found).map(|value| (value, &after[digits..]))
    }

    /// What a group took part with; `None` where the pattern has no such group.
    fn group<'t>(&self, name: &str, found: &'t Captures<'_>) -> Option<&'t str> {
        let number = match name.parse::<usize>() {
            Ok(number) => number,
            Err(_) => self.pattern.capture_names().position(|own| own == Some(name))?,
        };
        let known = number < self.pattern.captures_len();
        known.then(|| found.get(number).map_or("", |group| group.as_str()))
    }
}

fn too_long(error: fancy_regex::Error) -> String {
    format!(
        "oldText takes too long to match, so nothing was changed: {error}. Write it without nested repetitions, look-around \
         ((?=…), (?!…), (?<=…), (?<!…)) or back-references."
    )
}
