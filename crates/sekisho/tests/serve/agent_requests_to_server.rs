//! Agents may not reach the server that judges them.

use serde_json::json;

use super::test_server::TestServer;
use crate::test_home::TestHome;

fn check(place: &TestHome, variables: &[(&str, &str)], command: &str) -> i32 {
    let all = variables
        .iter()
        .fold(place.command(&["check", "bash", command]), |all, (name, value)| all.env(name, value));
    place.output(&all.assert()).code
}

#[test]
fn commands_with_the_server_address_are_denied() {
    let place = TestHome::new();
    let socket = place.home().join(".local/state/sekisho/sekisho.sock");
    for command in [
        "curl http://127.0.0.1:8787/api/approvals",
        "curl -s localhost:8787 | jq .",
        "curl 'http://[::1]:8787/'",
        "nc 127.0.0.1 8787",
        "bash -c 'exec 3<>/dev/tcp/localhost/8787'",
        &format!("curl --unix-socket {} http://x/", socket.display()),
        "sekisho",
        "sekisho serve",
        "sekisho demo --scratch",
        "cd /tmp && sekisho token link --role admin",
    ] {
        assert_eq!(check(&place, &[], command), 2, "{command}");
    }
    for command in ["curl http://127.0.0.1:8080/", "sekisho doctor"] {
        assert_eq!(check(&place, &[], command), 3, "{command}");
    }
    assert_eq!(check(&place, &[("SEKISHO_LISTEN", "127.0.0.1:9191")], "curl localhost:9191"), 2);
    TestHome::write(
        &place.home().join(".config/sekisho/server.json"),
        r#"{ "listen": "127.0.0.1:9292", "socket": "~/s" }"#,
    );
    assert_eq!(check(&place, &[], "curl localhost:9292"), 2);
    assert_eq!(check(&place, &[], &format!("nc -U {}/s", place.home().display())), 2);
}

#[test]
fn server_knows_its_own_port() {
    let place = TestHome::new();
    let server = TestServer::start(&place, &["--allow-host", "sekisho.lan"]);
    for (command, expected) in [
        (format!("curl http://localhost:{}/", server.port), "deny"),
        (format!("curl http://sekisho.lan:{}/", server.port), "deny"),
        ("curl http://localhost:1/".to_owned(), "confirm"),
    ] {
        let call = json!({ "toolName": "Bash", "input": { "command": command } });
        let decided = server.request_over_socket("POST /api/decide", Some(&call));
        assert_eq!(decided.json()["decision"], expected, "{command}");
    }
    server.stop();
}

#[test]
fn only_requests_to_allowed_hosts_are_accepted() {
    let place = TestHome::new();
    let server =
        TestServer::start(&place, &["--allow-host", "sekisho.lan", "--public-url", "https://s.example"]);
    let asked = |host: &str| {
        let stream = std::net::TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        super::test_server::exchange(stream, host, "GET /healthz", &[], None).status
    };
    for host in [
        "sekisho.lan",
        &format!("sekisho.lan:{}", server.port),
        "s.example",
        &format!("localhost:{}", server.port),
    ] {
        assert_eq!(asked(host), 200, "{host}");
    }
    for host in ["evil.example", "s.example:81", "localhost:1"] {
        assert_eq!(asked(host), 403, "{host}");
    }
    assert!(server.link.as_ref().unwrap().starts_with("https://s.example/#link="));
    server.stop();
}
