//! A gate on a file of its own, with its background task and a listener.

use std::sync::Arc;
use std::time::Duration;

use sekisho_gate::answer::{Answer, Approver, Role};
use sekisho_gate::ask::Ask;
use sekisho_gate::asker::Asker;
use sekisho_gate::clock::SystemClock;
use sekisho_gate::feed::{Feed, Update};
use sekisho_gate::record::Change;
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

pub(crate) struct World {
    pub(crate) gate: Gate,
    feed: Feed,
    /// The directory of the file, removed on drop.
    _folder: tempfile::TempDir,
}

impl World {
    pub(crate) async fn start() -> Result<World, Failure> {
        let folder = tempfile::tempdir()?;
        let store =
            Arc::new(SqliteStore::open(folder.path().join("ledger.db"), Options::new(fixtures::seal()))?);
        let files = FixedFiles::new();
        let rulebook = Arc::new(Rulebook::new(Arc::new(files.clone()), store.clone()));
        rulebook.refresh(jiff::Timestamp::now()).await?;
        let ports = Ports { ledger: store, rulebook, preview: Arc::new(files), clock: Arc::new(SystemClock) };
        let (gate, keeper) = Gate::new(ports, Settings::default());
        tokio::spawn(keeper.run());
        let feed = gate.subscribe(None);
        Ok(World { gate, feed, _folder: folder })
    }

    /// Opens `count` approvals that stay pending, and returns when all of them wait.
    pub(crate) async fn crowd(&mut self, name: &str, count: usize) -> Result<(), Failure> {
        let before = self.gate.waiting();
        for number in 0..count {
            drop(self.pass(&format!("{name}-{number}")));
        }
        while self.gate.ledger().pending(None, usize::MAX).await?.len() < before + count {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    fn pass(&self, call_id: &str) -> JoinHandle<Result<Permit, sekisho_gate::refusal::Refusal>> {
        let gate = self.gate.clone();
        let mut ask = Ask::new(
            Call {
                call_id: Some(call_id.into()),
                conversation: Some("talk".into()),
                ..Call::new("deploy", input())
            },
            Asker::here("agent"),
        );
        // None of them times out during the measurement.
        ask.patience.on_timeout = Some(OnTimeout::Park);
        tokio::spawn(async move { gate.pass(ask).await })
    }

    /// Submits a call, sees the approval in the feed, answers it, and gets the permit.
    pub(crate) async fn ask_and_answer(&mut self, call_id: &str) -> Result<(), Failure> {
        let caller = self.pass(call_id);
        let id = self.next_question().await?;
        let by = Approver {
            credential: "token".into(),
            name: "Ann".into(),
            role: Role::Approver,
            device: None,
            how: "bench".into(),
        };
        self.gate.answer(id, Answer::approve(), by).await?;
        let permit = caller.await?.map_err(|refusal| refusal.to_string())?;
        if permit.approval() == Some(id) { Ok(()) } else { Err("somebody else's permit".into()) }
    }

    async fn next_question(&mut self) -> Result<ApprovalId, Failure> {
        loop {
            if let Update::Change(changed) = self.feed.next().await?
                && let Change::Opened { id } = changed.event.change
            {
                return Ok(id);
            }
        }
    }

    /// Reads all pending events of the feed.
    pub(crate) async fn catch_up(&mut self) -> Result<(), Failure> {
        self.feed = self.gate.subscribe(None);
        self.feed.next().await?;
        Ok(())
    }
}

/// The input of a call.
pub(crate) fn input() -> Value {
    json!({ "to": "production", "services": ["web", "worker", "mail"], "note": "x".repeat(200) })
}
