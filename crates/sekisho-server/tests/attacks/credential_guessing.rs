//! Guessing tokens and links.

use sekisho_gate::answer::Role;
use sekisho_server::Limits;
use sekisho_server::auth::TokenSecret;
use sekisho_testkit::ManualClock;
use serde_json::json;

use super::TestServer;
use crate::harness::socket_server::limits;

fn guess() -> String {
    TokenSecret::make(ManualClock::start()).unwrap().reveal()
}

#[tokio::test]
async fn guessing_is_slowed_down_without_affecting_others() {
    let server = TestServer::limited(Limits { failed_sign_ins: 5, ..limits() }).await;
    let admin = server.token(Role::Admin).await;
    let mut statuses = Vec::new();
    for _ in 0..20 {
        let reply = server.call(&guess(), "GET", "/api/session", None).await;
        assert_eq!(reply.status == 429, reply.header("retry-after").is_some());
        statuses.push(reply.status);
        assert_eq!(
            server.call(&admin, "GET", "/api/session", None).await.status,
            200,
            "a good token still works"
        );
    }
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 5, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 15);
}

#[tokio::test]
async fn token_id_alone_does_not_authenticate() {
    let server = TestServer::new().await;
    let admin = server.token(Role::Admin).await;
    let (id, secret) = admin.rsplit_once('_').unwrap();
    let other = format!("{id}_{}", guess().rsplit_once('_').unwrap().1);
    let last = if secret.ends_with('0') { '1' } else { '0' };
    let changed = format!("{id}_{}{last}", secret.strip_suffix(|_| true).unwrap());
    for token in [other, changed, format!("{id}_"), format!("{admin}0"), secret.to_owned(), String::new()] {
        assert_eq!(server.call(&token, "GET", "/api/session", None).await.status, 401, "{token}");
    }
    let basic = server.request("GET", "/api/session").header("Authorization", &format!("Basic {admin}"));
    assert_eq!(server.send(&basic).await.status, 401);
    let in_address = server.request("GET", &format!("/api/session?token={admin}&access_token={admin}"));
    assert_eq!(server.send(&in_address).await.status, 401, "a token in the URL is not accepted");
}

#[tokio::test]
async fn guessing_links_is_limited_too() {
    let server = TestServer::limited(Limits { failed_sign_ins: 5, ..limits() }).await;
    let good = server.link(Role::Viewer).await;
    let sign_in = |link: &str| {
        server
            .request("POST", "/api/session")
            .header("Origin", &server.origin())
            .json(&json!({ "link": link }))
    };
    let mut statuses = Vec::new();
    for number in 0..8 {
        statuses.push(server.send(&sign_in(&format!("skl_{number:064x}"))).await.status);
    }
    assert_eq!(statuses, [401, 401, 401, 401, 401, 429, 429, 429]);
    assert_eq!(server.send(&sign_in(&good)).await.status, 200, "a valid link still works");
}

#[tokio::test]
async fn rate_limit_affects_only_its_credential() {
    let server = TestServer::limited(Limits { requests: (1, 5), ..limits() }).await;
    let (noisy, quiet) = (server.token(Role::Viewer).await, server.token(Role::Admin).await);
    let mut refused = 0;
    for _ in 0..20 {
        let reply = server.call(&noisy, "GET", "/api/session", None).await;
        assert!([200, 429].contains(&reply.status));
        refused += usize::from(reply.status == 429);
    }
    assert!(refused >= 12, "{refused} of 20");
    assert_eq!(server.call(&quiet, "GET", "/api/session", None).await.status, 200);
}
