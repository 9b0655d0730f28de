//! Handshakes with a server on this machine whose certificate nobody but the person has signed.

use super::*;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection};
use std::net::TcpListener;
use std::path::Path;

/// A certificate and its key. They are of use to nobody: they were made for these tests.
fn pair(name: &str) -> (Vec<u8>, Vec<u8>) {
    match name {
        "authority" => (
            include_bytes!("tests/authority.pem").to_vec(),
            include_bytes!("tests/authority.key.pem").to_vec(),
        ),
        _ => (include_bytes!("tests/leaf.pem").to_vec(), include_bytes!("tests/leaf.key.pem").to_vec()),
    }
}

/// Serves one handshake, whatever comes of it, and says where.
fn serve(name: &str) -> u16 {
    let (certificate, key) = pair(name);
    let certificate = CertificateDer::from_pem_slice(&certificate).unwrap();
    let key = PrivateKeyDer::from_pem_slice(&key).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut connection = ServerConnection::new(Arc::new(config)).unwrap();
        while connection.is_handshaking() && connection.complete_io(&mut stream).is_ok() {}
    });
    port
}

fn shake(server: &str, trusted: &Path, host: &str) -> Result<(), Error> {
    let port = serve(server);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        Tls::new(Some(trusted.to_owned()), None).handshake(host, stream).await.map(drop)
    })
}

#[test]
fn a_certificate_that_was_named_is_trusted_for_its_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, pair(name).0).unwrap();
        path
    };
    let (authority, leaf) = (path("authority"), path("leaf"));
    for (server, trusted, host, good) in [
        ("leaf", &leaf, "localhost", true),
        ("authority", &authority, "localhost", true),
        ("authority", &authority, "other.example", false),
        ("leaf", &authority, "localhost", false),
        ("authority", &leaf, "localhost", false),
    ] {
        let shaken = shake(server, trusted, host);
        assert_eq!(shaken.is_ok(), good, "{server} {} {host}: {shaken:?}", trusted.display());
    }
}
