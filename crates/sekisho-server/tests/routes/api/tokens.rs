//! Credentials over HTTP.

use sekisho_gate::answer::Role;
use sekisho_gate::token_store::TokenStore;
use serde_json::{Value, json};

use crate::harness::socket_server::TestServer;

async fn create(server: &TestServer, admin: &str, body: Value) -> (Value, String) {
    let reply = server.call(admin, "POST", "/api/tokens", Some(body)).await;
    assert_eq!(reply.status, 201, "{}", String::from_utf8_lossy(&reply.body));
    let made = reply.json();
    let secret = made["secret"].as_str().unwrap().to_owned();
    (made["token"].clone(), secret)
}

#[tokio::test]
async fn token_is_created_shown_once_used_and_revoked() {
    let server = TestServer::new().await;
    let admin = server.token(Role::Admin).await;
    let new = json!({ "name": "ci", "role": "agent", "agent": "builder", "vouches": true, "roots": ["/work/project"], "expiresInDays": 7 });
    let (token, secret) = create(&server, &admin, new).await;
    assert_eq!(token["createdBy"], "admin");
    assert_eq!(
        (&token["agent"], &token["vouches"], &token["counts"]),
        (&json!("builder"), &json!(true), &json!(true))
    );
    assert!(token.get("device").is_none(), "a program is not a browser: {token}");
    let who = server.call(&secret, "GET", "/api/session", None).await.json();
    assert_eq!((&who["name"], &who["id"]), (&json!("ci"), &token["id"]));

    let listed = server.call(&admin, "GET", "/api/tokens", None).await;
    let text = String::from_utf8(listed.body.clone()).unwrap();
    assert!(!text.contains("hash") && !text.contains(secret.rsplit_once('_').unwrap().1));
    assert_eq!(listed.json()["tokens"].as_array().unwrap().len(), 2);

    let path = format!("/api/tokens/{}", token["id"].as_str().unwrap());
    assert_eq!(server.call(&admin, "DELETE", &path, None).await.status, 204);
    assert_eq!(server.call(&secret, "GET", "/api/session", None).await.status, 401, "at once");
    assert_eq!(server.call(&admin, "DELETE", &path, None).await.status, 404, "shown only once");
    let listed = server.call(&admin, "GET", "/api/tokens", None).await.json();
    assert!(listed["tokens"][1]["revokedAt"].is_string() && listed["tokens"][1]["counts"] == json!(false));
    let texts: Vec<String> = server.ledger.entries().iter().map(|entry| entry.text.clone()).collect();
    assert!(
        texts.contains(&"token `ci` created".to_owned()) && texts.contains(&"token `ci` revoked".to_owned()),
        "{texts:?}"
    );
}

#[tokio::test]
async fn token_expires_after_its_days() {
    let server = TestServer::new().await;
    let admin = server.token(Role::Admin).await;
    let (_, secret) =
        create(&server, &admin, json!({ "name": "week", "role": "viewer", "expiresInDays": 7 })).await;
    server.advance(7 * 86_400 - 1);
    assert_eq!(server.call(&secret, "GET", "/api/session", None).await.status, 200);
    server.advance(1);
    assert_eq!(server.call(&secret, "GET", "/api/session", None).await.status, 401);
}

#[tokio::test]
async fn invalid_tokens_are_rejected_with_a_reason() {
    let server = TestServer::new().await;
    let admin = server.token(Role::Admin).await;
    for (body, names) in [
        (json!({ "name": "", "role": "viewer" }), "name"),
        (json!({ "name": "x".repeat(129), "role": "viewer" }), "name"),
        (json!({ "name": "a\u{202e}b", "role": "viewer" }), "name"),
        (json!({ "name": "a", "role": "owner" }), "role"),
        (json!({ "name": "a" }), "role"),
        (json!({ "name": "a", "role": "viewer", "agent": "b" }), "agent"),
        (json!({ "name": "a", "role": "agent", "roots": ["/elsewhere"] }), "roots"),
        (json!({ "name": "a", "role": "viewer", "expiresInDays": 0 }), "days"),
        (json!({ "name": "a", "role": "viewer", "expiresInDays": 99999 }), "days"),
        (json!({ "name": "a", "role": "viewer", "secret": "mine" }), "secret"),
    ] {
        let reply = server.call(&admin, "POST", "/api/tokens", Some(body.clone())).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "InvalidRequest"), "{body}");
        let message = reply.json()["error"]["message"].to_string();
        assert!(message.contains(names), "{message}");
    }
    assert_eq!(server.ledger.tokens().await.unwrap().len(), 1, "no token was created");
}

#[tokio::test]
async fn last_admin_token_cannot_be_revoked() {
    let server = TestServer::new().await;
    let admin = server.token(Role::Admin).await;
    let id = server.ledger.tokens().await.unwrap()[0].id;
    let path = format!("/api/tokens/{id}");
    let reply = server.call(&admin, "DELETE", &path, None).await;
    assert_eq!((reply.status, reply.code().as_str()), (409, "LastAdmin"));
    let (other, secret) =
        create(&server, &admin, json!({ "name": "b", "role": "admin", "expiresInDays": 1 })).await;
    server.advance(86_400);
    assert_eq!(server.call(&admin, "DELETE", &path, None).await.status, 409, "the other is revoked");
    assert_eq!(server.call(&secret, "GET", "/api/session", None).await.status, 401);
    assert!(other["id"].is_string());
}

#[tokio::test]
async fn two_admins_cannot_revoke_each_other_at_once() {
    let server = TestServer::new().await;
    let (one, two) = (server.token(Role::Admin).await, server.token_named("two", Role::Admin).await);
    let ids: Vec<String> =
        server.ledger.tokens().await.unwrap().iter().map(|token| token.id.to_string()).collect();
    let (first, second) = (format!("/api/tokens/{}", ids[1]), format!("/api/tokens/{}", ids[0]));
    let (first, second) =
        tokio::join!(server.call(&one, "DELETE", &first, None), server.call(&two, "DELETE", &second, None));
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert!(statuses[0] == 204 && [401, 409].contains(&statuses[1]), "{statuses:?}");
}

#[tokio::test]
async fn link_comes_with_a_qr_code_and_signs_in() {
    let server = TestServer::new().await;
    let admin = server.token(Role::Admin).await;
    let reply = server
        .call(&admin, "POST", "/api/tokens/links", Some(json!({ "name": "phone", "role": "approver" })))
        .await;
    assert_eq!(reply.status, 201);
    let made = reply.json();
    let (address, link) = made["url"].as_str().unwrap().split_once("/#link=").unwrap();
    assert_eq!(address, server.origin());
    let picture = made["qrSvg"].as_str().unwrap();
    assert!(
        picture.contains("<svg") && !picture.contains("<script") && !picture.contains("style="),
        "{picture}"
    );
    assert!(made["expiresAt"].is_string());
    let request = server.request("POST", "/api/session").header("Origin", &server.origin());
    assert_eq!(server.send(&request.json(&json!({ "link": link }))).await.json()["role"], "approver");
    let refused =
        server.call(&admin, "POST", "/api/tokens/links", Some(json!({ "name": "x", "role": "agent" }))).await;
    assert_eq!(refused.status, 400);
    for id in ["x", "links", "01890000-0000-7000-8000-000000000000"] {
        let reply = server.call(&admin, "DELETE", &format!("/api/tokens/{id}"), None).await;
        assert!([404, 405].contains(&reply.status), "{id}");
    }
}
