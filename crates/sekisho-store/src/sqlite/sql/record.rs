//! The audit log and the events.

pub(crate) const LOG: &str = "INSERT INTO audit_log (at, kind, call, approval, execution, tool, server, agent, \
    credential, decision, approver, decided_by, text, body) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";

pub(crate) const ANNOUNCE: &str =
    "INSERT INTO events (seq, at, body) SELECT coalesce(max(seq), 0) + 1, ?1, ?2 FROM events";

pub(crate) const HEAD: &str = "SELECT coalesce(max(seq), 0) FROM events";

pub(crate) const AFTER: &str = "SELECT seq, at, body FROM events WHERE seq > ?1 ORDER BY seq LIMIT ?2";
