//! `sekisho token`, alone and beside a running server.

use serde_json::{Value, json};

use super::test_server::{TestServer, eventually};
use crate::test_home::TestHome;

fn out(place: &TestHome, arguments: &[&str]) -> String {
    let output = place.run(arguments);
    assert_eq!(output.code, 0, "{arguments:?}: {}", output.err);
    output.out
}

fn fails(place: &TestHome, arguments: &[&str], code: i32) -> String {
    let output = place.run(arguments);
    assert_eq!((output.code, output.out.as_str()), (code, ""), "{arguments:?}: {}", output.err);
    output.err
}

fn list(place: &TestHome) -> Vec<Value> {
    serde_json::from_str(&out(place, &["token", "list", "--json"])).unwrap()
}

#[test]
fn token_changes_are_recorded() {
    let place = TestHome::new();
    let secret = out(
        &place,
        &["token", "create", "--name", "ci", "--role", "agent", "--agent", "bot", "--expires", "30d"],
    );
    assert!(secret.starts_with("sks_") && secret.lines().count() == 1, "{secret}");
    let made = out(
        &place,
        &["token", "create", "--name", "shop", "--role", "agent", "--vouches", "--root", ".", "--json"],
    );
    let made: Value = serde_json::from_str(&made).unwrap();
    assert!(made["token"].as_str().unwrap().starts_with("sks_"));
    let tokens = list(&place);
    assert_eq!(tokens.len(), 2);
    assert_eq!((&tokens[0]["agent"], &tokens[0]["state"]), (&json!("bot"), &json!("counts")));
    assert_eq!(tokens[1]["roots"], json!(["[PLACE]/project"]));
    let table = out(&place, &["token", "list"]);
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("id        name  role   kind  created"), "{table}");
    assert!(lines[1].contains("ci    agent  api") && lines[1].ends_with("never      active"), "{table}");
    assert!(out(&place, &["token", "revoke", "ci"]).contains("revoked token `ci` (agent)"));
    assert_eq!(list(&place)[0]["state"], "revoked");
    assert_eq!(fails(&place, &["token", "revoke", "ci"], 1), "error: token `ci` is already revoked\n");
    let records = out(&place, &["audit", "search", "--kind", "token"]);
    assert!(records.contains("token `ci` created") && records.contains("token `ci` revoked"), "{records}");
    assert!(!records.contains("sks_") && out(&place, &["audit", "verify"]).starts_with("intact"));
}

#[test]
fn ambiguous_token_name_is_refused() {
    let place = TestHome::new();
    for _ in 0..2 {
        out(&place, &["token", "create", "--name", "twin", "--role", "viewer"]);
    }
    let output = fails(&place, &["token", "revoke", "twin"], 1);
    let ids: Vec<String> = list(&place)
        .iter()
        .map(|token| token["id"].as_str().unwrap().replace('-', "")[24..].to_owned())
        .collect();
    assert!(
        output.contains(&format!("matches several tokens: {} (`twin`), {} (`twin`)", ids[0], ids[1])),
        "{output}"
    );
    out(&place, &["token", "revoke", &ids[1]]);
    // Now only one token matches.
    out(&place, &["token", "revoke", "twin"]);
    assert!(fails(&place, &["token", "revoke", "nobody"], 1).contains("no token `nobody`"));
}

#[test]
fn invalid_arguments_write_nothing() {
    let place = TestHome::new();
    for arguments in [
        &["token", "create", "--name", "x"][..],
        &["token", "create", "--name", "", "--role", "agent"],
        &["token", "create", "--name", "a\tb", "--role", "agent"],
        &["token", "create", "--name", "x", "--role", "king"],
        &["token", "create", "--name", "x", "--role", "admin", "--agent", "a"],
        &["token", "create", "--name", "x", "--role", "agent", "--expires", "soon"],
        &["token", "create", "--name", "x", "--role", "agent", "--expires", "0d"],
        &["token", "link", "--role", "agent"],
        &["token", "link", "--url", "nowhere"],
    ] {
        fails(&place, arguments, 64);
    }
    assert!(
        fails(&place, &["token", "create", "--name", "x", "--role", "agent", "--root", "/nowhere"], 1)
            .contains("/nowhere")
    );
    assert!(!place.home().join(".local/state/sekisho/ledger.db").exists());
    assert!(fails(&place, &["token", "list"], 1).contains("there is no audit log yet"));
}

#[test]
fn link_has_a_qr_code() {
    let place = TestHome::new();
    let output = out(
        &place,
        &["token", "link", "--name", "phone", "--role", "approver", "--url", "https://s.example"],
    );
    // The link comes last: on a small screen the code would push it off.
    let lines: Vec<&str> = output.lines().collect();
    let [code @ .., "", link] = lines.as_slice() else { panic!("{output}") };
    assert!(link.starts_with("https://s.example/#link=skl_"), "{output}");
    assert!(code.len() > 15 && code.iter().all(|line| line.chars().all(|c| " █▀▄".contains(c))), "{output}");
    let usual: Value = serde_json::from_str(&out(&place, &["token", "link", "--json"])).unwrap();
    assert!(usual["link"].as_str().unwrap().starts_with("http://127.0.0.1:8787/#link=skl_"), "{usual}");
}

#[test]
fn loopback_link_has_no_qr_code() {
    let place = TestHome::new();
    for address in ["http://127.0.0.1:8787", "http://localhost:8787", "http://[::1]:8787"] {
        let output = place.run(&["token", "link", "--name", "phone", "--url", address]);
        assert_eq!(output.code, 0, "{}", output.err);
        assert!(output.out.starts_with(address) && output.out.lines().count() == 1, "{}", output.out);
        let host = address.trim_start_matches("http://").trim_end_matches(":8787");
        assert!(output.err.contains(&format!("Your phone cannot reach {host}, ")), "{}", output.err);
        assert!(output.err.contains("sekisho serve --listen 0.0.0.0:8787 --allow-remote"), "{}", output.err);
    }
}

#[test]
fn running_server_applies_token_changes() {
    let place = TestHome::new();
    let server = TestServer::start(&place, &[]);
    let secret = out(&place, &["token", "create", "--name", "me", "--role", "viewer"]);
    let bearer = format!("Bearer {}", secret.trim());
    let ask = || server.request("GET /api/approvals", &[("Authorization", &bearer)], None).status;
    assert_eq!(ask(), 200);
    out(&place, &["token", "revoke", "me"]);
    assert_eq!(eventually("the token is still valid", || Some(ask()).filter(|status| *status != 200)), 401);
    server.stop();
}
