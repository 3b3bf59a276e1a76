//! `sekisho token`, alone and beside a running server.

use serde_json::{Value, json};

use super::server::{Server, eventually};
use crate::place::Place;

fn out(place: &Place, arguments: &[&str]) -> String {
    let said = place.run(arguments);
    assert_eq!(said.code, 0, "{arguments:?}: {}", said.err);
    said.out
}

fn fails(place: &Place, arguments: &[&str], code: i32) -> String {
    let said = place.run(arguments);
    assert_eq!((said.code, said.out.as_str()), (code, ""), "{arguments:?}: {}", said.err);
    said.err
}

fn list(place: &Place) -> Vec<Value> {
    serde_json::from_str(&out(place, &["token", "list", "--json"])).unwrap()
}

#[test]
fn tokens_are_made_listed_and_revoked_and_all_of_it_is_on_the_record() {
    let place = Place::new();
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
    assert!(lines[0].starts_with("id        name  role   kind  made"), "{table}");
    assert!(lines[1].contains("ci    agent  api") && lines[1].ends_with("never      counts"), "{table}");
    assert!(out(&place, &["token", "revoke", "ci"]).contains("`ci` (agent) counts no more"));
    assert_eq!(list(&place)[0]["state"], "revoked");
    assert_eq!(fails(&place, &["token", "revoke", "ci"], 1), "error: token `ci` was revoked before\n");
    let told = out(&place, &["audit", "search", "--kind", "token"]);
    assert!(told.contains("token `ci` made") && told.contains("token `ci` revoked"), "{told}");
    assert!(!told.contains("sks_") && out(&place, &["audit", "verify"]).starts_with("all holds"));
}

#[test]
fn of_several_nobody_can_say_which() {
    let place = Place::new();
    for _ in 0..2 {
        out(&place, &["token", "create", "--name", "twin", "--role", "viewer"]);
    }
    let said = fails(&place, &["token", "revoke", "twin"], 1);
    let ids: Vec<String> = list(&place)
        .iter()
        .map(|token| token["id"].as_str().unwrap().replace('-', "")[24..].to_owned())
        .collect();
    assert!(said.contains(&format!("could be any of {} (`twin`), {} (`twin`)", ids[0], ids[1])), "{said}");
    out(&place, &["token", "revoke", &ids[1]]);
    // Now there is only one that could be meant.
    out(&place, &["token", "revoke", "twin"]);
    assert!(fails(&place, &["token", "revoke", "nobody"], 1).contains("there is no token `nobody`"));
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_written() {
    let place = Place::new();
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
    assert!(fails(&place, &["token", "list"], 1).contains("there is no record yet"));
}

#[test]
fn a_link_comes_with_a_code_to_scan() {
    let place = Place::new();
    let said = out(
        &place,
        &["token", "link", "--name", "phone", "--role", "approver", "--url", "https://s.example"],
    );
    // The link stands last: on a small screen the code would push it off.
    let lines: Vec<&str> = said.lines().collect();
    let [code @ .., "", link] = lines.as_slice() else { panic!("{said}") };
    assert!(link.starts_with("https://s.example/#link=skl_"), "{said}");
    assert!(code.len() > 15 && code.iter().all(|line| line.chars().all(|c| " █▀▄".contains(c))), "{said}");
    let usual: Value = serde_json::from_str(&out(&place, &["token", "link", "--json"])).unwrap();
    assert!(usual["link"].as_str().unwrap().starts_with("http://127.0.0.1:8787/#link=skl_"), "{usual}");
}

#[test]
fn there_is_no_code_for_an_address_that_no_phone_reaches() {
    let place = Place::new();
    for address in ["http://127.0.0.1:8787", "http://localhost:8787", "http://[::1]:8787"] {
        let said = place.run(&["token", "link", "--name", "phone", "--url", address]);
        assert_eq!(said.code, 0, "{}", said.err);
        assert!(said.out.starts_with(address) && said.out.lines().count() == 1, "{}", said.out);
        let host = address.trim_start_matches("http://").trim_end_matches(":8787");
        assert!(said.err.contains(&format!("Your phone cannot reach {host}, ")), "{}", said.err);
        assert!(said.err.contains("sekisho serve --listen 0.0.0.0:8787 --allow-remote"), "{}", said.err);
    }
}

#[test]
fn a_running_server_takes_up_what_changes() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let secret = out(&place, &["token", "create", "--name", "me", "--role", "viewer"]);
    let bearer = format!("Bearer {}", secret.trim());
    let ask = || server.ask("GET /api/approvals", &[("Authorization", &bearer)], None).status;
    assert_eq!(ask(), 200);
    out(&place, &["token", "revoke", "me"]);
    assert_eq!(eventually("it still counts", || Some(ask()).filter(|status| *status != 200)), 401);
    server.stop();
}
