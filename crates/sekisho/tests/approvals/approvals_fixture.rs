//! A server with agents that ask.

use serde_json::{Value, json};

use crate::serve::test_server::TestServer;
use crate::test_home::{CommandOutput, TestHome};

/// The end of an id, as the terminal shows it.
pub(crate) fn short(id: &str) -> &str {
    id.get(28..).unwrap()
}

pub(crate) struct ApprovalsFixture {
    pub(crate) place: TestHome,
    pub(crate) server: TestServer,
}

impl ApprovalsFixture {
    pub(crate) fn new() -> ApprovalsFixture {
        let place = TestHome::new();
        let server = TestServer::start(&place, &[]);
        ApprovalsFixture { place, server }
    }

    /// Asks as an agent. Returns the question id.
    pub(crate) fn ask(&self, name: &str, tool: &str, input: &Value) -> String {
        self.ask_with(name, tool, input, &json!({}))
    }

    /// Like [`Self::ask`], with more fields.
    pub(crate) fn ask_with(&self, name: &str, tool: &str, input: &Value, more: &Value) -> String {
        let mut body = json!({
            "toolName": tool, "input": input, "toolUseId": name, "conversationId": "talk",
            "agentId": "builder", "cwd": self.place.home().join("../project").canonicalize().unwrap(),
        });
        for (field, value) in more.as_object().unwrap() {
            body.as_object_mut().unwrap().insert(field.clone(), value.clone());
        }
        let answer = self.server.request_over_socket("POST /api/can-use-tool?wait=false", Some(&body));
        assert_eq!(answer.status, 202, "{answer:?}");
        answer.json().get("id").and_then(Value::as_str).unwrap().to_owned()
    }

    pub(crate) fn push(&self, name: &str) -> String {
        self.ask(name, "bash", &json!({ "command": "git push origin main" }))
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        let all: Vec<&str> = ["approvals"].into_iter().chain(arguments.iter().copied()).collect();
        self.place.run(&all)
    }

    /// Runs a command that must succeed. The first run also prints that it created a token.
    pub(crate) fn out(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.code, 0, "{arguments:?}: {}{}", output.out, output.err);
        output.out
    }

    /// The current state of a question.
    pub(crate) fn question(&self, id: &str) -> Value {
        serde_json::from_str(&self.out(&["show", id, "--json"])).unwrap()
    }
}
