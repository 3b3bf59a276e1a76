//! What cannot be copied whole is not copied at all.

use sekisho_gate::WriteAccess;

use sekisho_gate::audit::{KeyRing, SigningKey};
use sekisho_gate::ledger::Ledger;
use sekisho_policy::Effect;
use sekisho_store::postgres::copy::copy;
use sekisho_testkit::fixtures::{admission, audit_config, call, caller, seconds_after_start};

use crate::comparison::{on_server, tables};
use crate::harness::{RUNTIME, other, store};
use crate::sample_data::File;
use sekisho_testkit::postgres::PgServer;

/// Every row of a database, and its counters.
async fn all(url: &str) -> Vec<String> {
    let server = other(url).await;
    let mut all = Vec::new();
    for (table, columns) in tables(&server).await {
        all.extend(on_server(&server, &table, &columns).await);
    }
    let next = "SELECT last_value::text FROM approvals_seq_seq";
    all.push(server.query_one(next, &[]).await.unwrap().get(0));
    all
}

/// Attempts a copy that must fail, and returns the error.
async fn refused(file: &File, url: &str, keys: &KeyRing) -> String {
    let before = all(url).await;
    let error = copy(&file.path, url, keys, &mut |_| {}).await.unwrap_err().to_string();
    assert_eq!(all(url).await, before, "{error}");
    assert!(!error.contains('\n') && !error.contains("hush"), "{error}");
    error
}

/// A URL with a password, of a database with empty tables.
async fn empty() -> String {
    let url = PgServer::shared().database().await.replace("postgres@", "postgres:hush@");
    drop(store(&url).await);
    url
}

#[test]
fn nonempty_database_is_left_unchanged() {
    RUNTIME.block_on(async {
        let (file, url) = (File::filled().await, empty().await);
        store(&url)
            .await
            .admit(WriteAccess::TESTS, admission(call("1"), caller(), seconds_after_start(0), Effect::Deny))
            .await
            .unwrap();
        let error = refused(&file, &url, &audit_config().keys).await;
        assert!(error.contains("it is not empty: there are rows in `calls`"), "{error}");
    });
}

#[test]
fn server_error_in_the_middle_leaves_nothing() {
    RUNTIME.block_on(async {
        let (file, url) = (File::filled().await, empty().await);
        for trap in [
            "ALTER TABLE approvals ADD CONSTRAINT trap CHECK (state <> 'expired')",
            "ALTER TABLE approvals DROP CONSTRAINT trap; ALTER TABLE cuts ADD CONSTRAINT trap CHECK (seq = 0)",
        ] {
            other(&url).await.batch_execute(trap).await.unwrap();
            let error = refused(&file, &url, &audit_config().keys).await;
            assert!(error.contains("trap"), "{error}");
        }
        // The next attempt succeeds.
        other(&url).await.batch_execute("ALTER TABLE cuts DROP CONSTRAINT trap").await.unwrap();
        copy(&file.path, &url, &audit_config().keys, &mut |_| {}).await.unwrap();
    });
}

#[test]
fn lost_rows_are_noticed() {
    RUNTIME.block_on(async {
        let (file, url) = (File::filled().await, empty().await);
        let swallow = "CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$; \
            CREATE TRIGGER swallow BEFORE INSERT ON session_rules FOR EACH ROW EXECUTE FUNCTION swallow()";
        other(&url).await.batch_execute(swallow).await.unwrap();
        let error = refused(&file, &url, &audit_config().keys).await;
        assert!(error.contains("`session_rules` has 0 rows and the file 1"), "{error}");
    });
}

#[test]
fn invalid_audit_log_is_not_copied() {
    RUNTIME.block_on(async {
        let (file, url) = (File::filled().await, empty().await);
        let error = refused(&file, &url, &KeyRing::of(SigningKey::new(1, [8; 32]))).await;
        assert!(error.contains("does not verify"), "{error}");
        let tamper = "DROP TRIGGER audit_log_is_never_changed; \
            UPDATE audit_log SET text = 'nothing' WHERE seq = 9";
        file.other().execute_batch(tamper).unwrap();
        let error = refused(&file, &url, &audit_config().keys).await;
        assert!(error.contains("row 9 of writer") && error.contains("was changed"), "{error}");
    });
}

#[test]
fn file_is_locked_during_a_copy() {
    RUNTIME.block_on(async {
        let (file, url) = (File::filled().await, empty().await);
        let other = file.other();
        let mut tried = 0;
        let write = &mut |_| {
            let error = other.execute("DELETE FROM session_rules", []).unwrap_err();
            assert!(error.to_string().contains("locked"), "{error}");
            tried += 1;
        };
        other.busy_timeout(std::time::Duration::ZERO).unwrap();
        copy(&file.path, &url, &audit_config().keys, write).await.unwrap();
        assert!(tried > 10, "{tried}");
        other.execute("DELETE FROM session_rules", []).unwrap();
        // A process that is writing the file blocks the copy.
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let error = refused(&file, &empty().await, &audit_config().keys).await;
        assert!(error.contains("write lock cannot be taken"), "{error}");
    });
}
