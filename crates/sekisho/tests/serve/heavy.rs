//! What a large call costs the server in memory, whatever it is made of.

use serde_json::{Value, json};

use super::server::{Answer, Server, eventually};
use crate::place::Place;

/// Just under the largest body that is taken.
const SIZE: usize = (4 << 20) - 1000;
/// How many times its size may be held while a call waits and afterwards.
const HELD: usize = 2;
/// How many times its size may be held while it is handled.
const HANDLED: usize = 16;
/// The memory that the values of a small body may take, however dense it is, and how often they are there at once while it is
/// handled.
const DENSE: usize = 8 * (4 << 20);
/// Memory that comes and goes without any large call.
const SLACK: usize = 8 << 20;

fn ask(server: &Server, token: &str, id: usize, input: &Value) -> Answer {
    let body =
        json!({ "toolName": "Bash", "input": input, "conversationId": "c1", "toolUseId": format!("t{id}") });
    server.ask("POST /api/can-use-tool?wait=false", &[("Authorization", token)], Some(&body))
}

fn repeated(piece: &str) -> String {
    piece.repeat(SIZE / piece.len())
}

/// Lists and objects as dense as they are taken.
fn dense(piece: &Value) -> Value {
    let piece_size = piece.to_string().len() + 1;
    Value::Array(vec![piece.clone(); SIZE / piece_size])
}

#[test]
fn a_large_call_costs_a_few_times_its_size_and_gives_it_back() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let said = place.run(&["token", "create", "--name", "bot", "--role", "agent"]);
    let token = format!("Bearer {}", said.out.trim());
    // What is needed by the first call of any size is there before anything is measured.
    ask(&server, &token, 0, &json!({ "command": "unknown" }));
    let mut id = 0;
    let inputs = [
        ("a script", json!({ "command": repeated("$(a) ") })),
        // A newline takes two bytes of the body.
        ("lines", json!({ "command": repeated("ls a\\n").replace("\\n", "\n") })),
        ("texts", json!({ "x": dense(&"x".repeat(90).into()) })),
        ("objects", json!({ "x": dense(&json!({ "k": "v".repeat(900) })) })),
        ("a small body", json!({ "x": vec![json!({ "": 0 }); 5_000] })),
    ];
    for (name, input) in inputs {
        let size = input.to_string().len();
        let before = server.memory("VmRSS");
        server.forget_peak();
        id += 1;
        let answer = ask(&server, &token, id, &input);
        let peak = server.memory("VmHWM").saturating_sub(before);
        assert_eq!(answer.status, 202, "{name}: {}", answer.text);
        // Other requests have the allocator come by.
        let settled = |most: usize| {
            let grown = || server.memory("VmRSS").saturating_sub(before);
            eventually(&format!("{name}: {} bytes are still held, not {most}", grown()), || {
                server.ask("GET /api/health", &[], None);
                (grown() < most).then_some(())
            });
        };
        settled((HELD * size).max(SLACK));
        let question = answer.json()["id"].as_str().unwrap().to_owned();
        let request = format!("DELETE /api/approvals/{question}");
        let withdrawn = server.ask(&request, &[("Authorization", token.as_str())], None);
        assert!(withdrawn.status < 300, "{withdrawn:?}");
        settled((HELD * size).max(SLACK));
        println!("{name}, {size} bytes: {:.1} times while handled", peak as f64 / size as f64);
        assert!(peak < (HANDLED * size).max(DENSE), "{name}: {peak} bytes for {size}");
    }
    server.stop();
}

#[test]
fn a_body_of_more_values_than_memory_is_refused_before_it_is_built() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let said = place.run(&["token", "create", "--name", "bot", "--role", "agent"]);
    let token = format!("Bearer {}", said.out.trim());
    ask(&server, &token, 0, &json!({ "command": "unknown" }));
    let before = server.memory("VmRSS");
    server.forget_peak();
    for piece in [json!({ "": 0 }), json!([]), json!(0), json!([[[0]]])] {
        let answer = ask(&server, &token, 1, &json!({ "x": dense(&piece) }));
        assert_eq!(answer.status, 413, "{piece}: {}", answer.text);
        assert_eq!(answer.json()["error"]["code"], "TooManyValues");
    }
    let peak = server.memory("VmHWM").saturating_sub(before);
    assert!(peak < HANDLED * SIZE, "{peak} bytes");
    // What is small may be as dense as it likes.
    let small = Value::Array(vec![json!({ "": 0 }); 5_000]);
    assert_eq!(ask(&server, &token, 2, &json!({ "x": small })).status, 202);
    server.stop();
}
