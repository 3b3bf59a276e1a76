//! What every store can do.

use sekisho_gate::audit::Audit;
use sekisho_gate::ledger::Ledger;
use sekisho_gate::rules::Rules;
use sekisho_gate::tokens::Tokens;

/// A store, whichever database it keeps everything in: all ports of the gate at once.
pub trait Store: Audit + Ledger + Rules + Tokens {}

impl<T: Audit + Ledger + Rules + Tokens> Store for T {}
