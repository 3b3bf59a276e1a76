//! Agents that follow scripts, in pipelines.

use serde_json::{Value, json};

use crate::harness::socket_server::eventually;
use crate::routes::api::runs::runs_fixture::{RunsFixture, call};

pub(super) struct PipelineFixture {
    pub(super) runs: RunsFixture,
}

impl PipelineFixture {
    /// Three agents: `first` says "found", `second` asks before it analyses, `third` writes a note.
    pub(super) async fn new() -> PipelineFixture {
        let fixture = PipelineFixture { runs: RunsFixture::new().await };
        let first = json!([{ "text": "found", "expect": { "contains": "Search: cats" } }]);
        let second = json!([
            { "calls": [call("risky", "analysed")], "expect": { "contains": "Analyse: found" } },
            { "text": "cats are good" },
        ]);
        let third = json!([
            { "calls": [call("note", "written")], "expect": { "contains": "Write: cats are good" } },
            { "text": "done" },
        ]);
        for (name, script) in [("first", first), ("second", second), ("third", third)] {
            fixture.runs.agent(name, script, &["risky", "note"]).await;
        }
        fixture
    }

    pub(super) fn definition() -> Value {
        json!({ "name": "report", "stages": [
            { "name": "search", "agent": "first", "prompt": "Search: {{input}}", "enabledTools": [] },
            { "agent": "second", "prompt": "Analyse: {{previous}}", "enabledTools": ["risky"] },
            { "agent": "third", "prompt": "Write: {{previous}} ({{input}})" },
        ] })
    }

    /// Starts a run of a definition that is not stored.
    pub(super) async fn start(&self, definition: Value, input: Option<&str>) -> Value {
        let body = Some(json!({ "definition": definition, "input": input }));
        self.runs.ok(&self.runs.approver, "POST", "/api/pipeline-runs", body).await
    }

    pub(super) async fn run(&self, id: &str) -> Value {
        self.runs.ok(&self.runs.viewer, "GET", &format!("/api/pipeline-runs/{id}"), None).await
    }

    pub(super) async fn ended(&self, id: &str) -> Value {
        eventually("the pipeline never ended", async || {
            let run = self.run(id).await;
            (!["running", "suspended"].contains(&run["status"].as_str().unwrap())).then_some(run)
        })
        .await
    }

    /// Answers the question of the stage that is under way.
    pub(super) async fn answer(&self, run: &Value, stage: usize, verb: &str) {
        let id = self.stage_run(run, stage);
        self.runs.answer(&id, verb, json!({})).await;
    }

    /// The run of the last attempt of a stage.
    pub(super) fn stage_run(&self, run: &Value, stage: usize) -> String {
        let attempts = run["stages"][stage]["attempts"].as_array().unwrap();
        attempts.last().unwrap()["runId"].as_str().unwrap().to_owned()
    }

    /// Replaces the script of an agent.
    pub(super) fn script(&self, name: &str, script: &Value) {
        let file = self.runs.server.folder().join("scripts").join(format!("{name}.json"));
        std::fs::write(file, script.to_string()).unwrap();
    }
}

/// The id of a run.
pub(super) fn id(run: &Value) -> String {
    run["id"].as_str().unwrap().to_owned()
}

/// The statuses of the stages.
pub(super) fn statuses(run: &Value) -> Vec<Value> {
    run["stages"].as_array().unwrap().iter().map(|stage| stage["status"].clone()).collect()
}
