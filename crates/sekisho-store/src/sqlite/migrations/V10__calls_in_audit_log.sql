-- Finds the records of a call that nobody was asked about. Those of a question are found by its approval.
CREATE INDEX audit_log_by_call ON audit_log (call, at, writer, seq) WHERE call IS NOT NULL AND approval IS NULL;
