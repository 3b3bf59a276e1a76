//! `robots.txt`, which counts only if the user wants it.

use std::io::Write;

use super::server_double::{PUBLIC, ServerDouble, redirect, response};
use super::web_fixture::WebFixture;

fn site(robots: &'static str) -> ServerDouble {
    ServerDouble::start(PUBLIC, move |head, stream| {
        let path = head.split(' ').nth(1).unwrap();
        let answer = match path {
            "/robots.txt" => robots.as_bytes().to_vec(),
            "/moved" => redirect("/private"),
            _ => response("text/plain", path),
        };
        drop(stream.write_all(&answer));
    })
}

const EXCLUDES: &str = "HTTP/1.1 200 OK\r\nContent-Length: 35\r\n\r\nUser-agent: *\r\nDisallow: /private\r\n";

#[tokio::test(flavor = "multi_thread")]
async fn robots_are_ignored_unless_wanted() {
    let (mut fixture, server) = (WebFixture::new(), site(EXCLUDES));
    assert_eq!(fixture.content(&server.url("/private")).await, "/private");
    assert_eq!(server.connections(), 1);
    fixture.workshop.ctx.respect_robots = true;
    for path in ["/private", "/private/x?y", "/moved"] {
        let why = fixture.failure(&server.url(path)).await;
        assert!(why.contains("asks programs not to read this page in its robots.txt"), "{path}: {why}");
    }
    assert_eq!(fixture.content(&server.url("/public")).await, "/public");
}

#[tokio::test(flavor = "multi_thread")]
async fn site_without_robots_may_be_read() {
    let mut fixture = WebFixture::new();
    fixture.workshop.ctx.respect_robots = true;
    let server = site("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(fixture.content(&server.url("/private")).await, "/private");
    let server = site("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
    let why = fixture.failure(&server.url("/private")).await;
    assert!(why.contains("the robots.txt of `127.0.0.2` cannot be read: HTTP 503"), "{why}");
}
