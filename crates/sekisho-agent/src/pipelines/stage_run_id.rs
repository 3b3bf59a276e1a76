//! The id of the run of a stage.

use jiff::Timestamp;
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The id of the run of an attempt. It begins with the time, as the ids of all runs do, and is otherwise made of the run of
/// the pipeline, the stage and the attempt: no two attempts have the same.
pub(super) fn stage_run_id(pipeline_run: Uuid, stage: usize, attempt: usize, at: Timestamp) -> Uuid {
    let mut hash = Sha256::new();
    hash.update(b"sekisho stage run");
    hash.update(pipeline_run.as_bytes());
    hash.update((stage as u64).to_be_bytes());
    hash.update((attempt as u64).to_be_bytes());
    let [a, b, c, d, e, f, g, h, i, j, ..]: [u8; 32] = hash.finalize().into();
    let millis = u64::try_from(at.as_millisecond()).unwrap_or(0);
    uuid::Builder::from_unix_timestamp_millis(millis, &[a, b, c, d, e, f, g, h, i, j]).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_repeatable_distinct_and_ordered_by_time() {
        let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let at = Timestamp::from_second(1_700_000_000).unwrap();
        let id = |run, stage, attempt| stage_run_id(run, stage, attempt, at);
        assert_eq!(id(one, 0, 1), id(one, 0, 1));
        let mut all = vec![id(one, 0, 1), id(one, 1, 1), id(one, 0, 2), id(two, 0, 1)];
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 4);
        assert_eq!(all[0].get_version_num(), 7);
        let later = stage_run_id(one, 0, 1, Timestamp::from_second(1_700_000_001).unwrap());
        assert!(all.iter().all(|id| *id < later));
    }
}
