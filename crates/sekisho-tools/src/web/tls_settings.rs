//! Which certificates https trusts.

use std::sync::{Arc, OnceLock};

use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

/// The certificates that https trusts: those of the system, read when they are first needed.
#[derive(Clone, Default)]
pub struct TlsSettings {
    config: Arc<OnceLock<Result<Arc<ClientConfig>, String>>>,
}

impl TlsSettings {
    /// Trusts these certificates only.
    pub fn trusting(roots: RootCertStore) -> TlsSettings {
        let settings = TlsSettings::default();
        settings.config.get_or_init(|| client_config(roots));
        settings
    }

    /// The settings of a connection, or why there are none.
    pub fn config(&self) -> Result<Arc<ClientConfig>, String> {
        self.config.get_or_init(|| client_config(system_roots()?)).clone()
    }
}

fn client_config(roots: RootCertStore) -> Result<Arc<ClientConfig>, String> {
    let provider = Arc::new(crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("TLS cannot be set up: {error}"))?;
    Ok(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
}

fn system_roots() -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    match added {
        0 => Err("this system has no trusted certificates; install the package `ca-certificates`".into()),
        _ => Ok(roots),
    }
}
