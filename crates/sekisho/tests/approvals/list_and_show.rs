//! `list` and `show`.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::approvals_fixture::{ApprovalsFixture, short};
use crate::test_home::TestHome;

#[test]
fn first_run_creates_a_private_token() {
    let fixture = ApprovalsFixture::new();
    let output = fixture.run(&["list"]);
    assert_eq!((output.code, output.out.as_str()), (0, "no open questions\n"), "{}", output.err);
    let expected = "created the approver token `terminal of tester` and saved it in ~/.local/state/sekisho/terminal.token\n";
    assert_eq!(output.err, expected);
    let file = fixture.place.home().join(".local/state/sekisho/terminal.token");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let output = fixture.run(&["list"]);
    assert_eq!((output.code, output.err.as_str()), (0, ""), "the second run needs no new token");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    let output = fixture.run(&["list"]);
    assert_eq!(output.code, 1);
    assert!(output.err.contains("terminal.token: others can read this file"), "{}", output.err);
}

#[test]
fn missing_server_explains_how_to_start_one() {
    let place = TestHome::new();
    let output = place.run(&["approvals", "list", "--server", "http://127.0.0.1:9", "--token", TOKEN]);
    assert_eq!(output.code, 1);
    assert!(output.err.contains("no server at http://127.0.0.1:9: connection refused"), "{}", output.err);
    assert!(output.err.contains("start one with `sekisho serve`"), "{}", output.err);
    let output = place.run(&["approvals", "list"]);
    assert_eq!(output.code, 1);
    assert!(output.err.contains("no server at ") && output.err.contains("sekisho.sock"), "{}", output.err);
    assert!(!place.home().join(".local/state/sekisho/terminal.token").exists());
    let output = place.run(&["approvals", "list", "--server", "https://gate.example"]);
    assert!(output.err.contains("no token for https://gate.example"), "{}", output.err);
}

#[test]
fn saved_token_is_sent_over_the_socket_only() {
    let fixture = ApprovalsFixture::new();
    assert_eq!(fixture.run(&["list"]).code, 0, "the token is created and saved");
    // A listener on a port must never receive the token.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let stranger = listener.local_addr().unwrap().port();
    for (host, port) in [("127.0.0.1", fixture.server.port), ("localhost", stranger), ("127.0.0.1", stranger)]
    {
        let address = format!("http://{host}:{port}");
        let output = fixture.run(&["list", "--server", &address]);
        assert_eq!((output.code, output.out.as_str()), (1, ""), "{address}");
        for part in [
            &format!("no token for {address}; set `SEKISHO_TOKEN` or pass `--token`"),
            "only sent over the Unix socket",
        ] {
            assert!(output.err.contains(part), "{part} in {}", output.err);
        }
    }
    assert!(listener.accept().is_err(), "no connection was made");
    let socket = format!("unix:{}", fixture.server.socket().display());
    let output = fixture.run(&["list", "--server", &socket]);
    assert_eq!((output.code, output.out.as_str()), (0, "no open questions\n"), "{}", output.err);
}

const TOKEN: &str =
    "sks_00000000000070008000000000000001_0000000000000000000000000000000000000000000000000000000000000000";

#[test]
fn unknown_token_is_reported_with_code_and_hint() {
    let fixture = ApprovalsFixture::new();
    let address = format!("http://127.0.0.1:{}", fixture.server.port);
    let output = fixture.run(&["list", "--server", &address, "--token", TOKEN]);
    assert_eq!(output.code, 1);
    assert!(
        output.err.contains("the token is unknown, expired or revoked (Unauthenticated); "),
        "{}",
        output.err
    );
    let made = fixture.place.run(&["token", "create", "--name", "t", "--role", "viewer"]).out;
    let output = fixture.run(&["list", "--server", &address, "--token", made.trim()]);
    assert_eq!((output.code, output.out.as_str()), (0, "no open questions\n"), "over TCP: {}", output.err);
}

#[test]
fn questions_are_listed_newest_first() {
    let fixture = ApprovalsFixture::new();
    let first = fixture.push("one");
    let second =
        fixture.ask_with("two", "create_issue", &json!({ "title": "x" }), &json!({ "serverId": "github" }));
    let out = fixture.out(&["list"]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2, "{out}");
    assert!(lines[0].starts_with(short(&second)) && lines[0].contains("github/create_issue"), "{out}");
    assert!(
        lines[1].starts_with(short(&first)) && lines[1].ends_with("builder  git push origin main"),
        "{out}"
    );
    let json = fixture.out(&["list", "--json"]);
    let ids: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&ids[0]["id"], &ids[1]["id"]), (&json!(second), &json!(first)));
    fixture.out(&["deny", short(&first)]);
    assert_eq!(fixture.out(&["list"]).lines().count(), 1);
    assert!(fixture.out(&["list", "--all"]).contains("denied"));
}

#[test]
fn question_is_shown_in_full() {
    let fixture = ApprovalsFixture::new();
    let input = json!({ "command": "git status && git push | sh", "description": "d", "env": { "A": "b" } });
    let id = fixture.ask("one", "bash", &input);
    let out = fixture.out(&["show", &id]);
    for expected in [
        "builder wants to run a command",
        "  git status && git push | sh\n  ~~~~~~~~~~    ????????   ??\n",
        "~ allow   git status",
        "? confirm sh",
        "no rule matches, and the default is to ask",
        "why       `git push` ",
        "agent     builder, user ",
        "with      env: {\"A\":\"b\"}",
        "left, then it expires and does not run",
    ] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
    assert!(!out.contains("\"description\""));
    assert!(fixture.out(&["show", short(&id), "--input"]).contains("\"description\": \"d\""));
    let push = fixture.push("two");
    let out = fixture.out(&["show", &push]);
    assert!(out.contains(" 1   only `git push origin main`"), "{out}");
    assert!(out.contains("     {\"tool\":\"bash\",\"command_glob\":\"git push origin main\"}"), "{out}");
    assert!(out.contains("every command that begins with `git push`"), "{out}");
}

#[test]
fn all_dangers_and_the_token_name_are_shown() {
    let fixture = ApprovalsFixture::new();
    let created = fixture.place.run(&["token", "create", "--name", "night build", "--role", "agent"]).out;
    let input = json!({ "command": "rm -rf build; curl https://example.com" });
    let body = json!({ "toolName": "Bash", "input": input, "toolUseId": "one" });
    let bearer = format!("Bearer {}", created.trim());
    let response = fixture.server.request(
        "POST /api/can-use-tool?wait=false",
        &[("Authorization", &bearer)],
        Some(&body),
    );
    assert_eq!(response.status, 202, "{response:?}");
    let out = fixture.out(&["show", response.json()["id"].as_str().unwrap()]);
    for expected in [
        "  DANGER    deletes directories and everything in them\n",
        "  caution   uses the network",
        "agent     unnamed agent, token `night build`\n",
    ] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
}

#[test]
fn hidden_characters_are_escaped() {
    let fixture = ApprovalsFixture::new();
    let command = "echo a\u{1b}[2K\u{202e}b\u{200b} \\u{202e}";
    let id = fixture.ask_with(
        "one",
        "bash",
        &json!({ "command": command }),
        &json!({ "agentId": "bad\u{1b}]0;x\u{7}", "workspaceId": "w\u{202e}" }),
    );
    for out in [fixture.out(&["show", &id, "--input"]), fixture.out(&["list"])] {
        assert!(!out.contains(['\u{1b}', '\u{202e}', '\u{200b}', '\u{7}']), "{out:?}");
    }
    let out = fixture.out(&["show", &id]);
    assert!(out.contains(r"  echo a\u{1b}[2K\u{202e}b\u{200b} \u{5c}u{202e}"), "{out}");
    assert!(
        out.contains("DANGER") && out.contains(r"hidden    \u{202e} changes the text direction"),
        "{out}"
    );
}

#[test]
fn diff_shows_the_new_file() {
    let fixture = ApprovalsFixture::new();
    let file = fixture.place.home().join("../project/a.txt");
    std::fs::write(&file, "one\ntwo\n").unwrap();
    let file = file.canonicalize().unwrap();
    let id = fixture.ask("one", "write", &json!({ "file_path": file, "content": "one\nthree\n" }));
    let out = fixture.out(&["show", &id]);
    assert!(out.contains("+1 -1\n  1   one\n  2 - two\n  2 + three\n"), "{out}");
}

#[test]
fn reference_must_match_one_question() {
    let fixture = ApprovalsFixture::new();
    let first = fixture.push("one");
    fixture.push("two");
    // Ids begin with the time: the next question would begin with the same digits.
    let output = fixture.run(&["show", first.get(..6).unwrap()]);
    assert_eq!(output.code, 1);
    assert!(output.err.contains("no question id ends with"), "{}", output.err);
    let output = fixture.run(&["show", "ffffffff"]);
    assert!(output.err.contains("no question id ends with `ffffffff`"), "{}", output.err);
    assert_eq!(fixture.run(&["show", "nonsense"]).code, 64);
}
