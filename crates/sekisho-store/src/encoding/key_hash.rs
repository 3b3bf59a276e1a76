//! What an asking's key is found by.

use sekisho_gate::caller::IdempotencyKey;
use sha2::{Digest, Sha256};

/// The hash of a key. Each part goes in with its length, so that no two keys have the same.
pub(crate) fn key_hash(key: &IdempotencyKey) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [&key.credential, &key.scope, &key.call_id] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}
