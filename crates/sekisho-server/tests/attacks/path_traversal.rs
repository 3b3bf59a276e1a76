//! Paths that try to leave the file table.

use super::TestServer;
use crate::routes::pages::asset;

#[tokio::test]
async fn no_path_leaves_the_file_table() {
    let server = TestServer::new().await;
    let name = asset(".css").path.trim_start_matches("assets/");
    let out = [
        "/assets/../..",
        "/assets/../../etc/passwd",
        "/assets/../index.html",
        "/assets/%2e%2e/%2e%2e/etc/passwd",
        "/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/assets/..%2fCargo.toml",
        "/assets/..%5c..%5cCargo.toml",
        "/assets//etc/passwd",
        "//etc/passwd",
        "/assets/%00",
        "/assets/%ff",
        "/assets/%",
        "/assets/.",
        "/assets/",
        "/assets",
        "/assets/index.html",
        "/index.html",
        "/..",
        "/%2e%2e%2fCargo.toml",
        "/%2fetc/passwd",
        "/%2fetc%2fpasswd",
        "/%ff",
        "/%00",
    ];
    let beside = [
        format!("/assets//{name}"),
        format!("/assets/{name}/"),
        format!("/assets/{name}%00.css"),
        format!("/assets/{}", name.to_uppercase()),
        format!("/assets/{name};x"),
        format!("/assets/{name}.br"),
        format!("/assets%2f{name}"),
        format!("/{name}"),
    ];
    for target in out.into_iter().chain(beside.iter().map(String::as_str)) {
        let reply = server.send(&server.request("GET", target)).await;
        assert!([400, 404].contains(&reply.status), "{target} gave {}", reply.status);
        assert!(["NotFound", "InvalidRequest"].contains(&reply.code().as_str()), "{target}");
    }
    for bytes in [&b"\0"[..], b"\x01", b"\x7f", b" x y"] {
        let mut request = b"GET /assets/".to_vec();
        request.extend_from_slice(bytes);
        request.extend_from_slice(format!(" HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", server.port).as_bytes());
        let reply = server.connect().await.ask(&request).await.unwrap();
        assert_eq!(reply.status, 400, "{bytes:?}");
    }
    assert_eq!(server.send(&server.request("GET", &format!("/assets/{name}"))).await.status, 200);
}

#[tokio::test]
async fn odd_methods_and_targets_get_our_error_shape() {
    let server = TestServer::new().await;
    let origin = server.origin();
    for (method, target, status) in [
        ("TRACE", "/", 405),
        ("PUT", "/healthz", 405),
        ("BREW", "/healthz", 405),
        ("OPTIONS", "*", 404),
        ("GET", "/api", 404),
        ("GET", "/api/nothing", 404),
    ] {
        let reply = server.send(&server.request(method, target).header("Origin", &origin)).await;
        assert_eq!(reply.status, status, "{method} {target}");
        assert_eq!(reply.code(), if status == 405 { "MethodNotAllowed" } else { "NotFound" });
        assert_eq!(reply.header("allow").is_some(), status == 405);
    }
    let connect = server.request("CONNECT", &format!("127.0.0.1:{}", server.port)).header("Origin", &origin);
    assert!([400, 404, 405].contains(&server.send(&connect).await.status));
}
