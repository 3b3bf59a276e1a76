//! What every store can do.

use sekisho_gate::audit::AuditLog;
use sekisho_gate::ledger::Ledger;
use sekisho_gate::rule_store::RuleStore;
use sekisho_gate::token_store::TokenStore;

/// A store, whichever database it keeps everything in: all ports of the gate at once.
pub trait Store: AuditLog + Ledger + RuleStore + TokenStore {}

impl<T: AuditLog + Ledger + RuleStore + TokenStore> Store for T {}
