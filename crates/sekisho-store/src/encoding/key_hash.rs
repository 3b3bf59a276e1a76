//! The hash by which an idempotency key is looked up.

use sekisho_gate::caller::IdempotencyKey;
use sha2::{Digest, Sha256};

/// Hashes a key. Each part is preceded by its length, so that different keys never hash the same bytes.
pub(crate) fn key_hash(key: &IdempotencyKey) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [&key.credential, &key.scope, &key.call_id] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}
