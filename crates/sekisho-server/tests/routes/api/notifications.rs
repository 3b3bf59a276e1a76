//! `/api/notifications`.

use axum::http::Method;
use sekisho_gate::answer::Role;
use serde_json::{Value, json};

use crate::harness::in_process::{TestResponse, TestServer};

async fn put(server: &TestServer, role: Role, body: Value) -> TestResponse {
    server.send(role, Method::PUT, "/api/notifications", Some(body)).await
}

#[tokio::test]
async fn each_token_has_its_own_settings() {
    let server = TestServer::new().await;
    let usual = server.get("/api/notifications").await.ok();
    assert_eq!(usual, json!({ "desktop": true, "sound": false, "minimumDanger": "none" }));
    let mine = json!({
        "desktop": false, "sound": true, "minimumDanger": "danger",
        "quietHours": { "from": "22:00", "to": "07:00", "timeZone": "UTC" },
    });
    assert_eq!(put(&server, Role::Viewer, mine.clone()).await.ok(), mine);
    assert_eq!(server.get("/api/notifications").await.ok(), mine);
    let other = server.send(Role::Admin, Method::GET, "/api/notifications", None).await.ok();
    assert_eq!(other, usual);
    let without = json!({ "desktop": true, "sound": true, "minimumDanger": "caution", "quietHours": null });
    put(&server, Role::Viewer, without).await.ok();
    assert_eq!(server.get("/api/notifications").await.ok()["quietHours"], json!(null));
}

#[tokio::test]
async fn invalid_settings_are_rejected() {
    let server = TestServer::new().await;
    let quiet = |from: &str, to: &str, zone: &str| {
        json!({ "desktop": true, "sound": true, "minimumDanger": "none",
            "quietHours": { "from": from, "to": to, "timeZone": zone } })
    };
    for (body, word) in [
        (json!({}), "desktop"),
        (json!({ "desktop": "yes", "sound": true, "minimumDanger": "none" }), "desktop"),
        (json!({ "desktop": true, "sound": true, "minimumDanger": "some" }), "minimumDanger"),
        (json!({ "desktop": true, "sound": true, "minimumDanger": "none", "colour": 1 }), "colour"),
        (quiet("24:00", "07:00", "UTC"), "quietHours.from"),
        (quiet("22:00", "7:00", "UTC"), "quietHours.to"),
        (quiet("22:60", "07:00", "UTC"), "quietHours.from"),
        (quiet("+1:00", "07:00", "UTC"), "quietHours.from"),
        (quiet("22", "07:00", "UTC"), "quietHours.from"),
        (quiet("22:00", "22:00", "UTC"), "quietHours"),
        (quiet("22:00", "07:00", "../etc/passwd"), "timeZone"),
        (quiet("22:00", "07:00", ""), "timeZone"),
    ] {
        let fault = put(&server, Role::Viewer, body.clone()).await.error_text(400);
        assert!(fault.contains(word), "{body}: {fault}");
    }
    // If the machine has a time zone database, a name that is not in it is rejected.
    if !jiff::tz::db().is_definitively_empty() {
        put(&server, Role::Viewer, quiet("22:00", "07:00", "Mars/Olympus")).await.error_text(400);
    }
    put(&server, Role::Agent, json!({ "desktop": true, "sound": true, "minimumDanger": "none" }))
        .await
        .error_text(403);
}
