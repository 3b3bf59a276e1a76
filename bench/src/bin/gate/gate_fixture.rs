//! A gate on a file of its own, with its background task and a subscriber to its feed.

use std::sync::Arc;
use std::time::Duration;

use sekisho_gate::answer::{Answer, Approver, Role};
use sekisho_gate::call_request::CallRequest;
use sekisho_gate::caller::Caller;
use sekisho_gate::clock::SystemClock;
use sekisho_gate::feed::{Feed, Update};
use sekisho_gate::record::EventPayload;
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::{ApprovalId, Gate, Permit, Ports, Settings};
use sekisho_policy::{Call, OnTimeout};
use sekisho_store::{Options, SqliteStore};
use sekisho_testkit::{FixedFiles, fixtures};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use crate::Failure;

pub(crate) fn runtime() -> Result<Runtime, Failure> {
    Ok(Builder::new_multi_thread().enable_time().build()?)
}

pub(crate) struct GateFixture {
    pub(crate) gate: Gate,
    feed: Feed,
    /// The directory of the file, removed on drop.
    _directory: tempfile::TempDir,
}

impl GateFixture {
    pub(crate) async fn start() -> Result<GateFixture, Failure> {
        let directory = tempfile::tempdir()?;
        let store = Arc::new(SqliteStore::open(
            directory.path().join("ledger.db"),
            Options::new(fixtures::audit_config()),
        )?);
        let files = FixedFiles::new();
        let rulebook = Arc::new(Rulebook::new(Arc::new(files.clone()), store.clone()));
        rulebook.refresh(jiff::Timestamp::now()).await?;
        let ports = Ports { ledger: store, rulebook, lookup: Arc::new(files), clock: Arc::new(SystemClock) };
        let (gate, background_task) = Gate::new(ports, Settings::default());
        tokio::spawn(background_task.run());
        let feed = gate.subscribe(None);
        Ok(GateFixture { gate, feed, _directory: directory })
    }

    /// Opens `count` approvals that stay pending, and returns when all of them are stored.
    pub(crate) async fn open_many(&mut self, name: &str, count: usize) -> Result<(), Failure> {
        let before = self.gate.waiting_count();
        for number in 0..count {
            drop(self.submit(&format!("{name}-{number}")));
        }
        while self.gate.ledger().pending(None, usize::MAX).await?.len() < before + count {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    fn submit(&self, call_id: &str) -> JoinHandle<Result<Permit, sekisho_gate::refusal::Refusal>> {
        let gate = self.gate.clone();
        let mut request = CallRequest::new(
            Call {
                call_id: Some(call_id.into()),
                conversation: Some("talk".into()),
                ..Call::new("deploy", input())
            },
            Caller::in_process("agent"),
        );
        // None of them times out during the measurement.
        request.timeout.on_timeout = Some(OnTimeout::Park);
        tokio::spawn(async move { gate.pass(request).await })
    }

    /// Submits a call, sees the approval in the feed, answers it, and gets the permit.
    pub(crate) async fn open_and_answer(&mut self, call_id: &str) -> Result<(), Failure> {
        let caller = self.submit(call_id);
        let id = self.next_opened().await?;
        let by = Approver {
            credential: "token".into(),
            name: "Ann".into(),
            role: Role::Approver,
            device: None,
            how: "bench".into(),
        };
        self.gate.answer(id, Answer::approve(), by).await?;
        let permit = caller.await?.map_err(|refusal| refusal.to_string())?;
        if permit.approval() == Some(id) {
            Ok(())
        } else {
            Err("the permit belongs to another approval".into())
        }
    }

    async fn next_opened(&mut self) -> Result<ApprovalId, Failure> {
        loop {
            if let Update::Event(event) = self.feed.next().await?
                && let EventPayload::Opened { id } = event.event.change
            {
                return Ok(id);
            }
        }
    }

    /// Reads all pending events of the feed.
    pub(crate) async fn drain_feed(&mut self) -> Result<(), Failure> {
        self.feed = self.gate.subscribe(None);
        self.feed.next().await?;
        Ok(())
    }
}

/// The input of a call.
pub(crate) fn input() -> Value {
    json!({ "to": "production", "services": ["web", "worker", "mail"], "note": "x".repeat(200) })
}
