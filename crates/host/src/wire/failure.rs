//! What a person is told when a provider cannot be heard, with what to do about it. Start at [`status`] and
//! [`transport`].
//!
//! What a provider wrote is quoted short, with nothing in it that could act on a terminal, and never with a key.

use super::provider::Provider;
use super::reported::Reported;
use crate::http::{BadAddress, Error, Handshake};
use agent::{Failure, FailureKind, Retry};
use hyper::StatusCode;
use hyper::header::{HeaderMap, LOCATION, RETRY_AFTER};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The most characters of a provider's words that are shown.
const QUOTE: usize = 400;

/// The variables of keys that most people have one of.
const KEYS: [&str; 3] = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"];

/// A longer wait is told to the person instead of being slept.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

pub(super) fn address(provider: &Provider, error: &BadAddress) -> Failure {
    if provider.base_url.is_empty() {
        return Failure::new(FailureKind::Setup, format!("no base URL for {}", provider.name))
            .hint(format!("set {}", provider.base_url_variable));
    }
    let shown = match error {
        BadAddress::Password => "(not shown)".to_owned(),
        _ => quote(provider, &provider.base_url),
    };
    Failure::new(
        FailureKind::Setup,
        format!("the base URL of {}, {shown}, cannot be used: {error}", provider.name),
    )
    .hint(match provider.base_url_variable.as_str() {
        "" => format!("correct the base URL of {}", provider.name),
        variable => format!("correct {variable}"),
    })
}

pub(super) fn no_key(provider: &Provider) -> Failure {
    let own = provider.key_variables.join(" or ");
    let others = KEYS.iter().filter(|name| !own.contains(*name)).copied().collect::<Vec<_>>().join(" or ");
    Failure::new(FailureKind::Setup, format!("no key for {}", provider.name)).hint(format!(
        "set {own} to your key (for a server that needs none, to any word), or that of another provider, such as \
         {others}; a server on this machine needs none: choose the model ollama/NAME"
    ))
}

pub(super) fn odd_key(provider: &Provider) -> Failure {
    Failure::new(
        FailureKind::Setup,
        format!("the key for {} holds characters that no key has", provider.name),
    )
    .hint(format!(
        "set {} again; look for line breaks and quotation marks",
        provider.key_variables.join(" or ")
    ))
}

pub(super) fn odd_header(provider: &Provider, name: &str) -> Failure {
    let message = format!("the header {} for {} cannot be sent", quote(provider, name), provider.name);
    Failure::new(FailureKind::Setup, message).hint("correct its name or its value in the configuration")
}

/// An answer whose status is not a success.
pub(super) fn status(
    provider: &Provider,
    model: &str,
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
) -> Failure {
    let text = String::from_utf8_lossy(body);
    let page = is_page(&text);
    let reported = match Reported::read(&text) {
        Some(reported) => reported,
        None if page => Reported::plain(title(&text)),
        None => Reported::plain(text.trim()),
    };
    let mut message = format!("{} answered {status}", provider.name);
    if page {
        message.push_str(" with a web page");
    }
    if let Some(target) = headers.get(LOCATION).filter(|_| status.is_redirection()) {
        message = format!(
            "{message} and points to {}",
            quote(provider, &String::from_utf8_lossy(target.as_bytes()))
        );
    }
    if !reported.message.is_empty() {
        message = format!("{message}: {}", quote(provider, &reported.message));
    }
    let kind = reported.kind(Some(status.as_u16()));
    let hint = hint(provider, model, kind, status.as_u16(), &reported);
    wait(Failure::new(kind, message).hint(hint), headers, SystemTime::now())
}

/// Whether the provider says that it no longer has what it stored of a conversation.
pub(super) fn is_forgotten(body: &[u8]) -> bool {
    Reported::read(&String::from_utf8_lossy(body)).is_some_and(|reported| reported.is_forgotten())
}

/// An error inside an answer whose status was a success.
pub(super) fn reported(provider: &Provider, model: &str, reported: &Reported) -> Failure {
    let kind = reported.kind(None);
    let message =
        format!("{} broke off with an error: {}", provider.name, quote(provider, &reported.message));
    Failure::new(kind, message).hint(hint(provider, model, kind, 200, reported))
}

/// An answer that was held back before its first word.
pub(super) fn declined(provider: &Provider, model: &str) -> Failure {
    Failure::new(FailureKind::Refused, format!("{} declined to answer this", provider.name))
        .hint(format!("say it in other words, or choose another model than {model} with -m"))
}

/// An answer that is not what the wire speaks. `said` is what came instead; it may be empty.
pub(super) fn protocol(provider: &Provider, what: &str, said: &str) -> Failure {
    if is_page(said) {
        let message = format!(
            "{} answered with a web page, not with JSON: {}",
            provider.name,
            quote(provider, &title(said))
        );
        let hint = format!(
            "check {}; a login page of a network or proxy may be in between",
            place_of_address(provider)
        );
        return Failure::new(FailureKind::Protocol, message).hint(hint).retry(Retry::Never);
    }
    let said = if said.trim().is_empty() { String::new() } else { format!(": {}", quote(provider, said)) };
    Failure::new(FailureKind::Protocol, format!("{} {what}{said}", provider.name))
        .hint("asking again may help; if it does not, the server does not speak this protocol as it should")
}

/// The connection failed. `begun` tells whether the answer had begun.
pub(super) fn transport(provider: &Provider, error: &Error, begun: Begun) -> Failure {
    let address = place_of_address(provider);
    let (hint, retry) = match error {
        Error::Address(_) => (format!("correct {address}"), Retry::Never),
        Error::Lookup { .. } => (format!("check {address} and the network connection"), Retry::Later),
        Error::Refused { .. } => {
            (format!("is the server running, and is its port right? See {address}"), Retry::Later)
        }
        Error::Unreachable { .. } | Error::ConnectLimit { .. } => {
            (format!("check the network, a proxy (HTTPS_PROXY) and {address}"), Retry::Later)
        }
        Error::Handshake { cause: Handshake::Certificate, .. } => (
            "if a proxy or a private authority is in between, put its certificate into a file and name it in \
             SSL_CERT_FILE"
                .to_owned(),
            Retry::Never,
        ),
        Error::Handshake { cause: Handshake::NotTls, .. } => {
            (format!("the server seems to speak plain http; check {address}"), Retry::Never)
        }
        Error::Handshake { cause: Handshake::Other, .. } => {
            (format!("check {address} and the network"), Retry::Later)
        }
        Error::Roots(_) => ("correct SSL_CERT_FILE and SSL_CERT_DIR, or unset them".to_owned(), Retry::Never),
        Error::Proxy { .. } => ("check HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY".to_owned(), Retry::Never),
        Error::Silence { .. } => (
            "asking again may help; a slow model may need a larger CINQUE_IDLE_TIMEOUT (seconds)".to_owned(),
            Retry::Later,
        ),
        Error::Cut { .. } => ("asking again may help".to_owned(), Retry::Later),
        Error::NotHttp { .. } => (format!("check {address}: something else answers there"), Retry::Never),
    };
    let kind = match (error, begun) {
        (Error::Cut { .. }, Begun::Yes) | (Error::NotHttp { .. }, _) => FailureKind::Protocol,
        _ => FailureKind::Network,
    };
    let message = match (error, begun) {
        (Error::Cut { .. }, Begun::Yes) => {
            format!("{}'s answer broke off before its end ({error})", provider.name)
        }
        _ => format!("{} cannot be heard: {error}", provider.name),
    };
    Failure::new(kind, quote_free(provider, &message)).hint(hint).retry(retry)
}

/// Whether any of the answer was there when the connection failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begun {
    No,
    Yes,
}

fn hint(provider: &Provider, model: &str, kind: FailureKind, status: u16, reported: &Reported) -> String {
    let key = match provider.key_variables.is_empty() {
        true => "the provider's key".to_owned(),
        false => format!("the key in {}", provider.key_variables.join(" or ")),
    };
    match kind {
        FailureKind::Auth if status == 403 => {
            format!("check that {key} may use the model {model}, and that the provider serves your region")
        }
        FailureKind::Auth => format!("check {key}"),
        FailureKind::NotFound if reported.message.to_ascii_lowercase().contains("model") => {
            format!("check the model's name: -m {}/NAME", provider.name)
        }
        FailureKind::NotFound => {
            format!("check {} and the model's name, {model}; most base URLs end in /v1", place_of_address(provider))
        }
        FailureKind::Quota => {
            "the account has no credit left or has reached its limit: see the provider's billing page, or choose \
             another model with -m"
                .to_owned()
        }
        FailureKind::Overloaded => "the provider is busy or ill: ask again later, or choose another model with -m".to_owned(),
        FailureKind::ContextTooLong => {
            "the conversation is too long for this model: compact it, begin a new one, or choose a model with a \
             larger window"
                .to_owned()
        }
        FailureKind::Refused if reported.message.contains("/v1/responses") => {
            format!("ask for it on the other wire, with -m responses/{model}")
        }
        _ if reported.is_forgotten() => format!(
            "the provider no longer has what it stored of this conversation: set providers.{}.memory to \"ours\"",
            provider.name
        ),
        FailureKind::Refused => format!("the provider does not accept this request; another model than {model} may"),
        _ => "asking again may help".to_owned(),
    }
}

fn place_of_address(provider: &Provider) -> String {
    let shown = quote_free(provider, &provider.base_url);
    match provider.base_url_variable.as_str() {
        "" => format!("the base URL of {} ({shown})", provider.name),
        variable => format!("the base URL of {} ({shown}, set by {variable})", provider.name),
    }
}

/// Takes over how long the provider wants us to wait.
fn wait(failure: Failure, headers: &HeaderMap, now: SystemTime) -> Failure {
    let Some(wait) = retry_after(headers, now).filter(|_| failure.retry != Retry::Never) else {
        return failure;
    };
    if wait <= LONGEST_WAIT {
        return failure.retry(Retry::After(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)));
    }
    let message = format!("{}; it wants us to wait {}", failure.message, spoken(wait));
    let hint = format!("ask again in {}, or choose another model with -m", spoken(wait));
    Failure::new(failure.kind, message).hint(hint).retry(Retry::Never)
}

fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let seconds =
        |text: &str| text.parse::<f64>().ok().and_then(|value| Duration::try_from_secs_f64(value).ok());
    if let Some(wait) = text("retry-after-ms").and_then(seconds) {
        return Some(wait / 1000);
    }
    let after = text(RETRY_AFTER.as_str())?;
    seconds(after).or_else(|| Some(date(after)?.duration_since(now).unwrap_or_default()))
}

/// A date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn date(text: &str) -> Option<SystemTime> {
    let mut parts = text.split_once(", ")?.1.split([' ', ':']);
    let day: u64 = parts.next()?.parse().ok()?;
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let name = parts.next()?;
    let month = months.iter().position(|month| *month == name)? as u64 + 1;
    let mut numbers = parts.map_while(|part| part.parse::<u64>().ok());
    let (year, hour, minute, second) = (numbers.next()?, numbers.next()?, numbers.next()?, numbers.next()?);
    if !(1970..=9999).contains(&year) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Counted from March, so that the leap day is the last of its year.
    let (shifted_year, shifted_month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days_in_years = shifted_year * 365 + shifted_year / 4 - shifted_year / 100 + shifted_year / 400;
    let days = days_in_years + (153 * shifted_month + 2) / 5 + day - 1 - 719_468;
    Some(UNIX_EPOCH + Duration::from_secs(((days * 24 + hour) * 60 + minute) * 60 + second))
}

fn spoken(wait: Duration) -> String {
    match wait.as_secs() {
        seconds @ 0..=119 => format!("{seconds} seconds"),
        seconds @ 120..=7199 => format!("{} minutes", seconds.div_ceil(60)),
        seconds => format!("{} hours", seconds.div_ceil(3600)),
    }
}

fn is_page(text: &str) -> bool {
    let start: String = text.trim_start_matches('\u{feff}').trim_start().chars().take(9).collect();
    let start = start.to_ascii_lowercase();
    start.starts_with("<!doctype")
        || start.starts_with("<html")
        || start.starts_with("<head")
        || start.starts_with("<?xml")
}

fn title(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    let inner = lower.find("<title").and_then(|start| {
        let start = start + lower[start..].find('>')? + 1;
        Some(page[start..start + lower[start..].find("</title")?].to_owned())
    });
    inner.unwrap_or_else(|| page.chars().take(80).collect())
}

/// What a provider wrote, in quotation marks.
fn quote(provider: &Provider, text: &str) -> String {
    format!("\"{}\"", quote_free(provider, text))
}

/// Words from outside on one short line, with no character that a terminal obeys and no secret. However long they
/// are, little more than what is shown is looked at.
fn quote_free(provider: &Provider, text: &str) -> String {
    let redacted = provider.redact(text);
    let mut short = String::new();
    let mut shown = 0;
    let mut gap = false;
    for c in redacted.chars() {
        if obeyed(c) || c.is_whitespace() {
            gap = !short.is_empty();
            continue;
        }
        if shown >= QUOTE {
            short.push('…');
            break;
        }
        if std::mem::take(&mut gap) {
            short.push(' ');
            shown += 1;
        }
        short.push(c);
        shown += 1;
    }
    short
}

/// Control characters, and those that reorder or hide text.
fn obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests;
