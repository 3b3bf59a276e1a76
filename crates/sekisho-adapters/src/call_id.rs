//! Derives ids for calls whose protocol has none.

use sekisho_policy::Digest;
use sha2::{Digest as _, Sha256};

use crate::hook_request::HookRequest;

/// Derives an id for a call whose protocol has none, from the agent, its session, its sub-agent, the call's
/// digest, and its ordinal among equal calls.
pub fn derive_call_id(request: &HookRequest, ordinal: u64) -> Result<String, String> {
    let digest = Digest::of(&request.call)?;
    let session = request.call.run_id.as_deref().unwrap_or_default();
    let sub_agent = request.sub_agent.as_deref().unwrap_or_default();
    let mut hash = Sha256::new();
    for part in [request.agent.name(), session, sub_agent, &digest.to_string(), &ordinal.to_string()] {
        // The length keeps different parts from hashing to the same bytes.
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let id: String = hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("made-{id}"))
}
