//! Questions, who waits for them, and which replicas live.

pub(crate) const INSERT: &str = "INSERT INTO approvals \
    (id, call, credential, scope, call_key, key, state, deadline, claimed_at, asked_at, asked, fate) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";

/// Guarded by what it was: nobody else may have been there.
pub(crate) const UPDATE: &str = "UPDATE approvals SET state = $2, deadline = $3, claimed_at = $4, fate = $5 \
    WHERE id = $1 AND state = $6 AND claimed_at IS NOT DISTINCT FROM $7";

pub(crate) const BY_ID: &str = "SELECT a.id, a.state, a.asked, c.input, a.fate \
    FROM approvals a JOIN calls c ON c.id = a.call WHERE a.id = $1";

/// The same, and nobody else changes it until the transaction ends.
pub(crate) const TAKE_BY_ID: &str = "SELECT a.id, a.state, a.asked, c.input, a.fate \
    FROM approvals a JOIN calls c ON c.id = a.call WHERE a.id = $1 FOR UPDATE OF a";

pub(crate) const TAKE_LATEST_BY_KEY: &str = "SELECT a.id, a.state, a.asked, c.input, a.fate \
    FROM approvals a JOIN calls c ON c.id = a.call \
    WHERE a.key = $1 AND a.credential = $2 AND a.scope = $3 AND a.call_key = $4 \
    ORDER BY a.seq DESC LIMIT 1 FOR UPDATE OF a";

pub(crate) const LATEST_BY_KEYS: &str = "SELECT a.id, a.state, a.asked, c.input, a.fate, a.key \
    FROM (SELECT DISTINCT key FROM UNNEST($1::bytea[]) AS all_of (key)) AS wanted CROSS JOIN LATERAL (\
        SELECT * FROM approvals WHERE approvals.key = wanted.key ORDER BY approvals.seq DESC LIMIT 1) AS a \
    JOIN calls c ON c.id = a.call";

pub(crate) const PENDING: &str = "SELECT a.id, a.state, a.asked, c.input, a.fate \
    FROM approvals a JOIN calls c ON c.id = a.call \
    WHERE a.state = 'pending' AND a.seq > coalesce((SELECT seq FROM approvals WHERE id = $1), 0) \
    ORDER BY a.seq LIMIT $2";

pub(crate) const ANY_PENDING: &str = "SELECT EXISTS (SELECT 1 FROM approvals WHERE state = 'pending')";

/// What another process is just now ending is left to it.
pub(crate) const DUE: &str = "SELECT id FROM approvals \
    WHERE state = 'pending' AND deadline IS NOT NULL AND deadline <= $1 ORDER BY deadline LIMIT $2 \
    FOR UPDATE SKIP LOCKED";

pub(crate) const NEXT_DEADLINE: &str =
    "SELECT min(deadline) FROM approvals WHERE state = 'pending' AND deadline IS NOT NULL";

pub(crate) const SEE_REPLICA: &str = "INSERT INTO replicas (id, seen_at) VALUES ($1, $2) \
    ON CONFLICT (id) DO UPDATE SET seen_at = greatest(replicas.seen_at, excluded.seen_at)";

/// Replicas that are long lost and hold nothing.
pub(crate) const FORGET_REPLICAS: &str = "DELETE FROM replicas WHERE seen_at < $1 \
    AND NOT EXISTS (SELECT 1 FROM holds WHERE holds.replica = replicas.id)";

pub(crate) const HOLD: &str = "INSERT INTO holds (approval, replica) VALUES ($1, $2) ON CONFLICT DO NOTHING";

pub(crate) const RELEASE: &str = "DELETE FROM holds WHERE approval = $1 AND replica = $2";

pub(crate) const RELEASE_ALL: &str = "DELETE FROM holds WHERE approval = $1";

/// Whether a replica that was seen after a moment holds a question.
pub(crate) const HELD_AFTER: &str = "SELECT EXISTS (SELECT 1 FROM holds h JOIN replicas r ON r.id = h.replica \
    WHERE h.approval = $1 AND r.seen_at > $2)";

/// Questions none of whose holders was seen after a moment. Begins at the lost replicas, which are few.
pub(crate) const ABANDONED: &str = "SELECT DISTINCT h.approval \
    FROM replicas r JOIN holds h ON h.replica = r.id \
    WHERE r.seen_at <= $1 AND NOT EXISTS (\
        SELECT 1 FROM holds o JOIN replicas s ON s.id = o.replica \
        WHERE o.approval = h.approval AND s.seen_at > $1) \
    ORDER BY h.approval LIMIT $2";

/// When the first of the lost holders was seen that nobody later stands in for.
pub(crate) const FIRST_LOST: &str = "SELECT r.seen_at \
    FROM replicas r JOIN holds h ON h.replica = r.id \
    WHERE r.seen_at <= $1 AND NOT EXISTS (\
        SELECT 1 FROM holds o JOIN replicas s ON s.id = o.replica \
        WHERE o.approval = h.approval AND s.seen_at > r.seen_at) \
    ORDER BY r.seen_at LIMIT 1";
