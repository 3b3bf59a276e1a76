-- What a run keeps for its tools. Nothing here is masked, as in `calls`; it is deleted some days after it was last used, unless a
-- question of the run is still open.
CREATE TABLE run_todos (
    run UUID PRIMARY KEY,
    todos TEXT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX run_todos_by_time ON run_todos (updated_at);

-- Outputs that were too large for the model. `bytes` is the length of `output`.
CREATE TABLE run_outputs (
    run UUID NOT NULL,
    id UUID NOT NULL,
    output TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (run, id)
);
CREATE INDEX run_outputs_by_time ON run_outputs (created_at);
