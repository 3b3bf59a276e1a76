//! Connections are encrypted, and only to a verified server.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use sekisho_gate::WriteAccess;
use sekisho_gate::ledger::Ledger;
use sekisho_gate::ledger::LedgerReader;
use sekisho_policy::Effect;
use sekisho_store::PostgresStore;
use sekisho_testkit::fixtures::{admission, call, caller, seconds_after_start};
use tempfile::TempDir;

use super::harness::{RUNTIME, options, other};
use sekisho_testkit::postgres::PgServer;

fn certificate(name: &str) -> (String, String) {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed([name.to_owned()]).unwrap();
    (cert.pem(), signing_key.serialize_pem())
}

fn secret(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
    // Without root the file is already ours.
    let _mine = chown(path, Some(65534), Some(65534));
}

#[test]
fn only_a_verified_server_is_used() {
    let (known, key) = certificate("localhost");
    let (unknown, _) = certificate("localhost");
    let roots = TempDir::new().unwrap();
    for (name, text) in [("known", &known), ("unknown", &unknown)] {
        fs::write(roots.path().join(name), text).unwrap();
    }
    fs::write(roots.path().join("nothing"), "no certificate").unwrap();
    let settings = [("ssl", "on"), ("ssl_cert_file", "../known.pem"), ("ssl_key_file", "../known.key")];
    let server = PgServer::start(&settings, |directory| {
        secret(&directory.join("known.pem"), &known);
        secret(&directory.join("known.key"), &key);
    });
    let url = |database: &str, host: &str, root: &str| {
        let root = roots.path().join(root).display().to_string().replace('/', "%2F");
        let port = server.port();
        format!("postgres://postgres@{host}:{port}/{database}?sslmode=verify-full&sslrootcert={root}")
    };
    RUNTIME.block_on(async {
        let plain = server.database().await;
        let name = plain.rsplit('/').next().unwrap();
        let store = PostgresStore::open(&url(name, "localhost", "known"), options()).await.unwrap();
        store
            .admit(WriteAccess::TESTS, admission(call("1"), caller(), seconds_after_start(0), Effect::Deny))
            .await
            .unwrap();
        assert_eq!(store.snapshot().await.unwrap().seq, 1);
        let bare = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
            WHERE application_name = 'sekisho' AND NOT ssl";
        let bare: i64 = other(&plain).await.query_one(bare, &[]).await.unwrap().get(0);
        assert_eq!(bare, 0, "no connection of the store goes without");

        for (host, root, word) in [
            ("localhost", "unknown", "certificate"),
            ("127.0.0.1", "known", "certificate"),
            ("localhost", "nothing", "it contains none"),
            ("localhost", "absent", "cannot be read"),
        ] {
            let error = PostgresStore::open(&url(name, host, root), options()).await.unwrap_err();
            assert!(error.to_string().contains(word), "{host} {root}: {error}");
        }
    });
}

#[test]
fn server_without_tls_is_refused() {
    RUNTIME.block_on(async {
        let url = PgServer::shared().database().await;
        let error = PostgresStore::open(&format!("{url}?sslmode=require"), options()).await.unwrap_err();
        assert!(error.to_string().to_lowercase().contains("tls"), "{error}");
    });
}
