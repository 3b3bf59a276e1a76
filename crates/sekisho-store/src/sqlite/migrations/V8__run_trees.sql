-- Runs of sub-agents. `root` is the first run of a tree, and the run itself if nobody delegated it. `reserved` is what the next reply of a
-- run may take of the budgets of its tree, as JSON; it counts until that reply is stored.
ALTER TABLE runs ADD COLUMN parent BLOB CHECK (parent IS NULL OR length(parent) = 16);
ALTER TABLE runs ADD COLUMN root BLOB CHECK (root IS NULL OR length(root) = 16);
ALTER TABLE runs ADD COLUMN reserved TEXT;
UPDATE runs SET root = id;
CREATE INDEX runs_by_root ON runs (root, id);
CREATE INDEX runs_by_parent ON runs (parent, id) WHERE parent IS NOT NULL;

-- The sub-agents that a run made. `spec` is JSON.
CREATE TABLE sub_agents (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    run BLOB NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    spec TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sub_agents_by_run ON sub_agents (run, created_at, id);
