//! `Store`: everything a complete store implements (ledger, audit log, rules, tokens).

use sekisho_gate::audit::AuditLog;
use sekisho_gate::ledger::Ledger;
use sekisho_gate::rule_store::RuleStore;
use sekisho_gate::token_store::TokenStore;

/// All ports of the gate at once, whichever database is behind them.
pub trait Store: AuditLog + Ledger + RuleStore + TokenStore {}

impl<T: AuditLog + Ledger + RuleStore + TokenStore> Store for T {}
