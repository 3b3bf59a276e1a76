-- What a tool of this program did. `began_at` is when it began; an execution that began and has no `finished_at` is running or was
-- cut off. Executions that others run have none of these. `sandbox` is the level its programs got; `exit_code` or `signal` says
-- how its program ended.
ALTER TABLE tool_executions ADD COLUMN began_at INTEGER;
ALTER TABLE tool_executions ADD COLUMN sandbox TEXT;
ALTER TABLE tool_executions ADD COLUMN exit_code INTEGER;
ALTER TABLE tool_executions ADD COLUMN signal INTEGER;

-- From now on `input` is the masked input of such a run, and JSON null otherwise. The raw one is in `calls`.
UPDATE tool_executions SET input = 'null' WHERE input <> 'null';
