//! Another server on the same host: browsers send it our cookie, because cookies do not depend on the port.

use sekisho_gate::answer::Role;
use serde_json::json;

use super::TestServer;
use crate::harness::sockets::{RawRequest, DeviceCredential, RawResponse};

async fn signed_in(house: &TestServer) -> DeviceCredential {
    let asking = house.request("POST", "/api/session").header("Origin", &house.origin());
    house.send(&asking.json(&json!({ "link": house.link(Role::Admin).await }))).await.device()
}

fn session(house: &TestServer) -> RawRequest {
    house.request("GET", "/api/session")
}

/// Requests a WebSocket as one of our pages would; `offered` are the protocols.
async fn socket(house: &TestServer, cookie: Option<&str>, offered: &str) -> RawResponse {
    let asking = house.request("GET", "/api/ws").upgrade().header("Origin", &house.origin());
    let asking = asking.header("Sec-WebSocket-Protocol", offered);
    let asking = cookie.map_or(asking.clone(), |cookie| asking.header("Cookie", cookie));
    house.connect().await.ask_for_head(&asking.bytes()).await
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
    let house = TestServer::new().await;
    let device = signed_in(&house).await;
    refused(&house.send(&session(&house).header("Cookie", &device.cookie)).await, NO_KEY);
    // Not on the Unix socket either, where a caller without a credential is at least an agent.
    let asking = session(&house).header("Cookie", &device.cookie);
    refused(&house.connect_unix().await.ask(&asking.bytes()).await.unwrap(), NO_KEY);
    assert_eq!(socket(&house, Some(&device.cookie), "sekisho").await.status, 401);
    // The cookie's value is not a token, whichever way it is sent.
    let half = device.cookie.split_once('=').unwrap().1;
    refused(&house.send(&session(&house).bearer(half)).await, NONE);
    assert_eq!(socket(&house, None, &format!("sekisho, sekisho.token.{half}")).await.status, 401);
}

#[tokio::test]
async fn page_key_alone_does_not_authenticate() {
    let house = TestServer::new().await;
    let device = signed_in(&house).await;
    refused(&house.send(&session(&house).header("X-Sekisho-Page", &device.page)).await, NO_COOKIE);
    let offered = format!("sekisho, sekisho.page.{}", device.page);
    assert_eq!(socket(&house, None, &offered).await.status, 401);
}

#[tokio::test]
async fn both_halves_authenticate() {
    let house = TestServer::new().await;
    let device = signed_in(&house).await;
    assert_eq!(house.send(&session(&house).device(&device)).await.json()["kind"], "device");
    let offered = format!("sekisho, sekisho.page.{}", device.page);
    let opened = socket(&house, Some(&device.cookie), &offered).await;
    assert_eq!((opened.status, opened.header("sec-websocket-protocol")), (101, Some("sekisho")));
}

#[tokio::test]
async fn halves_of_two_devices_do_not_authenticate() {
    let house = TestServer::new().await;
    let (one, other) = (signed_in(&house).await, signed_in(&house).await);
    let mixed = DeviceCredential { cookie: one.cookie.clone(), page: other.page.clone() };
    refused(&house.send(&session(&house).device(&mixed)).await, UNKNOWN);
    let offered = format!("sekisho, sekisho.page.{}", other.page);
    assert_eq!(socket(&house, Some(&one.cookie), &offered).await.status, 401);
    for page in ["", "0", &other.whole(), &format!("{}0", one.page), "\u{e9}"] {
        let odd = DeviceCredential { cookie: one.cookie.clone(), page: page.to_owned() };
        refused(&house.send(&session(&house).device(&odd)).await, NONE);
    }
}

#[tokio::test]
async fn device_credential_is_not_an_api_token() {
    let house = TestServer::new().await;
    let device = signed_in(&house).await;
    let why = "a browser's credential cannot be used as an API token";
    refused(&house.send(&session(&house).bearer(&device.whole())).await, why);
    let asking = session(&house).bearer(&device.whole());
    refused(&house.connect_unix().await.ask(&asking.bytes()).await.unwrap(), why);
    let offered = format!("sekisho, sekisho.token.{}", device.whole());
    assert_eq!(socket(&house, None, &offered).await.status, 401);
}

#[tokio::test]
async fn api_token_is_not_a_cookie() {
    let house = TestServer::new().await;
    let token = house.token(Role::Admin).await;
    let (half, page) = token.split_at(token.len() - 32);
    let name = format!("{}sekisho-{}", if TestServer::SECURE { "__Host-" } else { "" }, house.port);
    let device = DeviceCredential { cookie: format!("{name}={half}"), page: page.to_owned() };
    assert_eq!(device.whole(), token);
    refused(
        &house.send(&session(&house).device(&device)).await,
        "an API token cannot be used as a cookie",
    );
    let whole = session(&house).header("Cookie", &format!("{name}={token}"));
    refused(&house.send(&whole).await, NO_KEY);
}
