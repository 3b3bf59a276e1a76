//! A server from its first start to its next.

use std::os::unix::fs::PermissionsExt;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::test_server::{TestServer, eventually};
use crate::test_home::TestHome;

/// Follows a link. Returns the cookie and the page's key.
fn sign_in(server: &TestServer, link: &str) -> Result<(String, String), u16> {
    let (address, secret) = link.split_once("/#link=").unwrap();
    assert_eq!(address, format!("http://127.0.0.1:{}", server.port));
    let answer =
        server.request("POST /api/session", &[("Origin", address)], Some(&json!({ "link": secret })));
    if answer.status != 200 {
        return Err(answer.status);
    }
    let cookie = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    let page = answer.json()["pageKey"].as_str().unwrap().to_owned();
    Ok((cookie.split(';').next().unwrap().to_owned(), page))
}

fn question(call: &str) -> Value {
    json!({ "toolName": "Bash", "input": { "command": "git push" }, "toolUseId": call, "onTimeout": "park" })
}

#[test]
fn first_start_prints_a_one_time_link() {
    let place = TestHome::new();
    let server = TestServer::start(&place, &[]);
    let link = server.link.clone().unwrap();
    assert!(link.contains("/#link=skl_"), "{link}");
    assert!(server.log.iter().all(|line| !line.to_string().contains("skl_")), "the log keeps no secrets");
    let (cookie, page) = sign_in(&server, &link).unwrap();
    let known = [("Cookie", cookie.as_str()), ("X-Sekisho-Page", page.as_str())];
    let me = server.request("GET /api/session", &known, None);
    assert_eq!((me.status, me.json()["role"].as_str()), (200, Some("admin")), "{me:?}");
    assert_eq!(sign_in(&server, &link), Err(401));
    let port = server.port.to_string();
    server.stop();
    let again = TestServer::start(&place, &["--listen", &format!("127.0.0.1:{port}")]);
    assert_eq!(again.link, None);
    let me = again.request("GET /api/session", &known, None);
    assert_eq!(me.status, 200, "{me:?}");
    again.stop();
}

#[test]
fn socket_is_private_and_removed_at_the_end() {
    let place = TestHome::new();
    let server = TestServer::start(&place, &[]);
    let socket = server.socket();
    assert_eq!(socket.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(server.request_over_socket("GET /healthz", None).text, "ok");
    // Callers on the socket without a token are agents.
    assert_eq!(server.request_over_socket("GET /api/session", None).json()["role"], "agent");
    server.stop();
    assert!(!socket.exists());
}

#[test]
fn questions_survive_a_restart() {
    let place = TestHome::new();
    let server = TestServer::start(&place, &[]);
    let asked = server.request_over_socket("POST /api/can-use-tool?wait=false", Some(&question("call-1")));
    assert_eq!(asked.status, 202, "{asked:?}");
    let id = asked.json()["id"].as_str().unwrap().to_owned();
    server.stop();
    let server = TestServer::start(&place, &[]);
    let still = server.request_over_socket(&format!("GET /api/approvals/{id}"), None);
    assert_eq!((still.status, still.json()["state"].as_str()), (200, Some("pending")), "{still:?}");
    let made = place.run(&["token", "create", "--name", "me", "--role", "approver"]);
    let bearer = format!("Bearer {}", made.out.trim());
    let answer = server.request(
        &format!("POST /api/approvals/{id}/answer"),
        &[("Authorization", &bearer)],
        Some(&json!({ "behavior": "allow" })),
    );
    assert_eq!(answer.status, 200, "{answer:?}");
    let taken = server.request_over_socket("POST /api/can-use-tool?wait=false", Some(&question("call-1")));
    assert_eq!((taken.status, taken.json()["behavior"].as_str()), (200, Some("allow")), "{taken:?}");
    server.stop();
    let verified = place.run(&["audit", "verify"]);
    assert!(verified.out.starts_with("intact"), "{}{}", verified.out, verified.err);
}

#[test]
fn waiting_caller_does_not_delay_shutdown() {
    let place = TestHome::new();
    let mut server = TestServer::start(&place, &[]);
    let made = place.run(&["token", "create", "--name", "me", "--role", "viewer"]);
    let bearer = format!("Bearer {}", made.out.trim());
    std::thread::scope(|scope| {
        let waiting =
            scope.spawn(|| server.request_over_socket("POST /api/can-use-tool", Some(&question("call-2"))));
        eventually("no question was opened", || {
            let open = server.request("GET /api/approvals", &[("Authorization", &bearer)], None);
            assert!(!waiting.is_finished(), "no question was opened: {open:?}");
            open.json()["approvals"].as_array().is_some_and(|open| !open.is_empty()).then_some(())
        });
        server.signal(Signal::INT);
        let response = waiting.join().unwrap();
        assert_eq!(response.status, 503, "{response:?}");
    });
    assert!(server.ended().success());
    let status = place.run(&["db", "status", "--json"]);
    let status: Value = serde_json::from_str(&status.out).unwrap();
    assert_eq!(status["pending"], 1);
}

#[test]
fn no_command_runs_the_server() {
    let place = TestHome::new();
    TestHome::write(
        &place.home().join(".config/sekisho/server.json"),
        r#"{ "listen": "127.0.0.1:0", /* any */ "socket": "none" }"#,
    );
    let mut child =
        super::test_server::spawn(&place, &[], &[("SEKISHO_LOG_FORMAT", "text"), ("NO_COLOR", "1")]);
    let mut first = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut first)
        .unwrap();
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    let output = String::from_utf8_lossy(&output.stderr).replace(place.home().to_str().unwrap(), "[HOME]");
    assert!(first.starts_with("http://127.0.0.1:") && first.contains("/#link=skl_"), "{first}");
    assert!(output.starts_with("sekisho 0.1.0\nlistens   http://127.0.0.1:"), "{output}");
    assert!(output.contains("database  ~/.local/state/sekisho/ledger.db\n"), "{output}");
    assert!(output.contains("managed   /etc/sekisho/config.json (no file)\n"), "{output}");
    assert!(output.contains("          database  0 rules\n") && !output.contains("skl_"), "{output}");
}

#[test]
fn startup_reports_projects_and_warnings() {
    let place = TestHome::new();
    TestHome::write(
        &place.project(),
        r#"{ "version": 1, "permissions": { "allow": [{ "tool": "bash", "command": "make" }] } }"#,
    );
    TestHome::write(
        &place.global(),
        r#"{ "version": 1, "permissions": { "allow": [{ "tool": "bash", "unrestricted": true }] } }"#,
    );
    std::fs::set_permissions(place.global(), std::fs::Permissions::from_mode(0o666)).unwrap();
    let server = TestServer::start_with(
        &place,
        &["--project", ".", "--no-approvers"],
        &[("TOOL_APPROVAL_ENABLED", "false")],
    );
    let files: Vec<String> = server
        .log
        .iter()
        .filter(|line| line["message"] == "policy file")
        .map(|line| {
            format!(
                "{} {} {}",
                line["layer"].as_str().unwrap(),
                line["rules"],
                line["note"].as_str().unwrap()
            )
        })
        .collect();
    assert!(files.contains(&"global 1 ".to_owned()), "{files:?}");
    assert!(files.iter().any(|file| file.starts_with("project 1 not trusted")), "{files:?}");
    let hazards: Vec<&str> = server
        .log
        .iter()
        .filter(|line| line["message"] == "unsafe")
        .filter_map(|line| line["hazard"].as_str())
        .collect();
    for expected in [
        "questions are off",
        "--no-approvers",
        "others may write ~/.config/sekisho/config.json",
        "config.json:1: ",
    ] {
        assert!(hazards.iter().any(|hazard| hazard.contains(expected)), "{expected}: {hazards:?}");
    }
    server.stop();
}

#[test]
fn spools_are_imported_at_startup() {
    let place = TestHome::new();
    let spools = sekisho_host::Spools::at(&place.home().join(".local/state/sekisho"));
    spools.append("nonsense", uuid::Uuid::from_u128(7)).unwrap();
    let server = TestServer::start(&place, &[]);
    eventually("the spool was not imported", || spools.all().unwrap().is_empty().then_some(()));
    server.stop();
    assert!(place.run(&["audit", "search", "spool"]).out.contains("could not be read"));
}

#[test]
fn second_signal_stops_at_once() {
    use std::io::{Read, Write};
    let place = TestHome::new();
    let mut server = TestServer::start(&place, &[]);
    // The server waits a while for a request that is never finished.
    let mut slow = std::os::unix::net::UnixStream::connect(server.socket()).unwrap();
    let head = "POST /api/decide HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\nExpect: 100-continue\r\n\r\n";
    slow.write_all(head.as_bytes()).unwrap();
    // The server asks for the rest of the request when it starts to wait for it.
    slow.read_exact(&mut [0; 25]).unwrap();
    server.signal(Signal::TERM);
    eventually("it does not stop listening", || {
        std::net::TcpStream::connect(("127.0.0.1", server.port)).is_err().then_some(())
    });
    assert!(server.is_running());
    server.signal(Signal::TERM);
    // After the first signal alone it would have exited with 0.
    assert_eq!(server.ended().code(), Some(1));
}
