//! The make-believe agent: it asks as any agent does, over the server's own door, and waits.
//!
//! It waits on an open connection, so that its questions are withdrawn whenever it ends, however it ends.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sekisho_gate::ApprovalId;
use sekisho_policy::Decision;
use sekisho_server::wire::approval::{ApprovalOutcome, OwnApprovalView, ApprovalStatus};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::sync::mpsc::Sender;
use tokio::sync::oneshot;

use super::script::{NAME, ScriptStep};
use super::messages::{DemoAnswer, DemoEvent, AnsweredBy};
use super::demo_directory::DemoDirectory;
use crate::client::{Client, ClientError};

/// As long as a caller may wait: whoever opens the page later finds the questions still there.
const PATIENCE_MS: u64 = 86_400_000;
/// How often it is looked whether the question is open yet.
const LOOK: Duration = Duration::from_millis(100);
/// An answer is told before its rules are kept; they are looked for so many times.
const LOOKS: u32 = 15;

/// What a caller is told.
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

/// What the verdict would be.
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

/// The agent.
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

    /// Plays a scene to its end. `is_open` is dropped when its question is open, or it needs none.
    pub(super) async fn run_step(self, scene: ScriptStep, is_open: oneshot::Sender<()>) {
        if let Err(error) = self.ask(scene, is_open).await {
            self.tell(DemoEvent::Failed(error.to_string())).await;
        }
    }

    /// Takes back every question that is open.
    pub(super) async fn withdraw(&self) {
        let open = std::mem::take(&mut *self.open.lock().unwrap_or_else(PoisonError::into_inner));
        for id in open.into_values() {
            // One that was answered meanwhile is as good as withdrawn, and with the server gone the closed connections do.
            let _ = self.client.delete::<IgnoredAny>(&format!("/api/approvals/{id}")).await;
        }
    }

    async fn tell(&self, happened: DemoEvent) {
        // With nobody listening any more there is nothing to tell.
        let _ = self.tell.send(happened).await;
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

    /// Asks, and tells when the question is open.
    async fn wait(
        &self,
        scene: ScriptStep,
        call: &Value,
        is_open: oneshot::Sender<()>,
    ) -> Result<Permission, ClientError> {
        let mut is_open = Some(is_open);
        let answer = self.client.post_and_wait("/api/can-use-tool", call);
        tokio::pin!(answer);
        let mut told = false;
        loop {
            tokio::select! {
                answer = &mut answer => return answer,
                () = tokio::time::sleep(LOOK), if !told => {}
            }
            if let Some(question) = self.question(scene).await? {
                self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(scene, question.id);
                self.tell(DemoEvent::QuestionOpened { scene, input: question.input }).await;
                told = true;
                drop(is_open.take());
            }
        }
    }

    /// The question of a scene.
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

    /// What an agent does with an answer; here next to nothing. The input it would run with, whether a person changed it,
    /// and what came of writing the file; or what the model is told.
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

    /// Whether the answer was remembered: then the same is asked again, to show that it is no question any more.
    async fn look_for_rules(&self, scene: ScriptStep, call: Value) -> Result<(), ClientError> {
        for _ in 0..LOOKS {
            let decided: Decided = self.client.post("/api/decided", &call).await?;
            if decided.decision == Decision::Confirm {
                tokio::time::sleep(LOOK).await;
                continue;
            }
            let allowed = decided.decision == Decision::Allow;
            self.tell(DemoEvent::Remembered { scene, allowed, why: decided.reason }).await;
            if scene == ScriptStep::Change {
                // What was replaced is put back, or it could not be replaced again.
                let _ = self.workshop.reset();
            }
            let mut again = self.call(scene, "again");
            if let Some(fields) = again.as_object_mut() {
                // Should it be a question all the same, nobody is bothered a second time.
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

/// Who answered, as people know them: a device is told by its name, not by its id.
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
    fn people_are_told_by_name() {
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
