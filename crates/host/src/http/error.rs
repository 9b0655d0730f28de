//! What can go wrong between here and a server, in words for a person. What to do about it is said by whoever knows
//! what the server is for.

use std::error::Error as _;
use std::io;
use std::time::Duration;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0} is not an address that can be asked")]
    Address(String),
    #[error("the host {host} could not be found: {why}")]
    Lookup { host: String, why: io::Error },
    #[error("{at} refused the connection")]
    Refused { at: String },
    #[error("{at} could not be reached: {why}")]
    Unreachable { at: String, why: io::Error },
    #[error("{at} did not let us connect within {} s", .limit.as_secs_f32())]
    ConnectLimit { at: String, limit: Duration },
    #[error("no secure connection to {host}: {why}")]
    Handshake { host: String, why: String, cause: Handshake },
    #[error("the certificates that SSL_CERT_FILE or SSL_CERT_DIR name cannot be used: {0}")]
    Roots(String),
    #[error("the proxy {proxy} {why}")]
    Proxy { proxy: String, why: String },
    #[error("nothing was heard for {} s", .limit.as_secs_f32())]
    Silence { limit: Duration },
    #[error("the connection was cut: {why}")]
    Cut { why: String },
    #[error("the answer is not HTTP: {why}")]
    NotHttp { why: String },
}

/// Why a handshake failed, as far as it changes what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handshake {
    /// The server's certificate is not trusted, has expired or is for another name.
    Certificate,
    /// What came back was no TLS at all: most likely plain HTTP.
    NotTls,
    Other,
}

impl Error {
    /// What hyper says once a connection stands.
    pub(super) fn from_hyper(error: hyper::Error) -> Error {
        let why = match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        };
        if error.is_parse() { Error::NotHttp { why } } else { Error::Cut { why } }
    }

    pub(super) fn from_handshake(host: &str, error: io::Error) -> Error {
        let inner = error.get_ref().and_then(|e| e.downcast_ref::<rustls::Error>());
        let cause = match inner {
            Some(rustls::Error::InvalidCertificate(_)) => Handshake::Certificate,
            Some(rustls::Error::InvalidMessage(_)) => Handshake::NotTls,
            _ => Handshake::Other,
        };
        Error::Handshake { host: host.to_owned(), why: error.to_string(), cause }
    }
}
