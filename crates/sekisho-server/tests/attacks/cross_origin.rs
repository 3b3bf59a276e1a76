//! Foreign pages in a browser that is signed in.

use sekisho_gate::ledger::LedgerReader;

use sekisho_gate::answer::Role;
use serde_json::json;

use super::TestServer;
use crate::harness::socket_server::{DeviceCredential, RawRequest, RawResponse, question};

/// A browser that is signed in as an approver, with an open approval.
async fn signed_in() -> (TestServer, DeviceCredential, String) {
    let server = TestServer::new().await;
    let link = server.link(Role::Approver).await;
    let origin = server.origin();
    let request =
        server.request("POST", "/api/session").header("Origin", &origin).json(&json!({ "link": link }));
    let device = server.send(&request).await.device();
    let agent = server.token(Role::Agent).await;
    drop(server.call(&agent, "POST", "/api/can-use-tool?wait=false", Some(question("c1"))).await);
    let id = server.open(1).await[0].id.to_string();
    (server, device, id)
}

fn answer(server: &TestServer, device: &DeviceCredential, id: &str) -> RawRequest {
    server.request("POST", &format!("/api/approvals/{id}/answer")).device(device)
}

fn refused(reply: &RawResponse, what: &str) {
    assert_eq!((reply.status, reply.code().as_str()), (403, "OriginNotAllowed"), "{what}");
}

#[tokio::test]
async fn page_of_another_origin_cannot_answer() {
    let (server, device, id) = signed_in().await;
    let (port, ours) = (server.port, server.origin());
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
        let request =
            answer(&server, &device, &id).header("Origin", &origin).json(&json!({ "behavior": "allow" }));
        refused(&server.send(&request).await, &origin);
    }
    let request = answer(&server, &device, &id).json(&json!({ "behavior": "allow" }));
    refused(&server.send(&request).await, "a cookie without an origin");
    let twice = answer(&server, &device, &id).header("Origin", &ours).header("Origin", "http://evil.example");
    assert_eq!(server.send(&twice.json(&json!({ "behavior": "allow" }))).await.status, 400);
    assert_eq!(server.ledger.pending(None, 10).await.unwrap().len(), 1, "nothing was answered");
    let request = answer(&server, &device, &id).header("Origin", &ours).json(&json!({ "behavior": "deny" }));
    assert_eq!(server.send(&request).await.status, 200, "our own page can");
}

#[tokio::test]
async fn foreign_origin_is_rejected_with_any_credential() {
    let server = TestServer::new().await;
    let admin = server.token(Role::Admin).await;
    let request =
        server.request("POST", "/api/decide").bearer(&admin).header("Origin", "http://evil.example");
    refused(&server.send(&request.json(&json!({ "toolName": "Read" }))).await, "with a token");
    let request = server.request("POST", "/api/decide").bearer(&admin).json(&json!({ "toolName": "Read" }));
    assert_eq!(server.send(&request).await.status, 200, "a program has no origin");
}

#[tokio::test]
async fn form_on_another_page_cannot_answer() {
    let (server, device, id) = signed_in().await;
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        let body = br#"{"behavior":"allow","message":"="}"#.to_vec();
        let form = answer(&server, &device, &id).header("Origin", "http://evil.example");
        let form = form.header("Sec-Fetch-Site", "cross-site").body(kind, body.clone());
        refused(&server.send(&form).await, kind);
        // Even from our own page, a form is not JSON.
        let form = answer(&server, &device, &id).header("Origin", &server.origin()).body(kind, body);
        assert_eq!(server.send(&form).await.code(), "UnsupportedMediaType", "{kind}");
    }
    assert_eq!(server.open(1).await.len(), 1);
}

#[tokio::test]
async fn sec_fetch_site_is_checked() {
    let (server, device, id) = signed_in().await;
    let get =
        |site: &str| server.request("GET", "/api/approvals").device(&device).header("Sec-Fetch-Site", site);
    for site in ["cross-site", "same-site", "else"] {
        refused(&server.send(&get(site)).await, site);
        let request =
            answer(&server, &device, &id).header("Origin", &server.origin()).header("Sec-Fetch-Site", site);
        refused(&server.send(&request.json(&json!({ "behavior": "allow" }))).await, site);
    }
    for site in ["same-origin", "none"] {
        assert_eq!(server.send(&get(site)).await.status, 200, "{site}");
    }
    let page = server.request("GET", "/").header("Sec-Fetch-Site", "cross-site");
    assert_eq!(server.send(&page).await.status, 200, "a link from elsewhere may lead to the page");
}

#[tokio::test]
async fn websocket_needs_our_origin_with_any_credential() {
    let (server, device, _) = signed_in().await;
    let admin = server.token(Role::Admin).await;
    let ws = || server.request("GET", "/api/ws").upgrade();
    let carried = format!("sekisho.token.{admin}");
    let with: [(&str, RawRequest); 3] = [
        ("device", ws().device(&device)),
        ("bearer", ws().bearer(&admin)),
        ("protocol", ws().header("Sec-WebSocket-Protocol", &carried)),
    ];
    for (what, request) in with {
        refused(&server.send(&request).await, &format!("{what}, no origin"));
        for origin in ["null", "http://evil.example", "file://"] {
            refused(
                &server.send(&request.clone().header("Origin", origin)).await,
                &format!("{what}, {origin}"),
            );
        }
        let ours = request.header("Origin", &server.origin());
        let reply = server.connect().await.ask_for_head(&ours.bytes()).await;
        assert_ne!(reply.status, 403, "{what}, our own page");
    }
}

#[tokio::test]
async fn no_cors_headers_are_sent() {
    let (server, device, id) = signed_in().await;
    let path = format!("/api/approvals/{id}/answer");
    let preflight = server.request("OPTIONS", &path).header("Origin", "http://evil.example");
    let preflight = preflight.header("Access-Control-Request-Method", "POST");
    let reply = server.send(&preflight).await;
    assert!([403, 405].contains(&reply.status), "{}", reply.status);
    let get = server.request("GET", "/api/approvals").device(&device).header("Origin", "http://evil.example");
    for reply in [reply, server.send(&get).await, server.send(&server.request("GET", "/")).await] {
        let cors = reply.headers.iter().find(|(name, _)| name.starts_with("access-control-"));
        assert_eq!(cors, None);
    }
}
