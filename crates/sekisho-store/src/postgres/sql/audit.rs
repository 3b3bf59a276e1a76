//! The audit log: its rows, where its chains end, and where they were cut.

/// Any number of rows at once.
pub(crate) const APPEND: &str = "INSERT INTO audit_log (writer, seq, key, at, kind, call, approval, execution, tool, \
    server, agent, credential, decision, approver, text, body, previous, code) \
    SELECT * FROM UNNEST($1::uuid[], $2::bigint[], $3::int[], $4::bigint[], $5::text[], $6::uuid[], $7::uuid[], \
    $8::uuid[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], \
    $16::text[], $17::bytea[], $18::bytea[])";

/// Guarded by where the chain ended: nobody else may have written it.
pub(crate) const GROW: &str = "INSERT INTO writers (writer, seq, code, told) \
    SELECT $1, $2, $3, $4 WHERE $5 = 0::bigint OR EXISTS (SELECT 1 FROM writers WHERE writer = $1) \
    ON CONFLICT (writer) DO UPDATE \
    SET seq = excluded.seq, code = excluded.code, told = greatest(writers.told, excluded.told) \
    WHERE writers.seq = $5";

pub(crate) const HEAD: &str = "SELECT writer, seq, code FROM writers WHERE writer = $1";

/// Each chain's end, and its last row that is not a checkpoint.
pub(crate) const ENDS: &str = "SELECT writer, seq, code, told FROM writers ORDER BY writer";

pub(crate) const COLUMNS: &str = "writer, seq, key, at, kind, call, approval, execution, tool, server, agent, \
    credential, decision, approver, text, body, previous, code";

pub(crate) const ROW: &str = "SELECT writer, seq, key, at, kind, call, approval, execution, tool, server, agent, \
    credential, decision, approver, text, body, previous, code FROM audit_log WHERE writer = $1 AND seq = $2";

/// In the order of the chains. What comes before the first row is the smallest writer at no row.
pub(crate) const ROWS: &str = "SELECT writer, seq, key, at, kind, call, approval, execution, tool, server, agent, \
    credential, decision, approver, text, body, previous, code FROM audit_log \
    WHERE (writer, seq) > ($1, $2) ORDER BY writer, seq LIMIT $3";

/// The first moment of which calls or events tell.
pub(crate) const FIRST_TRACE: &str =
    "SELECT least((SELECT min(created_at) FROM calls), (SELECT min(at) FROM events))";

/// Chains have no gap, so there is nothing to count.
pub(crate) const COUNT: &str = "SELECT coalesce(sum(w.seq - coalesce(c.seq, 0)), 0)::bigint \
    FROM writers w LEFT JOIN cuts c ON c.writer = w.writer";

pub(crate) const BYTES: &str = "SELECT pg_database_size(current_database())";

pub(crate) const CUTS: &str = "SELECT writer, seq, head, at, key, code FROM cuts ORDER BY writer";

pub(crate) const PUT_CUT: &str = "INSERT INTO cuts (writer, seq, head, at, key, code) VALUES ($1, $2, $3, $4, $5, $6) \
    ON CONFLICT (writer) DO UPDATE \
    SET seq = excluded.seq, head = excluded.head, at = excluded.at, key = excluded.key, code = excluded.code";

/// A chain whose first row is older than a moment and not its last.
pub(crate) const PRUNABLE: &str = "SELECT w.writer, w.seq, coalesce(c.seq, 0) \
    FROM writers w LEFT JOIN cuts c ON c.writer = w.writer \
    JOIN audit_log a ON a.writer = w.writer AND a.seq = coalesce(c.seq, 0) + 1 \
    WHERE a.seq < w.seq AND a.at < $1 LIMIT 1";

pub(crate) const BEGIN_PRUNING: &str = "SELECT set_config('sekisho.pruning', 'on', true)";

pub(crate) const PRUNE: &str = "DELETE FROM audit_log WHERE writer = $1 AND seq <= $2";

pub(crate) const END_PRUNING: &str = "SELECT set_config('sekisho.pruning', 'off', true)";

pub(crate) const JUDGED: &str = "SELECT at / 3600000000 * 3600000000 AS hour, decision, count(*) \
    FROM audit_log WHERE kind = 'verdict' AND at >= $1 AND at < $2 GROUP BY hour, decision";

pub(crate) const ASKED: &str = "SELECT at / 3600000000 * 3600000000 AS hour, tool, count(*) \
    FROM audit_log WHERE kind = 'question' AND at >= $1 AND at < $2 GROUP BY hour, tool";

pub(crate) const ASKED_ABOUT: &str = "SELECT approval, tool, body \
    FROM audit_log WHERE kind = 'question' AND at >= $1 AND at < $2 \
    ORDER BY at DESC, writer DESC, seq DESC LIMIT $3";

pub(crate) const ENDED: &str = "SELECT at, approval, tool, body \
    FROM audit_log WHERE kind = 'outcome' AND at >= $1 AND at < $2";
