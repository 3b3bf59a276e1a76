//! The audit log: its rows, where its chains end, and where they were cut.

pub(crate) const APPEND: &str = "INSERT INTO audit_log (writer, seq, key, at, kind, call, approval, execution, tool, \
    server, agent, credential, decision, approver, text, body, previous, code) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)";

/// Guarded by where the chain ended: nobody else may have written it.
pub(crate) const GROW: &str = "INSERT INTO writers (writer, seq, code, told) VALUES (?1, ?2, ?3, iif(?4, 0, ?2)) \
    ON CONFLICT (writer) DO UPDATE SET seq = excluded.seq, code = excluded.code, told = iif(?4, told, excluded.seq) \
    WHERE writers.seq = excluded.seq - 1";

pub(crate) const HEAD: &str = "SELECT writer, seq, code FROM writers WHERE writer = ?1";
