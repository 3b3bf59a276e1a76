//! Foreign pages in a browser that is signed in.

use sekisho_gate::ledger::LedgerReader;

use sekisho_gate::answer::Role;
use serde_json::json;

use super::TestServer;
use crate::harness::sockets::{RawRequest, DeviceCredential, RawResponse, question};

/// A browser that is signed in as an approver, with an open approval.
async fn signed_in() -> (TestServer, DeviceCredential, String) {
    let house = TestServer::new().await;
    let link = house.link(Role::Approver).await;
    let origin = house.origin();
    let asking =
        house.request("POST", "/api/session").header("Origin", &origin).json(&json!({ "link": link }));
    let device = house.send(&asking).await.device();
    let agent = house.token(Role::Agent).await;
    drop(house.call(&agent, "POST", "/api/can-use-tool?wait=false", Some(question("c1"))).await);
    let id = house.open(1).await[0].id.to_string();
    (house, device, id)
}

fn answer(house: &TestServer, device: &DeviceCredential, id: &str) -> RawRequest {
    house.request("POST", &format!("/api/approvals/{id}/answer")).device(device)
}

fn refused(reply: &RawResponse, what: &str) {
    assert_eq!((reply.status, reply.code().as_str()), (403, "OriginNotAllowed"), "{what}");
}

#[tokio::test]
async fn page_of_another_origin_cannot_answer() {
    let (house, device, id) = signed_in().await;
    let (port, ours) = (house.port, house.origin());
    let (scheme, other_scheme) =
        if ours.starts_with("https") { ("https", "http") } else { ("http", "https") };
    for origin in [
        "http://evil.example".to_owned(),
        "null".into(),
        format!("{scheme}://127.0.0.1"),
        format!("{other_scheme}://127.0.0.1:{port}"),
        format!("{scheme}://127.0.0.1:{port}.evil.example"),
        format!("{scheme}://127.0.0.1:{}", port.wrapping_add(1)),
        format!("{scheme}://127.0.0.1:{port}/"),
        String::new(),
    ] {
        let asking =
            answer(&house, &device, &id).header("Origin", &origin).json(&json!({ "behavior": "allow" }));
        refused(&house.send(&asking).await, &origin);
    }
    let asking = answer(&house, &device, &id).json(&json!({ "behavior": "allow" }));
    refused(&house.send(&asking).await, "a cookie without an origin");
    let twice = answer(&house, &device, &id).header("Origin", &ours).header("Origin", "http://evil.example");
    assert_eq!(house.send(&twice.json(&json!({ "behavior": "allow" }))).await.status, 400);
    assert_eq!(house.ledger.pending(None, 10).await.unwrap().len(), 1, "nothing was answered");
    let asking = answer(&house, &device, &id).header("Origin", &ours).json(&json!({ "behavior": "deny" }));
    assert_eq!(house.send(&asking).await.status, 200, "our own page can");
}

#[tokio::test]
async fn foreign_origin_is_rejected_with_any_credential() {
    let house = TestServer::new().await;
    let admin = house.token(Role::Admin).await;
    let asking = house.request("POST", "/api/decide").bearer(&admin).header("Origin", "http://evil.example");
    refused(&house.send(&asking.json(&json!({ "toolName": "Read" }))).await, "with a token");
    let asking = house.request("POST", "/api/decide").bearer(&admin).json(&json!({ "toolName": "Read" }));
    assert_eq!(house.send(&asking).await.status, 200, "a program has no origin");
}

#[tokio::test]
async fn form_on_another_page_cannot_answer() {
    let (house, device, id) = signed_in().await;
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        let body = br#"{"behavior":"allow","message":"="}"#.to_vec();
        let form = answer(&house, &device, &id).header("Origin", "http://evil.example");
        let form = form.header("Sec-Fetch-Site", "cross-site").body(kind, body.clone());
        refused(&house.send(&form).await, kind);
        // Even from our own page, a form is not JSON.
        let form = answer(&house, &device, &id).header("Origin", &house.origin()).body(kind, body);
        assert_eq!(house.send(&form).await.code(), "UnsupportedMediaType", "{kind}");
    }
    assert_eq!(house.open(1).await.len(), 1);
}

#[tokio::test]
async fn sec_fetch_site_is_checked() {
    let (house, device, id) = signed_in().await;
    let get =
        |site: &str| house.request("GET", "/api/approvals").device(&device).header("Sec-Fetch-Site", site);
    for site in ["cross-site", "same-site", "else"] {
        refused(&house.send(&get(site)).await, site);
        let asking =
            answer(&house, &device, &id).header("Origin", &house.origin()).header("Sec-Fetch-Site", site);
        refused(&house.send(&asking.json(&json!({ "behavior": "allow" }))).await, site);
    }
    for site in ["same-origin", "none"] {
        assert_eq!(house.send(&get(site)).await.status, 200, "{site}");
    }
    let page = house.request("GET", "/").header("Sec-Fetch-Site", "cross-site");
    assert_eq!(house.send(&page).await.status, 200, "a link from elsewhere may lead to the page");
}

#[tokio::test]
async fn websocket_needs_our_origin_with_any_credential() {
    let (house, device, _) = signed_in().await;
    let admin = house.token(Role::Admin).await;
    let ws = || house.request("GET", "/api/ws").upgrade();
    let carried = format!("sekisho.token.{admin}");
    let with: [(&str, RawRequest); 3] = [
        ("device", ws().device(&device)),
        ("bearer", ws().bearer(&admin)),
        ("protocol", ws().header("Sec-WebSocket-Protocol", &carried)),
    ];
    for (what, asking) in with {
        refused(&house.send(&asking).await, &format!("{what}, no origin"));
        for origin in ["null", "http://evil.example", "file://"] {
            refused(
                &house.send(&asking.clone().header("Origin", origin)).await,
                &format!("{what}, {origin}"),
            );
        }
        let ours = asking.header("Origin", &house.origin());
        let reply = house.connect().await.ask_for_head(&ours.bytes()).await;
        assert_ne!(reply.status, 403, "{what}, our own page");
    }
}

#[tokio::test]
async fn no_cors_headers_are_sent() {
    let (house, device, id) = signed_in().await;
    let path = format!("/api/approvals/{id}/answer");
    let preflight = house.request("OPTIONS", &path).header("Origin", "http://evil.example");
    let preflight = preflight.header("Access-Control-Request-Method", "POST");
    let reply = house.send(&preflight).await;
    assert!([403, 405].contains(&reply.status), "{}", reply.status);
    let get = house.request("GET", "/api/approvals").device(&device).header("Origin", "http://evil.example");
    for reply in [reply, house.send(&get).await, house.send(&house.request("GET", "/")).await] {
        let cors = reply.headers.iter().find(|(name, _)| name.starts_with("access-control-"));
        assert_eq!(cors, None);
    }
}
