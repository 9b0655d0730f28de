//! Where a server is: scheme, host, port and the path that all requests begin with.

use std::fmt;
use std::net::IpAddr;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    Http,
    Https,
}

/// A base address such as `https://api.example.com/v1`. It never holds a password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub scheme: Scheme,
    /// Without the brackets of an IPv6 address.
    pub host: String,
    pub port: u16,
    /// Without a slash at its end; empty for the root.
    path: String,
    /// Goes with every request, as some gateways want it.
    query: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    #[error("it has no scheme; write http:// or https:// before it")]
    NoScheme,
    #[error("its scheme is {0}; only http and https can be spoken")]
    Scheme(String),
    #[error("it has no host")]
    NoHost,
    #[error("it holds a user name or password, which does not belong there")]
    Password,
    #[error("it is not an address: {0}")]
    Malformed(String),
}

impl Address {
    pub fn parse(text: &str) -> Result<Address, BadAddress> {
        let text = text.trim();
        let (scheme, rest) = text.split_once("://").ok_or(BadAddress::NoScheme)?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            other => return Err(BadAddress::Scheme(other.to_owned())),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        if rest[..end].contains('@') {
            return Err(BadAddress::Password);
        }
        let without_fragment = text.split('#').next().unwrap_or(text);
        let uri: hyper::Uri = without_fragment
            .parse()
            .map_err(|e: hyper::http::uri::InvalidUri| BadAddress::Malformed(e.to_string()))?;
        let host = uri.host().unwrap_or("").trim_matches(['[', ']']);
        if host.is_empty() {
            return Err(BadAddress::NoHost);
        }
        Ok(Address {
            scheme,
            host: host.to_ascii_lowercase(),
            port: uri.port_u16().unwrap_or(scheme.port()),
            path: uri.path().trim_end_matches('/').to_owned(),
            query: uri.query().unwrap_or("").to_owned(),
        })
    }

    /// What to ask for: the base path, then `path` (which begins with a slash and may have a query of its own).
    pub fn join(&self, path: &str) -> String {
        let mut whole = format!("{}{path}", self.path);
        if !self.query.is_empty() {
            whole.push(if path.contains('?') { '&' } else { '?' });
            whole.push_str(&self.query);
        }
        whole
    }

    /// Host and port as a `Host` header gives them: no port where the scheme implies it.
    pub fn authority(&self) -> String {
        match self.port == self.scheme.port() {
            true => self.bracketed(),
            false => self.host_and_port(),
        }
    }

    pub fn host_and_port(&self) -> String {
        format!("{}:{}", self.bracketed(), self.port)
    }

    /// This very machine, which is never reached through a proxy.
    pub fn is_loopback(&self) -> bool {
        match self.host.parse::<IpAddr>() {
            Ok(ip) => ip.is_loopback(),
            Err(_) => self.host == "localhost" || self.host.ends_with(".localhost"),
        }
    }

    fn bracketed(&self) -> String {
        if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() }
    }
}

impl Scheme {
    pub fn port(self) -> u16 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        write!(f, "{scheme}://{}{}", self.authority(), self.path)
    }
}
