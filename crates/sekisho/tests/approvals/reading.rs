//! `list` and `show`.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::desk::{Desk, short};
use crate::place::Place;

#[test]
fn the_first_look_makes_a_token_for_its_owner_only() {
    let desk = Desk::new();
    let said = desk.run(&["list"]);
    assert_eq!((said.code, said.out.as_str()), (0, "no questions wait\n"), "{}", said.err);
    let told =
        "made an approver token `terminal of tester` and saved it in ~/.local/state/sekisho/terminal.token\n";
    assert_eq!(said.err, told);
    let file = desk.place.home().join(".local/state/sekisho/terminal.token");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let said = desk.run(&["list"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "the second look needs none");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    let said = desk.run(&["list"]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("terminal.token: others can read it"), "{}", said.err);
}

#[test]
fn without_a_server_it_says_how_to_start_one() {
    let place = Place::new();
    let said = place.run(&["approvals", "list", "--server", "http://127.0.0.1:9", "--token", TOKEN]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("no server at http://127.0.0.1:9: connection refused"), "{}", said.err);
    assert!(said.err.contains("start one with `sekisho serve`"), "{}", said.err);
    let said = place.run(&["approvals", "list"]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("no server at ") && said.err.contains("sekisho.sock"), "{}", said.err);
    assert!(!place.home().join(".local/state/sekisho/terminal.token").exists());
    let said = place.run(&["approvals", "list", "--server", "https://gate.example"]);
    assert!(said.err.contains("no token for https://gate.example"), "{}", said.err);
}

#[test]
fn the_saved_token_goes_over_the_socket_only() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["list"]).code, 0, "it is made and saved");
    // Whoever listens on a port of this machine would be told it, were it sent there.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let stranger = listener.local_addr().unwrap().port();
    for (host, port) in [("127.0.0.1", desk.server.port), ("localhost", stranger), ("127.0.0.1", stranger)] {
        let address = format!("http://{host}:{port}");
        let said = desk.run(&["list", "--server", &address]);
        assert_eq!((said.code, said.out.as_str()), (1, ""), "{address}");
        for part in [
            &format!("no token for {address}; give one with `SEKISHO_TOKEN` or `--token`"),
            "only sent over the Unix socket",
        ] {
            assert!(said.err.contains(part), "{part} in {}", said.err);
        }
    }
    assert!(listener.accept().is_err(), "nobody was even asked");
    let socket = format!("unix:{}", desk.server.socket().display());
    let said = desk.run(&["list", "--server", &socket]);
    assert_eq!((said.code, said.out.as_str()), (0, "no questions wait\n"), "{}", said.err);
}

const TOKEN: &str =
    "sks_00000000000070008000000000000001_0000000000000000000000000000000000000000000000000000000000000000";

#[test]
fn a_token_that_is_not_known_is_told_with_code_and_hint() {
    let desk = Desk::new();
    let address = format!("http://127.0.0.1:{}", desk.server.port);
    let said = desk.run(&["list", "--server", &address, "--token", TOKEN]);
    assert_eq!(said.code, 1);
    assert!(
        said.err.contains("the token is not known, has expired or was revoked (Unauthenticated); "),
        "{}",
        said.err
    );
    let made = desk.place.run(&["token", "create", "--name", "t", "--role", "viewer"]).out;
    let said = desk.run(&["list", "--server", &address, "--token", made.trim()]);
    assert_eq!((said.code, said.out.as_str()), (0, "no questions wait\n"), "over TCP: {}", said.err);
}

#[test]
fn questions_are_listed_newest_first() {
    let desk = Desk::new();
    let first = desk.push("one");
    let second =
        desk.ask_with("two", "create_issue", &json!({ "title": "x" }), &json!({ "serverId": "github" }));
    let out = desk.out(&["list"]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2, "{out}");
    assert!(lines[0].starts_with(short(&second)) && lines[0].contains("github/create_issue"), "{out}");
    assert!(
        lines[1].starts_with(short(&first)) && lines[1].ends_with("builder  git push origin main"),
        "{out}"
    );
    let json = desk.out(&["list", "--json"]);
    let ids: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&ids[0]["id"], &ids[1]["id"]), (&json!(second), &json!(first)));
    desk.out(&["deny", short(&first)]);
    assert_eq!(desk.out(&["list"]).lines().count(), 1);
    assert!(desk.out(&["list", "--all"]).contains("denied"));
}

#[test]
fn a_question_is_shown_whole() {
    let desk = Desk::new();
    let input = json!({ "command": "git status && git push | sh", "description": "d", "env": { "A": "b" } });
    let id = desk.ask("one", "bash", &input);
    let out = desk.out(&["show", &id]);
    for expected in [
        "Run command?",
        "  git status && git push | sh\n  ~~~~~~~~~~    ????????   ??\n",
        "~ allow   git status",
        "? confirm sh",
        "why       no rule matches, and the default is to ask",
        "agent     builder, with user ",
        "with      env: {\"A\":\"b\"}",
        "left, then it expires and does not run",
    ] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
    assert!(!out.contains("\"description\""));
    assert!(desk.out(&["show", short(&id), "--input"]).contains("\"description\": \"d\""));
    let push = desk.push("two");
    let out = desk.out(&["show", &push]);
    assert!(out.contains(" 1   {\"tool\":\"bash\",\"command_glob\":\"git push origin main\"}"), "{out}");
    assert!(out.contains("also: every command that begins with `git push`"), "{out}");
}

#[test]
fn every_danger_is_told_and_a_token_by_its_name() {
    let desk = Desk::new();
    let made = desk.place.run(&["token", "create", "--name", "night build", "--role", "agent"]).out;
    let body =
        json!({ "toolName": "Bash", "input": { "command": "rm -rf build; curl https://example.com" } });
    let bearer = format!("Bearer {}", made.trim());
    let asked =
        desk.server.ask("POST /api/can-use-tool?wait=false", &[("Authorization", &bearer)], Some(&body));
    assert_eq!(asked.status, 202, "{asked:?}");
    let out = desk.out(&["show", asked.json()["id"].as_str().unwrap()]);
    for expected in [
        "  DANGER    deletes directories with all they contain\n",
        "  caution   reaches the network",
        "agent     an agent without a name, with the token `night build`\n",
    ] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
}

#[test]
fn what_hides_is_seen_and_never_obeyed() {
    let desk = Desk::new();
    let command = "echo a\u{1b}[2K\u{202e}b\u{200b} \\u{202e}";
    let id = desk.ask_with(
        "one",
        "bash",
        &json!({ "command": command }),
        &json!({ "agentId": "bad\u{1b}]0;x\u{7}", "workspaceId": "w\u{202e}" }),
    );
    for out in [desk.out(&["show", &id, "--input"]), desk.out(&["list"])] {
        assert!(!out.contains(['\u{1b}', '\u{202e}', '\u{200b}', '\u{7}']), "{out:?}");
    }
    let out = desk.out(&["show", &id]);
    assert!(out.contains(r"  echo a\u{1b}[2K\u{202e}b\u{200b} \u{5c}u{202e}"), "{out}");
    assert!(
        out.contains("DANGER") && out.contains(r"hidden    \u{202e} turns the direction of reading"),
        "{out}"
    );
}

#[test]
fn a_diff_shows_what_becomes_of_the_file() {
    let desk = Desk::new();
    let file = desk.place.home().join("../project/a.txt");
    std::fs::write(&file, "one\ntwo\n").unwrap();
    let file = file.canonicalize().unwrap();
    let id = desk.ask("one", "write", &json!({ "file_path": file, "content": "one\nthree\n" }));
    let out = desk.out(&["show", &id]);
    assert!(out.contains("+1 -1\n  1   one\n  2 - two\n  2 + three\n"), "{out}");
}

#[test]
fn a_name_has_to_mean_one_question() {
    let desk = Desk::new();
    let first = desk.push("one");
    desk.push("two");
    // Ids begin with the time: what is asked next would begin alike.
    let said = desk.run(&["show", first.get(..6).unwrap()]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("no question whose id ends with"), "{}", said.err);
    let said = desk.run(&["show", "ffffffff"]);
    assert!(said.err.contains("no question whose id ends with `ffffffff`"), "{}", said.err);
    assert_eq!(desk.run(&["show", "nonsense"]).code, 64);
}
