//! Which key of the log has which number.

pub(crate) const PRINT: &str = "SELECT print FROM key_prints WHERE key = ?1";

/// Another process may have been there at the same time.
pub(crate) const NOTE: &str =
    "INSERT INTO key_prints (key, print) VALUES (?1, ?2) ON CONFLICT (key) DO NOTHING";

/// The last rows of some chains, where they were signed with a key of this number.
pub(crate) const SIGNED: &str = "SELECT l.writer, l.seq, l.key, l.at, l.kind, l.call, l.approval, l.execution, l.tool, l.server, l.agent, \
    l.credential, l.decision, l.approver, l.text, l.body, l.previous, l.code \
    FROM writers w JOIN audit_log l ON l.writer = w.writer AND l.seq = w.seq WHERE l.key = ?1 LIMIT ?2";
