-- Ids are UUIDs as 16 bytes, times are microseconds since 1970 (UTC), JSON is text.

CREATE TABLE meta (
    name TEXT PRIMARY KEY NOT NULL,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta (name, value) VALUES ('rules_revision', 0), ('rules_made', 0);

-- Every call with its raw input. The input is null once it has been purged; what its executions ran with and gave, and
-- what its question showed, are purged with it.
CREATE TABLE calls (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    input TEXT,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    tool TEXT NOT NULL,
    server TEXT,
    agent TEXT,
    credential TEXT NOT NULL,
    workspace TEXT,
    conversation TEXT,
    run_id TEXT,
    call_id TEXT,
    cwd TEXT,
    created_at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT;
CREATE INDEX calls_by_tool ON calls (tool, created_at);
CREATE INDEX calls_to_purge ON calls (ended_at) WHERE ended_at IS NOT NULL AND input IS NOT NULL;

-- `asked` never changes and leaves out the call's input, `fate` is all that changes. The other columns are what is
-- searched by, written together with them. `seq` is the order of asking.
CREATE TABLE approvals (
    seq INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    call BLOB NOT NULL REFERENCES calls (id),
    credential TEXT NOT NULL,
    scope TEXT,
    call_key TEXT,
    state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'expired', 'aborted')),
    deadline INTEGER,
    claimed_at INTEGER,
    asked_at INTEGER NOT NULL,
    asked TEXT NOT NULL,
    fate TEXT NOT NULL,
    CHECK ((scope IS NULL) = (call_key IS NULL)),
    CHECK (claimed_at IS NULL OR state IN ('approved', 'denied'))
) STRICT;
CREATE UNIQUE INDEX approvals_one_pending_per_key ON approvals (credential, scope, call_key)
    WHERE state = 'pending' AND call_key IS NOT NULL;
CREATE INDEX approvals_by_key ON approvals (credential, scope, call_key, seq) WHERE call_key IS NOT NULL;
CREATE INDEX approvals_pending ON approvals (seq) WHERE state = 'pending';
CREATE INDEX approvals_due ON approvals (deadline) WHERE state = 'pending' AND deadline IS NOT NULL;
CREATE INDEX approvals_by_call ON approvals (call);

CREATE TABLE replicas (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX replicas_by_seen ON replicas (seen_at);

-- Which replica has a waiter for which pending question. Questions that outlive their asker have none.
CREATE TABLE holds (
    approval BLOB NOT NULL REFERENCES approvals (id),
    replica BLOB NOT NULL REFERENCES replicas (id),
    PRIMARY KEY (approval, replica)
) STRICT, WITHOUT ROWID;
CREATE INDEX holds_by_replica ON holds (replica, approval);

-- Gapless: the next is the last and one. Whoever purges keeps the last row.
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;

-- One chain for each writer. `body` is kept byte for byte: `code` is over it. The key is not in here.
CREATE TABLE audit_log (
    writer BLOB NOT NULL CHECK (length(writer) = 16),
    seq INTEGER NOT NULL CHECK (seq > 0),
    key INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    call BLOB,
    approval BLOB,
    execution BLOB,
    tool TEXT,
    server TEXT,
    agent TEXT,
    credential TEXT,
    decision TEXT,
    approver TEXT,
    text TEXT NOT NULL,
    body TEXT NOT NULL,
    previous BLOB NOT NULL CHECK (length(previous) = 32),
    code BLOB NOT NULL CHECK (length(code) = 32),
    PRIMARY KEY (writer, seq)
) STRICT;
-- Each search reads its index backwards from the newest row; a page goes on at (at, writer, seq).
CREATE INDEX audit_log_by_time ON audit_log (at, writer, seq);
CREATE INDEX audit_log_by_kind ON audit_log (kind, at, writer, seq, decision, tool);
CREATE INDEX audit_log_by_tool ON audit_log (tool, at, writer, seq) WHERE tool IS NOT NULL;
CREATE INDEX audit_log_by_decision ON audit_log (decision, at, writer, seq) WHERE decision IS NOT NULL;
CREATE INDEX audit_log_by_agent ON audit_log (agent, at, writer, seq) WHERE agent IS NOT NULL;
CREATE INDEX audit_log_by_approver ON audit_log (approver, at, writer, seq) WHERE approver IS NOT NULL;
CREATE INDEX audit_log_by_approval ON audit_log (approval, at, writer, seq) WHERE approval IS NOT NULL;

-- Against accidents. Whoever means to change a row can drop these; the chain is what tells.
CREATE TRIGGER audit_log_is_never_changed BEFORE UPDATE ON audit_log
BEGIN
    SELECT RAISE(ABORT, 'rows of the audit log are never changed');
END;
CREATE TRIGGER audit_log_is_only_pruned BEFORE DELETE ON audit_log
WHEN NOT EXISTS (SELECT 1 FROM meta WHERE name = 'pruning')
BEGIN
    SELECT RAISE(ABORT, 'rows of the audit log are only removed by pruning');
END;

-- Where each chain ends, written with its rows. `told` is its last row that is not a checkpoint.
CREATE TABLE writers (
    writer BLOB PRIMARY KEY NOT NULL CHECK (length(writer) = 16),
    seq INTEGER NOT NULL,
    code BLOB NOT NULL CHECK (length(code) = 32),
    told INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Up to where each chain was pruned, signed.
CREATE TABLE cuts (
    writer BLOB PRIMARY KEY NOT NULL CHECK (length(writer) = 16),
    seq INTEGER NOT NULL,
    head BLOB NOT NULL CHECK (length(head) = 32),
    at INTEGER NOT NULL,
    key INTEGER NOT NULL,
    code BLOB NOT NULL CHECK (length(code) = 32)
) STRICT, WITHOUT ROWID;

-- `execution_id` is the run an execution belongs to; its own id is `id`.
CREATE TABLE tool_executions (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    execution_id BLOB,
    tool_name TEXT NOT NULL,
    input TEXT NOT NULL,
    output TEXT,
    is_error INTEGER NOT NULL DEFAULT 0 CHECK (is_error IN (0, 1)),
    duration_ms INTEGER,
    created_at INTEGER NOT NULL,
    call BLOB NOT NULL REFERENCES calls (id),
    approval BLOB REFERENCES approvals (id),
    finished_at INTEGER
) STRICT;
CREATE INDEX tool_executions_by_run ON tool_executions (execution_id) WHERE execution_id IS NOT NULL;
CREATE INDEX tool_executions_by_call ON tool_executions (call);
-- An approval is spent at most once.
CREATE UNIQUE INDEX tool_executions_one_per_approval ON tool_executions (approval) WHERE approval IS NOT NULL;

CREATE TABLE agent_tool_permissions (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    agent_id BLOB NOT NULL,
    tool_name TEXT NOT NULL,
    is_enabled INTEGER NOT NULL DEFAULT 0 CHECK (is_enabled IN (0, 1)),
    config TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (agent_id, tool_name)
) STRICT;

-- `made` is the order of making, counted over both tables of rules.
CREATE TABLE tool_permission_rules (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    made INTEGER NOT NULL UNIQUE,
    effect TEXT NOT NULL CHECK (effect IN ('allow', 'confirm', 'deny')),
    auto_approve INTEGER NOT NULL GENERATED ALWAYS AS (effect = 'allow') STORED,
    server_id TEXT,
    tool_name TEXT,
    tool_pattern TEXT,
    priority INTEGER NOT NULL DEFAULT 0,
    agent TEXT,
    command TEXT,
    command_glob TEXT,
    skill_name TEXT,
    path TEXT,
    host TEXT,
    timeout_s INTEGER,
    on_timeout TEXT CHECK (on_timeout IN ('deny', 'park')),
    expires_at INTEGER,
    note TEXT,
    examples TEXT,
    unrestricted INTEGER NOT NULL DEFAULT 0 CHECK (unrestricted IN (0, 1)),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    created_by TEXT NOT NULL
) STRICT;

CREATE TABLE session_rules (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    made INTEGER NOT NULL UNIQUE,
    credential TEXT NOT NULL,
    agent TEXT,
    scope TEXT NOT NULL,
    effect TEXT NOT NULL CHECK (effect IN ('allow', 'confirm', 'deny')),
    rule TEXT NOT NULL,
    expires_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    created_by TEXT NOT NULL
) STRICT;
CREATE INDEX session_rules_by_end ON session_rules (expires_at) WHERE expires_at IS NOT NULL;
