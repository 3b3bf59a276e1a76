//! `/api/orchestrate`, `/api/orchestrations`, and sub-agents.

mod approve;
mod budgets;
mod delegations;
mod modes;
mod narrowing;
mod tree;

use serde_json::{Value, json};

use super::runs::runs_fixture::RunsFixture;

/// A call that makes a sub-agent with the model of this name.
fn create(model: &str, tools: Value) -> Value {
    create_with(model, json!({ "enabled_tools": tools }))
}

/// The same with more fields, or other ones.
fn create_with(model: &str, more: Value) -> Value {
    let mut input = json!({ "name": model, "system_prompt": "Help.", "model": model });
    for (field, value) in more.as_object().unwrap() {
        input[field.as_str()] = value.clone();
    }
    json!({ "name": "create_sub_agent", "input": input })
}

/// A call that starts the sub-agent that another call made.
fn start(made_by: &str) -> Value {
    let agent = format!("{{{{{made_by}.agent_id}}}}");
    json!({ "name": "execute_sub_agent", "input": { "agent_id": agent, "input": "go" } })
}

/// A call that waits for the sub-agent that another call started.
fn wait(started_by: &str) -> Value {
    let run = format!("{{{{{started_by}.execution_id}}}}");
    json!({ "name": "get_sub_agent_result", "input": { "execution_id": run } })
}

/// A script that makes, starts and awaits one sub-agent.
fn delegate(made: Value) -> Value {
    json!([{ "calls": [made] }, { "calls": [start("call_1_1")] }, { "calls": [wait("call_2_1")] }, { "text": "Done." }])
}

/// Settings of an agent with sub-agents.
fn auto() -> Value {
    json!({ "mode": "auto", "maxIterations": 100 })
}

impl RunsFixture {
    async fn orchestrate(&self, agent: &str) -> Value {
        let body = json!({ "agent_id": agent, "input": "go" });
        self.ok(&self.approver, "POST", "/api/orchestrate", Some(body)).await
    }

    async fn orchestration(&self, id: &Value) -> Value {
        self.ok(&self.viewer, "GET", &format!("/api/orchestrations/{}", id.as_str().unwrap()), None).await
    }

    async fn allow(&self, rule: Value) {
        self.ok(&self.admin, "POST", "/api/rules", Some(rule)).await;
    }
}
