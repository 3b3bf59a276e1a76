//! Calls as they were judged.

/// The newest lines of a kind about calls whose input is still there. Goes along the log, whose order is the answer's.
pub(crate) const OF_KIND: &str = "SELECT l.at, l.writer, l.seq, l.decision, l.body, l.approval, c.id, c.input, c.facts, c.tool, \
    c.server, c.agent, c.credential, c.workspace, c.conversation, c.run_id, c.call_id, c.cwd, a.asked \
    FROM audit_log l INDEXED BY audit_log_by_kind CROSS JOIN calls c ON c.id = l.call \
    LEFT JOIN approvals a ON a.id = l.approval \
    WHERE l.kind = ?1 AND c.input IS NOT NULL ORDER BY l.at DESC, l.writer DESC, l.seq DESC LIMIT ?2";
