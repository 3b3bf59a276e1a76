//! How much memory a large call costs the server.

use serde_json::{Value, json};

use super::test_server::{HttpResponse, TestServer, eventually};
use crate::test_home::TestHome;

/// Just under the largest accepted body, in bytes.
const SIZE: usize = (4 << 20) - 1000;
/// How many times its size may be held while a call waits and afterwards.
const HELD: usize = 2;
/// How many times its size may be held while it is handled.
const HANDLED: usize = 16;
/// The memory, in bytes, that the parsed values of a small dense body may take, including the copies made
/// while it is handled.
const DENSE: usize = 8 * (4 << 20);
/// Memory that varies without any large call, in bytes.
const SLACK: usize = 8 << 20;

fn ask(server: &TestServer, token: &str, id: usize, input: &Value) -> HttpResponse {
    let body =
        json!({ "toolName": "Bash", "input": input, "conversationId": "c1", "toolUseId": format!("t{id}") });
    server.request("POST /api/can-use-tool?wait=false", &[("Authorization", token)], Some(&body))
}

fn repeated(piece: &str) -> String {
    piece.repeat(SIZE / piece.len())
}

/// Lists and objects as dense as the server accepts.
fn dense(piece: &Value) -> Value {
    let piece_size = piece.to_string().len() + 1;
    Value::Array(vec![piece.clone(); SIZE / piece_size])
}

#[test]
fn large_call_costs_a_few_times_its_size_and_is_freed() {
    let place = TestHome::new();
    let server = TestServer::start(&place, &[]);
    let output = place.run(&["token", "create", "--name", "bot", "--role", "agent"]);
    let token = format!("Bearer {}", output.out.trim());
    // The first call of any size allocates what all calls need, so make one before measuring.
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
        // Other requests give the server occasion to trim its memory.
        let settled = |most: usize| {
            let grown = || server.memory("VmRSS").saturating_sub(before);
            eventually(&format!("{name}: {} bytes are still held, limit {most}", grown()), || {
                server.request("GET /api/health", &[], None);
                (grown() < most).then_some(())
            });
        };
        settled((HELD * size).max(SLACK));
        let question = answer.json()["id"].as_str().unwrap().to_owned();
        let request = format!("DELETE /api/approvals/{question}");
        let withdrawn = server.request(&request, &[("Authorization", token.as_str())], None);
        assert!(withdrawn.status < 300, "{withdrawn:?}");
        settled((HELD * size).max(SLACK));
        println!("{name}, {size} bytes: {:.1} times while handled", peak as f64 / size as f64);
        assert!(peak < (HANDLED * size).max(DENSE), "{name}: {peak} bytes for {size}");
    }
    server.stop();
}

#[test]
fn body_with_too_many_values_is_refused_before_parsing() {
    let place = TestHome::new();
    let server = TestServer::start(&place, &[]);
    let output = place.run(&["token", "create", "--name", "bot", "--role", "agent"]);
    let token = format!("Bearer {}", output.out.trim());
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
    // A small body may be as dense as it likes.
    let small = Value::Array(vec![json!({ "": 0 }); 5_000]);
    assert_eq!(ask(&server, &token, 2, &json!({ "x": small })).status, 202);
    server.stop();
}
