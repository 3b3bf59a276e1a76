-- Runs of the built-in agent. `settings` is what a run was started with, `state` how far it is; both are JSON. A run has one owner, the
-- replica that drives it; a step is stored only with the owner and the version it was made from. `works` is whether the run has something
-- to do or a request to fulfil, so that another replica takes it up when its owner is lost. Ids grow with time.
CREATE TABLE runs (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    agent BLOB NOT NULL CHECK (length(agent) = 16),
    credential TEXT NOT NULL,
    settings TEXT NOT NULL,
    state TEXT NOT NULL,
    version INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    owner BLOB CHECK (owner IS NULL OR length(owner) = 16),
    works INTEGER NOT NULL CHECK (works IN (0, 1)),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_by_agent ON runs (agent, id);
CREATE INDEX runs_by_credential ON runs (credential, id);
CREATE INDEX runs_at_work ON runs (owner, id) WHERE works = 1;

-- The conversation of a run. Not masked, as in `calls`.
CREATE TABLE run_messages (
    run BLOB NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT;

-- What was told about a run, in order.
CREATE TABLE run_chunks (
    run BLOB NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT;

-- What somebody wants from a run, until its owner has fulfilled it.
CREATE TABLE run_requests (
    seq INTEGER PRIMARY KEY,
    run BLOB NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX run_requests_by_run ON run_requests (run, seq);

-- Agents. `settings` is JSON and contains the name too.
CREATE TABLE agents (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    name TEXT NOT NULL UNIQUE,
    settings TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

-- Until now nothing wrote to this table, because there were no agents to refer to.
DROP TABLE agent_tool_permissions;
CREATE TABLE agent_tool_permissions (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    agent_id BLOB NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    tool_name TEXT NOT NULL,
    is_enabled INTEGER NOT NULL DEFAULT 0 CHECK (is_enabled IN (0, 1)),
    config TEXT,
    require_approval INTEGER NOT NULL DEFAULT 0 CHECK (require_approval IN (0, 1)),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (agent_id, tool_name)
) STRICT;
