//! TLS, if the URL asks for it.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls_improved::MakeRustlsConnect;

use super::database_url::DatabaseUrl;
use crate::error::StoreError;

/// The TLS setup. The server's certificate and host name are verified.
pub(super) fn connector(address: &DatabaseUrl) -> Result<Option<MakeRustlsConnect>, StoreError> {
    if !address.tls {
        return Ok(None);
    }
    let way_out = "set `sslrootcert` to a PEM file with the server's root certificate";
    let roots = roots(address).map_err(|what| address.unusable(what, way_out))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| address.unusable(error.to_string(), way_out))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Some(MakeRustlsConnect::new(config)))
}

fn roots(address: &DatabaseUrl) -> Result<RootCertStore, String> {
    let mut store = RootCertStore::empty();
    match &address.roots {
        Some(file) => {
            let bad = |error: &dyn std::fmt::Display| {
                format!("the root certificates in `{}` cannot be read: {error}", file.display())
            };
            for certificate in CertificateDer::pem_file_iter(file).map_err(|error| bad(&error))? {
                store.add(certificate.map_err(|error| bad(&error))?).map_err(|error| bad(&error))?;
            }
            if store.is_empty() {
                return Err(bad(&"it contains none"));
            }
        }
        None => {
            let found = rustls_native_certs::load_native_certs();
            store.add_parsable_certificates(found.certs);
            if store.is_empty() {
                return Err("this system has no root certificates".into());
            }
        }
    }
    Ok(store)
}
