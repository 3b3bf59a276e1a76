//! Calls and executions.

pub(crate) const INSERT: &str = "INSERT INTO calls (id, input, digest, tool, server, agent, credential, workspace, \
    conversation, run_id, call_id, cwd, created_at, ended_at, facts) \
    SELECT * FROM UNNEST($1::uuid[], $2::text[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::text[], \
    $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::bigint[], $15::text[])";

pub(crate) const END: &str = "UPDATE calls SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL";

pub(crate) const START: &str = "INSERT INTO tool_executions \
    (id, execution_id, tool_name, input, created_at, call, approval) \
    SELECT * FROM UNNEST($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::uuid[], $7::uuid[])";

pub(crate) const FINISH: &str = "UPDATE tool_executions \
    SET output = $2, is_error = $3, duration_ms = $4, finished_at = $5 WHERE id = $1 AND finished_at IS NULL";

pub(crate) const OF_EXECUTION: &str = "SELECT c.id, e.approval, e.tool_name, c.server, c.agent, c.credential, a.call \
    FROM tool_executions e JOIN calls c ON c.id = e.call LEFT JOIN approvals a ON a.id = e.approval \
    WHERE e.id = $1";
