//! What is sent: nothing that identifies a person, and nothing that a URL could add.

use std::io::Write;

use super::server_double::{PUBLIC, ServerDouble, response};
use super::web_fixture::WebFixture;

#[tokio::test(flavor = "multi_thread")]
async fn request_has_only_fixed_headers() {
    let server = ServerDouble::start(PUBLIC, |_, stream| {
        let page = String::from_utf8(response("text/plain", "x")).unwrap();
        let page =
            page.replacen("\r\n", "\r\nSet-Cookie: id=1\r\nStrict-Transport-Security: max-age=9\r\n", 1);
        drop(stream.write_all(page.as_bytes()));
    });
    let fixture = WebFixture::new();
    for _ in 0..2 {
        fixture.page(&server.url("/a?b=c%0d%0aX-Injected:%201#d")).await;
    }
    let requests = server.requests();
    let host = server.address;
    let expected = format!(
        "GET /a?b=c%0d%0aX-Injected:%201 HTTP/1.1\r\nhost: {host}\r\nuser-agent: sekisho/{}\r\n\
         accept-encoding: gzip, deflate\r\nconnection: close\r\n\
         accept: text/html,application/xhtml+xml,text/plain;q=0.9,application/json;q=0.9,*/*;q=0.5\r\n\r\n",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(requests, [expected.clone(), expected]);
}

#[tokio::test(flavor = "multi_thread")]
async fn urls_that_could_inject_are_refused_before_anyone_is_asked() {
    let server = ServerDouble::with_page("text/plain", "x");
    let fixture = WebFixture::new();
    for path in [
        "/\r\nX: y",
        "/ HTTP/1.1\r\nHost: evil",
        "/\n",
        "/\t",
        "/a b",
        "/\u{0}",
        "\\@evil.example/",
        "/\u{85}",
    ] {
        let why = fixture.failure(&server.url(path)).await;
        assert!(why.contains("contains a space, a control character or a backslash"), "{path:?}: {why}");
    }
    for url in [
        format!("http://user:pw@{}/", server.address),
        format!("http://user@{}/", server.address),
        format!("http://:pw@{}/", server.address),
    ] {
        let why = fixture.failure(&url).await;
        assert_eq!(why, "URL has a user name or password; write it without");
    }
    assert_eq!(server.connections(), 0);
    assert!(fixture.workshop.ledger.calls().is_empty(), "nobody was asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn other_characters_are_encoded() {
    let server = ServerDouble::with_page("text/plain", "x");
    let fixture = WebFixture::new();
    fixture.page(&server.url("/é/\"<>?q=日&r='#f")).await;
    assert!(
        server.requests()[0].starts_with("GET /%C3%A9/%22%3C%3E?q=%E6%97%A5&r=%27 HTTP/1.1\r\n"),
        "{:?}",
        server.requests()
    );
}
