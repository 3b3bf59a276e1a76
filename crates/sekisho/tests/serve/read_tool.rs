//! What an agent may read without a question, over HTTP, with a token that is bound to no project.

use serde_json::{Value, json};

use super::test_server::TestServer;
use crate::test_home::TestHome;

struct Agent {
    bearer: String,
    project: String,
}

impl Agent {
    fn new(place: &TestHome) -> Agent {
        let made = place.run(&["token", "create", "--name", "fresh", "--role", "agent"]);
        let project = place.home().join("../project").canonicalize().unwrap();
        std::fs::write(project.join("a.txt"), "a").unwrap();
        Agent { bearer: format!("Bearer {}", made.out.trim()), project: project.to_str().unwrap().to_owned() }
    }

    fn post(&self, server: &TestServer, path: &str, tool: &str, input: &Value) -> (u16, Value) {
        let id = format!("{tool} {input}");
        let body = json!({ "toolName": tool, "input": input, "cwd": self.project, "toolUseId": id });
        let answer = server.request(&format!("POST {path}"), &[("Authorization", &self.bearer)], Some(&body));
        (answer.status, answer.json())
    }

    fn reads(&self) -> [(&'static str, Value); 4] {
        let file = format!("{}/a.txt", self.project);
        [
            ("Read", json!({ "file_path": file })),
            ("Glob", json!({ "pattern": "*.txt", "path": self.project })),
            ("Grep", json!({ "pattern": "a", "path": self.project })),
            ("Bash", json!({ "command": format!("cat {file}") })),
        ]
    }
}

#[test]
fn a_fresh_token_reads_what_is_not_protected() {
    let place = TestHome::new();
    let server = TestServer::start(&place, &[]);
    let agent = Agent::new(&place);
    for (tool, input) in agent.reads() {
        let (status, response) = agent.post(&server, "/api/can-use-tool?wait=false", tool, &input);
        assert_eq!((status, &response["behavior"]), (200, &json!("allow")), "{tool}: {response}");
    }
    std::fs::write(format!("{}/.env", agent.project), "KEY=1").unwrap();
    for (tool, input) in [
        ("Read", json!({ "file_path": ".env" })),
        ("Grep", json!({ "pattern": "KEY" })),
        ("Bash", json!({ "command": "cat .env" })),
        ("Read", json!({ "file_path": "/etc/shadow" })),
        ("Glob", json!({ "pattern": "**/*", "path": "/" })),
    ] {
        let (status, response) = agent.post(&server, "/api/can-use-tool?wait=false", tool, &input);
        assert_eq!(status, 202, "{tool} {input}: {response}");
    }
    server.stop();
}

#[test]
fn without_a_workspace_every_surface_says_so() {
    let place = TestHome::new();
    TestHome::write(&place.global(), r#"{ "version": 1, "reads": "workspace" }"#);
    let server = TestServer::start(&place, &[]);
    let agent = Agent::new(&place);
    for (tool, input) in agent.reads() {
        let (_, advised) = agent.post(&server, "/api/decide", tool, &input);
        let why = advised["reason"].as_str().unwrap().to_owned();
        assert!(why.starts_with("no workspace is known for this call"), "{tool}: {advised}");
        let (status, asked) = agent.post(&server, "/api/can-use-tool?wait=false", tool, &input);
        assert_eq!(status, 202, "{tool}: {asked}");
        let id = asked["id"].as_str().unwrap();
        let question: Value =
            serde_json::from_str(&place.run(&["approvals", "show", id, "--json"]).out).unwrap();
        let why = why.replace(&agent.project, "[PLACE]/project");
        assert_eq!(question["shown"]["why"], json!(why), "{tool}");
        let shown = place.run(&["approvals", "show", id]).out;
        assert!(shown.contains("why       no workspace is known for this call"), "{shown}");
    }
    server.stop();
}
