//! Secure connections: which authorities are trusted, and the handshake. Nothing is loaded before the first one.

use super::Error;
use rustls::pki_types::ServerName;
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
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| Error::Roots(error.to_string()))?;
        let mut config = builder.with_root_certificates(self.roots()?).with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }

    fn roots(&self) -> Result<RootCertStore, Error> {
        let mut roots = RootCertStore::empty();
        if self.file.is_none() && self.folder.is_none() {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if roots.is_empty() {
                // Slim containers come without any; the list of a large browser is better than no connection.
                roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
            }
            return Ok(roots);
        }
        let found = rustls_native_certs::load_certs_from_paths(self.file.as_deref(), self.folder.as_deref());
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() {
            let why = found.errors.first().map_or("no certificate in them".to_owned(), ToString::to_string);
            return Err(Error::Roots(why));
        }
        Ok(roots)
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("file", &self.file).field("folder", &self.folder).finish_non_exhaustive()
    }
}
