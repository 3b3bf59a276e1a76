//! Asks the server about calls. Whatever goes wrong is a refusal that says why.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sekisho_policy::{Danger, UncheckedDescriptor};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep, timeout};
use uuid::Uuid;

use super::tool_call::JudgedCall;
use crate::client::{Client, ClientError};

/// How long to wait for a server that went away, and how often to try again. Asking again with the same id joins the open
/// question.
const COMES_BACK: Duration = Duration::from_secs(30);
const AGAIN: Duration = Duration::from_millis(200);
/// A server that let us wait for so long was there.
const THERE: Duration = Duration::from_secs(1);
/// How often a server that lets us wait is asked whether it is still there, and how long it has to respond.
const PING_EVERY: Duration = Duration::from_secs(15);
const PING_PATIENCE: Duration = Duration::from_secs(10);
/// The status of a server that is shutting down or cannot reach its database.
const UNAVAILABLE: u16 = 503;
/// The longest id of a conversation and the longest directory that the server accepts, in characters.
const LONGEST_ID: usize = 512;
const LONGEST_DIRECTORY: usize = 4096;

/// Whether a call may run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Allowed {
        execution: String,
    },
    /// A human allowed it with another input.
    AllowedWithOtherInput {
        execution: String,
    },
    Denied {
        reason: String,
        interrupt: bool,
    },
    /// The server could not be asked.
    Failed(String),
}

/// Asks as one agent.
pub(super) struct Approver {
    client: Client,
    agent: Option<String>,
    timeout_ms: Option<u64>,
    /// Makes the ids of calls unique: agents count theirs from the start in every process.
    process: Uuid,
    asked: AtomicU64,
}

/// A call, as both routes of the server take it.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
struct CallBody<'a> {
    tool_name: &'a str,
    input: &'a Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<&'a str>,
    cwd: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    descriptor: Option<&'a UncheckedDescriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CanUseTool<'a> {
    #[serde(flatten)]
    call: CallBody<'a>,
    tool_use_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout_ms: Option<u64>,
    /// As for hooks: whatever the server is configured to do.
    always_ask: bool,
}

/// What the server would decide.
#[derive(Deserialize)]
struct Decided {
    decision: sekisho_policy::Decision,
    danger: Danger,
}

#[derive(Deserialize)]
#[serde(tag = "behavior", rename_all = "snake_case")]
enum Permission {
    #[serde(rename_all = "camelCase")]
    Allow {
        #[serde(default)]
        updated_input: Option<Value>,
        execution_id: String,
    },
    Deny {
        message: String,
        #[serde(default)]
        interrupt: bool,
    },
}

/// Why the server gave no answer.
enum AskError {
    Failed(ClientError),
    /// The connection is open, but the server no longer responds.
    Silent,
}

impl std::fmt::Display for AskError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AskError::Failed(error) => error.fmt(f),
            AskError::Silent => f.write_str("it does not respond"),
        }
    }
}

impl Approver {
    pub(super) fn new(client: Client, agent: Option<String>, timeout_ms: Option<u64>) -> Approver {
        Approver { client, agent, timeout_ms, process: Uuid::now_v7(), asked: AtomicU64::new(0) }
    }

    /// Decides about a call that may mean several things; asks a human if necessary. Dropping the future withdraws the
    /// question.
    pub(super) async fn decide<'a>(&'a self, meanings: &'a [JudgedCall], session: &'a str) -> Decision {
        let short = |text: &&str, longest: usize| text.chars().count() <= longest;
        if !meanings.iter().all(|call| short(&call.cwd.as_str(), LONGEST_DIRECTORY)) {
            return Decision::Failed("the directory of its session is too long".into());
        }
        let conversation_id = Some(session).filter(|text| short(text, LONGEST_ID));
        let agent_id = self.agent.as_deref().filter(|text| !text.is_empty() && short(text, LONGEST_ID));
        let body = |call: &'a JudgedCall| CallBody {
            tool_name: &call.tool,
            input: &call.input,
            conversation_id,
            agent_id,
            cwd: &call.cwd,
            descriptor: call.descriptor.as_ref(),
        };
        let call = match meanings {
            [] => return Decision::Failed("it means nothing".into()),
            [call] => call,
            [first, ..] => match self.strictest(meanings.iter().map(body)).await {
                Ok(at) => meanings.get(at).unwrap_or(first),
                Err(error) => return Decision::Failed(error.to_string()),
            },
        };
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        let question = CanUseTool {
            call: body(call),
            tool_use_id: format!("acp/{}/{number}", self.process),
            timeout_ms: self.timeout_ms,
            always_ask: true,
        };
        match self.ask(&question).await {
            Ok(Permission::Allow { updated_input: None, execution_id }) => {
                Decision::Allowed { execution: execution_id }
            }
            Ok(Permission::Allow { updated_input: Some(_), execution_id }) => {
                Decision::AllowedWithOtherInput { execution: execution_id }
            }
            Ok(Permission::Deny { message, interrupt }) => Decision::Denied { reason: message, interrupt },
            Err(error) => Decision::Failed(error.to_string()),
        }
    }

    /// The number of the call that is judged most strictly; of several, the most dangerous; of those, the first.
    async fn strictest(&self, calls: impl Iterator<Item = CallBody<'_>>) -> Result<usize, ClientError> {
        let mut strictest = None;
        for (at, call) in calls.enumerate() {
            let Decided { decision, danger } = self.client.post("/api/decide", &call).await?;
            // The danger of what runs anyway changes nothing.
            let verdict = (decision, (decision != sekisho_policy::Decision::Allow).then_some(danger.level));
            if strictest.is_none_or(|(before, _)| verdict > before) {
                strictest = Some((verdict, at));
            }
        }
        Ok(strictest.map_or(0, |(_, at)| at))
    }

    async fn ask(&self, question: &CanUseTool<'_>) -> Result<Permission, AskError> {
        let mut reached = false;
        let mut lost: Option<Instant> = None;
        loop {
            let began = Instant::now();
            let error = match self.ask_once(question).await {
                Ok(permission) => return Ok(permission),
                Err(AskError::Failed(error)) => error,
                Err(AskError::Silent) => return Err(AskError::Silent),
            };
            let may_come_back = match &error {
                // Never reached: there is no question that could still be open.
                ClientError::Unreachable { .. } => reached,
                ClientError::Refused { status, .. } => *status == UNAVAILABLE,
                ClientError::Protocol(_) => true,
            };
            // It was there again: another restart has its own time.
            if matches!(error, ClientError::Protocol(_)) && began.elapsed() > THERE {
                lost = None;
            }
            reached |= !matches!(error, ClientError::Unreachable { .. });
            if !may_come_back || lost.get_or_insert_with(Instant::now).elapsed() > COMES_BACK {
                return Err(AskError::Failed(error));
            }
            sleep(AGAIN).await;
        }
    }

    /// Asks once, and makes sure that the server is there while it lets us wait.
    async fn ask_once(&self, question: &CanUseTool<'_>) -> Result<Permission, AskError> {
        tokio::select! {
            answer = self.client.post_and_wait("/api/can-use-tool", question) => answer.map_err(AskError::Failed),
            () = self.server_is_silent() => Err(AskError::Silent),
        }
    }

    /// Waits until the server no longer responds.
    async fn server_is_silent(&self) {
        loop {
            sleep(PING_EVERY).await;
            // A refused connection ends the request as well, and then it is clearer what happened.
            if timeout(PING_PATIENCE, self.client.ping()).await.is_err() {
                return;
            }
        }
    }

    /// Reports how an allowed call ended.
    pub(super) async fn report(
        &self,
        execution: &str,
        is_error: bool,
        output: Option<&str>,
    ) -> Result<(), ClientError> {
        let ended = json!({ "isError": is_error, "output": output });
        let path = format!("/api/executions/{execution}");
        self.client.post::<IgnoredAny>(&path, &ended).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::time::Duration;

    use serde_json::Map;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::{Approver, Decision, JudgedCall};
    use crate::client::{Client, ServerAddress};

    fn call() -> JudgedCall {
        JudgedCall { tool: "bash".into(), input: Map::new(), descriptor: None, cwd: "/w".into() }
    }

    async fn decide_at(socket: &std::path::Path) -> String {
        let client = Client::new(ServerAddress::Unix(socket.to_owned()), None);
        match Approver::new(client, None, None).decide(&[call()], "s").await {
            Decision::Failed(why) => why,
            decided => panic!("{decided:?}"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn absent_server_refuses() {
        let directory = tempfile::tempdir().unwrap();
        let why = decide_at(&directory.path().join("none")).await;
        assert!(why.starts_with("no server at "), "{why}");
    }

    #[tokio::test(start_paused = true)]
    async fn server_that_does_not_respond_refuses() {
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("s");
        let _silent = UnixListener::bind(&socket).unwrap();
        let why = decide_at(&socket).await;
        assert!(why.contains("it does not respond"), "{why}");
    }

    /// A server that restarts again and again while a question is open.
    #[tokio::test(start_paused = true)]
    async fn each_restart_of_the_server_has_its_own_time() {
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("s");
        let listener = tokio::net::UnixListener::bind(&socket).unwrap();
        tokio::spawn(async move {
            for attempt in 0..8 {
                let (mut connection, _) = listener.accept().await.unwrap();
                let mut request = [0; 4096];
                assert!(connection.read(&mut request).await.unwrap() > 0);
                // Shorter than it takes until we ask whether it is there.
                tokio::time::sleep(Duration::from_secs(10)).await;
                if attempt == 7 {
                    let body = r#"{"behavior":"deny","message":"after all"}"#;
                    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length:";
                    let response = format!("{head} {}\r\n\r\n{body}", body.len());
                    connection.write_all(response.as_bytes()).await.unwrap();
                }
            }
        });
        let client = Client::new(ServerAddress::Unix(socket), None);
        let denied = Decision::Denied { reason: "after all".into(), interrupt: false };
        assert_eq!(Approver::new(client, None, None).decide(&[call()], "s").await, denied);
    }
}
