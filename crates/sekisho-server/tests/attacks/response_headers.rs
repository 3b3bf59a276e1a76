//! The security headers of every response.

use sekisho_server::routes;

use super::TestServer;
use crate::harness::socket_server::RawResponse;
use crate::roles::filled;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      font-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; \
                      frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types svelte-trusted-html";

fn check_headers(reply: &RawResponse, what: &str) {
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("x-frame-options", "DENY"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(reply.header(name), Some(value), "{what}: {name}");
    }
    assert!(reply.header("permissions-policy").is_some(), "{what}");
    assert!(reply.header("cache-control").is_some(), "{what}");
    assert!(!reply.headers.iter().any(|(name, _)| name.starts_with("access-control-")), "{what}: no CORS");
    assert_eq!(reply.header("server"), None, "{what}");
    let over_tls = TestServer::SECURE.then_some("max-age=31536000");
    assert_eq!(reply.header("strict-transport-security"), over_tls, "{what}");
}

#[tokio::test]
async fn every_response_has_security_headers() {
    let server = TestServer::new().await;
    let admin = server.token(sekisho_gate::answer::Role::Admin).await;
    let foreign = "http://evil.example";
    for route in routes::table() {
        let path = filled(route.path);
        let request = server.request(route.method.as_str(), &path);
        let (ours, other) = (server.origin(), foreign.to_owned());
        for (what, request) in [
            ("nobody", request.clone().header("Origin", &ours)),
            ("admin", request.clone().header("Origin", &ours).bearer(&admin)),
            ("foreign", request.clone().header("Origin", &other)),
            ("OPTIONS", server.request("OPTIONS", &path).header("Origin", &other)),
            ("PATCH", server.request("BREW", &path).header("Origin", &ours)),
        ] {
            let reply = server.connect().await.ask_for_head(&request.bytes()).await;
            let what = format!("{what}: {} {path}", route.method);
            check_headers(&reply, &what);
            if path.starts_with("/api") {
                assert_eq!(reply.header("cache-control"), Some("no-store"), "{what}");
            }
        }
    }
    for (method, path) in [("GET", "/nothing"), ("GET", "/api/nothing"), ("POST", "/"), ("HEAD", "/")] {
        let request = server.request(method, path).header("Origin", &server.origin());
        check_headers(&server.connect().await.ask_for_head(&request.bytes()).await, path);
    }
    let other_host =
        crate::harness::socket_server::RawRequest::new("GET", "/").header("Host", "evil.example");
    check_headers(&server.send(&other_host).await, "another host");
}
