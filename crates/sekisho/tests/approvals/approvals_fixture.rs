//! A server, and agents that ask it things.

use serde_json::{Value, json};

use crate::test_home::{TestHome, CommandOutput};
use crate::serve::test_server::TestServer;

/// How the terminal names a question: the end of its id.
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

    /// An agent asks; gives the question's id.
    pub(crate) fn ask(&self, name: &str, tool: &str, input: &Value) -> String {
        self.ask_with(name, tool, input, &json!({}))
    }

    /// The same with more to say about it.
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

    /// Runs what must go well; the first run says that it made a token.
    pub(crate) fn out(&self, arguments: &[&str]) -> String {
        let said = self.run(arguments);
        assert_eq!(said.code, 0, "{arguments:?}: {}{}", said.out, said.err);
        said.out
    }

    /// A question as it is now.
    pub(crate) fn question(&self, id: &str) -> Value {
        serde_json::from_str(&self.out(&["show", id, "--json"])).unwrap()
    }
}
