//! Calls.

pub(crate) const INSERT: &str = "INSERT INTO calls (id, input, digest, tool, server, agent, credential, workspace, \
    conversation, run_id, call_id, cwd, created_at, ended_at, facts) \
    SELECT * FROM UNNEST($1::uuid[], $2::text[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::text[], \
    $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::bigint[], $15::text[])";

pub(crate) const END: &str = "UPDATE calls SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL";
