//! `/api/trust`.

use std::path::{Path, PathBuf};

use axum::http::Method;
use sekisho_gate::answer::Role;
use sekisho_gate::record::RecordKind;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::in_process::{TestResponse, TestServer};

const LOOSE: &str = "{ \"version\": 1, \"permissions\": {\n  \"allow\": [{ \"tool\": \"peek\" }]\n} }\n";

struct TrustFixture {
    server: TestServer,
    root: PathBuf,
    _directory: TempDir,
}

impl TrustFixture {
    async fn new() -> TrustFixture {
        let directory = TempDir::new().unwrap();
        let root = directory.path().canonicalize().unwrap().join("project");
        std::fs::create_dir_all(root.join(".sekisho")).unwrap();
        let server =
            TestServer::with_projects(vec![root.to_str().unwrap().into()], &directory.path().join("state"))
                .await;
        TrustFixture { server, root, _directory: directory }
    }

    fn write(&self, text: &str) {
        std::fs::write(self.root.join(".sekisho/config.json"), text).unwrap();
    }

    async fn look(&self) -> Value {
        let list = self.server.send(Role::Admin, Method::GET, "/api/trust", None).await.ok();
        list["projects"][0].clone()
    }

    async fn trust(&self, sha256: &Value) -> TestResponse {
        let body = json!({ "root": self.root, "sha256": sha256 });
        self.server.post(Role::Admin, "/api/trust", body).await
    }

    async fn distrust(&self, root: &Path) -> TestResponse {
        self.server.send(Role::Admin, Method::DELETE, "/api/trust", Some(json!({ "root": root }))).await
    }

    fn noted(&self) -> Vec<String> {
        let entries = self.server.ledger.entries().into_iter();
        entries.filter(|entry| entry.kind == RecordKind::Trust).map(|entry| entry.text).collect()
    }
}

#[tokio::test]
async fn exactly_what_was_read_is_trusted() {
    let fixture = TrustFixture::new().await;
    assert_eq!(fixture.look().await["state"], "absent");
    fixture.write(LOOSE);
    let seen = fixture.look().await;
    assert_eq!((&seen["state"], &seen["text"], &seen["allows"]), (&json!("never"), &json!(LOOSE), &json!(1)));
    assert_eq!(seen["path"], json!(fixture.root.join(".sekisho/config.json")));
    let sha256 = seen["sha256"].clone();
    assert_eq!(sha256.as_str().unwrap().len(), 64);

    let trusted = fixture.trust(&sha256).await.ok();
    assert_eq!((&trusted["state"], &trusted["trustedBy"]), (&json!("trusted"), &json!("admin-1")));
    assert_eq!(fixture.noted().len(), 1);
    assert!(fixture.noted()[0].contains("trusted by admin-1"), "{:?}", fixture.noted());
    // Trusting it again changes nothing.
    fixture.trust(&sha256).await.ok();
    assert_eq!(fixture.noted().len(), 1);

    fixture.write(&LOOSE.replace("peek", "wreck"));
    let changed = fixture.look().await;
    assert_eq!(
        (&changed["state"], &changed["trustedAt"]),
        (&json!("changed"), &json!("2026-01-01T00:00:00Z"))
    );
    let diff = changed["diff"].as_str().unwrap();
    assert!(
        diff.contains("-   \"allow\": [{ \"tool\": \"peek\" }]") && diff.contains("+   \"allow\""),
        "{diff}"
    );
    let fault = fixture.trust(&sha256).await.error_text(409);
    assert!(fault.contains("changed"), "{fault}");
    assert_eq!(fixture.look().await["state"], "changed", "and it is not trusted");
    fixture.trust(&changed["sha256"]).await.ok();

    assert_eq!(fixture.distrust(&fixture.root).await.ok()["state"], "never");
    assert_eq!(fixture.look().await["state"], "never");
    assert_eq!(fixture.noted().len(), 3);
    fixture.distrust(&fixture.root).await.ok();
    assert_eq!(fixture.noted().len(), 3, "no trust was withdrawn");
}

#[tokio::test]
async fn file_that_does_not_load_is_shown_and_not_trusted() {
    let fixture = TrustFixture::new().await;
    fixture.trust(&json!("0".repeat(64))).await.error_text(409);
    fixture.write("{ \"version\": 1, \"permisions\": {} }");
    let seen = fixture.look().await;
    assert_eq!(seen["state"], "broken");
    assert!(seen["problem"].as_str().unwrap().contains("permisions") && seen["text"].is_string(), "{seen}");
    fixture.trust(&seen["sha256"]).await.error_text(409);
    assert_eq!(fixture.noted(), Vec::<String>::new());
}

#[tokio::test]
async fn file_too_large_to_show_cannot_be_trusted_here() {
    let fixture = TrustFixture::new().await;
    fixture.write(&format!("{LOOSE}{}", "// filler\n".repeat(200_000)));
    let seen = fixture.look().await;
    assert_eq!((&seen["state"], &seen["text"]), (&json!("never"), &json!(null)));
    let fault = fixture.trust(&seen["sha256"]).await.error_text(409);
    assert!(fault.contains("sekisho trust"), "{fault}");
}

#[tokio::test]
async fn root_that_has_become_a_link_is_not_trusted() {
    let fixture = TrustFixture::new().await;
    let elsewhere = fixture.root.with_file_name("elsewhere");
    std::fs::create_dir_all(elsewhere.join(".sekisho")).unwrap();
    std::fs::write(elsewhere.join(".sekisho/config.json"), LOOSE).unwrap();
    std::fs::remove_dir_all(&fixture.root).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &fixture.root).unwrap();
    let seen = fixture.look().await;
    assert_eq!(seen["state"], "broken");
    fixture.trust(&seen["sha256"]).await.error_text(409);
}

#[tokio::test]
async fn only_admins_may_trust_and_only_registered_projects() {
    let fixture = TrustFixture::new().await;
    fixture.write(LOOSE);
    let other = fixture.root.with_file_name("other");
    let body = json!({ "root": other, "sha256": "0".repeat(64) });
    fixture.server.post(Role::Admin, "/api/trust", body).await.error_text(404);
    fixture.distrust(&other).await.error_text(404);
    fixture.server.post(Role::Admin, "/api/trust", json!({ "root": fixture.root })).await.error_text(400);
    for role in [Role::Agent, Role::Viewer, Role::Approver] {
        fixture.server.send(role, Method::GET, "/api/trust", None).await.error_text(403);
        let body = json!({ "root": fixture.root, "sha256": fixture.look().await["sha256"] });
        fixture.server.post(role, "/api/trust", body).await.error_text(403);
    }
}

#[tokio::test]
async fn trust_that_cannot_be_recorded_is_not_granted() {
    let fixture = TrustFixture::new().await;
    fixture.write(LOOSE);
    let seen = fixture.look().await;
    fixture.server.ledger.fail_all();
    fixture.trust(&seen["sha256"]).await.error_text(503);
    fixture.server.ledger.stop_failing();
    assert_eq!(fixture.look().await["state"], "never");
}
