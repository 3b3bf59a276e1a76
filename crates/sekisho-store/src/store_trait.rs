//! `Store`: everything a complete store implements (ledger, audit log, rules, tokens, agents, pipelines, runs and their
//! data).

use sekisho_agent::{Agents, PipelineRuns, Pipelines, Runs};
use sekisho_gate::audit::AuditLog;
use sekisho_gate::ledger::Ledger;
use sekisho_gate::rule_store::RuleStore;
use sekisho_gate::token_store::TokenStore;
use sekisho_tools::RunStorage;

/// All ports of the gate, the tools and the agent at once, whichever database is behind them.
pub trait Store:
    Agents + AuditLog + Ledger + PipelineRuns + Pipelines + RuleStore + RunStorage + Runs + TokenStore
{
}

impl<T: Agents + AuditLog + Ledger + PipelineRuns + Pipelines + RuleStore + RunStorage + Runs + TokenStore>
    Store for T
{
}
