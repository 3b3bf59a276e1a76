//! Calls.

pub(crate) const INSERT: &str = "INSERT INTO calls (id, input, digest, tool, server, agent, credential, workspace, \
    conversation, run_id, call_id, cwd, created_at, ended_at, facts) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";

pub(crate) const END: &str = "UPDATE calls SET ended_at = ?2 WHERE id = ?1 AND ended_at IS NULL";
