//! Who may talk to the server. Start at [`Guard::check`]: nothing of a request is looked at before it passes.
//!
//! A page of some other site can make a browser send requests here, also under a name that it made point to this machine.
//! So the name that was asked for, the site that asks and the token are checked, in this order.

use axum::http::{HeaderMap, HeaderName, Method, Uri, header};
use std::net::IpAddr;

/// The door of the hub and of programs; everything else is the page.
const PROGRAMS: [&str; 3] = ["/api", "/hubs", "/openapi.json"];

#[derive(Debug, Clone)]
pub struct Guard {
    token: String,
    /// The host that the server was told to listen on, as it was written.
    host: String,
    port: u16,
}

/// What becomes of a request that may come in.
#[derive(Debug, PartialEq, Eq)]
pub enum Pass {
    In,
    /// The page was opened with the token in its address: it becomes a cookie, and the address loses it.
    Welcome {
        location: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial {
    /// There is not exactly one name that was asked for, or it is none.
    NoHost,
    ForeignHost,
    ForeignOrigin,
    NoToken,
}

impl Guard {
    pub fn new(token: String, host: &str, port: u16) -> Guard {
        let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        Guard { token, host, port }
    }

    pub fn check(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<Pass, Denial> {
        self.check_host(uri, headers)?;
        self.check_origin(headers)?;
        let shown = query(uri, "token").filter(|_| *method == Method::GET && is_page(uri.path()));
        match shown {
            Some(token) if self.is_token(token) => Ok(Pass::Welcome { location: without_token(uri) }),
            Some(_) => Err(Denial::NoToken),
            None if self.carries_token(uri, headers) => Ok(Pass::In),
            None => Err(Denial::NoToken),
        }
    }

    /// The cookie that a browser shows instead of the token. It names the port, because browsers keep the cookies of all
    /// servers of a machine together.
    pub fn cookie(&self) -> String {
        format!("{}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000", self.cookie_name(), self.token)
    }

    fn cookie_name(&self) -> String {
        format!("cinque_token_{}", self.port)
    }

    fn check_host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Denial> {
        let host = only(headers, header::HOST).ok_or(Denial::NoHost)?;
        let named = uri.authority().map(|authority| authority.as_str());
        for host in [Some(host), named].into_iter().flatten() {
            let (name, port) = authority(host).ok_or(Denial::NoHost)?;
            if !self.is_ours(&name, port) {
                return Err(Denial::ForeignHost);
            }
        }
        Ok(())
    }

    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Denial> {
        if headers.contains_key(header::ORIGIN) {
            let origin = only(headers, header::ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
            let ours = origin
                .and_then(authority)
                .is_some_and(|(name, port)| self.is_ours(&name, Some(port.unwrap_or(80))));
            return if ours { Ok(()) } else { Err(Denial::ForeignOrigin) };
        }
        // Browsers name no origin when they load a picture or a script, but say where the wish came from.
        let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
        let visits = headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate");
        match site {
            None | Some("same-origin" | "none") => Ok(()),
            Some(_) if visits => Ok(()),
            Some(_) => Err(Denial::ForeignOrigin),
        }
    }

    /// Whether this is a name of this server. A name without a port is taken too: the port keeps no stranger out.
    fn is_ours(&self, name: &str, port: Option<u16>) -> bool {
        let address: Option<IpAddr> = name.parse().ok();
        let everywhere = self.host.parse::<IpAddr>().is_ok_and(|host| host.is_unspecified());
        let known = name == "localhost"
            || name == self.host
            || address.is_some_and(|address| address.is_loopback() || everywhere);
        known && port.is_none_or(|port| port == self.port)
    }

    fn carries_token(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        if let Some(value) = headers.get(header::AUTHORIZATION) {
            let bearer = value.to_str().ok().and_then(|value| value.split_once(' '));
            return bearer.is_some_and(|(kind, token)| {
                kind.eq_ignore_ascii_case("bearer") && self.is_token(token.trim())
            });
        }
        if uri.path().starts_with("/hubs/")
            && let Some(token) = query(uri, "access_token")
        {
            return self.is_token(token);
        }
        let name = self.cookie_name();
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut cookies =
            cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        cookies.any(|(own, token)| own == name && self.is_token(token))
    }

    /// Compares all of it whatever differs, so that the time it takes tells nothing.
    fn is_token(&self, token: &str) -> bool {
        let (own, given) = (self.token.as_bytes(), token.as_bytes());
        own.len() == given.len() && own.iter().zip(given).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
    }
}

/// Whether a path belongs to the page.
pub fn is_page(path: &str) -> bool {
    let below = |program: &&str| {
        path == *program || path.strip_prefix(*program).is_some_and(|rest| rest.starts_with('/'))
    };
    !PROGRAMS.iter().any(below)
}

fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// A name and a port as they stand in a `Host` header.
fn authority(text: &str) -> Option<(String, Option<u16>)> {
    let (name, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (name, after) = rest.split_once(']')?;
            name.parse::<std::net::Ipv6Addr>().ok()?;
            (name, if after.is_empty() { None } else { Some(after.strip_prefix(':')?) })
        }
        None => text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port))),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._:".contains(c);
    let digits = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    if name.is_empty() || !name.chars().all(plain) || port.is_some_and(|port| !digits(port)) {
        return None;
    }
    let port = port.map(|port| port.parse::<u16>().ok()).map_or(Some(None), |port| port.map(Some))?;
    Some((name.to_ascii_lowercase(), port))
}

fn query<'a>(uri: &'a Uri, name: &str) -> Option<&'a str> {
    let pairs = uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
    pairs.into_iter().find(|(own, _)| *own == name).map(|(_, value)| value)
}

fn without_token(uri: &Uri) -> String {
    let kept: Vec<&str> =
        uri.query().unwrap_or_default().split('&').filter(|pair| !pair.starts_with("token=")).collect();
    // Two slashes at the beginning would lead to another server.
    let path = format!("/{}", uri.path().trim_start_matches(['/', '\\']));
    if kept.iter().all(|pair| pair.is_empty()) { path } else { format!("{path}?{}", kept.join("&")) }
}

#[cfg(test)]
mod tests;
