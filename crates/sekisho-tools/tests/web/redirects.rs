//! Redirects: every address is checked and judged, and at most five are followed.

use std::io::Write;

use serde_json::{Value, json};

use super::server_double::{PRIVATE, PUBLIC, ServerDouble, redirect, response};
use super::web_fixture::WebFixture;

/// A server that redirects `/` to a location, and has a page elsewhere.
fn redirecting(location: &str) -> ServerDouble {
    let location = location.to_owned();
    ServerDouble::start(PUBLIC, move |head, stream| {
        let answer = match head.starts_with("GET / ") {
            true => redirect(&location),
            false => response("text/plain", "arrived"),
        };
        drop(stream.write_all(&answer));
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_on_the_same_host_are_followed_and_reported() {
    let server = redirecting("b/../page?q=1#part");
    let host = format!("a.example:{}", server.address.port());
    let fixture = WebFixture::with_rules(&json!({ "allow": [{ "tool": "web_fetch", "host": host }] }));
    fixture.names.set("a.example", &[&["127.0.0.2"]]);
    let page = fixture.page(&server.url_at("a.example", "/")).await;
    let target = server.url_at("a.example", "/page?q=1#part");
    assert_eq!(page["content"], "arrived");
    assert_eq!(page["url"], json!(server.url_at("a.example", "/")));
    assert_eq!((&page["final_url"], &page["redirects"]), (&json!(target), &json!([target])));
    assert!(server.requests()[1].starts_with("GET /page?q=1 HTTP/1.1\r\n"), "{:?}", server.requests());
}

#[tokio::test(flavor = "multi_thread")]
async fn redirect_to_a_special_address_is_refused() {
    let secret = ServerDouble::start(PRIVATE, |_, stream| {
        drop(stream.write_all(&response("text/plain", "secret")));
    });
    let fixture = WebFixture::new();
    fixture.names.set("inner.example", &[&["127.0.0.1"]]);
    let port = secret.address.port();
    for location in [
        format!("http://127.0.0.1:{port}/"),
        format!("//127.0.0.1:{port}/"),
        format!("http://0x7f.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://localhost:{port}/"),
        format!("http://inner.example:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://[fd00:ec2::254]/".to_owned(),
        "http://metadata.localhost/".to_owned(),
    ] {
        let why = fixture.failure(&redirecting(&location).url("/")).await;
        assert!(why.contains("redirect to http"), "{location}: {why}");
        assert!(why.contains("is not a public address"), "{location}: {why}");
    }
    assert_eq!(secret.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn redirect_to_the_own_server_is_refused() {
    let mut fixture = WebFixture::new();
    let own = ServerDouble::with_page("text/plain", "own");
    fixture.names.set("gate.example", &[&["127.0.0.2"]]);
    fixture.workshop.ctx.own_addresses = vec![own.address.to_string(), "gate.example".into()];
    for location in [own.url("/api"), own.url_at("0x7f000002", "/"), own.url_at("gate.example", "/")] {
        let why = fixture.failure(&redirecting(&location).url("/")).await;
        assert!(why.contains("is sekisho's own server"), "{location}: {why}");
        let why = fixture.failure(&location).await;
        assert!(why.contains("is sekisho's own server"), "{location}: {why}");
    }
    assert_eq!(own.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn strange_locations_are_refused() {
    let fixture = WebFixture::new();
    for (location, words) in [
        ("file:///etc/passwd", "is not http or https"),
        ("ftp://127.0.0.2/", "is not http or https"),
        ("javascript:alert(1)", "is not http or https"),
        ("data:text/html,x", "is not http or https"),
        ("gopher://127.0.0.2:6379/_FLUSHALL", "is not http or https"),
        ("http://user:secret@127.0.0.2/", "has a user name or password"),
        ("http://exa\tmple/", "control characters"),
        ("http:\\\\127.0.0.2\\", "backslashes"),
        ("http://[", "is not valid"),
        ("http://", "is not valid"),
    ] {
        let why = fixture.failure(&redirecting(location).url("/")).await;
        assert!(why.starts_with("HTTP request failed: ") && why.contains(words), "{location}: {why}");
        assert!(!why.contains("secret"), "{why}");
    }
    let long = format!("http://127.0.0.2/{}", "a".repeat(9000));
    assert!(fixture.failure(&redirecting(&long).url("/")).await.contains("is too long"));
}

#[tokio::test(flavor = "multi_thread")]
async fn sixth_redirect_is_not_followed() {
    // Each page leads to the next one; the last has a text.
    let server = |last: usize| {
        ServerDouble::start(PUBLIC, move |head, stream| {
            let number: usize = head.split(['/', ' ']).nth(2).unwrap().parse().unwrap();
            let answer = match number < last {
                true => redirect(&format!("/{}", number + 1)),
                false => response("text/plain", "arrived"),
            };
            drop(stream.write_all(&answer));
        })
    };
    let fixture = WebFixture::new();
    let page = fixture.page(&server(5).url("/0")).await;
    assert_eq!((&page["content"], page["redirects"].as_array().unwrap().len()), (&json!("arrived"), 5));
    let endless = server(usize::MAX);
    let why = fixture.failure(&endless.url("/0")).await;
    assert_eq!(why, "HTTP request failed: there are more than 5 redirects");
    assert_eq!(endless.connections(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn redirect_to_a_host_that_the_policy_does_not_allow_stops() {
    /// Rules for the ports of the first server and of the one that it redirects to.
    type Permissions = fn(u16, u16) -> Value;
    fn on(host: &str, port: u16) -> Value {
        json!({ "tool": "web_fetch", "host": format!("{host}:{port}") })
    }
    let cases: [(Permissions, bool); 6] = [
        (|first, _| json!({ "allow": [on("a.example", first)] }), false),
        (|first, _| json!({ "allow": [on("*.example", first)] }), false),
        (
            |_, _| json!({ "allow": [{ "tool": "web_fetch" }], "confirm": [{ "tool": "web_fetch", "host": "b.example" }] }),
            false,
        ),
        (
            |_, _| json!({ "allow": [{ "tool": "web_fetch" }], "deny": [{ "tool": "web_fetch", "host": "b.example" }] }),
            false,
        ),
        (|_, _| json!({ "allow": [{ "tool": "web_fetch" }] }), true),
        (|first, second| json!({ "allow": [on("*.example", first), on("*.example", second)] }), true),
    ];
    for (permissions, is_followed) in cases {
        let other = ServerDouble::with_page("text/plain", "other host");
        let target = other.url_at("b.example", "/page");
        let server = redirecting(&target);
        let permissions = permissions(server.address.port(), other.address.port());
        let fixture = WebFixture::with_rules(&permissions);
        for name in ["a.example", "b.example"] {
            fixture.names.set(name, &[&["127.0.0.2"]]);
        }
        let page = fixture.page(&server.url_at("a.example", "/")).await;
        if is_followed {
            assert_eq!(page["content"], "other host", "{permissions}");
            continue;
        }
        assert_eq!(
            (&page["redirect_not_followed"], &page["status"]),
            (&json!(target), &json!(302)),
            "{permissions}"
        );
        assert!(page["content"].as_str().unwrap().contains(&target), "{page}");
        assert_eq!(other.connections(), 0);
        assert!(!fixture.names.asked().contains(&"b.example".to_owned()), "not even looked up");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn redirect_beyond_the_listed_hosts_is_refused() {
    let mut fixture = WebFixture::new();
    for name in ["a.example", "b.example"] {
        fixture.names.set(name, &[&["127.0.0.2"]]);
    }
    let other = ServerDouble::with_page("text/plain", "other host");
    let server = redirecting(&other.url_at("b.example", "/"));
    fixture.workshop.ctx.allowed_hosts = Some(vec!["a.example".into()]);
    let why = fixture.failure(&server.url_at("a.example", "/")).await;
    assert!(why.contains("`b.example` is not in `allowed_hosts` of `web_fetch`"), "{why}");
    assert_eq!(other.connections(), 0);
}
