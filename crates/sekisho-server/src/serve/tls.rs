//! TLS with a given certificate.

use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{Error, ServerConfig};

/// An acceptor for TLS 1.2 and later, from a certificate with its chain and its key, both as PEM.
pub fn tls_acceptor(cert_pem: &[u8], key_pem: &[u8]) -> Result<TlsAcceptor, String> {
    let chain = chain(cert_pem).map_err(|why| format!("the certificate {why}"))?;
    let key = key(key_pem).map_err(|why| format!("the key {why}"))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("cannot set up TLS: {error}"))?;
    let mut config =
        config.with_no_client_auth().with_single_cert(chain, key).map_err(|error| match error {
            Error::InconsistentKeys(_) => "the key does not belong to the certificate".to_owned(),
            Error::InvalidCertificate(why) => format!("the certificate cannot be used: {why:?}"),
            error => format!("the certificate and the key cannot be used: {error}"),
        })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn chain(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let chain = chain.map_err(|error| format!("is not PEM: {error}"))?;
    match chain.is_empty() {
        true => Err("does not contain `BEGIN CERTIFICATE`; is it DER, or the key?".into()),
        false => Ok(chain),
    }
}

fn key(pem: &[u8]) -> Result<PrivateKeyDer<'static>, String> {
    let encrypted = String::from_utf8_lossy(pem).contains("ENCRYPTED");
    PrivateKeyDer::from_pem_slice(pem).map_err(|error| match encrypted {
        true => "is protected by a passphrase; use a key without one".into(),
        false => format!("does not contain a readable PEM private key: {error}"),
    })
}
