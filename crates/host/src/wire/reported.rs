//! An error as a provider words it. There are many shapes; this reads them all into one. Start at [`Reported`].

use agent::FailureKind;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Reported {
    pub(super) message: String,
    /// Codes, types and statuses, in small letters.
    labels: String,
    /// An HTTP status that the error itself names.
    status: Option<u16>,
}

/// Words that tell what kind of failure an error is, whatever its status says. The first match counts.
const WORDS: &[(&str, FailureKind)] = &[
    ("context_length", FailureKind::ContextTooLong),
    ("context length", FailureKind::ContextTooLong),
    ("context window", FailureKind::ContextTooLong),
    ("context size", FailureKind::ContextTooLong),
    ("exceed_context", FailureKind::ContextTooLong),
    ("contextwindow", FailureKind::ContextTooLong),
    ("prompt is too long", FailureKind::ContextTooLong),
    ("prompt too long", FailureKind::ContextTooLong),
    ("input is too long", FailureKind::ContextTooLong),
    ("input token count", FailureKind::ContextTooLong),
    ("maximum number of tokens allowed", FailureKind::ContextTooLong),
    ("too many input tokens", FailureKind::ContextTooLong),
    ("reduce the length of the messages", FailureKind::ContextTooLong),
    ("maximum prompt length", FailureKind::ContextTooLong),
    ("insufficient_quota", FailureKind::Quota),
    ("insufficient quota", FailureKind::Quota),
    ("insufficient balance", FailureKind::Quota),
    ("insufficient credits", FailureKind::Quota),
    ("credit balance is too low", FailureKind::Quota),
    ("billing_hard_limit", FailureKind::Quota),
    ("billing_not_active", FailureKind::Quota),
    ("billing_error", FailureKind::Quota),
    ("content_policy", FailureKind::Refused),
    ("content_filter", FailureKind::Refused),
    ("responsibleaipolicy", FailureKind::Refused),
    ("model_not_found", FailureKind::NotFound),
    ("api key not valid", FailureKind::Auth),
    ("api_key_invalid", FailureKind::Auth),
    ("invalid_api_key", FailureKind::Auth),
];

/// Words in an error's labels alone, for errors that come without a status.
const LABELS: &[(&str, FailureKind)] = &[
    ("auth", FailureKind::Auth),
    ("permission", FailureKind::Auth),
    ("not_found", FailureKind::NotFound),
    ("notfound", FailureKind::NotFound),
    ("rate_limit", FailureKind::Overloaded),
    ("too_many_requests", FailureKind::Overloaded),
    ("exhausted", FailureKind::Overloaded),
    ("overloaded", FailureKind::Overloaded),
    ("slow_down", FailureKind::Overloaded),
    ("server_error", FailureKind::Overloaded),
    ("api_error", FailureKind::Overloaded),
    ("internal", FailureKind::Overloaded),
    ("unavailable", FailureKind::Overloaded),
    ("timeout", FailureKind::Overloaded),
    ("capacity", FailureKind::Overloaded),
    ("policy", FailureKind::Refused),
    ("invalid", FailureKind::Refused),
    ("badrequest", FailureKind::Refused),
    ("bad_request", FailureKind::Refused),
];

impl Reported {
    /// Reads a body or an event as an error; `None` where it is JSON but no error, or no JSON at all.
    pub(super) fn read(text: &str) -> Option<Reported> {
        let value: Value = serde_json::from_str(text).ok()?;
        Reported::from_value(value.get(0).unwrap_or(&value))
    }

    /// An error of which nothing but its words is known.
    pub(super) fn plain(message: impl Into<String>) -> Reported {
        Reported { message: message.into(), ..Reported::default() }
    }

    /// The provider does not want to answer.
    pub(super) fn refusal(message: impl Into<String>) -> Reported {
        Reported { message: message.into(), labels: "content_filter".to_owned(), status: None }
    }

    /// Whether a stored reply was named that the provider does not have, or has no more.
    pub(super) fn is_forgotten(&self) -> bool {
        self.labels.contains("previous_response")
            || self.message.to_ascii_lowercase().contains("previous response")
    }

    fn from_value(value: &Value) -> Option<Reported> {
        if let Some(error) =
            value.get("error").filter(|error| !error.is_null() && *error != &Value::Bool(false))
        {
            return Some(Reported::from_error(error, value));
        }
        let is_error = value.get("object").or(value.get("type")).and_then(Value::as_str) == Some("error");
        let has_code = value.get("code").is_some() && value.get("message").is_some();
        if is_error || has_code {
            return Some(Reported::from_error(value, value));
        }
        let detail = value.get("detail").or(value.get("errors"))?;
        Some(Reported::plain(words(detail)))
    }

    fn from_error(error: &Value, around: &Value) -> Reported {
        let mut message = ["message", "msg", "detail"]
            .iter()
            .find_map(|name| error.get(name).or(around.get(name)))
            .map_or_else(|| words(error), words);
        // A gateway's own message says only that its provider failed; the reason is deeper.
        if let Some(raw) = error.pointer("/metadata/raw") {
            message = format!("{message}: {}", words(raw));
        }
        let named = ["code", "type", "status"].iter().filter_map(|name| error.get(name));
        let labels: Vec<String> = named.clone().map(|label| words(label).to_ascii_lowercase()).collect();
        let status = named.filter_map(number).find(|status| (400..600).contains(status));
        Reported { message, labels: labels.join(" "), status }
    }

    /// What kind of failure this is, given the answer's status where it was not a success.
    pub(super) fn kind(&self, status: Option<u16>) -> FailureKind {
        let all = format!("{} {}", self.labels, self.message.to_ascii_lowercase());
        if let Some((_, kind)) = WORDS.iter().find(|(word, _)| all.contains(word)) {
            return *kind;
        }
        // Google words its limits per minute like this too; there, waiting helps.
        if all.contains("exceeded your current quota") && !self.labels.contains("exhausted") {
            return FailureKind::Quota;
        }
        match status.or(self.status) {
            Some(status) => by_status(status),
            None => {
                let label = LABELS.iter().find(|(word, _)| self.labels.contains(word));
                label.map_or(FailureKind::Protocol, |(_, kind)| *kind)
            }
        }
    }
}

fn by_status(status: u16) -> FailureKind {
    match status {
        401 | 403 => FailureKind::Auth,
        402 => FailureKind::Quota,
        300..=399 | 404 | 405 | 410 => FailureKind::NotFound,
        413 => FailureKind::ContextTooLong,
        408 | 409 | 425 | 429 | 500.. => FailureKind::Overloaded,
        _ => FailureKind::Refused,
    }
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn number(value: &Value) -> Option<u16> {
    match value {
        Value::Number(number) => number.as_u64().and_then(|number| u16::try_from(number).ok()),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
