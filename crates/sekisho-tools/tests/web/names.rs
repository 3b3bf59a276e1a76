//! Names that point to special addresses, and names that point somewhere else the second time.

use tokio::net::TcpSocket;

use super::server_double::{PRIVATE, PUBLIC, ServerDouble, response};
use super::web_fixture::WebFixture;

#[tokio::test(flavor = "multi_thread")]
async fn rebinding_name_is_looked_up_once() {
    let secret = ServerDouble::start(PRIVATE, |_, stream| {
        drop(std::io::Write::write_all(stream, &response("text/plain", "secret")));
    });
    let server = ServerDouble::with_page("text/plain", "public");
    let fixture = WebFixture::new();
    // Public when it is checked, private when it would be asked again.
    fixture.names.set("rebind.example", &[&["127.0.0.2"], &["127.0.0.1"]]);
    assert_eq!(fixture.content(&server.url_at("rebind.example", "/")).await, "public");
    assert_eq!(fixture.names.asked(), ["rebind.example"]);
    // The next call finds the private address, and connects to nothing.
    let why = fixture.failure(&secret.url_at("rebind.example", "/")).await;
    assert!(why.contains("`rebind.example` is not a public address"), "{why}");
    assert_eq!(secret.connections(), 0);
}

/// A private server, and a socket that keeps its port closed at the public address.
fn private_server() -> (ServerDouble, TcpSocket) {
    loop {
        let server = ServerDouble::start(PRIVATE, |_, stream| {
            drop(std::io::Write::write_all(stream, &response("text/plain", "secret")));
        });
        let closed = TcpSocket::new_v4().unwrap();
        // A server of another test can have the same port there.
        if closed.bind((PUBLIC, server.address.port()).into()).is_ok() {
            return (server, closed);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_address_of_a_name_is_checked() {
    let (secret, _closed) = private_server();
    let server = ServerDouble::with_page("text/plain", "public");
    let fixture = WebFixture::new();
    // The private address comes first, in the middle, and as IPv6.
    for list in [
        &["127.0.0.1", "127.0.0.2"] as &[&str],
        &["127.0.0.2", "127.0.0.1"],
        &["::1", "::ffff:127.0.0.1", "127.0.0.2"],
    ] {
        fixture.names.set("mixed.example", &[list]);
        assert_eq!(fixture.content(&server.url_at("mixed.example", "/")).await, "public");
        let why = fixture.failure(&secret.url_at("mixed.example", "/")).await;
        assert!(why.contains("cannot be reached"), "{why}");
    }
    assert_eq!(secret.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_of_special_addresses_are_refused() {
    // The rules of the real tool, with made-up names.
    let fixture = WebFixture::new();
    let names = fixture.names.clone();
    let client = sekisho_tools::web::WebClient::new(
        std::sync::Arc::new(names.clone()),
        sekisho_tools::web::AddressRules::public(),
    );
    let rules = serde_json::json!({ "allow": [{ "tool": "web_fetch" }] });
    let fixture = WebFixture::with_client(&rules, client, names);
    for address in [
        "127.0.0.1",
        "0.0.0.0",
        "10.0.0.1",
        "172.20.1.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::ffff:169.254.169.254",
        "64:ff9b::a00:1",
        "2002:a00:1::",
        "2001:0:1::1",
        "fe80::1",
        "fd00::1",
        "ff02::1",
    ] {
        fixture.names.set("name.example", &[&[address]]);
        let why = fixture.failure("http://name.example/").await;
        assert!(why.contains("is not a public address"), "{address}: {why}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_and_empty_names_are_errors() {
    let fixture = WebFixture::new();
    fixture.names.set("empty.example", &[&[]]);
    for (host, words) in [
        ("unknown.example", "`unknown.example` cannot be resolved: no such name"),
        ("empty.example", "`empty.example` cannot be resolved: it has no address"),
    ] {
        let why = fixture.failure(&format!("http://{host}/")).await;
        assert_eq!(why, format!("HTTP request failed: {words}"));
    }
}
