//! Keeps secrets out of what the model is shown and what is written down, by their value. Start from
//! [`Secrets::gather`] and [`Secrets::redact`]. Redact before text is cut: half a key is no longer found.
//!
//! It is a net, not a wall: commands do not get the variables in the first place.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::sync::{Arc, LazyLock};

use aho_corasick::{AhoCorasick, Input, MatchKind};

use super::environment::variable;
use super::kind::Kind;
use super::settings::Settings;
use crate::wire::KNOWN;

mod spelling;
#[cfg(test)]
mod tests;

/// The secrets of this run. It shows none of them, not even to `Debug`.
#[derive(Clone, Default)]
pub struct Secrets {
    finder: Option<AhoCorasick>,
    /// What stands in the place of each pattern of the finder.
    marks: Vec<String>,
}

/// Blots secrets out of a text. Made when it is first needed: most of its cost is in finding them.
pub type Redactor = Arc<LazyLock<Secrets, Box<dyn FnOnce() -> Secrets + Send>>>;

#[derive(Debug, thiserror::Error)]
#[error("the secrets in the environment are too large to look for: {0}")]
pub struct SecretsError(#[from] aho_corasick::BuildError);

/// What is shorter occurs by chance.
const SHORTEST: usize = 8;

impl Secrets {
    /// Secrets by name and value. Values that are too short to tell apart from other text are left out.
    pub fn new<'a>(secrets: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Secrets, SecretsError> {
        let mut patterns: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in secrets {
            let (value, mark) = (value.trim(), format!("[redacted {name}]"));
            // A variable that is set to its own name would be found in every mark.
            if mark.contains(value) {
                continue;
            }
            for spelling in spelling::all(value).into_iter().filter(|spelling| spelling.len() >= SHORTEST) {
                patterns.entry(spelling).or_insert_with(|| mark.clone());
            }
        }
        if patterns.is_empty() {
            return Ok(Secrets::default());
        }
        let (patterns, marks): (Vec<String>, Vec<String>) = patterns.into_iter().unzip();
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns)?;
        Ok(Secrets { finder: Some(finder), marks })
    }

    /// All secrets that can be known: keys of providers, and what variables hold whose names say that they are
    /// secret.
    pub fn gather(
        settings: &Settings,
        environment: &[(OsString, OsString)],
    ) -> Result<Secrets, SecretsError> {
        let mut found = configured(settings);
        for name in key_variables(settings) {
            found.extend(variable(environment, &name).map(|value| (name.clone(), value.to_owned())));
        }
        for (name, value) in environment {
            let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else { continue };
            let guessed = if is_secret_name(name) { Some(value) } else { password(value) };
            let guessed = guessed.map(str::trim).filter(|value| !is_word(value));
            found.extend(guessed.map(|value| (name.to_owned(), value.to_owned())));
        }
        Secrets::new(found.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }

    /// The text with `[redacted NAME]` in the place of each secret, also where it is written as base64, hexadecimal,
    /// in a URL or as JSON. Secrets that overlap go together.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Some(finder) = &self.finder else { return Cow::Borrowed(text) };
        let find = |from: usize| finder.find(Input::new(text).range(from..));
        let mut next = find(0);
        let mut clean = String::new();
        let mut kept = 0;
        while let Some(first) = next {
            let mut end = first.end();
            next = find(first.start() + 1);
            while let Some(overlapping) = next.filter(|other| other.start() < end) {
                end = end.max(overlapping.end());
                next = find(overlapping.start() + 1);
            }
            clean.push_str(text.get(kept..first.start()).unwrap_or_default());
            clean.push_str(self.marks.get(first.pattern().as_usize()).map_or("[redacted]", String::as_str));
            kept = end;
        }
        match kept {
            0 => Cow::Borrowed(text),
            _ => Cow::Owned(clean + text.get(kept..).unwrap_or_default()),
        }
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").field("spellings", &self.marks.len()).finish()
    }
}

/// What the configuration itself holds, also in layers that do not count.
fn configured(settings: &Settings) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, key, all) in settings.iter() {
        let texts = all.iter().filter_map(|setting| setting.value.as_str());
        let is_key = name.segments().last().is_some_and(|last| last == "key");
        match key.kind {
            Kind::Secret if is_key => found.extend(texts.map(|text| (name.to_string(), text.to_owned()))),
            // A header may as well hold the name of a team, or a scheme before the key.
            Kind::Secret => {
                let parts = texts.flat_map(str::split_whitespace).filter(|part| !is_word(part));
                found.extend(parts.map(|part| (name.to_string(), part.to_owned())));
            }
            Kind::Url => {
                let passwords = texts.filter_map(password).filter(|password| !is_word(password));
                found.extend(passwords.map(|password| (name.to_string(), password.to_owned())));
            }
            _ => {}
        }
    }
    found
}

fn key_variables(settings: &Settings) -> Vec<String> {
    let known = KNOWN.iter().flat_map(|known| known.key_variables).map(|name| (*name).to_owned());
    let own = settings.iter().filter(|(_, key, _)| key.kind == Kind::Variables);
    let own = own.flat_map(|(_, _, all)| all).filter_map(|setting| setting.value.as_array()).flatten();
    known.chain(own.filter_map(|name| name.as_str().map(str::to_owned))).collect()
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let ends =
        |word: &str| name.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with('_'));
    let contains = |word: &&str| name.contains(*word);
    ["PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "APIKEY"].iter().any(contains)
        || ["KEY", "KEYS", "TOKEN", "TOKENS", "SECRET", "SECRETS", "PASS"].into_iter().any(ends)
}

/// The password in an address such as `postgres://user:password@host/name`.
fn password(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (person, _) = authority.rsplit_once('@')?;
    person.split_once(':').map(|(_, password)| password)
}

/// `postgres` and `changeme` are passwords that say nothing; to blot them out would garble half of what is shown.
fn is_word(value: &str) -> bool {
    let uniform = |rest: &str| {
        rest.chars().all(|c| c.is_ascii_lowercase()) || rest.chars().all(|c| c.is_ascii_uppercase())
    };
    value.len() < 2 * SHORTEST
        && value.is_ascii()
        && value.get(1..).is_none_or(uniform)
        && value.starts_with(|c: char| c.is_ascii_alphabetic())
}
