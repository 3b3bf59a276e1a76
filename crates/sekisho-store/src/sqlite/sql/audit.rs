//! The audit log: its rows, where its chains end, and where they were cut.

pub(crate) const APPEND: &str = "INSERT INTO audit_log (writer, seq, key, at, kind, call, approval, execution, tool, \
    server, agent, credential, decision, approver, text, body, previous, code) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)";

/// Guarded by where the chain ended: nobody else may have written it.
pub(crate) const GROW: &str = "INSERT INTO writers (writer, seq, code, told) VALUES (?1, ?2, ?3, iif(?4, 0, ?2)) \
    ON CONFLICT (writer) DO UPDATE SET seq = excluded.seq, code = excluded.code, told = iif(?4, told, excluded.seq) \
    WHERE writers.seq = excluded.seq - 1";

pub(crate) const HEAD: &str = "SELECT writer, seq, code FROM writers WHERE writer = ?1";

/// Each chain's end, and its last row that is not a checkpoint.
pub(crate) const ENDS: &str = "SELECT writer, seq, code, told FROM writers ORDER BY writer";

pub(crate) const COLUMNS: &str = "writer, seq, key, at, kind, call, approval, execution, tool, server, agent, \
    credential, decision, approver, text, body, previous, code";

pub(crate) const ROW: &str = "SELECT writer, seq, key, at, kind, call, approval, execution, tool, server, agent, \
    credential, decision, approver, text, body, previous, code FROM audit_log WHERE writer = ?1 AND seq = ?2";

/// In the order of the chains. What comes before the first row is the smallest writer at no row.
pub(crate) const ROWS: &str = "SELECT writer, seq, key, at, kind, call, approval, execution, tool, server, agent, \
    credential, decision, approver, text, body, previous, code FROM audit_log \
    WHERE (writer, seq) > (?1, ?2) ORDER BY writer, seq LIMIT ?3";

/// Of calls an index has the moments, so that no input is read.
pub(crate) const FIRST_TRACE: &str = "SELECT min(at) FROM (\
    SELECT min(created_at) AS at FROM calls INDEXED BY calls_by_tool UNION ALL SELECT min(at) FROM events)";

/// Chains have no gap, so there is nothing to count.
pub(crate) const COUNT: &str = "SELECT coalesce(sum(w.seq - coalesce(c.seq, 0)), 0) \
    FROM writers w LEFT JOIN cuts c ON c.writer = w.writer";

pub(crate) const BYTES: &str =
    "SELECT c.page_count * s.page_size FROM pragma_page_count c, pragma_page_size s";

pub(crate) const CUTS: &str = "SELECT writer, seq, head, at, key, code FROM cuts ORDER BY writer";

pub(crate) const PUT_CUT: &str = "INSERT INTO cuts (writer, seq, head, at, key, code) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
    ON CONFLICT (writer) DO UPDATE \
    SET seq = excluded.seq, head = excluded.head, at = excluded.at, key = excluded.key, code = excluded.code";

/// A chain whose first row is older than a moment and not its last.
pub(crate) const PRUNABLE: &str = "SELECT w.writer, w.seq, coalesce(c.seq, 0) \
    FROM writers w LEFT JOIN cuts c ON c.writer = w.writer \
    CROSS JOIN audit_log a ON a.writer = w.writer AND a.seq = coalesce(c.seq, 0) + 1 \
    WHERE a.seq < w.seq AND a.at < ?1 LIMIT 1";

pub(crate) const BEGIN_PRUNING: &str = "INSERT INTO meta (name, value) VALUES ('pruning', 1)";

pub(crate) const PRUNE: &str = "DELETE FROM audit_log WHERE writer = ?1 AND seq <= ?2";

pub(crate) const END_PRUNING: &str = "DELETE FROM meta WHERE name = 'pruning'";

/// Out of the index alone, and counted by whoever reads: grouping would sort them all.
pub(crate) const JUDGED: &str = "SELECT at, decision \
    FROM audit_log INDEXED BY audit_log_by_kind WHERE kind = 'verdict' AND at >= ?1 AND at < ?2";

/// Out of the index alone.
pub(crate) const ASKED: &str = "SELECT at, tool \
    FROM audit_log INDEXED BY audit_log_by_kind WHERE kind = 'question' AND at >= ?1 AND at < ?2";

/// The latest, straight from the end of the index.
pub(crate) const ASKED_ABOUT: &str = "SELECT approval, tool, body \
    FROM audit_log INDEXED BY audit_log_by_kind WHERE kind = 'question' AND at >= ?1 AND at < ?2 \
    ORDER BY at DESC, writer DESC, seq DESC LIMIT ?3";

pub(crate) const ENDED: &str = "SELECT at, approval, tool, body \
    FROM audit_log INDEXED BY audit_log_by_kind WHERE kind = 'outcome' AND at >= ?1 AND at < ?2";
