//! `sekisho demo`.

use rustix::process::Signal;
use serde_json::json;

use super::show::{Person, Show};
use crate::place::Place;
use crate::serve::server::Server;

#[test]
fn it_asks_at_the_server_that_runs_here() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let person = Person::known(&place, server.port);
    let mut show = Show::start(&place, &["demo"]);
    show.says("4 asks");
    assert!(!show.said().contains("a server of its own"), "{}", show.said());
    person.sees(3);
    show.signal(Signal::INT);
    assert_eq!(show.ended().code(), Some(0), "{}", show.said());
    person.sees(0);

    let mut again = Show::start(&place, &["demo"]);
    person.sees(3);
    person.answer("Bash", &json!({ "behavior": "allow" }));
    again.says("3 yes     approved by mai");
    // A second one would only be in the way of the first.
    let mut other = Show::start(&place, &["demo"]);
    other.says("questions of the demo are open here already");
    other.says("a server of its own");
    other.says("2 asks");
    other.signal(Signal::TERM);
    assert_eq!(other.ended().code(), Some(0), "{}", other.said());
    person.answer("Edit", &json!({ "behavior": "deny", "interrupt": true }));
    assert_eq!(again.ended().code(), Some(0), "{}", again.said());
    again.says("`sekisho demo` shows it again");
    person.sees(0);
    server.stop();
}

#[test]
fn beside_a_real_inbox_it_has_a_server_of_its_own() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let real = json!({ "toolName": "Bash", "input": { "command": "git push" }, "toolUseId": "real", "onTimeout": "park" });
    assert_eq!(server.ask_locally("POST /api/can-use-tool?wait=false", Some(&real)).status, 202);
    let mut show = Show::start(&place, &["demo"]);
    let told = show.says("a server of its own in ");
    assert!(told.contains("others have asked here before"), "{told}");
    let scratch = told.split_once(" in ").unwrap().1.split_once(',').unwrap().0.to_owned();
    assert!(std::path::Path::new(&scratch).is_dir());
    let person = Person::by_link(&show.link());
    person.sees(3);
    let workshop = show.workshop();
    person.answer("delete_customer", &json!({ "behavior": "allow", "remember": { "scope": "global" } }));
    show.says("4 again   let through");
    for tool in ["Edit", "Bash"] {
        person.answer(tool, &json!({ "behavior": "allow" }));
    }
    assert_eq!(show.ended().code(), Some(0), "{}", show.said());
    assert!(
        show.said().contains("2 yes     approved by tester: the file")
            && show.said().contains("that was all")
    );
    assert!(!std::path::Path::new(&scratch).exists() && !workshop.exists() && !place.global().exists());
    // The inbox of the real one has what it had.
    assert_eq!(Person::known(&place, server.port).sees(1)[0]["toolUseId"], "real");
    server.stop();
}

#[test]
fn nothing_is_left_when_it_is_broken_off() {
    let place = Place::new();
    let mut show = Show::start(&place, &["demo", "--scratch"]);
    let told = show.says("a server of its own in ");
    let scratch = told.split_once(" in ").unwrap().1.split_once(',').unwrap().0.to_owned();
    show.says("2 asks");
    let workshop = show.workshop();
    show.signal(Signal::INT);
    assert_eq!(show.ended().code(), Some(0), "{}", show.said());
    assert!(!std::path::Path::new(&scratch).exists() && !workshop.exists());
    assert!(!place.home().join(".local/state/sekisho/ledger.db").exists());
}
