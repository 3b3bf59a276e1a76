//! A server around a gate with everything in memory, and a token of each role.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt;
use sekisho_gate::answer::{Answer, Role};
use sekisho_gate::audit::AuditLog;
use sekisho_gate::call_request::CallRequest;
use sekisho_gate::caller::Caller;
use sekisho_gate::{ApprovalId, Gate, RemoteSubmission, TokenId};
use sekisho_policy::{Call, LayerKind};
use sekisho_server::auth::Peer;
use sekisho_server::{App, Limits, Settings};
use sekisho_testkit::{FixedFiles, ManualClock, MemoryLedger, fixtures};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::memory_ports::{Backing, add_token, settings};

/// The host name of the server.
const HOST: &str = "127.0.0.1:8787";

/// A server and its ports.
pub(crate) struct TestServer {
    pub(crate) app: App,
    pub(crate) gate: Gate,
    pub(crate) ledger: MemoryLedger,
    pub(crate) files: FixedFiles,
    pub(crate) clock: ManualClock,
    tokens: Vec<(Role, String)>,
}

/// A response.
pub(crate) struct TestResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl TestResponse {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }

    /// The JSON of a successful response.
    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        assert!(self.status.is_success(), "{}: {}", self.status, self.text);
        self.json()
    }

    /// The message and hint of an error with this status.
    #[track_caller]
    pub(crate) fn error_text(&self, status: u16) -> String {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        let error = self.json()["error"].clone();
        format!("{} {}", error["message"].as_str().unwrap(), error["hint"].as_str().unwrap_or(""))
    }
}

impl TestServer {
    /// A server without projects.
    pub(crate) async fn new() -> TestServer {
        TestServer::with_projects(Vec::new(), std::path::Path::new("/nowhere")).await
    }

    /// A server with these registered projects, and a directory for its state.
    pub(crate) async fn with_projects(projects: Vec<String>, state: &std::path::Path) -> TestServer {
        TestServer::made(projects, state, |ledger| Arc::new(ledger.clone())).await
    }

    /// A server with another audit port.
    pub(crate) async fn with_audit(audit: impl FnOnce(&MemoryLedger) -> Arc<dyn AuditLog>) -> TestServer {
        TestServer::made(Vec::new(), std::path::Path::new("/nowhere"), audit).await
    }

    async fn made(
        projects: Vec<String>,
        state: &std::path::Path,
        audit: impl FnOnce(&MemoryLedger) -> Arc<dyn AuditLog>,
    ) -> TestServer {
        let (ledger, files, clock) = (MemoryLedger::new(), FixedFiles::new(), ManualClock::new());
        let audit = audit(&ledger);
        let backing = Backing { audit, ..Backing::new(&ledger, &files, Arc::new(clock.clone())) };
        let limits = Limits { requests: (10_000, 10_000), ..Limits::default() };
        let mut settings = settings("http", HOST, state, limits);
        settings.locations.state = state.to_path_buf();
        let (app, gate) = backing.start(Settings { projects, ..settings });
        let mut tokens = Vec::new();
        for role in [Role::Agent, Role::Viewer, Role::Approver, Role::Admin] {
            let name = format!("{role}-1");
            let holder = add_token(&ledger, role, &name, ManualClock::start(), None).await;
            tokens.push((role, holder.secret));
        }
        settle().await;
        TestServer { app, gate, ledger, files, clock, tokens }
    }

    /// Sends a request with a token of a role.
    pub(crate) async fn send(
        &self,
        role: Role,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> TestResponse {
        let secret = &self.tokens.iter().find(|(of, _)| *of == role).unwrap().1;
        let peer = Peer::Tcp("127.0.0.1:50000".parse().unwrap());
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", HOST)
            .header("origin", format!("http://{HOST}"))
            .header("authorization", format!("Bearer {secret}"))
            .extension(peer);
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        let response = self.app.router().oneshot(request.body(body).unwrap()).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        TestResponse { status, headers, text: String::from_utf8(bytes.to_vec()).unwrap() }
    }

    pub(crate) async fn get(&self, path: &str) -> TestResponse {
        self.send(Role::Viewer, Method::GET, path, None).await
    }

    pub(crate) async fn post(&self, role: Role, path: &str, body: Value) -> TestResponse {
        self.send(role, Method::POST, path, Some(body)).await
    }

    /// Puts rules in the user's file.
    pub(crate) fn rules_in_file(&self, permissions: &Value) {
        self.files.set(LayerKind::Global, json!({ "version": 1, "permissions": permissions }).to_string());
    }

    /// Asks about a call; returns the approval, if it became one.
    pub(crate) async fn ask(&self, tool: &str, input: Value) -> Option<ApprovalId> {
        let call = Call {
            conversation: Some("talk".into()),
            call_id: Some(TokenId::new(self.clock_now()).to_string()),
            ..Call::new(tool, input)
        };
        self.ask_about(call).await
    }

    pub(crate) async fn ask_about(&self, call: Call) -> Option<ApprovalId> {
        let asked = self.gate.submit_remote(CallRequest::new(call, Caller::remote("token:agent"))).await;
        settle().await;
        match asked {
            Ok(RemoteSubmission::Pending(id)) => Some(id),
            Ok(RemoteSubmission::Allowed(_)) | Err(_) => None,
        }
    }

    /// Asks about a call, and has an approver answer.
    pub(crate) async fn ask_and_answer(&self, tool: &str, input: Value, answer: Answer) -> ApprovalId {
        let id = self.ask(tool, input).await.unwrap();
        self.gate.answer(id, answer, fixtures::approver(Role::Approver)).await.unwrap();
        settle().await;
        id
    }

    fn clock_now(&self) -> jiff::Timestamp {
        self.gate.clock().now()
    }
}

/// Lets all tasks run as far as they can.
pub(crate) async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}
