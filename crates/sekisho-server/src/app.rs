//! What the routes work with.

use std::sync::Arc;
use std::time::Duration;

use sekisho_gate::Gate;
use sekisho_gate::audit::{AuditLog, KeyRing};
use sekisho_gate::file_ports::PolicyFiles;
use sekisho_gate::token_store::TokenStore;
use tokio::sync::watch;

use crate::auth::{Authenticator, Identity};
use crate::concurrency_limit::ConcurrencyLimit;
use crate::error::ApiError;
use crate::event_streams::FrameCache;
use crate::exclusive_jobs::ExclusiveJobs;
use crate::fair_queue::FairQueue;
use crate::metrics::Metrics;
use crate::middleware::{BodyBudget, RateLimits};
use crate::open_approvals::OpenApprovals;
use crate::recording_health::RecordingHealth;
use crate::rule_hits::RuleHitCounter;
use crate::settings::Settings;
use crate::workspace_roots::WorkspaceRoots;

/// What a server is made of.
#[derive(Clone)]
pub struct AppParts {
    /// The checkpoint. Its keeper runs beside it.
    pub gate: Gate,
    /// The record, to read.
    pub audit: Arc<dyn AuditLog>,
    /// The credentials.
    pub tokens: Arc<dyn TokenStore>,
    /// The layers that are files, to show.
    pub files: Arc<dyn PolicyFiles>,
    /// The keys of the record, to verify it.
    pub keys: Arc<KeyRing>,
    /// How to behave.
    pub settings: Settings,
}

/// A server, ready to let callers in. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct App {
    pub(crate) inner: Arc<AppState>,
}

pub(crate) struct AppState {
    pub(crate) parts: AppParts,
    pub(crate) authenticator: Authenticator,
    pub(crate) rate_limits: RateLimits,
    pub(crate) body_budget: BodyBudget,
    pub(crate) open_approvals: OpenApprovals,
    pub(crate) frame_cache: FrameCache,
    /// Streams that are open.
    pub(crate) streams: ConcurrencyLimit,
    pub(crate) metrics: Metrics,
    pub(crate) workspaces: WorkspaceRoots,
    pub(crate) rule_hits: RuleHitCounter,
    /// Requests under way.
    pub(crate) requests: ConcurrencyLimit,
    pub(crate) recording_health: RecordingHealth,
    closing: watch::Sender<bool>,
    pub(crate) exclusive_jobs: ExclusiveJobs,
    /// Reading questions, which may be large.
    pub(crate) approval_reads: Arc<FairQueue>,
    /// Reading bodies that are large.
    pub(crate) body_parses: Arc<FairQueue>,
    /// Looking through the record.
    pub(crate) audit_searches: Arc<FairQueue>,
    /// Exports of the record that are under way.
    pub(crate) exports: ConcurrencyLimit,
}

/// How often those who have been quiet are forgotten.
const TIDIED: Duration = Duration::from_secs(60);

/// How many read questions at a time.
const READERS: usize = 2;
/// How many large bodies are read at a time.
const PARSERS: usize = 1;
/// How many look through the record at a time: fewer than a store has readers, so that nobody else waits behind them.
const SEARCHES: usize = 1;
/// How many searches of a credential wait for their turn.
const SEARCHES_WAITING: usize = 32;

impl App {
    /// A server of these parts.
    pub fn new(parts: AppParts) -> App {
        let inner = AppState {
            authenticator: Authenticator::new(Arc::clone(&parts.tokens)),
            rate_limits: RateLimits::new(&parts.settings.limits),
            body_budget: BodyBudget::new(parts.settings.limits.body_budget),
            open_approvals: OpenApprovals::default(),
            frame_cache: FrameCache::default(),
            streams: ConcurrencyLimit::default(),
            metrics: Metrics::default(),
            workspaces: WorkspaceRoots::new(&parts.settings.projects),
            rule_hits: RuleHitCounter::default(),
            requests: ConcurrencyLimit::default(),
            recording_health: RecordingHealth::default(),
            closing: watch::Sender::new(false),
            exclusive_jobs: ExclusiveJobs::default(),
            approval_reads: FairQueue::new(READERS, usize::MAX),
            body_parses: FairQueue::new(PARSERS, usize::MAX),
            audit_searches: FairQueue::new(SEARCHES, SEARCHES_WAITING),
            exports: ConcurrencyLimit::default(),
            parts,
        };
        App { inner: Arc::new(inner) }
    }

    /// What runs beside the server: it keeps an eye on open questions and on tokens. Ends when the gate is gone.
    pub async fn run_background(&self) {
        tokio::select! {
            () = self.inner.open_approvals.run(&self.inner.parts.gate, &self.inner.authenticator) => {}
            () = self.prune_rate_limits() => {}
            () = self.record_file_changes() => {}
        }
    }

    /// How many bytes of bodies, messages and answers are being read, worked on or sent.
    pub fn in_flight(&self) -> usize {
        self.inner.body_budget.used()
    }

    /// Ends when much memory was freed since the last time it ended: large bodies and answers are done with.
    pub async fn memory_freed(&self) {
        self.inner.body_budget.memory_freed().await;
    }

    /// Puts on the record that a policy file changed, which is also how those who listen hear of it. Who changed it nobody
    /// can say.
    async fn record_file_changes(&self) {
        let parts = &self.inner.parts;
        let mut files = parts.files.generation();
        while files.changed().await.is_ok() {
            let generation = *files.borrow_and_update();
            if let Err(error) = parts.gate.policy_files_changed(generation).await {
                tracing::warn!(%error, "that a policy file changed could not be recorded");
            }
        }
        std::future::pending().await
    }

    async fn prune_rate_limits(&self) {
        loop {
            tokio::time::sleep(TIDIED).await;
            self.inner.rate_limits.prune();
        }
    }

    /// Lets nobody wait any more. Questions stay open for the next start.
    pub(crate) fn shut_down(&self) {
        self.inner.parts.gate.close();
        self.inner.closing.send_replace(true);
    }

    /// Ends when the server stops. What has no end of its own, such as a WebSocket, ends then.
    pub(crate) async fn shutdown_started(&self) {
        // The sender lives as long as we do.
        let _ = self.inner.closing.subscribe().wait_for(|closing| *closing).await;
    }

    /// That somebody's token still counts, looked at again after something that took a while: a body, a human.
    pub(crate) async fn ensure_token_valid(&self, who: &Identity) -> Result<(), ApiError> {
        match who.token_id() {
            Some(id) if !self.inner.authenticator.is_still_valid(id, self.now()).await? => {
                Err(ApiError::unauthenticated("the token has expired or was revoked"))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.inner.parts.settings
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.inner.parts.gate
    }

    pub(crate) fn now(&self) -> jiff::Timestamp {
        self.inner.parts.gate.clock().now()
    }
}
