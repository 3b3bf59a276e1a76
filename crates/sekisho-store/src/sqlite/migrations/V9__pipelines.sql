-- Pipelines. `definition` is JSON and contains the name too.
CREATE TABLE pipelines (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    name TEXT NOT NULL UNIQUE,
    definition TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

-- Runs of pipelines, stored as `runs` are. `settings` contains the definition that a run was started with, so `pipeline`, if it was a
-- stored one, may be gone or changed.
CREATE TABLE pipeline_runs (
    id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    pipeline BLOB CHECK (pipeline IS NULL OR length(pipeline) = 16),
    credential TEXT NOT NULL,
    settings TEXT NOT NULL,
    state TEXT NOT NULL,
    version INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    owner BLOB CHECK (owner IS NULL OR length(owner) = 16),
    works INTEGER NOT NULL CHECK (works IN (0, 1)),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX pipeline_runs_by_pipeline ON pipeline_runs (pipeline, id);
CREATE INDEX pipeline_runs_by_credential ON pipeline_runs (credential, id);
CREATE INDEX pipeline_runs_at_work ON pipeline_runs (owner, id) WHERE works = 1;

-- What was told about a run of a pipeline, in order.
CREATE TABLE pipeline_chunks (
    run BLOB NOT NULL REFERENCES pipeline_runs (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT;

-- What somebody wants from a run of a pipeline, until its owner has fulfilled it.
CREATE TABLE pipeline_requests (
    seq INTEGER PRIMARY KEY,
    run BLOB NOT NULL REFERENCES pipeline_runs (id) ON DELETE CASCADE,
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX pipeline_requests_by_run ON pipeline_requests (run, seq);
