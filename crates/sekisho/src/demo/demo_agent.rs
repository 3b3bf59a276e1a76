//! The demo agent: it asks the server over its API as any agent does, and waits.
//!
//! It waits on an open connection, so that its questions are withdrawn however it ends.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sekisho_gate::ApprovalId;
use sekisho_policy::Decision;
use sekisho_server::wire::approval::{ApprovalOutcome, ApprovalStatus, OwnApprovalView};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::sync::mpsc::Sender;
use tokio::sync::oneshot;

use super::demo_directory::DemoDirectory;
use super::messages::{AnsweredBy, DemoAnswer, DemoEvent};
use super::script::{NAME, ScriptStep};
use crate::client::{Client, ClientError};

/// The longest wait that a caller may request: somebody who opens the page later still finds the questions.
const PATIENCE_MS: u64 = 86_400_000;
/// How often to check whether the question is open yet.
const LOOK: Duration = Duration::from_millis(100);
/// An answer arrives before its rules are saved; check for them this many times.
const LOOKS: u32 = 15;

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

#[derive(Clone)]
pub(super) struct DemoAgent {
    client: Client,
    workshop: Arc<DemoDirectory>,
    open: Arc<Mutex<BTreeMap<ScriptStep, ApprovalId>>>,
    tell: Sender<DemoEvent>,
}

impl DemoAgent {
    pub(super) fn new(client: Client, workshop: Arc<DemoDirectory>, tell: Sender<DemoEvent>) -> DemoAgent {
        DemoAgent { client, workshop, open: Arc::default(), tell }
    }

    /// Runs a step to its end. Drops `is_open` when its question is open, or when it needs none.
    pub(super) async fn run_step(self, scene: ScriptStep, is_open: oneshot::Sender<()>) {
        if let Err(error) = self.ask(scene, is_open).await {
            self.tell(DemoEvent::Failed(error.to_string())).await;
        }
    }

    /// Withdraws every open question.
    pub(super) async fn withdraw(&self) {
        let open = std::mem::take(&mut *self.open.lock().unwrap_or_else(PoisonError::into_inner));
        for id in open.into_values() {
            // An answered question needs no withdrawal, and without a server the closed connections withdraw
            // the rest.
            let _ = self.client.delete::<IgnoredAny>(&format!("/api/approvals/{id}")).await;
        }
    }

    async fn tell(&self, event: DemoEvent) {
        // A closed channel means that nobody prints events any more.
        let _ = self.tell.send(event).await;
    }

    async fn ask(&self, scene: ScriptStep, is_open: oneshot::Sender<()>) -> Result<(), ClientError> {
        let call = self.call(scene, "first");
        let mut asked = call.clone();
        if let Some(fields) = asked.as_object_mut() {
            fields.insert("timeoutMs".into(), PATIENCE_MS.into());
        }
        let permission = self.wait(scene, &asked, is_open).await?;
        let question = self.question(scene).await?;
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&scene);
        let Some(question) = question else {
            let through = self.run(scene, permission).await?;
            let through = through.map(|(input, ..)| input);
            self.tell(DemoEvent::Decided { scene, through }).await;
            return Ok(());
        };
        let stops = question.outcome.as_ref().is_some_and(|outcome| outcome.interrupt);
        let by = question.outcome.as_ref().map_or(AnsweredBy::Person("somebody".into()), who);
        let answer = self.answer(scene, &question, permission).await?;
        let ended_by_person =
            matches!((&by, &answer), (AnsweredBy::Person(_), DemoAnswer::Yes { .. } | DemoAnswer::No { .. }));
        self.tell(DemoEvent::Answered { scene, by, answer }).await;
        if ended_by_person && !stops {
            self.look_for_rules(scene, call).await?;
        }
        Ok(())
    }

    /// Asks, and reports when the question is open.
    async fn wait(
        &self,
        scene: ScriptStep,
        call: &Value,
        is_open: oneshot::Sender<()>,
    ) -> Result<Permission, ClientError> {
        let mut is_open = Some(is_open);
        let answer = self.client.post_and_wait("/api/can-use-tool", call);
        tokio::pin!(answer);
        let mut is_reported = false;
        loop {
            tokio::select! {
                answer = &mut answer => return answer,
                () = tokio::time::sleep(LOOK), if !is_reported => {}
            }
            if let Some(question) = self.question(scene).await? {
                self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(scene, question.id);
                self.tell(DemoEvent::QuestionOpened { scene, input: question.input }).await;
                is_reported = true;
                drop(is_open.take());
            }
        }
    }

    /// The question of a step.
    async fn question(&self, scene: ScriptStep) -> Result<Option<OwnApprovalView>, ClientError> {
        let found: QuestionPage = self.client.get("/api/approvals").await?;
        let name = name(scene, "first");
        Ok(found.approvals.into_iter().find(|question| question.tool_use_id.as_deref() == Some(&name)))
    }

    async fn answer(
        &self,
        scene: ScriptStep,
        question: &OwnApprovalView,
        permission: Permission,
    ) -> Result<DemoAnswer, ClientError> {
        let stops = question.outcome.as_ref().is_some_and(|outcome| outcome.interrupt);
        if matches!(question.state, ApprovalStatus::Expired | ApprovalStatus::Aborted) {
            let why = question.outcome.as_ref().and_then(|outcome| outcome.message.clone());
            return Ok(DemoAnswer::Nothing(why.unwrap_or_default()));
        }
        Ok(match self.run(scene, permission).await? {
            Ok((input, changed, written)) => DemoAnswer::Yes { input, changed, written },
            Err(message) => DemoAnswer::No { message, stops },
        })
    }

    /// What an agent does with an answer; the demo only writes one file. Returns the input it would run with,
    /// whether a person changed it, and the result of writing the file; or the message for the model.
    async fn run(
        &self,
        scene: ScriptStep,
        permission: Permission,
    ) -> Result<Result<(Value, bool, Option<Result<String, String>>), String>, ClientError> {
        let (updated, execution) = match permission {
            Permission::Deny { message } => return Ok(Err(message)),
            Permission::Allow { updated_input, execution_id } => (updated_input, execution_id),
        };
        let changed = updated.is_some();
        let input = updated.unwrap_or_else(|| scene.input(self.workshop.path()));
        let written = (scene == ScriptStep::Change).then(|| self.workshop.change(&input));
        let failed = matches!(written, Some(Err(_)));
        let output = if written.is_some() { "a file of the demo" } else { "the demo runs nothing" };
        let ended = json!({ "isError": failed, "output": output, "durationMs": 0 });
        self.client.post::<()>(&format!("/api/executions/{execution}"), &ended).await?;
        Ok(Ok((input, changed, written)))
    }

    /// Checks whether the answer was remembered. If so, asks again to show that the call is no longer a
    /// question.
    async fn look_for_rules(&self, scene: ScriptStep, call: Value) -> Result<(), ClientError> {
        for _ in 0..LOOKS {
            let decided: Decided = self.client.post("/api/decide", &call).await?;
            if decided.decision == Decision::Confirm {
                tokio::time::sleep(LOOK).await;
                continue;
            }
            let allowed = decided.decision == Decision::Allow;
            self.tell(DemoEvent::Remembered { scene, allowed, why: decided.reason }).await;
            if scene == ScriptStep::Change {
                // Restore the file, or the same text could not be replaced again.
                let _ = self.workshop.reset();
            }
            let mut again = self.call(scene, "again");
            if let Some(fields) = again.as_object_mut() {
                // If it is still a question, do not bother anybody a second time.
                fields.insert("supportsConfirm".into(), false.into());
            }
            let permission = self.client.post("/api/can-use-tool", &again).await?;
            let through = self.run(scene, permission).await?.map(drop);
            self.tell(DemoEvent::AskedAgain { scene, through }).await;
            return Ok(());
        }
        Ok(())
    }

    fn call(&self, scene: ScriptStep, turn: &str) -> Value {
        let mut call = json!({
            "toolName": scene.tool(), "input": scene.input(self.workshop.path()), "toolUseId": name(scene, turn),
            "agentId": NAME, "conversationId": NAME, "runId": NAME, "workspaceId": NAME, "cwd": self.workshop.path(),
        });
        if let (Some(server), Some(fields)) = (scene.server(), call.as_object_mut()) {
            fields.insert("serverId".into(), server.into());
        }
        call
    }
}

/// The id of a call.
fn name(scene: ScriptStep, turn: &str) -> String {
    format!("{NAME}-{}-{turn}", scene.number())
}

/// Who answered, for display: a device by its name, not by its id.
fn who(outcome: &ApprovalOutcome) -> AnsweredBy {
    if outcome.how.is_none() {
        return AnsweredBy::Rule(outcome.by.clone());
    }
    let bare = outcome.by.strip_suffix(')').and_then(|by| by.rsplit_once(" ("));
    let name = bare.filter(|(_, id)| uuid::Uuid::try_parse(id).is_ok()).map(|(name, _)| name);
    AnsweredBy::Person(name.unwrap_or(&outcome.by).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_shown_by_name() {
        let by = |by: &str, how: Option<&str>| {
            who(&ApprovalOutcome {
                at: jiff::Timestamp::UNIX_EPOCH,
                by: by.into(),
                how: how.map(str::to_owned),
                message: None,
                code: None,
                detail: None,
                updated_input: None,
                interrupt: false,
                taken: false,
            })
        };
        let id = uuid::Uuid::from_u128(7);
        assert_eq!(by(&format!("mai (phone) ({id})"), Some("web")), AnsweredBy::Person("mai (phone)".into()));
        assert_eq!(by("terminal of mai", Some("terminal")), AnsweredBy::Person("terminal of mai".into()));
        assert_eq!(by("session:1", None), AnsweredBy::Rule("session:1".into()));
    }
}
