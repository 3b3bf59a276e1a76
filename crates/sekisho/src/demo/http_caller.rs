//! The last question of the demo: an agent that asks over HTTP, as any other agent does, about a tool of an MCP server.
//!
//! It waits on an open connection, so that its question is withdrawn however it ends.

use std::path::Path;
use std::time::Duration;

use sekisho_gate::refusal::PREFIX;
use sekisho_policy::Decision;
use sekisho_server::wire::approval::{ApprovalStatus, OwnApprovalView};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::sync::mpsc::Sender;

use super::answered_by::answered_by;
use super::messages::{AnsweredBy, DemoAnswer, DemoEvent, Effect};
use super::script::{CUSTOMER, DemoCall, NAME, customer_input};
use crate::client::{Client, ClientError};

/// How often to check whether the question is open yet.
const LOOK: Duration = Duration::from_millis(100);
/// An answer arrives before its rules are saved; check for them this many times.
const LOOKS: u32 = 15;
/// The ids of the call, and of the same call once it was remembered.
const FIRST: &str = "demo-customer-first";
const AGAIN: &str = "demo-customer-again";

/// The response to a caller.
#[derive(Debug, Deserialize)]
#[serde(tag = "behavior", rename_all = "snake_case")]
enum Permission {
    #[serde(rename_all = "camelCase")]
    Allow {
        updated_input: Option<Value>,
        execution_id: String,
    },
    Deny {
        message: String,
    },
}

/// An advisory verdict.
#[derive(Debug, Deserialize)]
struct Decided {
    decision: Decision,
    reason: String,
}

/// A page of its own questions.
#[derive(Debug, Deserialize)]
struct QuestionPage {
    approvals: Vec<OwnApprovalView>,
}

pub(super) struct HttpCaller<'a> {
    pub(super) client: Client,
    pub(super) directory: &'a Path,
    pub(super) tell: Sender<DemoEvent>,
}

impl HttpCaller<'_> {
    /// Asks, and reports what came of it.
    pub(super) async fn run(&self) -> Result<(), ClientError> {
        let call = self.call(FIRST);
        let permission = self.wait(&call).await?;
        let question = self.question().await?;
        let permitted = self.report_execution(permission).await?;
        let mut asked = DemoCall { tool: CUSTOMER.0.into(), input: customer_input() };
        let Some(question) = question else {
            let through = permitted.map(drop);
            self.tell(DemoEvent::Decided { call: asked, through, explains: false }).await;
            return Ok(());
        };
        let outcome = question.outcome.as_ref();
        let by = outcome.map_or(AnsweredBy::Person("somebody".into()), answered_by);
        let stops = outcome.is_some_and(|outcome| outcome.interrupt);
        let message = outcome.and_then(|outcome| outcome.message.clone()).unwrap_or_default();
        let answer = match (question.state, permitted) {
            (ApprovalStatus::Expired, _) => DemoAnswer::Expired,
            (ApprovalStatus::Aborted, _) => DemoAnswer::Withdrawn(message),
            (_, Err(message)) => DemoAnswer::No { message, stops },
            (_, Ok(changed)) => {
                asked.input = changed.clone().unwrap_or(asked.input);
                DemoAnswer::Yes { changed: changed.is_some(), effect: Effect::Nothing }
            }
        };
        let is_answer = matches!(answer, DemoAnswer::Yes { .. } | DemoAnswer::No { stops: false, .. });
        let may_be_remembered = is_answer && matches!(by, AnsweredBy::Person(_));
        self.tell(DemoEvent::Answered { call: asked, by, answer }).await;
        if may_be_remembered {
            self.look_for_rules(call).await?;
        }
        Ok(())
    }

    /// Withdraws its question, if it is open.
    pub(super) async fn withdraw(&self) {
        let Ok(Some(question)) = self.question().await else { return };
        // An answered question needs no withdrawal.
        let _ = self.client.delete::<IgnoredAny>(&format!("/api/approvals/{}", question.id)).await;
    }

    async fn tell(&self, event: DemoEvent) {
        // A closed channel means that nobody prints events any more.
        let _ = self.tell.send(event).await;
    }

    /// Asks, and reports when the question is open.
    async fn wait(&self, call: &Value) -> Result<Permission, ClientError> {
        let answer = self.client.post_and_wait("/api/can-use-tool", call);
        tokio::pin!(answer);
        let mut is_reported = false;
        loop {
            tokio::select! {
                answer = &mut answer => return answer,
                () = tokio::time::sleep(LOOK), if !is_reported => {}
            }
            if let Some(question) = self.question().await? {
                let call = DemoCall { tool: question.tool_name, input: question.input };
                self.tell(DemoEvent::QuestionOpened(call)).await;
                is_reported = true;
            }
        }
    }

    /// The question.
    async fn question(&self) -> Result<Option<OwnApprovalView>, ClientError> {
        let found: QuestionPage = self.client.get("/api/approvals").await?;
        Ok(found.approvals.into_iter().find(|question| question.tool_use_id.as_deref() == Some(FIRST)))
    }

    /// Reports an execution, as an agent does. There is no such tool, so nothing runs. Returns the input that a person
    /// changed, or the message for the model.
    async fn report_execution(
        &self,
        permission: Permission,
    ) -> Result<Result<Option<Value>, String>, ClientError> {
        let (changed, execution) = match permission {
            Permission::Deny { message } => return Ok(Err(format!("{PREFIX}{message}"))),
            Permission::Allow { updated_input, execution_id } => (updated_input, execution_id),
        };
        let ended = json!({ "isError": false, "output": "the demo has no such tool", "durationMs": 0 });
        self.client.post::<()>(&format!("/api/executions/{execution}"), &ended).await?;
        Ok(Ok(changed))
    }

    /// Checks whether the answer was remembered. If so, asks again to show that the call is no longer a
    /// question.
    async fn look_for_rules(&self, call: Value) -> Result<(), ClientError> {
        for _ in 0..LOOKS {
            let decided: Decided = self.client.post("/api/decide", &call).await?;
            if decided.decision == Decision::Confirm {
                tokio::time::sleep(LOOK).await;
                continue;
            }
            let allowed = decided.decision == Decision::Allow;
            self.tell(DemoEvent::Remembered { allowed, why: decided.reason }).await;
            let mut again = self.call(AGAIN);
            if let Some(fields) = again.as_object_mut() {
                // If it is still a question, do not bother anybody a second time.
                fields.insert("supportsConfirm".into(), false.into());
            }
            let permission = self.client.post("/api/can-use-tool", &again).await?;
            let through = self.report_execution(permission).await?.map(drop);
            self.tell(DemoEvent::AskedAgain { through }).await;
            return Ok(());
        }
        Ok(())
    }

    fn call(&self, id: &str) -> Value {
        json!({
            "toolName": CUSTOMER.0, "serverId": CUSTOMER.1, "input": customer_input(), "toolUseId": id,
            "agentId": NAME, "conversationId": NAME, "runId": NAME, "workspaceId": NAME, "cwd": self.directory,
        })
    }
}
