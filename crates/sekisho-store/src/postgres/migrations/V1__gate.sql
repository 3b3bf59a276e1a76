-- Ids are UUIDs, times are microseconds since 1970 (UTC), JSON is text so that it comes back byte for byte.
-- Text that others wrote may be long: indexes hold its beginning only, since an index row has a largest size.

CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO meta (name, value) VALUES ('events', 0), ('rules_revision', 0), ('rules_made', 0);

-- Every call with its raw input. The input is null once it has been purged.
CREATE TABLE calls (
    id UUID PRIMARY KEY,
    input TEXT,
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    tool TEXT NOT NULL,
    server TEXT,
    agent TEXT,
    credential TEXT NOT NULL,
    workspace TEXT,
    conversation TEXT,
    run_id TEXT,
    call_id TEXT,
    cwd TEXT,
    created_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE INDEX calls_by_tool ON calls (left(tool, 200), created_at);
CREATE INDEX calls_to_purge ON calls (ended_at) WHERE ended_at IS NOT NULL AND input IS NOT NULL;

-- `asked` never changes and leaves out the call's input, `fate` is all that changes. The other columns are what is
-- searched by, written together with them. `key` is a hash of credential, scope and call id, `seq` the order of asking.
CREATE TABLE approvals (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id UUID NOT NULL UNIQUE,
    call UUID NOT NULL REFERENCES calls (id),
    credential TEXT NOT NULL,
    scope TEXT,
    call_key TEXT,
    key BYTEA CHECK (length(key) = 32),
    state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'expired', 'aborted')),
    deadline BIGINT,
    claimed_at BIGINT,
    asked_at BIGINT NOT NULL,
    asked TEXT NOT NULL,
    fate TEXT NOT NULL,
    CHECK ((scope IS NULL) = (call_key IS NULL)),
    CHECK ((scope IS NULL) = (key IS NULL)),
    CHECK (claimed_at IS NULL OR state IN ('approved', 'denied'))
);
CREATE UNIQUE INDEX approvals_one_pending_per_key ON approvals (key) WHERE state = 'pending' AND key IS NOT NULL;
CREATE INDEX approvals_by_key ON approvals (key, seq) WHERE key IS NOT NULL;
CREATE INDEX approvals_pending ON approvals (seq) WHERE state = 'pending';
CREATE INDEX approvals_due ON approvals (deadline) WHERE state = 'pending' AND deadline IS NOT NULL;
CREATE INDEX approvals_by_call ON approvals (call);

CREATE TABLE replicas (
    id UUID PRIMARY KEY,
    seen_at BIGINT NOT NULL
);
CREATE INDEX replicas_by_seen ON replicas (seen_at);

-- Which replica has a waiter for which pending question. Questions that outlive their asker have none.
CREATE TABLE holds (
    approval UUID NOT NULL REFERENCES approvals (id),
    replica UUID NOT NULL REFERENCES replicas (id),
    PRIMARY KEY (approval, replica)
);
CREATE INDEX holds_by_replica ON holds (replica, approval);

-- Gapless: counted by a row of `meta` that stays locked from the counting to the commit.
CREATE TABLE events (
    seq BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    body TEXT NOT NULL
);

-- A chain for each writer. What is signed is these columns, byte for byte.
CREATE TABLE audit_log (
    writer UUID NOT NULL,
    seq BIGINT NOT NULL CHECK (seq > 0),
    key INTEGER NOT NULL,
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    call UUID,
    approval UUID,
    execution UUID,
    tool TEXT,
    server TEXT,
    agent TEXT,
    credential TEXT,
    decision TEXT,
    approver TEXT,
    text TEXT NOT NULL,
    body TEXT NOT NULL,
    previous BYTEA NOT NULL CHECK (length(previous) = 32),
    code BYTEA NOT NULL CHECK (length(code) = 32),
    PRIMARY KEY (writer, seq)
);
CREATE INDEX audit_log_by_time ON audit_log (at, writer, seq);
CREATE INDEX audit_log_by_kind ON audit_log (kind, at, writer, seq);
CREATE INDEX audit_log_by_tool ON audit_log (left(tool, 200), at, writer, seq) WHERE tool IS NOT NULL;
CREATE INDEX audit_log_by_decision ON audit_log (decision, at, writer, seq) WHERE decision IS NOT NULL;
CREATE INDEX audit_log_by_agent ON audit_log (left(agent, 200), at, writer, seq) WHERE agent IS NOT NULL;
CREATE INDEX audit_log_by_approver ON audit_log (left(approver, 200), at, writer, seq) WHERE approver IS NOT NULL;
CREATE INDEX audit_log_by_approval ON audit_log (approval, at, writer, seq) WHERE approval IS NOT NULL;

-- Against accidents. Whoever means to change a row can drop these; the chain is what tells.
CREATE FUNCTION audit_log_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('sekisho.pruning', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'rows of the audit log are never changed, and only removed by pruning';
END
$$;
CREATE TRIGGER audit_log_is_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_kept();

-- Where each chain ends, written with its rows. `told` is its last row that is not a checkpoint.
CREATE TABLE writers (
    writer UUID PRIMARY KEY,
    seq BIGINT NOT NULL,
    code BYTEA NOT NULL CHECK (length(code) = 32),
    told BIGINT NOT NULL
);

-- Up to where each chain was pruned, signed.
CREATE TABLE cuts (
    writer UUID PRIMARY KEY,
    seq BIGINT NOT NULL,
    head BYTEA NOT NULL CHECK (length(head) = 32),
    at BIGINT NOT NULL,
    key INTEGER NOT NULL,
    code BYTEA NOT NULL CHECK (length(code) = 32)
);

-- `execution_id` is the run an execution belongs to; its own id is `id`.
CREATE TABLE tool_executions (
    id UUID PRIMARY KEY,
    execution_id UUID,
    tool_name TEXT NOT NULL,
    input TEXT NOT NULL,
    output TEXT,
    is_error BOOLEAN NOT NULL DEFAULT FALSE,
    duration_ms BIGINT,
    created_at BIGINT NOT NULL,
    call UUID NOT NULL REFERENCES calls (id),
    approval UUID REFERENCES approvals (id),
    finished_at BIGINT
);
CREATE INDEX tool_executions_by_run ON tool_executions (execution_id) WHERE execution_id IS NOT NULL;
CREATE INDEX tool_executions_by_call ON tool_executions (call);
-- An approval is spent at most once.
CREATE UNIQUE INDEX tool_executions_one_per_approval ON tool_executions (approval) WHERE approval IS NOT NULL;

CREATE TABLE agent_tool_permissions (
    id UUID PRIMARY KEY,
    agent_id UUID NOT NULL,
    tool_name TEXT NOT NULL,
    is_enabled BOOLEAN NOT NULL DEFAULT FALSE,
    config TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (agent_id, tool_name)
);

-- `made` is the order of making, counted over both tables of rules.
CREATE TABLE tool_permission_rules (
    id UUID PRIMARY KEY,
    made BIGINT NOT NULL UNIQUE,
    effect TEXT NOT NULL CHECK (effect IN ('allow', 'confirm', 'deny')),
    auto_approve INTEGER NOT NULL GENERATED ALWAYS AS (CASE effect WHEN 'allow' THEN 1 ELSE 0 END) STORED,
    server_id TEXT,
    tool_name TEXT,
    tool_pattern TEXT,
    priority BIGINT NOT NULL DEFAULT 0,
    agent TEXT,
    command TEXT,
    command_glob TEXT,
    skill_name TEXT,
    path TEXT,
    host TEXT,
    timeout_s BIGINT,
    on_timeout TEXT CHECK (on_timeout IN ('deny', 'park')),
    expires_at BIGINT,
    note TEXT,
    examples TEXT,
    unrestricted BOOLEAN NOT NULL DEFAULT FALSE,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    created_by TEXT NOT NULL
);

CREATE TABLE session_rules (
    id UUID PRIMARY KEY,
    made BIGINT NOT NULL UNIQUE,
    credential TEXT NOT NULL,
    agent TEXT,
    scope TEXT NOT NULL,
    effect TEXT NOT NULL CHECK (effect IN ('allow', 'confirm', 'deny')),
    rule TEXT NOT NULL,
    expires_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    created_by TEXT NOT NULL
);
CREATE INDEX session_rules_by_end ON session_rules (expires_at) WHERE expires_at IS NOT NULL;
