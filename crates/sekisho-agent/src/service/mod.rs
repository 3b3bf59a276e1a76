//! Agents and their runs, as the routes of a server use them.

mod agent_usage;
mod call_answers;
mod records;
mod run_start;
mod run_tree;
mod run_wait;

use std::sync::Arc;

use sekisho_gate::Gate;
use sekisho_gate::answer::{Actor, Answer, Approver};
use sekisho_gate::answer_handler::AnswerOutcome;
use sekisho_gate::ledger::LedgerError;
use sekisho_gate::registered_records::{CheckedRecord, ComponentError, Recorder};
use serde_json::Value;
use uuid::Uuid;

use crate::agents::{AgentSettings, Agents};
use crate::driver::{NewRun, RunDriver};
use crate::host::AgentHost;
use crate::run_summary::{PendingCall, waiting_calls};
use crate::runs::{Runs, StoredRun};

pub use agent_usage::AgentUsage;
pub use call_answers::CallAnswerError;
pub use records::{line as agent_record, register as register_records};
pub use run_start::{RunStart, RunStartError};
pub use run_tree::{RunTree, TreeCall};
pub use run_wait::WaitUntil;

/// How many open questions are read at a time.
const PAGE: usize = 256;

/// Agents and their runs. Cheap to clone.
#[derive(Clone)]
pub struct AgentService {
    host: AgentHost,
    runs: Arc<dyn Runs>,
    driver: RunDriver,
    gate: Gate,
    recorder: Recorder,
}

impl AgentService {
    /// A service over a driver and the host that the driver uses. Registers the record kinds of agents, which a gate
    /// takes once.
    pub fn new(
        host: AgentHost,
        runs: Arc<dyn Runs>,
        driver: RunDriver,
        gate: Gate,
    ) -> Result<AgentService, ComponentError> {
        let recorder = records::register(&gate)?;
        host.record_with(&recorder);
        Ok(AgentService { host, runs, driver, gate, recorder })
    }

    /// Writes an audit record about a run of an agent.
    pub async fn record(
        &self,
        kind: &str,
        agent: &str,
        text: String,
        body: Value,
        by: Actor,
    ) -> Result<(), ComponentError> {
        self.recorder.record(kind, records::line(agent, text, body, by)).await
    }

    /// The audit record of a change of an agent. It is stored together with the change.
    pub fn change_record(
        &self,
        kind: &str,
        agent: &str,
        text: String,
        body: Value,
        by: Actor,
    ) -> Result<CheckedRecord, ComponentError> {
        self.recorder.check(kind, records::line(agent, text, body, by))
    }

    /// The stored agents.
    pub fn agents(&self) -> &dyn Agents {
        self.host.agents()
    }

    /// The stored runs.
    pub fn runs(&self) -> &dyn Runs {
        &*self.runs
    }

    /// The driver.
    pub fn driver(&self) -> &RunDriver {
        &self.driver
    }

    /// The host.
    pub fn host(&self) -> &AgentHost {
        &self.host
    }

    /// Checks a request for a run, and fixes what the run is started with.
    pub(crate) async fn check_start(&self, start: RunStart) -> Result<NewRun, RunStartError> {
        run_start::check(&self.host, start).await
    }

    /// Starts a run.
    pub async fn start(&self, start: RunStart) -> Result<(), RunStartError> {
        let checked = self.check_start(start).await?;
        Ok(self.driver.start_run(checked).await?)
    }

    /// Why an agent with these settings cannot be used. None if it can.
    pub fn unusable(&self, settings: &AgentSettings) -> Option<String> {
        run_start::missing_price(&self.host, settings)
    }

    /// What the stored runs of an agent have used.
    pub async fn usage(&self, agent: Uuid) -> Result<AgentUsage, LedgerError> {
        AgentUsage::read(&*self.runs, agent).await
    }

    /// The calls of a run whose questions are open.
    pub async fn pending(&self, run: &StoredRun) -> Result<Vec<PendingCall>, LedgerError> {
        let mut pending = Vec::new();
        for call in waiting_calls(&run.state) {
            // The run learns of an answer a little later than the gate.
            let approval = self.gate.ledger().approval(call.approval).await?;
            if approval.is_some_and(|approval| approval.is_pending()) {
                pending.push(call);
            }
        }
        Ok(pending)
    }

    /// Answers a call of a run. Without the id of a call, only if exactly one waits.
    pub async fn answer(
        &self,
        run: &StoredRun,
        call: Option<&str>,
        answer: Answer,
        by: Approver,
    ) -> Result<AnswerOutcome, CallAnswerError> {
        let unread = |error: LedgerError| CallAnswerError::Rejected(error.into());
        let pending = self.pending(run).await.map_err(unread)?;
        let chosen = call_answers::choose(run.id, pending, call)?;
        match self.gate.answer(chosen.approval, answer, by).await {
            Ok(outcome) if outcome.duplicate => {
                Err(CallAnswerError::NotSuspended { run: run.id, call: Some(chosen.tool_call_id) })
            }
            Ok(outcome) => Ok(outcome),
            Err(error) => Err(call_answers::rejected(run.id, chosen, error)),
        }
    }

    /// Denies the open questions of an agent's runs about tools that it may not use any more. Returns how many.
    pub async fn deny_open_questions(
        &self,
        agent: Uuid,
        is_disabled: impl Fn(&str) -> bool,
        by: &Approver,
    ) -> Result<usize, LedgerError> {
        let (mut after, mut denied) = (None, 0);
        loop {
            let page = self.gate.ledger().pending(after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(denied) };
            after = Some(last.id);
            for approval in page {
                let call = &approval.asked.call;
                if !approval.asked.asker.durable || !is_disabled(&call.tool) {
                    continue;
                }
                let Some(run) = call.run_id.as_deref().and_then(|run| run.parse().ok()) else { continue };
                if self.runs.run(run).await?.is_none_or(|run| run.settings.stored_agent() != agent) {
                    continue;
                }
                let answer = Answer::deny().with_reason(format!("Tool not enabled: {}", call.tool));
                // Somebody may have answered meanwhile. The run checks the tool again before it starts it.
                denied += usize::from(self.gate.answer(approval.id, answer, by.clone()).await.is_ok());
            }
        }
    }
}
