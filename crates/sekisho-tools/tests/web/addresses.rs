//! Addresses that are never fetched, in every spelling. They are refused before anyone is asked.

use sekisho_tools::web_fetch::WebFetch;
use sekisho_tools::{Tool, ToolError};
use serde_json::json;

use super::server_double::{PRIVATE, ServerDouble, response};
use super::web_fixture::{MadeUpNames, WebFixture};
use crate::project::Project;

/// Addresses that are not public.
const REFUSED: &[&str] = &[
    "http://127.0.0.1/",
    "http://127.0.0.1./",
    "http://127.1/",
    "http://127.0.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://0X7F.0.0.0x1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://127.0.0.1:443/",
    "https://127.255.255.254/",
    "http://%31%32%37.0.0.1/",
    "http://127。0。0。1/",
    "http://①②⑦.0.0.1/",
    "http://0/",
    "http://0.0.0.0/",
    "http://0x0/",
    "http://10.1.2.3/",
    "http://012.1.2.3/",
    "http://167838211/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.0.1/",
    "http://0xc0a80001/",
    "http://169.254.169.254/latest/meta-data/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://169.254.43518/",
    "http://100.64.0.1/",
    "http://100.100.100.200/latest/meta-data/",
    "http://168.63.129.16/",
    "http://192.0.0.192/",
    "http://192.0.2.1/",
    "http://198.51.100.1/",
    "http://203.0.113.1/",
    "http://198.18.0.1/",
    "http://192.88.99.1/",
    "http://224.0.0.1/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://4294967295/",
    "http://[::1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[::127.0.0.1]/",
    "http://[::ffff:0:127.0.0.1]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[64:ff9b:1::10.0.0.1]/",
    "http://[2002:7f00:1::]/",
    "http://[2002:a9fe:a9fe::]/",
    "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "http://[fe80::1]/",
    "http://[fec0::1]/",
    "http://[fc00::1]/",
    "http://[fd00:ec2::254]/",
    "http://[ff02::1]/",
    "http://[2001:db8::1]/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://a.localhost/",
];

#[test]
fn no_spelling_of_a_special_address_passes() {
    let (tool, project) = (WebFetch::new(), Project::new());
    for url in REFUSED {
        let why = tool.check(&json!({ "url": url }), &project.context).unwrap_err();
        assert!(why.contains("is not a public address"), "{url}: {why}");
    }
    for url in
        ["http://1.1.1.1/", "https://93.184.216.34/x", "https://[2606:4700::1111]/", "http://example.com/"]
    {
        assert_eq!(tool.check(&json!({ "url": url }), &project.context), Ok(()), "{url}");
    }
}

#[test]
fn other_ports_are_refused() {
    let (tool, mut project) = (WebFetch::new(), Project::new());
    for port in [1, 22, 25, 6379, 8080, 65535] {
        let input = json!({ "url": format!("http://example.com:{port}/") });
        let why = tool.check(&input, &project.context).unwrap_err();
        assert!(why.contains("ports 80 and 443 only"), "{port}: {why}");
    }
    for url in ["http://example.com:80/", "https://example.com:443/", "http://example.com:443/"] {
        assert_eq!(tool.check(&json!({ "url": url }), &project.context), Ok(()), "{url}");
    }
    // The user may list a host with another port.
    project.context.allowed_hosts = Some(vec!["Example.com:8443".into(), "docs.example.com".into()]);
    for (url, expected) in [
        ("https://example.com:8443/", None),
        ("https://docs.example.com/", None),
        ("https://docs.example.com:8443/", Some("ports 80 and 443 only")),
        ("https://example.com/", Some("is not in `allowed_hosts`")),
        ("https://evil.example/", Some("is not in `allowed_hosts`")),
        ("https://example.com.evil.example:8443/", Some("is not in `allowed_hosts`")),
    ] {
        let found = tool.check(&json!({ "url": url }), &project.context);
        match expected {
            None => assert_eq!(found, Ok(()), "{url}"),
            Some(words) => assert!(found.as_ref().unwrap_err().contains(words), "{url}: {found:?}"),
        }
    }
}

#[test]
fn own_server_is_refused_in_every_spelling() {
    let (tool, mut project) = (WebFetch::new(), Project::new());
    project.context.own_addresses =
        vec!["93.184.216.34:443".into(), "gate.example.com".into(), "localhost 8787".into()];
    for url in [
        "https://93.184.216.34/",
        "https://0x5db8d822/",
        "https://1572395042/api",
        "https://gate.example.com/",
        "http://GATE.EXAMPLE.COM./x",
    ] {
        let why = tool.check(&json!({ "url": url }), &project.context).unwrap_err();
        assert!(why.contains("is sekisho's own server"), "{url}: {why}");
    }
    assert_eq!(tool.check(&json!({ "url": "http://93.184.216.34/" }), &project.context), Ok(()));
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_address_reaches_nobody() {
    let server = ServerDouble::start(PRIVATE, |_, stream| {
        drop(std::io::Write::write_all(stream, &response("text/plain", "secret")));
    });
    // The tool as the binary makes it.
    let client = sekisho_tools::web::WebClient::default();
    let rules = json!({ "allow": [{ "tool": "web_fetch" }] });
    let fixture = WebFixture::with_client(&rules, client, MadeUpNames::default());
    for host in ["127.0.0.1", "2130706433", "localhost", "0x7f.1", "[::ffff:127.0.0.1]"] {
        let refused = fixture.fetch(&server.url_at(host, "/")).await.unwrap_err();
        assert!(matches!(refused, ToolError::Forbidden(_)), "{host}: {refused:?}");
    }
    assert_eq!(server.connections(), 0);
    assert!(fixture.workshop.ledger.calls().is_empty(), "nobody was asked");
}
