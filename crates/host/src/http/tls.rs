//! Secure connections: which authorities are trusted, and the handshake. Nothing is loaded before the first one.

mod named;

use super::Error;
use named::Named;
use rustls::client::WebPkiServerVerifier;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Whom to trust. Clones share what was loaded.
#[derive(Clone, Default)]
pub struct Tls {
    file: Option<PathBuf>,
    folder: Option<PathBuf>,
    loaded: Arc<OnceLock<Arc<ClientConfig>>>,
}

impl Tls {
    /// Trust what `SSL_CERT_FILE` and `SSL_CERT_DIR` name; with neither, what the system trusts.
    pub fn new(file: Option<PathBuf>, folder: Option<PathBuf>) -> Tls {
        Tls { file, folder, loaded: Arc::default() }
    }

    pub(super) async fn handshake(
        &self,
        host: &str,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, Error> {
        let name = ServerName::try_from(host.to_owned()).map_err(|_| Error::Address(host.to_owned()))?;
        let config = match self.loaded.get() {
            Some(config) => Arc::clone(config),
            None => {
                let config = self.load()?;
                Arc::clone(self.loaded.get_or_init(|| config))
            }
        };
        let connecting = TlsConnector::from(config).connect(name, stream);
        connecting.await.map_err(|error| Error::from_handshake(host, error))
    }

    fn load(&self) -> Result<Arc<ClientConfig>, Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let unusable = |error: &dyn fmt::Display| Error::Roots(error.to_string());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| unusable(&error))?;
        let (roots, named) = self.roots()?;
        let usual = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
        let usual = usual.build().map_err(|error| unusable(&error))?;
        let verifier = Arc::new(Named { usual, named });
        let mut config = builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }

    /// Whom to trust, and the certificates of it that a person named.
    fn roots(&self) -> Result<(RootCertStore, Vec<CertificateDer<'static>>), Error> {
        let mut roots = RootCertStore::empty();
        if self.file.is_none() && self.folder.is_none() {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if roots.is_empty() {
                // Slim containers come without any; the list of a large browser is better than no connection.
                roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
            }
            return Ok((roots, Vec::new()));
        }
        let found = rustls_native_certs::load_certs_from_paths(self.file.as_deref(), self.folder.as_deref());
        roots.add_parsable_certificates(found.certs.iter().cloned());
        if roots.is_empty() {
            let why = found.errors.first().map_or("no certificate in them".to_owned(), ToString::to_string);
            return Err(Error::Roots(why));
        }
        Ok((roots, found.certs))
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("file", &self.file).field("folder", &self.folder).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
