//! What kinds of values there are, how one is written in a variable, and which are accepted. Start from [`Kind`].
//!
//! No message made here may show a value that could be a key.

use toml::Value;

use crate::judge::{Rule, Rules, Verdict};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Text,
    /// `PROVIDER/MODEL`.
    Model,
    /// The address of a server.
    Url,
    /// A folder, absolute or beneath the workspace.
    Folder,
    /// A key, or what may hold one: never shown.
    Secret,
    /// A JSON object, written as text.
    Object,
    Flag,
    Whole {
        least: i64,
        most: i64,
    },
    /// A time in seconds, with a fraction if need be.
    Seconds,
    /// Money or the like.
    Amount,
    Choice(&'static [&'static str]),
    /// Names of environment variables.
    Variables,
    /// Rules for commands. The lists of all layers are joined, so that no layer drops what another forbids.
    Rules(Verdict),
    /// Folders of this machine. The lists of all layers are joined, too.
    Folders,
}

impl Kind {
    /// Whether the lists of all layers are joined, so that every item is a setting of its own.
    pub fn joins(self) -> bool {
        matches!(self, Kind::Rules(_) | Kind::Folders)
    }

    /// What a value must be, for messages and documentation.
    pub fn expected(self) -> String {
        match self {
            Kind::Text => "a text".to_owned(),
            Kind::Model => "a model as PROVIDER/MODEL".to_owned(),
            Kind::Url => "an address that begins with http:// or https://".to_owned(),
            Kind::Folder => "a folder, absolute or relative to the workspace".to_owned(),
            Kind::Secret => "a text of one line".to_owned(),
            Kind::Object => "a JSON object as text".to_owned(),
            Kind::Flag => "true or false".to_owned(),
            Kind::Whole { least, most: i64::MAX } => format!("a whole number from {least} on"),
            Kind::Whole { least, most } => format!("a whole number from {least} to {most}"),
            Kind::Seconds => "a number of seconds above 0".to_owned(),
            Kind::Amount => "a number from 0 on".to_owned(),
            Kind::Choice(choices) => match choices.split_last() {
                Some((last, [])) => (*last).to_owned(),
                Some((last, others)) => format!("{} or {last}", others.join(", ")),
                None => "nothing".to_owned(),
            },
            Kind::Variables => "a list of names of environment variables".to_owned(),
            Kind::Folders => "a list of absolute folders".to_owned(),
            Kind::Rules(_) => "a list of rules such as { prefix = [\"cargo\", \"test\"] }".to_owned(),
        }
    }

    /// The value that is written in a variable or behind a flag. It still has to be checked.
    pub fn read(self, text: &str) -> Value {
        let text = text.trim();
        let plain = || Value::from(text);
        let literal = || text.parse().unwrap_or_else(|_| plain());
        match self {
            Kind::Text
            | Kind::Model
            | Kind::Url
            | Kind::Folder
            | Kind::Secret
            | Kind::Object
            | Kind::Choice(_) => plain(),
            Kind::Flag => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => Value::Boolean(true),
                "false" | "no" | "off" | "0" => Value::Boolean(false),
                _ => plain(),
            },
            Kind::Whole { .. } | Kind::Seconds | Kind::Amount | Kind::Rules(_) | Kind::Folders => literal(),
            Kind::Variables if text.starts_with('[') => literal(),
            Kind::Variables => {
                let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
                Value::Array(names.map(Value::from).collect())
            }
        }
    }

    /// Why a value is not accepted, as the end of a sentence that begins with the key. Of rules, one is checked at a
    /// time.
    pub fn check(self, value: &Value) -> Result<(), String> {
        if let (Kind::Rules(verdict), Value::Table(_)) = (self, value) {
            return check_rule(verdict, value);
        }
        match self.accepts(value) {
            true => Ok(()),
            false => Err(format!("must be {}, not {}", self.expected(), self.describe(value))),
        }
    }

    fn accepts(self, value: &Value) -> bool {
        let number = match value {
            Value::Integer(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            _ => None,
        };
        match self {
            Kind::Text => value.as_str().is_some_and(|text| !text.trim().is_empty()),
            Kind::Model => value.as_str().is_some_and(is_model),
            Kind::Url => value.as_str().is_some_and(is_url),
            // A shell expands `~`, nobody else does; taken literally it would make a folder of that name.
            Kind::Folder => value.as_str().is_some_and(|text| !text.is_empty() && !text.starts_with('~')),
            Kind::Secret => {
                value.as_str().is_some_and(|text| !text.trim().is_empty() && !text.contains(char::is_control))
            }
            Kind::Object => value.as_str().is_some_and(is_object),
            Kind::Flag => value.is_bool(),
            Kind::Whole { least, most } => {
                value.as_integer().is_some_and(|number| (least..=most).contains(&number))
            }
            Kind::Seconds => number.is_some_and(|number| number > 0.0 && number <= A_YEAR),
            Kind::Amount => number.is_some_and(|number| number >= 0.0 && number.is_finite()),
            Kind::Choice(choices) => value.as_str().is_some_and(|text| choices.contains(&text)),
            Kind::Variables => {
                let names = |item: &Value| item.as_str().is_some_and(is_variable);
                value.as_array().is_some_and(|list| list.iter().all(names))
            }
            Kind::Folders => value.as_str().is_some_and(|text| text.starts_with('/')),
            Kind::Rules(_) => false,
        }
    }

    fn describe(self, value: &Value) -> String {
        match (self, value) {
            // People paste keys and addresses with passwords where they do not belong.
            (Kind::Secret | Kind::Variables | Kind::Url, Value::String(_)) => "this text".to_owned(),
            (_, Value::String(text)) if text.chars().count() > LONGEST_SHOWN => "this long text".to_owned(),
            (_, Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_)) => {
                value.to_string()
            }
            (_, Value::Array(_)) => "this list".to_owned(),
            (_, Value::Table(_)) => "a table".to_owned(),
            (_, Value::Datetime(_)) => "a date".to_owned(),
        }
    }
}

/// Longer waits are mistakes, and some clocks cannot count them.
const A_YEAR: f64 = 365.0 * 86_400.0;

const LONGEST_SHOWN: usize = 60;

fn is_model(text: &str) -> bool {
    text == crate::profiles::MAILBOX_MODEL
        || text.split_once('/').is_some_and(|(provider, model)| !provider.is_empty() && !model.is_empty())
}

fn is_url(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !text.contains(|c: char| c.is_whitespace() || c.is_control()))
}

fn is_object(text: &str) -> bool {
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text).is_ok()
}

fn is_variable(text: &str) -> bool {
    let letters = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    text.chars().all(letters) && text.starts_with(|c: char| !c.is_ascii_digit())
}

fn check_rule(verdict: Verdict, value: &Value) -> Result<(), String> {
    let rule: Rule = value
        .clone()
        .try_into()
        .map_err(|error: toml::de::Error| format!("has a rule that cannot be read: {}", error.message()))?;
    let mut rules = Rules::default();
    match verdict {
        Verdict::Allow => rules.allow.push(rule),
        Verdict::Ask => rules.ask.push(rule),
        Verdict::Forbid => rules.forbid.push(rule),
    }
    rules.check().map_err(|error| format!("has a rule that is refused: {error}"))
}
