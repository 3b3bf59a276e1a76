//! The state that all routes share.

use std::sync::Arc;
use std::time::Duration;

use sekisho_agent::{AgentService, PipelineService};
use sekisho_gate::Gate;
use sekisho_gate::audit::{AuditLog, KeyRing};
use sekisho_gate::host_ports::PolicyFiles;
use sekisho_gate::token_store::TokenStore;
use tokio::sync::watch;

use crate::auth::{Authenticator, Identity};
use crate::concurrency_limit::ConcurrencyLimit;
use crate::error::ApiError;
use crate::event_streams::FrameCache;
use crate::exclusive_jobs::ExclusiveJobs;
use crate::memory_budget::MemoryBudget;
use crate::metrics::Metrics;
use crate::middleware::RateLimits;
use crate::open_approvals::OpenApprovals;
use crate::recording_health::RecordingHealth;
use crate::request_queue::RequestQueue;
use crate::rule_hits::RuleHitCounter;
use crate::settings::Settings;
use crate::wire::tool::BuiltInTool;
use crate::workspace_roots::WorkspaceRoots;

/// What a server is built from.
#[derive(Clone)]
pub struct AppParts {
    /// The gate. Its background task runs separately.
    pub gate: Gate,
    /// Read access to the audit log.
    pub audit: Arc<dyn AuditLog>,
    /// The stored credentials.
    pub tokens: Arc<dyn TokenStore>,
    /// The policy layers that are files, for display.
    pub files: Arc<dyn PolicyFiles>,
    /// The keys that verify the audit log.
    pub keys: Arc<KeyRing>,
    /// The built-in tools, by name.
    pub tools: Vec<BuiltInTool>,
    /// The agents and their runs.
    pub agents: AgentService,
    /// The pipelines and their runs.
    pub pipelines: PipelineService,
    /// Limits, names and other options.
    pub settings: Settings,
}

/// A server that is ready to accept callers. Cheap to clone; all clones share one state.
#[derive(Clone)]
pub struct App {
    pub(crate) inner: Arc<AppState>,
}

pub(crate) struct AppState {
    pub(crate) parts: AppParts,
    pub(crate) authenticator: Authenticator,
    pub(crate) rate_limits: RateLimits,
    pub(crate) memory_budget: MemoryBudget,
    pub(crate) open_approvals: OpenApprovals,
    pub(crate) frame_cache: FrameCache,
    /// Open event streams.
    pub(crate) streams: ConcurrencyLimit,
    pub(crate) metrics: Metrics,
    pub(crate) workspaces: WorkspaceRoots,
    pub(crate) rule_hits: RuleHitCounter,
    /// Requests in progress.
    pub(crate) requests: ConcurrencyLimit,
    pub(crate) recording_health: RecordingHealth,
    closing: watch::Sender<bool>,
    pub(crate) exclusive_jobs: ExclusiveJobs,
    /// Reads of approvals, which may be large.
    pub(crate) approval_reads: RequestQueue,
    /// Reads of what streams of runs send.
    pub(crate) stream_reads: RequestQueue,
    /// Parses of large bodies.
    pub(crate) body_parses: RequestQueue,
    /// Searches of the audit log.
    pub(crate) audit_searches: RequestQueue,
    /// Exports of the audit log in progress.
    pub(crate) exports: ConcurrencyLimit,
}

/// How often idle rate limit entries are dropped.
const PRUNE_INTERVAL: Duration = Duration::from_secs(60);

/// How many approval reads run at a time.
const READERS: usize = 2;
/// How many streams of runs read at a time.
const STREAM_READERS: usize = 2;
/// How many large bodies are parsed at a time.
const PARSERS: usize = 1;
/// How many audit searches run at a time: fewer than the store has readers, so that other reads do not wait
/// behind them.
const SEARCHES: usize = 1;
/// How many searches of one credential may wait.
const SEARCHES_WAITING: usize = 32;

impl App {
    /// Builds a server from its parts.
    pub fn new(parts: AppParts) -> App {
        let inner = AppState {
            authenticator: Authenticator::new(Arc::clone(&parts.tokens)),
            rate_limits: RateLimits::new(&parts.settings.limits),
            memory_budget: MemoryBudget::new(parts.settings.limits.memory_budget),
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
            approval_reads: RequestQueue::new(READERS, usize::MAX),
            stream_reads: RequestQueue::new(STREAM_READERS, usize::MAX),
            body_parses: RequestQueue::new(PARSERS, usize::MAX),
            audit_searches: RequestQueue::new(SEARCHES, SEARCHES_WAITING),
            exports: ConcurrencyLimit::default(),
            parts,
        };
        App { inner: Arc::new(inner) }
    }

    /// Runs beside the server: follows the open approvals, drops idle rate limit entries and records policy
    /// file changes. Ends when the gate is gone.
    pub async fn run_background(&self) {
        let inner = &self.inner;
        tokio::select! {
            () = inner.open_approvals.run(&inner.parts.gate, &inner.authenticator, &inner.memory_budget) => {}
            () = self.prune_rate_limits() => {}
            () = self.record_file_changes() => {}
        }
    }

    /// How many bytes of bodies, messages and responses are being read, processed or sent.
    pub fn in_flight(&self) -> usize {
        self.inner.memory_budget.used()
    }

    /// Resolves when much memory was freed since it last resolved, because large bodies and responses are
    /// done.
    pub async fn memory_freed(&self) {
        self.inner.memory_budget.memory_freed().await;
    }

    /// Records that a policy file changed; subscribers learn of it from that record. It is unknown who
    /// changed the file.
    async fn record_file_changes(&self) {
        let parts = &self.inner.parts;
        let mut files = parts.files.generation();
        while files.changed().await.is_ok() {
            let generation = *files.borrow_and_update();
            if let Err(error) = parts.gate.policy_files_changed(generation).await {
                tracing::warn!(%error, "could not record a policy file change");
            }
        }
        std::future::pending().await
    }

    async fn prune_rate_limits(&self) {
        loop {
            tokio::time::sleep(PRUNE_INTERVAL).await;
            self.inner.rate_limits.prune();
        }
    }

    /// Stops all waiting callers. Approvals stay open for the next start.
    pub(crate) fn shut_down(&self) {
        self.inner.parts.gate.close();
        self.inner.closing.send_replace(true);
    }

    /// Resolves when the server stops. Everything without an end of its own, such as a WebSocket, ends then.
    pub(crate) async fn shutdown_started(&self) {
        // The sender lives as long as `self`.
        let _ = self.inner.closing.subscribe().wait_for(|closing| *closing).await;
    }

    /// Checks that the caller's token is still valid, after something that took time: a slow body or a
    /// human's answer.
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

    pub(crate) fn agents(&self) -> &AgentService {
        &self.inner.parts.agents
    }

    pub(crate) fn pipelines(&self) -> &PipelineService {
        &self.inner.parts.pipelines
    }

    pub(crate) fn now(&self) -> jiff::Timestamp {
        self.inner.parts.gate.clock().now()
    }
}
