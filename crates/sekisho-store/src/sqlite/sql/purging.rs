//! Forgetting raw inputs.

pub(crate) const RAW_INPUT: &str = "SELECT input FROM calls WHERE id = ?1";

/// Calls that ended before a moment and still have their input. What may still run is none of them, whatever else the
/// row says.
pub(crate) const PURGEABLE: &str = "SELECT c.id FROM calls c INDEXED BY calls_to_purge \
    WHERE c.ended_at < ?1 AND c.ended_at IS NOT NULL AND c.input IS NOT NULL AND NOT EXISTS (\
        SELECT 1 FROM approvals a WHERE a.call = c.id \
        AND (a.state = 'pending' OR (a.state = 'approved' AND a.claimed_at IS NULL))) \
    ORDER BY c.ended_at LIMIT ?2";

pub(crate) const PURGE_CALL: &str = "UPDATE calls SET input = NULL, facts = NULL WHERE id = ?1";

pub(crate) const PURGE_EXECUTIONS: &str =
    "UPDATE tool_executions SET input = 'null', output = NULL WHERE call = ?1";

pub(crate) const QUESTIONS_OF: &str = "SELECT id, asked, fate FROM approvals WHERE call = ?1";

pub(crate) const PURGE_QUESTION: &str = "UPDATE approvals SET asked = ?2, fate = ?3 WHERE id = ?1";
