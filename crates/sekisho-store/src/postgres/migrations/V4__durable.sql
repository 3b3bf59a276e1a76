-- The durable key that an execution has spent, as SHA-256 of credential, scope and call id. Null where the same call may be asked
-- for again, and for an execution that was never permitted.
ALTER TABLE tool_executions ADD COLUMN once BYTEA CHECK (length(once) = 32);
CREATE UNIQUE INDEX tool_executions_once ON tool_executions (once) WHERE once IS NOT NULL;

-- Whoever ran a call reports its end by its own id.
CREATE INDEX calls_by_call_id ON calls (credential, call_id, created_at) WHERE call_id IS NOT NULL;

-- JSON Schemas of tools' inputs, for checking an edited input wherever it is answered. `version` is the SHA-256 of `schema`.
CREATE TABLE input_schemas (
    tool TEXT NOT NULL,
    version BYTEA NOT NULL CHECK (length(version) = 32),
    schema TEXT NOT NULL,
    used_at BIGINT NOT NULL,
    PRIMARY KEY (tool, version)
);
