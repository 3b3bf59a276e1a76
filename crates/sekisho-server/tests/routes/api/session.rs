//! Signing in with a link, and signing out.

use sekisho_gate::answer::Role;
use sekisho_server::Settings;
use serde_json::json;

use crate::harness::socket_server::{DeviceCredential, RawRequest, RawResponse, TestServer, limits};

fn sign_in(server: &TestServer, link: &str) -> RawRequest {
    server.request("POST", "/api/session").header("Origin", &server.origin()).json(&json!({ "link": link }))
}

async fn signed_in(server: &TestServer, role: Role) -> RawResponse {
    let link = server.link(role).await;
    let phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1";
    let request = server.request("POST", "/api/session").header("Origin", &server.origin());
    server.send(&request.header("User-Agent", phone).json(&json!({ "link": link }))).await
}

#[tokio::test]
async fn link_signs_in_one_device_with_a_cookie() {
    let server = TestServer::new().await;
    let reply = signed_in(&server, Role::Approver).await;
    let DeviceCredential { cookie, page } = reply.device();
    assert_eq!(
        reply.json(),
        json!({ "name": "phone (Safari on iPhone)", "role": "approver", "pageKey": page })
    );
    // Each has half of the secret, and nothing of the other half.
    let half = cookie.rsplit_once('_').unwrap().1;
    for half in [half, &page] {
        assert!(half.len() == 32 && half.bytes().all(|byte| byte.is_ascii_hexdigit()), "{half}");
    }
    assert_ne!(half, page);
    let set = reply.header("set-cookie").unwrap();
    for flag in ["; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age=7776000"] {
        assert!(set.contains(flag), "{flag} in {set}");
    }
    assert!(set.starts_with(&format!("sekisho-{}=sks_", server.port)));
    assert!(!set.contains("Domain") && !set.contains("Secure"), "{set}");
    let who = server.send(&server.request("GET", "/api/session").device(&reply.device())).await.json();
    assert_eq!(
        (&who["kind"], &who["role"], &who["asks"]),
        (&json!("device"), &json!("approver"), &json!(true))
    );
    assert_eq!(who["warnings"], json!(["this is a test"]));
    assert_eq!(who["projects"], json!(["/work/project"]));
    assert!(who["expiresAt"].is_string() && who["version"].is_string());
    assert_eq!(who["address"], server.origin());
    let admin = server.token(Role::Admin).await;
    let listed = server.call(&admin, "GET", "/api/tokens", None).await.json();
    let this = |token: &&serde_json::Value| token["id"] == who["id"];
    let this = listed["tokens"].as_array().unwrap().iter().find(this).unwrap();
    assert_eq!(
        (&this["device"], &this["name"]),
        (&json!("Safari on iPhone"), &json!("phone (Safari on iPhone)"))
    );
}

#[tokio::test]
async fn cookie_is_secure_over_tls() {
    let server = TestServer::with(limits(), |settings: &mut Settings| settings.secure = true).await;
    let reply = signed_in(&server, Role::Admin).await;
    let set = reply.header("set-cookie").unwrap();
    assert!(set.starts_with("__Host-sekisho-") && set.contains("; Secure"), "{set}");
    assert_eq!(reply.header("strict-transport-security"), Some("max-age=31536000"));
}

#[tokio::test]
async fn link_works_once() {
    let server = TestServer::new().await;
    let link = server.link(Role::Admin).await;
    assert_eq!(server.send(&sign_in(&server, &link)).await.status, 200);
    let again = server.send(&sign_in(&server, &link)).await;
    assert_eq!((again.status, again.code().as_str()), (401, "Unauthenticated"));
    assert_eq!(again.header("set-cookie"), None);
}

#[tokio::test]
async fn only_one_of_many_concurrent_sign_ins_succeeds() {
    let server = TestServer::new().await;
    let link = server.link(Role::Admin).await;
    let request = sign_in(&server, &link);
    let all = futures_util::future::join_all((0..20).map(|_| server.send(&request))).await;
    assert_eq!(all.iter().filter(|reply| reply.status == 200).count(), 1);
}

#[tokio::test]
async fn expired_link_is_rejected() {
    let server = TestServer::new().await;
    let link = server.link(Role::Admin).await;
    server.advance(600);
    assert_eq!(server.send(&sign_in(&server, &link)).await.status, 401);
    for nonsense in ["", "skl_", "sks_", "https://127.0.0.1/#link=skl_0"] {
        assert_eq!(server.send(&sign_in(&server, nonsense)).await.status, 401, "{nonsense}");
    }
}

#[tokio::test]
async fn signing_out_revokes_the_browsers_credential() {
    let server = TestServer::new().await;
    let device = signed_in(&server, Role::Admin).await.device();
    let out = server.request("DELETE", "/api/session").device(&device);
    assert_eq!(server.send(&out).await.status, 403, "not from a foreign page");
    let reply = server.send(&out.header("Origin", &server.origin())).await;
    assert_eq!(reply.status, 204);
    assert!(reply.header("set-cookie").unwrap().contains("Max-Age=0"));
    let who = server.request("GET", "/api/session").device(&device);
    assert_eq!(server.send(&who).await.status, 401);
    let texts: Vec<String> = server.ledger.entries().iter().map(|entry| entry.text.clone()).collect();
    assert!(texts.iter().any(|text| text.contains("signed out")), "{texts:?}");
}

#[tokio::test]
async fn program_cannot_sign_out_and_agent_sees_little() {
    let server = TestServer::new().await;
    let agent = server.token(Role::Agent).await;
    assert_eq!(server.call(&agent, "DELETE", "/api/session", None).await.code(), "Conflict");
    let who = server.call(&agent, "GET", "/api/session", None).await.json();
    assert_eq!((&who["kind"], &who["role"]), (&json!("api"), &json!("agent")));
    assert!(who.get("warnings").is_none() && who.get("projects").is_none(), "{who}");
    assert!(who["id"].is_string() && who.get("address").is_none(), "{who}");
    let socket =
        server.connect_unix().await.ask(&server.request("GET", "/api/session").bytes()).await.unwrap().json();
    assert_eq!((&socket["kind"], &socket["role"]), (&json!("socket"), &json!("agent")));
    assert!(socket.get("id").is_none() && socket.get("address").is_none(), "{socket}");
}

#[tokio::test]
async fn device_credential_expires() {
    let server = TestServer::new().await;
    let device = signed_in(&server, Role::Viewer).await.device();
    let who = server.request("GET", "/api/session").device(&device);
    server.advance(89 * 86_400);
    assert_eq!(server.send(&who).await.status, 200);
    server.advance(86_400);
    assert_eq!(server.send(&who).await.status, 401);
}
