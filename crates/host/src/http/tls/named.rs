//! Servers that show the very certificate that a person named. Start from [`Named`].
//!
//! Tools that make one for a server of one's own often make it an authority's too, and an authority may not serve: the
//! usual check refuses it, whoever trusts it. Here it is good for the names and the time that it says.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct Named {
    pub usual: Arc<WebPkiServerVerifier>,
    pub named: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Named {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.usual.verify_server_cert(shown, between, name, ocsp, now) {
            // That it is out of date is found before that it is an authority's, and is another error.
            Err(Error::InvalidCertificate(CertificateError::Other(_))) if self.named.contains(shown) => {
                verify_server_name(&ParsedCertificate::try_from(shown)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            usual => usual,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual.verify_tls12_signature(message, shown, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual.verify_tls13_signature(message, shown, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.usual.supported_verify_schemes()
    }
}
