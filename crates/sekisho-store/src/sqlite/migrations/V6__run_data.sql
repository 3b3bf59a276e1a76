-- What a run keeps for its tools. Nothing here is masked, as in `calls`; it is deleted some days after it was last used, unless a
-- question of the run is still open.
CREATE TABLE run_todos (
    run BLOB PRIMARY KEY NOT NULL CHECK (length(run) = 16),
    todos TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX run_todos_by_time ON run_todos (updated_at);

-- Outputs that were too large for the model. `bytes` is the length of `output`.
CREATE TABLE run_outputs (
    run BLOB NOT NULL CHECK (length(run) = 16),
    id BLOB NOT NULL CHECK (length(id) = 16),
    output TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (run, id)
) STRICT;
CREATE INDEX run_outputs_by_time ON run_outputs (created_at);
