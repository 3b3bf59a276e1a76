//! Descriptors that callers send with their calls.

use sekisho_gate::answer::Role;
use serde_json::{Value, json};

use crate::harness::in_process::TestServer;

fn asked(descriptor: &Value, input: &Value) -> Value {
    json!({ "toolName": "my_exec", "input": input, "toolUseId": "c1", "descriptor": descriptor })
}

#[tokio::test]
async fn claimed_descriptor_tightens_and_never_loosens() {
    let server = TestServer::new().await;
    server.rules_in_file(&json!({
        "allow": [{ "tool": "bash", "command": "make" }, { "tool": "open" }],
        "deny": [{ "tool": "bash", "command": "git push" }],
    }));
    let shell = json!({ "kind": "shell", "commands": ["script"] });
    for (tool, descriptor, input, decision, reason) in [
        ("my_exec", &shell, json!({ "script": "make" }), "confirm", "no rule matches"),
        ("my_exec", &shell, json!({ "script": "git push" }), "deny", "denied by"),
        (
            "my_exec",
            &shell,
            json!({ "other": "ls" }),
            "confirm",
            "names the field `/script`, but the input does not have it",
        ),
        ("open", &json!({ "kind": "unknown" }), json!({}), "allow", "allowed by"),
        ("open", &shell, json!({ "script": "git push" }), "deny", "denied by"),
        (
            "open",
            &json!({ "kind": "read_files", "reads": ["p"] }),
            json!({ "p": "/w/.env" }),
            "confirm",
            "is protected",
        ),
    ] {
        for role in [Role::Agent, Role::Admin] {
            let body = json!({ "toolName": tool, "input": input, "descriptor": descriptor });
            let response = server.post(role, "/api/decide", body.clone()).await.ok();
            assert_eq!(response["decision"], decision, "{body}: {response}");
            assert!(response["reason"].as_str().unwrap().contains(reason), "{body}: {response}");
        }
    }
}

#[tokio::test]
async fn descriptor_cannot_be_proven_over_the_wire() {
    let server = TestServer::new().await;
    let shell = json!({ "kind": "shell", "commands": ["script"] });
    for forged in [
        json!({ "kind": "shell", "commands": ["script"], "by": "registry" }),
        json!({ "kind": "shell", "commands": ["script"], "proven": true }),
        json!({ "tool": shell, "by": "registry" }),
    ] {
        for path in ["/api/decide", "/api/can-use-tool?wait=false"] {
            server.post(Role::Agent, path, asked(&forged, &json!({ "script": "ls" }))).await.error_text(400);
        }
    }
    // `ls` would be allowed if it were proven that a shell runs it.
    let asked = asked(&shell, &json!({ "script": "ls" }));
    let reply = server.post(Role::Agent, "/api/can-use-tool?wait=false", asked).await;
    assert_eq!(reply.status, 202);
    let own = reply.json();
    let id = own["id"].as_str().unwrap();
    let question = server.get(&format!("/api/approvals/{id}")).await.ok();
    let tool = json!({ "kind": "shell", "commands": ["/script"] });
    assert_eq!(question["descriptor"], json!({ "tool": tool, "by": "caller" }), "{question}");
    assert_eq!(question["shown"]["form"]["form"], "json", "{question}");
}

#[tokio::test]
async fn same_call_with_another_descriptor_is_another_call() {
    let server = TestServer::new().await;
    let input = json!({ "script": "ls" });
    let ask = async |descriptor: Value| {
        server.post(Role::Agent, "/api/can-use-tool?wait=false", asked(&descriptor, &input)).await
    };
    let first = ask(json!({ "kind": "shell", "commands": ["script"] })).await;
    let again = ask(json!({ "kind": "shell", "commands": ["/script"] })).await;
    assert_eq!((first.status.as_u16(), again.status.as_u16()), (202, 202));
    assert_eq!(first.json()["id"], again.json()["id"]);
    ask(json!({ "kind": "shell", "commands": ["other"] })).await.error_text(409);
}

#[tokio::test]
async fn invalid_descriptor_is_rejected() {
    let server = TestServer::new().await;
    for (descriptor, expected) in [
        (json!({ "kind": "shell" }), "`descriptor.commands`"),
        (json!({ "kind": "shell", "commands": ["a"], "reads": ["b"] }), "`descriptor.reads`"),
        (json!({ "kind": "web", "addresses": ["a", "/a"] }), "`descriptor.addresses`: `/a` is listed twice"),
        (json!({ "kind": "read_files", "reads": ["/~x"] }), "not a JSON pointer"),
        (json!({ "kind": "write_files", "writes": ["a"], "readOnly": true }), "`descriptor.readOnly`"),
        (json!({ "kind": "magic" }), "magic"),
        (json!("shell"), "descriptor"),
    ] {
        for path in ["/api/decide", "/api/can-use-tool?wait=false"] {
            let fault = server.post(Role::Agent, path, asked(&descriptor, &json!({}))).await.error_text(400);
            assert!(fault.contains(expected), "{descriptor}: {fault}");
        }
    }
}
