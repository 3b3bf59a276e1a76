//! Another server on the same host: browsers send it our cookie, because cookies do not depend on the port.

use sekisho_gate::answer::Role;
use serde_json::json;

use super::TestServer;
use crate::harness::socket_server::{DeviceCredential, RawRequest, RawResponse};

async fn signed_in(server: &TestServer) -> DeviceCredential {
    let request = server.request("POST", "/api/session").header("Origin", &server.origin());
    server.send(&request.json(&json!({ "link": server.link(Role::Admin).await }))).await.device()
}

fn session(server: &TestServer) -> RawRequest {
    server.request("GET", "/api/session")
}

/// Requests a WebSocket as one of our pages would; `offered` are the protocols.
async fn socket(server: &TestServer, cookie: Option<&str>, offered: &str) -> RawResponse {
    let request = server.request("GET", "/api/ws").upgrade().header("Origin", &server.origin());
    let request = request.header("Sec-WebSocket-Protocol", offered);
    let request = cookie.map_or(request.clone(), |cookie| request.header("Cookie", cookie));
    server.connect().await.ask_for_head(&request.bytes()).await
}

fn refused(reply: &RawResponse, why: &str) {
    assert_eq!((reply.status, reply.code().as_str()), (401, "Unauthenticated"), "{why}");
    assert_eq!(reply.json()["error"]["message"], why);
}

const NO_KEY: &str = "this page has lost its key: sign in again with a link";
const NO_COOKIE: &str = "this browser has lost its cookie: sign in again with a link";
const UNKNOWN: &str = "the token is unknown, expired or revoked";
const NONE: &str = "the token is malformed";

#[tokio::test]
async fn cookie_alone_does_not_authenticate() {
    let server = TestServer::new().await;
    let device = signed_in(&server).await;
    refused(&server.send(&session(&server).header("Cookie", &device.cookie)).await, NO_KEY);
    // Not on the Unix socket either, where a caller without a credential is at least an agent.
    let request = session(&server).header("Cookie", &device.cookie);
    refused(&server.connect_unix().await.ask(&request.bytes()).await.unwrap(), NO_KEY);
    assert_eq!(socket(&server, Some(&device.cookie), "sekisho").await.status, 401);
    // The cookie's value is not a token, whichever way it is sent.
    let half = device.cookie.split_once('=').unwrap().1;
    refused(&server.send(&session(&server).bearer(half)).await, NONE);
    assert_eq!(socket(&server, None, &format!("sekisho, sekisho.token.{half}")).await.status, 401);
}

#[tokio::test]
async fn page_key_alone_does_not_authenticate() {
    let server = TestServer::new().await;
    let device = signed_in(&server).await;
    refused(&server.send(&session(&server).header("X-Sekisho-Page", &device.page)).await, NO_COOKIE);
    let offered = format!("sekisho, sekisho.page.{}", device.page);
    assert_eq!(socket(&server, None, &offered).await.status, 401);
}

#[tokio::test]
async fn both_halves_authenticate() {
    let server = TestServer::new().await;
    let device = signed_in(&server).await;
    assert_eq!(server.send(&session(&server).device(&device)).await.json()["kind"], "device");
    let offered = format!("sekisho, sekisho.page.{}", device.page);
    let opened = socket(&server, Some(&device.cookie), &offered).await;
    assert_eq!((opened.status, opened.header("sec-websocket-protocol")), (101, Some("sekisho")));
}

#[tokio::test]
async fn halves_of_two_devices_do_not_authenticate() {
    let server = TestServer::new().await;
    let (one, other) = (signed_in(&server).await, signed_in(&server).await);
    let mixed = DeviceCredential { cookie: one.cookie.clone(), page: other.page.clone() };
    refused(&server.send(&session(&server).device(&mixed)).await, UNKNOWN);
    let offered = format!("sekisho, sekisho.page.{}", other.page);
    assert_eq!(socket(&server, Some(&one.cookie), &offered).await.status, 401);
    for page in ["", "0", &other.whole(), &format!("{}0", one.page), "\u{e9}"] {
        let odd = DeviceCredential { cookie: one.cookie.clone(), page: page.to_owned() };
        refused(&server.send(&session(&server).device(&odd)).await, NONE);
    }
}

#[tokio::test]
async fn device_credential_is_not_an_api_token() {
    let server = TestServer::new().await;
    let device = signed_in(&server).await;
    let why = "a browser's credential cannot be used as an API token";
    refused(&server.send(&session(&server).bearer(&device.whole())).await, why);
    let request = session(&server).bearer(&device.whole());
    refused(&server.connect_unix().await.ask(&request.bytes()).await.unwrap(), why);
    let offered = format!("sekisho, sekisho.token.{}", device.whole());
    assert_eq!(socket(&server, None, &offered).await.status, 401);
}

#[tokio::test]
async fn api_token_is_not_a_cookie() {
    let server = TestServer::new().await;
    let token = server.token(Role::Admin).await;
    let (half, page) = token.split_at(token.len() - 32);
    let name = format!("{}sekisho-{}", if TestServer::SECURE { "__Host-" } else { "" }, server.port);
    let device = DeviceCredential { cookie: format!("{name}={half}"), page: page.to_owned() };
    assert_eq!(device.whole(), token);
    refused(&server.send(&session(&server).device(&device)).await, "an API token cannot be used as a cookie");
    let whole = session(&server).header("Cookie", &format!("{name}={token}"));
    refused(&server.send(&whole).await, NO_KEY);
}
