//! A server with agents that follow scripts, and tokens of every role.

use sekisho_gate::answer::Role;
use serde_json::{Value, json};

use crate::TestServer;
use crate::harness::socket_server::{RawResponse, eventually, limits};

pub(crate) struct RunsFixture {
    pub(crate) server: TestServer,
    pub(crate) admin: String,
    pub(crate) approver: String,
    pub(crate) viewer: String,
    pub(crate) agent: String,
}

/// A call of a script.
pub(crate) fn call(name: &str, text: &str) -> Value {
    json!({ "name": name, "input": { "text": text } })
}

impl RunsFixture {
    /// Allows `note`, `slow` and `done`, denies `forbidden`, and asks about `risky`.
    pub(crate) async fn new() -> RunsFixture {
        RunsFixture::with_projects(vec![]).await
    }

    pub(crate) async fn with_projects(projects: Vec<String>) -> RunsFixture {
        RunsFixture::of(TestServer::with(limits(), |settings| settings.projects = projects).await).await
    }

    /// With `TOOL_APPROVAL_ENABLED=false`.
    pub(crate) async fn without_questions() -> RunsFixture {
        let gate = sekisho_gate::Settings { confirmations: false, ..sekisho_gate::Settings::default() };
        RunsFixture::of(TestServer::with_gate(limits(), gate, |_| {}).await).await
    }

    async fn of(server: TestServer) -> RunsFixture {
        std::fs::create_dir_all(server.folder().join("scripts")).unwrap();
        let fixture = RunsFixture {
            admin: server.token(Role::Admin).await,
            approver: server.token(Role::Approver).await,
            viewer: server.token(Role::Viewer).await,
            agent: server.token(Role::Agent).await,
            server,
        };
        for (effect, tool) in [("allow", "note"), ("allow", "slow"), ("allow", "done"), ("deny", "forbidden")]
        {
            let rule = json!({ "effect": effect, "tool": tool });
            fixture.ok(&fixture.admin, "POST", "/api/rules", Some(rule)).await;
        }
        fixture
    }

    pub(crate) async fn send(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> RawResponse {
        self.server.call(token, method, path, body).await
    }

    /// The JSON of a successful response.
    pub(crate) async fn ok(&self, token: &str, method: &str, path: &str, body: Option<Value>) -> Value {
        let response = self.send(token, method, path, body).await;
        let text = String::from_utf8_lossy(&response.body).into_owned();
        assert!((200..300).contains(&response.status), "{method} {path}: {} {text}", response.status);
        if text.is_empty() { Value::Null } else { response.json() }
    }

    /// Status and code of an error.
    pub(crate) async fn error(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> (u16, String) {
        let response = self.send(token, method, path, body).await;
        assert!(response.status >= 400, "{method} {path}: {} {}", response.status, response.json());
        (response.status, response.code())
    }

    /// An agent that follows a script and has these tools. Returns its id.
    pub(crate) async fn agent(&self, name: &str, script: Value, tools: &[&str]) -> String {
        self.agent_with(name, script, tools, json!({})).await
    }

    /// The same with more settings.
    pub(crate) async fn agent_with(&self, name: &str, script: Value, tools: &[&str], more: Value) -> String {
        let file = self.server.folder().join("scripts").join(format!("{name}.json"));
        std::fs::write(file, script.to_string()).unwrap();
        let mut body = json!({ "name": name, "provider": "scripted", "model": name });
        for (field, value) in more.as_object().unwrap() {
            body[field.as_str()] = value.clone();
        }
        let agent = self.ok(&self.admin, "POST", "/api/agents", Some(body)).await;
        let id = agent["id"].as_str().unwrap().to_owned();
        self.enable(&id, tools, true).await;
        id
    }

    /// Enables or disables tools.
    pub(crate) async fn enable(&self, agent: &str, tools: &[&str], is_enabled: bool) {
        let tools: Vec<Value> =
            tools.iter().map(|tool| json!({ "tool_name": tool, "is_enabled": is_enabled })).collect();
        let body = json!({ "agent_id": agent, "tools": tools });
        let stored = self.ok(&self.admin, "POST", "/api/tools/config", Some(body)).await;
        assert_eq!(stored, json!({ "status": "ok" }));
    }

    /// Starts a run, and waits until it has ended or only waits for approvals.
    pub(crate) async fn execute(&self, agent: &str) -> Value {
        let body = json!({ "agent_id": agent, "input": "go" });
        self.ok(&self.approver, "POST", "/api/execute-with-tools", Some(body)).await
    }

    /// Starts a run without waiting. Returns its id.
    pub(crate) async fn start(&self, agent: &str) -> String {
        let body = json!({ "agent_id": agent, "input": "go" });
        let run = self.ok(&self.approver, "POST", "/api/execute-with-tools?wait=false", Some(body)).await;
        run["run_id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn run(&self, id: &str) -> Value {
        self.ok(&self.viewer, "GET", &format!("/api/runs/{id}"), None).await
    }

    /// Approves or declines a call, as an approver.
    pub(crate) async fn answer(&self, run: &str, verb: &str, body: Value) -> Value {
        self.ok(&self.approver, "POST", &format!("/api/runs/{run}/{verb}-tool-call"), Some(body)).await
    }

    pub(crate) async fn answer_error(&self, run: &str, verb: &str, body: Value) -> (u16, String) {
        self.error(&self.approver, "POST", &format!("/api/runs/{run}/{verb}-tool-call"), Some(body)).await
    }

    /// Waits until a run has ended.
    pub(crate) async fn ended(&self, id: &str) -> Value {
        eventually("the run never ended", async || {
            let run = self.run(id).await;
            run.get("finishReason").is_some().then_some(run)
        })
        .await
    }

    /// What tools wrote.
    pub(crate) fn notes(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.server.folder().join("notes")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Lets `slow` end.
    pub(crate) fn go(&self) {
        std::fs::write(self.server.folder().join("go"), "").unwrap();
    }

    /// What the model read about its calls.
    pub(crate) async fn results(&self, run: &str) -> Vec<(String, bool)> {
        let body = self.ok(&self.viewer, "GET", &format!("/api/runs/{run}/messages"), None).await;
        let messages = body["messages"].as_array().unwrap().clone();
        let results = messages.iter().filter_map(|message| message["results"].as_array()).flatten();
        let text = |result: &Value| {
            (result["content"].as_str().unwrap().to_owned(), result["isError"].as_bool().unwrap())
        };
        results.map(text).collect()
    }
}
