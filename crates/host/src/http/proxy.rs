//! Which proxy stands between here and a server.

use super::{Address, Error, Scheme};
use hyper::header::HeaderValue;
use std::net::IpAddr;

/// The proxies as the environment names them. They are understood only when one is needed, so that an odd value
/// does not hinder whoever never meets it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    http: Option<String>,
    https: Option<String>,
    /// Hosts, domains and networks that are reached directly.
    except: Vec<String>,
}

/// A proxy, and who we are to it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Proxy {
    pub(super) address: Address,
    pub(super) authorization: Option<HeaderValue>,
}

impl Proxies {
    /// Reads `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in capitals or not, through `variable`.
    pub fn resolve(variable: impl Fn(&str) -> Option<String>) -> Proxies {
        let either = |name: &str| {
            [name.to_ascii_lowercase(), name.to_owned()]
                .iter()
                .find_map(|name| variable(name).filter(|value| !value.trim().is_empty()))
        };
        let except = either("NO_PROXY").unwrap_or_default();
        Proxies {
            http: either("HTTP_PROXY").or_else(|| either("ALL_PROXY")),
            https: either("HTTPS_PROXY").or_else(|| either("ALL_PROXY")),
            except: except
                .split([',', ' '])
                .map(|rule| rule.trim().to_ascii_lowercase())
                .filter(|rule| !rule.is_empty())
                .collect(),
        }
    }

    pub(super) fn choose(&self, target: &Address) -> Result<Option<Proxy>, Error> {
        if target.is_loopback() || self.except.iter().any(|rule| covers(rule, target)) {
            return Ok(None);
        }
        let named = match target.scheme {
            Scheme::Http => &self.http,
            Scheme::Https => &self.https,
        };
        named.as_deref().map(Proxy::parse).transpose()
    }
}

impl Proxy {
    fn parse(text: &str) -> Result<Proxy, Error> {
        let text = text.trim();
        let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (person, host) = match rest[..end].rsplit_once('@') {
            Some((person, host)) => (Some(person), host),
            None => (None, &rest[..end]),
        };
        let failed = |why: &str| Error::Proxy { proxy: host.to_owned(), why: why.to_owned() };
        if !scheme.eq_ignore_ascii_case("http") {
            return Err(failed("cannot be used: only proxies with an http:// address are supported"));
        }
        let address = Address::parse(&format!("http://{host}"));
        let address = address.map_err(|error| failed(&format!("cannot be used: {error}")))?;
        Ok(Proxy { address, authorization: person.and_then(basic) })
    }
}

// A proxy's address may hold a password.
impl std::fmt::Debug for Proxies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proxies").field("except", &self.except).finish_non_exhaustive()
    }
}

/// Whether a rule of `NO_PROXY` covers the target: `*`, a host with its subdomains, an address, or a network.
fn covers(rule: &str, target: &Address) -> bool {
    if rule == "*" {
        return true;
    }
    if let Ok(ip) = target.host.parse::<IpAddr>() {
        let bare = rule.trim_matches(['[', ']']);
        return bare.parse::<IpAddr>().is_ok_and(|other| other == ip)
            || within(ip, rule)
            || rule == target.host_and_port();
    }
    let (rule, port) = match rule.rsplit_once(':') {
        Some((host, port)) => (host, port.parse::<u16>().ok()),
        None => (rule, None),
    };
    let domain = rule.trim_start_matches('*').trim_start_matches('.');
    port.is_none_or(|port| port == target.port)
        && target.host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn within(ip: IpAddr, network: &str) -> bool {
    let Some((base, bits)) = network.split_once('/') else { return false };
    let (Ok(base), Ok(bits)) = (base.parse::<IpAddr>(), bits.parse::<u32>()) else { return false };
    match (ip, base) {
        (IpAddr::V4(ip), IpAddr::V4(base)) if bits <= 32 => {
            (ip.to_bits() ^ base.to_bits()).checked_shr(32 - bits).unwrap_or(0) == 0
        }
        (IpAddr::V6(ip), IpAddr::V6(base)) if bits <= 128 => {
            (ip.to_bits() ^ base.to_bits()).checked_shr(128 - bits).unwrap_or(0) == 0
        }
        _ => false,
    }
}

/// `user:password` as the header that carries it; both may be percent-encoded in an address.
fn basic(person: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("Basic {}", base64(&percent_decoded(person)))).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        let escaped = match rest {
            [b'%', high, low, ..] => hex(*high).zip(hex(*low)),
            _ => None,
        };
        match escaped {
            Some((high, low)) => {
                decoded.push(high << 4 | low);
                rest = &rest[3..];
            }
            None => {
                decoded.push(*byte);
                rest = after;
            }
        }
    }
    decoded
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits =
            group.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}
