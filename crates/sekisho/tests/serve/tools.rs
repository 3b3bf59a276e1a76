//! `GET /api/tools` of a real server.

use serde_json::Value;

use super::test_server::TestServer;
use crate::test_home::TestHome;

#[test]
fn served_tools_are_those_of_the_command_line() {
    let place = TestHome::new();
    let server = TestServer::start(&place, &[]);
    let made = place.run(&["token", "create", "--name", "reader", "--role", "viewer"]);
    let bearer = format!("Bearer {}", made.out.trim());
    let answer = server.request("GET /api/tools", &[("Authorization", &bearer)], None);
    assert_eq!(answer.status, 200);
    let served: Vec<Value> = serde_json::from_value(answer.json()).unwrap();
    let local: Vec<Value> = serde_json::from_str(&place.run(&["tool", "list", "--json"]).out).unwrap();
    let definitions: Vec<Value> = served.iter().map(|tool| tool["definition"].clone()).collect();
    assert_eq!(definitions, local);
    for tool in &served {
        assert_eq!(tool["name"], tool["definition"]["name"]);
        assert!(tool["category"].is_string() && tool["definition"]["input_schema"].is_object(), "{tool}");
    }
    assert_eq!(server.request("GET /api/tools", &[], None).status, 401);
    server.stop();
}
