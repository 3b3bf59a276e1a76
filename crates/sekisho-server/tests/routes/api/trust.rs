//! `/api/trust`.

use std::path::{Path, PathBuf};

use axum::http::Method;
use sekisho_gate::answer::Role;
use sekisho_gate::record::RecordKind;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::in_process::{TestServer, TestResponse};

const LOOSE: &str = "{ \"version\": 1, \"permissions\": {\n  \"allow\": [{ \"tool\": \"peek\" }]\n} }\n";

struct TrustFixture {
    house: TestServer,
    root: PathBuf,
    _directory: TempDir,
}

impl TrustFixture {
    async fn new() -> TrustFixture {
        let directory = TempDir::new().unwrap();
        let root = directory.path().canonicalize().unwrap().join("project");
        std::fs::create_dir_all(root.join(".sekisho")).unwrap();
        let house = TestServer::with_projects(vec![root.to_str().unwrap().into()], &directory.path().join("state")).await;
        TrustFixture { house, root, _directory: directory }
    }

    fn write(&self, text: &str) {
        std::fs::write(self.root.join(".sekisho/config.json"), text).unwrap();
    }

    async fn look(&self) -> Value {
        let list = self.house.send(Role::Admin, Method::GET, "/api/trust", None).await.ok();
        list["projects"][0].clone()
    }

    async fn trust(&self, sha256: &Value) -> TestResponse {
        let body = json!({ "root": self.root, "sha256": sha256 });
        self.house.post(Role::Admin, "/api/trust", body).await
    }

    async fn distrust(&self, root: &Path) -> TestResponse {
        self.house.send(Role::Admin, Method::DELETE, "/api/trust", Some(json!({ "root": root }))).await
    }

    fn noted(&self) -> Vec<String> {
        let entries = self.house.ledger.entries().into_iter();
        entries.filter(|entry| entry.kind == RecordKind::Trust).map(|entry| entry.text).collect()
    }
}

#[tokio::test]
async fn exactly_what_was_read_is_trusted() {
    let place = TrustFixture::new().await;
    assert_eq!(place.look().await["state"], "absent");
    place.write(LOOSE);
    let seen = place.look().await;
    assert_eq!((&seen["state"], &seen["text"], &seen["allows"]), (&json!("never"), &json!(LOOSE), &json!(1)));
    assert_eq!(seen["path"], json!(place.root.join(".sekisho/config.json")));
    let sha256 = seen["sha256"].clone();
    assert_eq!(sha256.as_str().unwrap().len(), 64);

    let trusted = place.trust(&sha256).await.ok();
    assert_eq!((&trusted["state"], &trusted["trustedBy"]), (&json!("trusted"), &json!("admin-1")));
    assert_eq!(place.noted().len(), 1);
    assert!(place.noted()[0].contains("trusted by admin-1"), "{:?}", place.noted());
    // Trusting it again changes nothing.
    place.trust(&sha256).await.ok();
    assert_eq!(place.noted().len(), 1);

    place.write(&LOOSE.replace("peek", "wreck"));
    let changed = place.look().await;
    assert_eq!(
        (&changed["state"], &changed["trustedAt"]),
        (&json!("changed"), &json!("2026-01-01T00:00:00Z"))
    );
    let diff = changed["diff"].as_str().unwrap();
    assert!(
        diff.contains("-   \"allow\": [{ \"tool\": \"peek\" }]") && diff.contains("+   \"allow\""),
        "{diff}"
    );
    let fault = place.trust(&sha256).await.error_text(409);
    assert!(fault.contains("changed"), "{fault}");
    assert_eq!(place.look().await["state"], "changed", "and it is not trusted");
    place.trust(&changed["sha256"]).await.ok();

    assert_eq!(place.distrust(&place.root).await.ok()["state"], "never");
    assert_eq!(place.look().await["state"], "never");
    assert_eq!(place.noted().len(), 3);
    place.distrust(&place.root).await.ok();
    assert_eq!(place.noted().len(), 3, "nothing was taken away");
}

#[tokio::test]
async fn file_that_does_not_load_is_shown_and_not_trusted() {
    let place = TrustFixture::new().await;
    place.trust(&json!("0".repeat(64))).await.error_text(409);
    place.write("{ \"version\": 1, \"permisions\": {} }");
    let seen = place.look().await;
    assert_eq!(seen["state"], "broken");
    assert!(seen["problem"].as_str().unwrap().contains("permisions") && seen["text"].is_string(), "{seen}");
    place.trust(&seen["sha256"]).await.error_text(409);
    assert_eq!(place.noted(), Vec::<String>::new());
}

#[tokio::test]
async fn file_too_large_to_show_cannot_be_trusted_here() {
    let place = TrustFixture::new().await;
    place.write(&format!("{LOOSE}{}", "// filler\n".repeat(200_000)));
    let seen = place.look().await;
    assert_eq!((&seen["state"], &seen["text"]), (&json!("never"), &json!(null)));
    let fault = place.trust(&seen["sha256"]).await.error_text(409);
    assert!(fault.contains("sekisho trust"), "{fault}");
}

#[tokio::test]
async fn root_that_has_become_a_link_is_not_trusted() {
    let place = TrustFixture::new().await;
    let elsewhere = place.root.with_file_name("elsewhere");
    std::fs::create_dir_all(elsewhere.join(".sekisho")).unwrap();
    std::fs::write(elsewhere.join(".sekisho/config.json"), LOOSE).unwrap();
    std::fs::remove_dir_all(&place.root).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &place.root).unwrap();
    let seen = place.look().await;
    assert_eq!(seen["state"], "broken");
    place.trust(&seen["sha256"]).await.error_text(409);
}

#[tokio::test]
async fn only_admins_may_trust_and_only_registered_projects() {
    let place = TrustFixture::new().await;
    place.write(LOOSE);
    let other = place.root.with_file_name("other");
    let body = json!({ "root": other, "sha256": "0".repeat(64) });
    place.house.post(Role::Admin, "/api/trust", body).await.error_text(404);
    place.distrust(&other).await.error_text(404);
    place.house.post(Role::Admin, "/api/trust", json!({ "root": place.root })).await.error_text(400);
    for role in [Role::Agent, Role::Viewer, Role::Approver] {
        place.house.send(role, Method::GET, "/api/trust", None).await.error_text(403);
        let body = json!({ "root": place.root, "sha256": place.look().await["sha256"] });
        place.house.post(role, "/api/trust", body).await.error_text(403);
    }
}

#[tokio::test]
async fn trust_that_cannot_be_recorded_is_not_granted() {
    let place = TrustFixture::new().await;
    place.write(LOOSE);
    let seen = place.look().await;
    place.house.ledger.fail_all();
    place.trust(&seen["sha256"]).await.error_text(503);
    place.house.ledger.stop_failing();
    assert_eq!(place.look().await["state"], "never");
}
