//! The API description, over real sockets.

use sekisho_server::{Limits, openapi};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::harness::in_memory_server::TestServer;

struct HttpResponse {
    status: u16,
    head: String,
    body: String,
}

async fn get(server: &TestServer, path: &str, token: Option<&str>) -> HttpResponse {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let token = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{token}Connection: close\r\n\r\n", server.address);
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    HttpResponse { status, head: head.to_lowercase(), body: body.to_owned() }
}

#[tokio::test]
async fn anyone_may_read_the_document() {
    let server = TestServer::start(0, Limits::default()).await;
    for path in ["/api/openapi.json", "/api/docs", "/api/docs.css"] {
        assert_eq!(get(&server, path, None).await.status, 200, "{path}");
        for (role, token) in &server.tokens {
            assert_eq!(get(&server, path, Some(token)).await.status, 200, "{path} for {role}");
        }
    }
    let document = get(&server, "/api/openapi.json", None).await;
    assert!(document.head.contains("content-type: application/json"), "{}", document.head);
    assert_eq!(document.body, openapi::text());
}

#[tokio::test]
async fn page_lists_every_operation_and_has_no_scripts() {
    let server = TestServer::start(0, Limits::default()).await;
    let page = get(&server, "/api/docs", None).await;
    assert!(page.head.contains("content-type: text/html; charset=utf-8"), "{}", page.head);
    let policy = page.head.lines().find(|line| line.starts_with("content-security-policy:")).unwrap();
    assert!(policy.contains("style-src 'self'") && !policy.contains("unsafe"), "{policy}");
    for forbidden in ["<script", "<style", " style=", " onclick=", "javascript:"] {
        assert!(!page.body.contains(forbidden), "the page has `{forbidden}`");
    }
    for route in sekisho_server::routes::table() {
        let place = format!("<article id=\"{}\">", route.operation);
        let api = route.path.starts_with("/api/") || ["/healthz", "/metrics"].contains(&route.path);
        assert_eq!(page.body.contains(&place), api, "{}", route.operation);
    }
    // Fields are described on the page, and links within it resolve.
    assert!(page.body.contains("<code>toolUseId</code> <b class=\"must\">required</b>"));
    for link in page.body.split("href=\"#").skip(1) {
        let place = link.split('"').next().unwrap();
        assert!(page.body.contains(&format!("id=\"{place}\"")), "#{place} leads nowhere");
    }
}
